/* SPDX-License-Identifier: Apache-2.0
 * The limits in a route's row, and limits that a handler adds. http/limit.h does the counting. */
#ifndef VITRINE_QUOTA_H
#define VITRINE_QUOTA_H
#include "http/limit.h"
#include "http/req.h"

/* Takes of both limits in the row, once for a request; E_RATE_LIMITED. A limit of an artifact's is
 * taken when the caller has been judged, so it is called again after authorise(), and by a handler
 * that finds the artifact itself and sets r->art. */
enum err quota_take(struct req *);
void quota_return(struct req *);   /* after the reply is known: gives back what does not count */
/* One more, by a key of the handler's; given back like those of the row. */
enum err quota_take_for(struct req *, enum limit_kind, const char *key);
/* All but the first kept that the handler took: its transaction was lost. */
void quota_return_taken(struct req *, size_t kept);
/* Calls work(), which keeps a CPU busy (a password hash), among no more than limit_enter() lets in;
 * for rows that are .slow. known: as in share_hash(). E_UNAVAILABLE when too many wait, or for too
 * long. */
enum err quota_cpu(struct req *, bool known, enum err (*work)(struct req *));
/* For limits that refuse nothing: counts one more; whether as many as are allowed were counted. */
void quota_note(struct req *, enum limit_kind, const char *key);
bool quota_spent(struct req *, enum limit_kind, const char *key);
#endif
