/* SPDX-License-Identifier: Apache-2.0
 * Which addresses a request that somebody else chose may connect to. */
#ifndef VITRINE_ADDRESS_H
#define VITRINE_ADDRESS_H
#include <stdbool.h>

struct sockaddr;
enum address_ports { ADDRESS_WEB /* 80 and 443 */, ADDRESS_DATABASE /* 1024 and above */ };
/* True for a public address and such a port, and for what `listed` names, such as "10.0.0.5:8080
 * [fd00::5]:443". */
bool address_allowed(const struct sockaddr *, enum address_ports, const char *listed);
#endif
