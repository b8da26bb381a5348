/* SPDX-License-Identifier: Apache-2.0
 * What the Public Suffix List says. Only suffix.c sees libpsl. */
#ifndef VITRINE_SUFFIX_H
#define VITRINE_SUFFIX_H
#include <stdbool.h>

/* Whether browsers take two hosts for one site: they do when both have the same registrable
 * domain. */
bool suffix_same_site(const char *host_a, const char *host_b);
/* Whether a registry gives out domains below this one, as below com and co.uk. What is a suffix of
 * a company's alone is none. */
bool suffix_is_public(const char *domain);
#endif
