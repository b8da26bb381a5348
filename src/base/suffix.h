/* SPDX-License-Identifier: Apache-2.0
 * Which hosts a browser takes for one site: those with one registrable domain, by the Public Suffix
 * List. Only suffix.c sees libpsl. */
#ifndef VITRINE_SUFFIX_H
#define VITRINE_SUFFIX_H
#include <stdbool.h>

bool suffix_same_site(const char *host_a, const char *host_b);
#endif
