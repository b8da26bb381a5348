/* SPDX-License-Identifier: Apache-2.0
 * The page of a user's own credentials, for all connections of their workspaces in member mode. */
#include "base/str.h"
#include "connections/connection_page.h"
#include "connections/used.h"

#define CREDENTIALS_PAGE(F, T) \
	F(T, OBJ,  tested,   .sub = &connection_test_shape, .doc = "NULL: none was made") \
	F(T, LIST, places,   .sub = &credential_place_shape) \
	F(T, OBJ,  replaced, .sub = &own_credential_shape, .doc = "Which are typed now")
SHAPE(credentials_page, CREDENTIALS_PAGE);

#define CREDENTIALS_QUERY(F, T) \
	F(T, STR, done,    .hi = 40) \
	F(T, STR, replace, .hi = 40)
SHAPE(credentials_query, CREDENTIALS_QUERY);

/* replace: the connection whose credentials are typed, or NULL. */
static enum err
credentials_reply(struct req *r, const char *replace, struct connection_test *test)
{
	struct credentials_page page = { .tested = test };
	struct own_credential_list rows;

	TRY(credentials_own(r->c, r->who, &rows));
	TRY(credentials_say(r->c, r->who, &rows));
	test_say(r->c, test);
	page.places = credential_places(r->c, &rows);
	for (size_t i = 0; i < rows.n; i++)
		if (str_eq(rows.v[i].connection_id, replace) && !str_eq(rows.v[i].asks, "none"))
			page.replaced = &rows.v[i];
	return test ? test_reply(r, test, NULL, NULL, &page) : reply_page(r, 0, &page);
}

static enum err
h_credentials(struct req *r)
{
	const struct credentials_query *q = r->query;

	return credentials_reply(r, q->replace, NULL);
}

/* ---- entering and deleting ---- */

#define CREDENTIALS_FORM(F, T) \
	F(T, STR, replace,  .hi = 40) \
	F(T, STR, token,    .flags = F_SECRET, .hi = 4096) \
	F(T, STR, username, .hi = 255) \
	F(T, STR, password, .flags = F_SECRET, .hi = 1024)
SHAPE(credentials_form, CREDENTIALS_FORM);

static struct credential_new
credentials_typed(const struct credentials_form *in, const char *asks)
{
	if (str_eq(asks, "token"))
		return (struct credential_new){ .token = in->token ? in->token : "",
			.has.token = GIVEN };
	return (struct credential_new){ .username = in->username ? in->username : "",
		.password = in->password ? in->password : "",
		.has = { .username = GIVEN, .password = GIVEN } };
}

static enum err
connection_mine(struct req *r, struct connection **k, struct credential_new *typed)
{
	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), k));
	*typed = credentials_typed(
	    r->in, credentials_asked(r->c, (*k)->kind, (*k)->auth_mode, (*k)->config));
	return E_OK;
}

static enum err
p_credentials_save(struct req *r)
{
	struct connection_test *test;
	struct credential_new typed;
	struct connection *k;

	TRY(connection_mine(r, &k, &typed));
	TRY(connection_test_typed(r, k,
	    &(struct connection_new){ .provider = k->provider,
		.auth_mode = k->auth_mode,
		.name = k->name,
		.config = k->config,
		.credentials = &typed,
		.has = { .provider = GIVEN, .auth_mode = GIVEN, .name = GIVEN, .config = GIVEN,
		    .credentials = GIVEN } },
	    &test));
	r->prepared = test;
	return E_OK;
}

static enum err
h_credentials_save(struct req *r)
{
	struct connection_test *test = r->prepared;
	struct credential_new typed;
	struct my_credentials saved;
	struct connection *k;

	TRY(connection_mine(r, &k, &typed));
	if (!test->ok)
		return credentials_reply(r, k->id, test);
	TRY(my_credentials_set(r->c, k, r->who, &typed, &saved));
	return reply_redirect(r, "/auth/account/credentials?done=credentials_saved");
}

static enum err
connection_find(struct req *r, struct shown *out)
{
	struct connection *k;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &k));
	*out = SHOWN(connection, k);
	return E_OK;
}

#define MINE "/auth/account/credentials"
#define ONE MINE "/{ws}/{con}"
static const struct route credentials_page_routes[] = {
  { PAGE(MINE, SESSION, credentials, h_credentials), .query = &credentials_query_shape,
    .doc = "Your own credentials, for all connections" },
  { FORM_PAGE(ONE, WS_MEMBER, credentials_form, credentials, h_credentials_save),
    .called = "credentials.", .again = MINE,
    .slow = true, .prepare = p_credentials_save, .limit = LIM_CONNECTION_TEST,
    .doc = "Test what was typed, and save it" },
  { POST, ONE "/remove",
    DOES("DELETE /v1/workspaces/{ws}/connections/{con}/my-credentials"),
    .ask = ASK("Remove your credentials for {name}?",
	"Your jobs that use the connection fail until you add some again.",
	"Remove credentials", MINE, .find = connection_find),
    .then = MINE "?done=credentials_gone", .doc = "Remove yours" },
};
ROUTES(credentials_page, "Pages: credentials",
    "What somebody sees in the browser of the credentials that they have given.");
