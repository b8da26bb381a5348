/* SPDX-License-Identifier: Apache-2.0
 * Whether browsers take two hosts for one site: they do when both have the same registrable domain
 * by the Public Suffix List. Only suffix.c sees libpsl. */
#ifndef VITRINE_SUFFIX_H
#define VITRINE_SUFFIX_H
#include <stdbool.h>

bool suffix_same_site(const char *host_a, const char *host_b);
#endif
