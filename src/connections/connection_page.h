/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of connections share. */
#ifndef VITRINE_CONNECTION_PAGE_H
#define VITRINE_CONNECTION_PAGE_H
#include "connections/connection_look.h"
#include "connections/try.h"
#include "core/artifact_top_page.h"
#include "http/quota.h"

extern const struct limit LIM_CONNECTION_TEST[1];

/* Makes the reason of a failure a sentence. test: NULL: no test was made. */
void test_say(struct ctx *c, struct connection_test *test);
/* Tests the connection in a form, a new one or a change of k. If the form has no credentials, the
 * test uses k's, unless they would go to another server; without any, *out is NULL. E_INVALID
 * names the field. Call from a row's prepare, since the test asks another server. */
enum err connection_test_typed(struct req *, const struct connection *k,
    const struct connection_new *typed, struct connection_test **out);
/* Shows the form's page with the result of its test. of_server, of_secret: the fields to mark when
 * the server or the secret is the cause. */
enum err test_reply(struct req *, const struct connection_test *, const char *of_server,
    const char *of_secret, const void *page);

/* The path of a page beneath the workspace's connections. */
const char *connections_at(const struct req *, const char *beneath);
/* A service that this installation offers. */
#define SERVICE_OFFERED(F, T) \
	F(T, STR,  provider) \
	F(T, STR,  title) \
	F(T, STR,  host)
SHAPE_DECLARE(service_offered, SERVICE_OFFERED);
struct list services_offered(struct req *, const char *kind);

/* The address for signing in at the connection's service; NULL: people type credentials. */
const char *connection_signin(
    struct ctx *c, const char *workspace_id, const struct connection *);
/* The host of the service that the connection signs in to; NULL: it signs in to none. */
const char *connection_service(struct ctx *c, const struct connection *);
#endif
