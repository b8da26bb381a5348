/* SPDX-License-Identifier: Apache-2.0
 * Idempotency-Key on POST: the first success is stored in the transaction of its effect and
 * replayed for a day. A failure changed nothing, so it is not stored: the same key may be tried
 * again. What is kept is sealed, since replies have tokens and codes in them. Source: decisions,
 * "Wire". */
#ifndef VITRINE_IDEMPOTENCY_H
#define VITRINE_IDEMPOTENCY_H
#include "http/req.h"

/* Inside the transaction, before the handler. E_CONFLICT while the first is under way, and when its
 * reply can't be opened (the key file was replaced); E_IDEMPOTENCY if the request differs. When
 * r->replayed is set the stored reply is in place and the handler must not run. */
enum err idempotency_claim(struct req *r);
/* The same question before the transaction, for routes that prepare: whether the reply is stored
 * already. Takes nothing. */
enum err idempotency_look(struct req *r);
/* After the handler: stores its reply, for whoever made the claim. */
enum err idempotency_keep(struct req *r);
#endif
