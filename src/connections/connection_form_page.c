/* SPDX-License-Identifier: Apache-2.0
 * The pages of a new connection, and of the form that changes one. We test the typed values before
 * we save them, and don't save them if the test fails. */
#include "base/str.h"
#include "connections/connection_page.h"
#include "http/form.h"
#include "http/share.h"

enum { POSTGRES_PORT = 5432 };

/* ---- the test, for all pages ---- */

enum err
connection_test_typed(struct req *r, const struct connection *k, const struct connection_new *typed,
    struct connection_test **out)
{
	struct connection_test *test = mem_new(r->c->mem, struct connection_test);
	struct connection_new n = *typed;
	struct credential_new *kept;

	*out = NULL;
	if (k && !n.credentials) {
		TRY(connection_credentials_kept(r->c, k, r->who, n.config, &kept));
		n.credentials = kept;
		if (!kept &&
		    !str_eq(credentials_asked(r->c, n.provider, n.auth_mode, n.config), "none"))
			return E_OK;
	}
	TRY(share_outside(r));
	TRY(connection_try_new(r->c, &n, test));
	*out = test;
	return E_OK;
}

void
test_say(struct ctx *c, struct connection_test *test)
{
	struct connection_step *last = test ? connection_step_failed(test) : NULL;

	if (last)
		test->why = last->says = form_sentence(c->mem, last->says);
}

enum err
test_reply(struct req *r, const struct connection_test *test, const char *of_server,
    const char *of_secret, const void *page)
{
	const struct connection_step *last = connection_step_failed(test);
	const char *field = !last                       ? NULL
	    : str_eq(last->name, "Sign in")            ? of_secret
	    : str_starts(last->name, "Read")           ? NULL
						       : of_server;

	if (!last)
		return reply_refused(r, 200, "", page);
	return reply_refused(
	    r, 400, field ? mem_printf(r->c->mem, "%s: %s", field, last->says) : "", page);
}

/* ---- what is typed ---- */

#define CONNECTION_FORM(F, T) \
	F(T, WORD, kind,        .flags = F_REQ, .arg = "postgres|http") \
	F(T, STR,  name,        .hi = CONNECTION_NAME_CHARS) \
	F(T, STR,  host,        .hi = 253) \
	F(T, INT,  port,        .lo = 1, .hi = 65535) \
	F(T, STR,  database,    .hi = 63) \
	F(T, STR,  username,    .hi = 255) \
	F(T, WORD, sslmode,     .arg = CONNECTION_SSL_MODES) \
	F(T, STR,  base_url,    .hi = 2000) \
	F(T, WORD, auth,        .arg = CONNECTION_HTTP_AUTHS) \
	F(T, STR,  header_name, .hi = 64) \
	F(T, STR,  token,       .flags = F_SECRET, .hi = 4096) \
	F(T, STR,  login,       .hi = 255, .doc = "Of auth basic") \
	F(T, STR,  password,    .flags = F_SECRET, .hi = 1024) \
	F(T, WORD, auth_mode,   .arg = CONNECTION_MODES) \
	F(T, WORD, test,        .arg = "only")
SHAPE(connection_form, CONNECTION_FORM);

static const char *
typed(const char *s)
{
	return s ? s : "";
}

static bool
form_is_own(const struct connection_form *f)
{
	return str_eq(f->auth_mode, "member");
}

static const char *
config_typed(struct ctx *c, const struct connection_form *f)
{
	bool header = str_eq(f->auth, "header");

	if (str_eq(f->kind, "postgres"))
		return shape_text(c->mem, &connection_postgres_config_shape,
		    &(struct connection_postgres_config){ .host = typed(f->host),
			.port = f->port ? f->port : POSTGRES_PORT,
			.database = typed(f->database),
			.username = form_is_own(f) ? NULL : typed(f->username),
			.sslmode = f->sslmode ? f->sslmode : "verify-full" });
	return shape_text(c->mem, &connection_http_config_shape,
	    &(struct connection_http_config){ .base_url = typed(f->base_url),
		.auth = f->auth ? f->auth : "none",
		.header_name = header ? typed(f->header_name) : NULL });
}

static bool
is_pair(const struct connection_form *f)
{
	return str_eq(f->kind, "postgres") || str_eq(f->auth, "basic");
}

