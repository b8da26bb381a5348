/* SPDX-License-Identifier: Apache-2.0
 * What one request may cost a worker: CPU time and memory, whoever allocates it. What goes past it
 * is refused and the worker ends, since nobody knows what it was in the middle of: the kernel
 * closes and unlocks what it had, the database rolls back, and the parent replaces it at once. */
#ifndef VITRINE_BOUND_H
#define VITRINE_BOUND_H
#include "http/req.h"

enum { BOUND_EXIT = 75 }; /* the status of a worker that ended so */

void bound_open(const struct conf *, enum pool); /* by a worker, before it confines itself */
/* fcgi_id: FastCGI's id of the request on r->fd. */
void bound_begin(const struct req *, int fcgi_id);
void bound_answering(void); /* from here on a reply can only be cut off */
void bound_end(void);
#endif
