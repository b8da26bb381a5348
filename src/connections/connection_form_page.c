/* SPDX-License-Identifier: Apache-2.0
 * The pages of a new connection, and of the form that changes one. We test the typed values before
 * we save them, and don't save them if the test fails. */
#include "base/json.h"
#include "base/str.h"
#include "connections/connection_page.h"

enum { POSTGRES_PORT = 5432 };

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

/* NULL: none were typed; then a change keeps the stored ones. */
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

/* Passes e on. An error about "config.host" is shown beside the form's field. */
static enum err
blamed(struct ctx *c, const struct connection_form *f, enum err e)
{
	static const char *const objects[] = { "config.", "credentials." };
	const char *said = c->message ? c->message : "";

	if (str_starts(said, "credentials: "))
		c->message = mem_printf(
		    c->mem, "%s%s", secret_field(f), said + strlen("credentials"));
	if (str_starts(said, "credentials.username: ") && str_eq(f->kind, "http"))
		c->message =
		    mem_printf(c->mem, "login%s", said + strlen("credentials.username"));
	else
		for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
			if (str_starts(said, objects[i]))
				c->message = said + strlen(objects[i]);
	return e;
}

/* ---- a new one ---- */

#define TRIAL_PAGE(F, T) \
	F(T, OBJ,  tested,     .sub = &connection_test_shape, .doc = "NULL: none was made") \
	F(T, WORD, kind,       .arg = CONNECTION_KINDS) \
	F(T, OBJ,  form,       .sub = &connection_form_shape) \
	F(T, BOOL, saved,      .doc = "There are credentials, which stay where none are typed")

#define CONNECTION_NEW_PAGE(F, T) \
	TRIAL_PAGE(F, T) \
	F(T, LIST, offered,    .sub = &service_offered_shape)
SHAPE(connection_new_page, CONNECTION_NEW_PAGE);

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
	struct connection_new_page page = { .tested = test, .kind = kind, .form = form };

	test_say(r->c, test);
	if (kind && connection_signs_in(kind))
		page.offered = services_offered(r, kind);
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
p_connection_make(struct req *r)
{
	return trial_make(r, r->in, NULL);
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
	return reply_redirect(
	    r, connections_at(r, mem_printf(r->c->mem, "/%s?done=connection_made", id)));
}

/* ---- an existing connection ---- */

#define CONNECTION_EDIT_PAGE(F, T) \
	TRIAL_PAGE(F, T) \
	F(T, ID,  id, .arg = "con_") \
	F(T, STR, connection_name)
SHAPE(connection_edit_page, CONNECTION_EDIT_PAGE);

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

/* For a kind that has a form. */
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
	struct connection_edit_page page;

	TRY(form_of(r->c, k, &form));
	test_say(r->c, test);
	page = (struct connection_edit_page){ .tested = test,
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

/* The kind is the connection’s, whatever the form says. */
static enum err
p_connection_save(struct req *r)
{
	struct connection_form form = *(const struct connection_form *)r->in;
	struct connection *k;

	TRY(connection_here(r, &k));
	form.kind = k->kind;
	form.auth_mode = k->auth_mode;
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
	return reply_redirect(r,
	    connections_at(r,
		mem_printf(r->c->mem, "/%s?done=%s", k->id,
		    t->test ? "connection_saved" : "saved")));
}

#define NEW "/w/{ws}/connections/new"
#define EDIT "/w/{ws}/connections/{con}/edit"
static const struct route connection_form_page_routes[] = {
  { PAGE(NEW, WS_ADMIN, connection_new, h_connection_new), .title = "Connections",
    .query = &connection_kind_query_shape,
    .doc = "The form of a new connection; without a kind, what it could be" },
  { FORM_PAGE(NEW, WS_ADMIN, connection_form, connection_new, h_connection_make),
    .title = "Connections", .again = NEW, .slow = true, .prepare = p_connection_make,
    .limit = LIM_CONNECTION_TEST, .doc = "Test what was typed, and save it" },
  { PAGE(EDIT, WS_ADMIN, connection_edit, h_connection_edit), .title = "Connections",
    .query = &tab_query_shape, .doc = "The form that changes one" },
  { FORM_PAGE(EDIT, WS_ADMIN, connection_form, connection_edit, h_connection_save),
    .title = "Connections", .again = EDIT, .slow = true, .prepare = p_connection_save,
    .limit = LIM_CONNECTION_TEST, .doc = "Test what was typed, and change it" },
};
ROUTES(connection_form_page, "Pages: the form of a connection",
    "What admins see in the browser when they connect a server, or change how.");