/* Returns the typed credentials. NULL: none were typed, so a change keeps the stored ones. */
static struct credential_new *
credentials_typed(struct ctx *c, const struct connection_form *f, bool has_some)
{
	bool pair = is_pair(f),
	     named = str_eq(f->kind, "http") || form_is_own(f);
	const char *secret = typed(pair ? f->password : f->token),
		   *name = typed(str_eq(f->kind, "http") ? f->login : f->username);
	struct credential_new *out = mem_new(c->mem, struct credential_new);

	if (str_eq(f->kind, "http") && str_eq(f->auth ? f->auth : "none", "none"))
		return NULL;
	if (has_some && !*secret && !(pair && named && *name))
		return NULL;
	if (!pair) {
		out->token = secret;
		out->has.token = GIVEN;
		return out;
	}
	out->password = secret;
	out->has.password = GIVEN;
	if (named) {
		out->username = name;
		out->has.username = GIVEN;
	}
	return out;
}

/* The fields that name the server, and the secret ones. */
static const char *
server_field(const char *kind)
{
	return str_eq(kind, "postgres") ? "host" : "base_url";
}

static const char *
secret_field(const struct connection_form *f)
{
	return is_pair(f) ? "password" : "token";
}

/* Passes e on. Names the form's own fields for credentials; .called does the others. */
static enum err
blamed(struct ctx *c, const struct connection_form *f, enum err e)
{
	const char *said = c->message ? c->message : "";

	if (str_starts(said, "credentials: "))
		c->message = mem_printf(
		    c->mem, "%s%s", secret_field(f), said + strlen("credentials"));
	if (str_starts(said, "credentials.username: ") && str_eq(f->kind, "http"))
		c->message =
		    mem_printf(c->mem, "login%s", said + strlen("credentials.username"));
	return e;
}

/* ---- a new one ---- */

#define CONNECTION_FORM_PAGE(F, T) \
	F(T, OBJ,  tested,     .sub = &connection_test_shape, .doc = "NULL: none was made") \
	F(T, WORD, kind,       .arg = CONNECTION_KINDS) \
	F(T, OBJ,  form,       .sub = &connection_form_shape) \
	F(T, BOOL, saved,      .doc = "There are credentials, which stay where none are typed") \
	F(T, LIST, offered,    .sub = &service_offered_shape) \
	F(T, ID,   id,         .arg = "con_", .doc = "NULL: it is new") \
	F(T, STR,  connection_name)
SHAPE(connection_form_page, CONNECTION_FORM_PAGE);

/* The typed connection and the result of its test. */
struct trial {
	struct connection_new wish;
	struct connection_test *test; /* NULL: there was nothing to test with */
};

/* form: NULL until its kind is chosen. */
static enum err
new_reply(struct req *r, const char *kind, struct connection_form *form,
    struct connection_test *test)
{
	struct connection_form_page page = { .tested = test, .kind = kind, .form = form };

	test_say(r->c, test);
	if (kind && connection_signs_in(kind))
		page.offered = services_offered(r->c, kind);
	return test ? test_reply(r, test, server_field(kind), secret_field(form), &page)
		    : reply_page(r, 0, &page);
}

#define CONNECTION_KIND_QUERY(F, T) \
	F(T, STR,  done, .hi = 40) \
	F(T, WORD, kind, .arg = CONNECTION_KINDS)
SHAPE(connection_kind_query, CONNECTION_KIND_QUERY);

static enum err
h_connection_new(struct req *r)
{
	const struct connection_kind_query *q = r->query;
	struct connection_form form = {
		.kind = q->kind, .auth = "bearer", .port = POSTGRES_PORT
	};
	bool typed_here = q->kind && !connection_signs_in(q->kind);

	return new_reply(r, q->kind, typed_here ? &form : NULL, NULL);
}

/* k: the connection to change, or NULL. */
static enum err
trial_make(struct req *r, const struct connection_form *f, const struct connection *k)
{
	struct trial *t = mem_new(r->c->mem, struct trial);

	t->wish = (struct connection_new){ .provider = f->kind,
		.auth_mode = f->auth_mode ? f->auth_mode : "shared",
		.name = typed(f->name),
		.config = config_typed(r->c, f),
		.credentials = credentials_typed(r->c, f, k != NULL),
		.has = { .provider = GIVEN, .auth_mode = GIVEN, .name = GIVEN, .config = GIVEN } };
	t->wish.has.credentials = t->wish.credentials ? GIVEN : ABSENT;
	r->prepared = t;
	return blamed(r->c, f, connection_test_typed(r, k, &t->wish, &t->test));
}

