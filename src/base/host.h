/* SPDX-License-Identifier: Apache-2.0
 * Names of hosts and domains as people type them. */
#ifndef VITRINE_HOST_H
#define VITRINE_HOST_H
#include <stdbool.h>

struct conf;

/* The name as DNS has it and as it is compared: in lower case, labels outside ASCII as xn--…,
 * without the dot that may end it. NULL when it is no name. An IPv4 address looks like one. */
char *host_name(void *owner, const char *typed);
/* Whether we serve a host ourselves, of base_url or of content_domain: nothing is sent in a circle.
 * In lower case, with the dot that may end it or without. */
bool host_is_ours(const struct conf *, const char *host);
/* This computer, where uri names it whole: localhost, 127.0.0.1 or [::1], with a port or none.
 * Returns a constant, with what follows the port in *rest; NULL for every other host. */
const char *host_loopback(const char *uri, const char **rest);
#endif
