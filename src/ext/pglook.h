/* SPDX-License-Identifier: Apache-2.0
 * The addresses of a database's host, looked up once, beside other work. */
#ifndef VITRINE_PGLOOK_H
#define VITRINE_PGLOOK_H
#include <stdbool.h>
#include <stdint.h>

struct pglook;
/* NULL for what is no name of a host or address. */
struct pglook *pglook_begin(const char *host, int64_t port);
bool pglook_done(const struct pglook *);
/* Of one that is done: those that may be asked, with commas, and the host as often. Why there are
 * none, or NULL. */
const char *pglook_judge(void *owner, const struct pglook *, const char *listed,
    const char **hosts, const char **addresses);
/* Whether it is done or not. NULL is fine. */
void pglook_end(struct pglook *);
#endif
