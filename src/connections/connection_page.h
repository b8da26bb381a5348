/* SPDX-License-Identifier: Apache-2.0
 * What the pages of connections have in common. */
#ifndef VITRINE_CONNECTION_PAGE_H
#define VITRINE_CONNECTION_PAGE_H
#include "connections/connection_look.h"
#include "connections/try.h"
#include "core/artifact_top_page.h"

/* What a page of a workspace's settings shows (core/ws-top.html). */
#define CONNECTIONS_TOP(F, T) \
	F(T, STR, title) \
	F(T, STR, done)
#define CONNECTIONS_TOP_OF(r) .title = "Connections", .done = artifact_page_done(r)

/* A step of a test, and the part that shows all of them (connections/connection-steps.html). */
#define TEST_STEP(F, T) \
	F(T, STR,  name) \
	F(T, BOOL, ok) \
	F(T, STR,  says) \
	F(T, STR,  took)
SHAPE_DECLARE(test_step, TEST_STEP);
#define TEST_PART(F, T) \
	F(T, BOOL, tested) \
	F(T, STR,  failed,  .doc = "Why, of a form that wasn't saved") \
	F(T, BOOL, passed) \
	F(T, STR,  stopped, .doc = "At which step it failed; NULL: it passed") \
	F(T, LIST, steps,   .sub = &test_step_shape)
/* of: what a test came to, or NULL: there was none. */
#define TEST_PART_OF(c, of) \
	.tested = (of) != NULL, .failed = test_why(c, of), .passed = (of) && (of)->ok, \
	.stopped = test_stopped(c, of), .steps = test_steps(c, of)
const char *test_stopped(struct ctx *c, const struct connection_test *);
struct list test_steps(struct ctx *c, const struct connection_test *);
/* Tests what was typed: a new one, or what k is to be. Without credentials those that k has are
 * used, unless they would be sent to another server; where there are none, *out is NULL. E_INVALID
 * names the field as the rules do. It asks the server, so it belongs into a row's prepare. */
enum err connection_test_typed(struct req *, const struct connection *k,
    const struct connection_new *typed, const struct connection_test **out);
/* Why it failed, as a sentence; NULL: it didn't. */
const char *test_why(struct ctx *c, const struct connection_test *);
/* Shows the page of a form with what its test came to. of_server, of_secret: the form's fields that
 * may be to blame. */
enum err test_reply(struct req *, const struct connection_test *, const char *of_server,
    const char *of_secret, const void *page);

/* The path of a page beneath the workspace's connections. */
const char *connections_at(const struct req *, const char *beneath);
/* A service that is set up here. */
#define SERVICE_OFFERED(F, T) \
	F(T, STR,  provider) \
	F(T, STR,  title) \
	F(T, STR,  host) \
	F(T, BOOL, chat)
SHAPE_DECLARE(service_offered, SERVICE_OFFERED);
struct list services_offered(struct req *, const char *kind);

/* Where somebody signs in at the service of one; NULL: nowhere, they type credentials. */
const char *connection_signin(
    struct ctx *c, const char *workspace_id, const struct connection *);
/* What people know the service by; NULL: by nothing but its kind. */
const char *connection_service(struct ctx *c, const struct connection *);
#endif
