/* SPDX-License-Identifier: Apache-2.0
 * Limits the processor time and memory of a request, whatever code uses them. A request that
 * exceeds them is refused and its worker exits, because it may be in the middle of anything: the
 * kernel closes and unlocks what it held, the database rolls back, and the parent starts a new
 * worker at once. */
#ifndef VITRINE_BOUND_H
#define VITRINE_BOUND_H
#include "http/req.h"

enum { BOUND_EXIT = 75 }; /* exit status of such a worker */

void bound_open(const struct conf *, enum pool); /* called by a worker before it confines itself */
/* fcgi_id: FastCGI's id of the request on r->fd. */
void bound_begin(const struct req *, int fcgi_id);
void bound_answering(void); /* from here on a reply can only be cut off */
void bound_end(void);
#endif
