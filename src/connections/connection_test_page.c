/* SPDX-License-Identifier: Apache-2.0
 * Tests of the values typed into a form, and their results on the page. */
#include "base/str.h"
#include "connections/connection_page.h"
#include "http/form.h"
#include "http/share.h"

/* ---- the test ---- */

static const char *
holder_of(const struct req *r, const struct connection *k)
{
	return connection_is_own(k) ? r->who->user_id : CREDENTIAL_SHARED;
}

/* The stored credentials, in the form's fields; NULL: none for that server. */
static enum err
credentials_kept(struct req *r, const struct connection *k, const char *config,
    struct credential_new **out)
{
	struct connection_config was, now;
	const struct credential *has;
	struct credential_new *to;

	*out = NULL;
	TRY(connection_config(r->c, k->kind, k->auth_mode, k->config, &was));
	TRY(connection_config(r->c, k->kind, k->auth_mode, config, &now));
	if (now.sign_in != was.sign_in || !str_eq(now.server, was.server) || !k->my_credentials)
		return E_OK;
	TRY(credential_open(r->c, k, holder_of(r, k), &has));
	*out = to = mem_new(r->c->mem, struct credential_new);
	*to = (struct credential_new){ .token = has->token,
		.username = now.sign_in == SIGN_IN_PAIR ? has->username : NULL,
		.password = has->password };
	to->has.token = to->token ? GIVEN : ABSENT;
	to->has.username = to->username ? GIVEN : ABSENT;
	to->has.password = to->password ? GIVEN : ABSENT;
	return E_OK;
}

static bool
signs_in(struct ctx *c, const struct connection_new *n)
{
	return !str_eq(credentials_asked(c, n->provider, n->auth_mode, n->config), "none");
}

enum err
connection_test_typed(struct req *r, const struct connection *k, const struct connection_new *typed,
    struct connection_test **out)
{
	struct connection_test *test = mem_new(r->c->mem, struct connection_test);
	struct connection_new n = *typed;
	struct credential_new *kept;

	*out = NULL;
	if (k && !n.credentials) {
		TRY(credentials_kept(r, k, n.config, &kept));
		n.credentials = kept;
		if (!kept && signs_in(r->c, &n))
			return E_OK;
	}
	TRY(share_outside(r));
	TRY(connection_try_new(r->c, &n, test));
	*out = test;
	return E_OK;
}

/* ---- in words ---- */

static struct connection_step *
step_failed(const struct connection_test *test)
{
	struct connection_step *steps = test->steps.v;

	return !test->ok && test->steps.n ? &steps[test->steps.n - 1] : NULL;
}

void
test_say(struct ctx *c, struct connection_test *test)
{
	struct connection_step *last = test ? step_failed(test) : NULL;

	if (last)
		test->why = last->says = form_sentence(c->mem, last->says);
}

enum err
test_reply(struct req *r, const struct connection_test *test, const char *of_server,
    const char *of_secret, const void *page)
{
	const struct connection_step *last = step_failed(test);
	const char *field = !last                       ? NULL
	    : str_eq(last->name, "Sign in")            ? of_secret
	    : str_starts(last->name, "Read")           ? NULL
						       : of_server;

	if (!last)
		return reply_refused(r, 200, "", page);
	return reply_refused(
	    r, 400, field ? mem_printf(r->c->mem, "%s: %s", field, last->says) : "", page);
}
