/* SPDX-License-Identifier: Apache-2.0
 * Tests a connection: the steps of a job's run, up to the first failure, with advice. It asks
 * the other server, so never call it in a transaction. */
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
		.doc = "In the order in which they were tried; none follows one that failed") \
	F(T, STR,  why,   .flags = F_HID, .doc = "Of a failure, for people (test_say())")
SHAPE_DECLARE(connection_test, CONNECTION_TEST);

/* Tests with the credentials that a job of `who` would use. For a database it also tests the
 * queries of jobs: all jobs if the credentials are shared, else those of `who`. E_DENIED: only
 * admins test shared credentials. */
enum err connection_try(struct ctx *c, const struct connection *, const struct principal *who,
    const char *workspace_role, struct connection_test *out);
/* Tests a connection without storing it. E_INVALID like connection_add(). */
enum err connection_try_new(
    struct ctx *c, const struct connection_new *, struct connection_test *out);
/* Gives the stored credentials as a form has them; NULL: there are none for the config's server. */
enum err connection_credentials_kept(struct ctx *c, const struct connection *,
    const struct principal *who, const char *config, struct credential_new **out);
/* Returns the step at which the test failed; NULL: it passed. */
struct connection_step *connection_step_failed(const struct connection_test *);
#endif