static enum err
h_connection_make(struct req *r)
{
	struct connection_form form = *(const struct connection_form *)r->in;
	const struct trial *t = r->prepared;
	const char *id;

	if (!form.port)
		form.port = POSTGRES_PORT;
	if (form.test || !t->test->ok)
		return new_reply(r, form.kind, &form, t->test);
	TRY(blamed(r->c, &form, connection_add(r->c, r->ws, r->who, &t->wish, &id)));
	return reply_go(r, "/w/%s/connections/%s?done=connection_made", r->ws->id, id);
}

/* ---- an existing connection ---- */

static enum err
form_of(struct ctx *c, const struct connection *k, struct connection_form *out)
{
	struct connection_postgres_config *p;
	struct connection_http_config *h;

	*out = (struct connection_form){ .kind = k->kind, .name = k->name,
		.auth_mode = k->auth_mode };
	if (str_eq(k->kind, "postgres")) {
		TRY(connection_postgres_config(c, k->config, &p));
		out->host = p->host;
		out->port = p->port;
		out->database = p->database;
		out->username = p->username;
		out->sslmode = p->sslmode;
		return E_OK;
	}
	TRY(connection_http_config(c, k->config, &h));
	out->base_url = h->base_url;
	out->auth = h->auth;
	out->header_name = h->header_name;
	return E_OK;
}

/* Finds the connection of the path. E_NOT_FOUND also for a kind without a form. */
static enum err
connection_here(struct req *r, struct connection **out)
{
	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), out));
	return connection_signs_in((*out)->kind)
	    ? fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text)
	    : E_OK;
}

static enum err
edit_reply(struct req *r, const struct connection *k, struct connection_test *test)
{
	struct connection_form form;
	struct connection_form_page page;

	TRY(form_of(r->c, k, &form));
	test_say(r->c, test);
	page = (struct connection_form_page){ .tested = test,
		.kind = k->kind,
		.form = &form,
		.saved = k->my_credentials,
		.id = k->id,
		.connection_name = k->name };
	return test ? test_reply(r, test, server_field(k->kind), secret_field(r->in), &page)
		    : reply_page(r, 0, &page);
}

static enum err
h_connection_edit(struct req *r)
{
	struct connection *k;

	TRY(connection_here(r, &k));
	return edit_reply(r, k, NULL);
}

/* The kind of a connection that is there is its own, whatever the form says. */
static enum err
p_connection(struct req *r)
{
	struct connection_form form = *(const struct connection_form *)r->in;
	struct connection *k = NULL;

	if (route_has_param(r->route, "con")) {
		TRY(connection_here(r, &k));
		form.kind = k->kind;
		form.auth_mode = k->auth_mode;
	}
	return trial_make(r, &form, k);
}

static enum err
h_connection_save(struct req *r)
{
	const struct connection_form *form = r->in;
	const struct trial *t = r->prepared;
	struct connection_edit edit = { .name = t->wish.name,
		.config = t->wish.config,
		.credentials = t->wish.credentials,
		.has = { .name = GIVEN, .config = GIVEN, .credentials = t->wish.has.credentials } };
	struct connection *k;

	TRY(connection_here(r, &k));
	if (t->test && (form->test || !t->test->ok))
		return edit_reply(r, k, t->test);
	TRY(blamed(r->c, form, connection_change(r->c, r->ws, r->who, k, &edit)));
	return reply_go(r, "/w/%s/connections/%s?done=%s", r->ws->id, k->id,
	    t->test ? "connection_saved" : "saved");
}

/* .called: the names of the API begin with the object that has the field. */
#define FORM_ROWS(path_, template_, asks, doc_, sends, sends_doc) \
  { PAGE_OF(path_, WS_ADMIN, template_, &connection_form_page_shape, asks), \
    .title = "Connections", .query = &connection_kind_query_shape, .doc = doc_ }, \
  { POST, path_, WS_ADMIN, TAKES_FORM(connection_form), \
    { ANSWER_PAGE, template_, &connection_form_page_shape }, sends, \
    .title = "Connections", .again = path_, .slow = true, .prepare = p_connection, \
    .limit = LIM_CONNECTION_TEST, .called = "config.&credentials.", .doc = sends_doc }
static const struct route connection_form_page_routes[] = {
  FORM_ROWS("/w/{ws}/connections/new", "connection_new",
    h_connection_new, "The form of a new connection; without a kind, what it could be",
    h_connection_make, "Test what was typed, and save it"),
  FORM_ROWS("/w/{ws}/connections/{con}/edit", "connection_edit",
    h_connection_edit, "The form that changes one",
    h_connection_save, "Test what was typed, and change it"),
};
ROUTES(connection_form_page, "Pages: the form of a connection",
    "What admins see in the browser when they connect a server, or change how.");
