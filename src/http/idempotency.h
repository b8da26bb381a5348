/* SPDX-License-Identifier: Apache-2.0
 * Idempotency-Key on POST and on PUT of a file: the reply of the first success is stored in the
 * transaction of its effect, and returned for a day. A failure changed nothing and isn't stored, so
 * the key can be used again. Stored replies are sealed, because they may contain tokens and codes.
 * Source: decisions, "Wire". */
#ifndef VITRINE_IDEMPOTENCY_H
#define VITRINE_IDEMPOTENCY_H
#include "http/req.h"

enum err idempotency_check(struct req *r); /* E_INVALID if the key is malformed */
/* Call in the transaction, before the handler. A request that will wait (wait_s) gets a key.
 * E_CONFLICT while the first request is running, or if its reply can't be opened (the key file was
 * replaced); E_IDEMPOTENCY if the request differs. If it sets r->replayed, r has the stored reply
 * and the handler must not run. */
enum err idempotency_claim(struct req *r);
/* Returns a stored reply like idempotency_claim(), but claims nothing. For routes that prepare,
 * before the transaction. */
enum err idempotency_look(struct req *r);
/* Call after the handler: stores its reply under the claim. */
enum err idempotency_keep(struct req *r);
#endif
