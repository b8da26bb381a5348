/* SPDX-License-Identifier: Apache-2.0
 * Resolves the host of a database once, in the background. */
#ifndef VITRINE_PGLOOK_H
#define VITRINE_PGLOOK_H
#include <stdbool.h>
#include <stdint.h>

struct pglook;
/* Starts a lookup. Returns NULL if host isn't a host name or address. */
struct pglook *pglook_begin(const char *host, int64_t port);
bool pglook_done(const struct pglook *);
/* After pglook_done(): *addresses are the allowed addresses with commas between them, *hosts the
 * host repeated as often. Returns NULL, or why there is none. */
const char *pglook_judge(void *owner, const struct pglook *, const char *listed,
    const char **hosts, const char **addresses);
/* Can be called before the lookup is done. NULL is ignored. */
void pglook_end(struct pglook *);
#endif
