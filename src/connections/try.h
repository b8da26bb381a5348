/* SPDX-License-Identifier: Apache-2.0
 * Whether a connection works: what a job's run would do, step by step, up to the first that fails,
 * with what mends it. Asks the other server, so never in a transaction. */
#ifndef VITRINE_CONNECTION_TRY_H
#define VITRINE_CONNECTION_TRY_H
#include "connections/connection.h"

#define CONNECTION_STEP(F, T) \
	F(T, STR,  name, .doc = "What was tried, such as Sign in") \
	F(T, BOOL, ok) \
	F(T, STR,  says, .doc = "What came of it; of a failure, why, and what to do") \
	F(T, INT,  took_ms)
SHAPE_DECLARE(connection_step, CONNECTION_STEP);

#define CONNECTION_TEST(F, T) \
	F(T, BOOL, ok) \
	F(T, LIST, steps, .sub = &connection_step_shape, \
		.doc = "In the order in which they were tried; none follows one that failed")
SHAPE_DECLARE(connection_test, CONNECTION_TEST);

/* With the credentials that a job of theirs would use. Of a database, also whether what jobs ask of
 * it can be read: of a shared one all jobs, else theirs. E_DENIED: who isn't an admin tries only
 * connections that take their own credentials. */
enum err connection_try(struct ctx *c, const struct connection *, const struct principal *who,
    const char *workspace_role, struct connection_test *out);
/* One that is not there yet, and won't be. E_INVALID as connection_add() has it. */
enum err connection_try_new(
    struct ctx *c, const struct connection_new *, struct connection_test *out);
#endif
