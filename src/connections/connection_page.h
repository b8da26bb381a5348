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

#endif
