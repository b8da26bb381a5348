/* SPDX-License-Identifier: Apache-2.0
 * Questions to the Public Suffix List. Only suffix.c includes libpsl. */
#ifndef VITRINE_SUFFIX_H
#define VITRINE_SUFFIX_H
#include <stdbool.h>

/* True if browsers count two hosts as one site: both have the same registrable domain. */
bool suffix_same_site(const char *host_a, const char *host_b);
/* True if a registry sells domains below this one, as below com and co.uk. False for the suffix of
 * a company. */
bool suffix_is_public(const char *domain);
/* True if others have domains below this one: of a registry, or of a company, as github.io. */
bool suffix_is_any(const char *domain);
/* True for the domain that somebody has registered, as example.co.uk, which has no CNAME record. */
bool suffix_is_registrable(const char *domain);
#endif
