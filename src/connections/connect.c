/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/connect.h"

#include "base/crypto.h"
#include "base/json.h"
#include "base/str.h"
#include "connections/renew.h"
#include "core/audit.h"
#include "core/follow.h"
#include "db/sealed.h"
#include "store/rounds.h"

SHAPE_DEFINE(connect_query, CONNECT_QUERY);
SHAPE_DEFINE(connect_start, CONNECT_START);
SHAPE_DEFINE(connecting, CONNECTING);

enum { STATE_S = 600, SECRET_BYTES = 32, NAMES = 20 };

#define BEGUN_BY(F, T) \
	F(T, STR, session_id, .flags = F_OPT) \
	F(T, STR, token_id,   .flags = F_OPT) \
	F(T, STR, verifier,   .flags = F_REQ)
SHAPE(begun_by, BEGUN_BY);

/* ---- the beginning ---- */

static const char *
secret_new(struct ctx *c)
{
	uint8_t raw[SECRET_BYTES];

	crypto_random(raw, sizeof raw);
	return crypto_base64url(c->mem, raw, sizeof raw);
}

SEALS(connect, "connection_state", "sealed", "hash", SEALED_DIGEST, "''", "FALSE",
    .purpose = { "connection_state:", "" }, .passing = "sign-ins at a connection's service");

enum err
connect_begin(struct ctx *c, const struct workspace *ws, const struct principal *who,
    const char *provider, const struct connection *con, struct connect_start *out)
{
	const char *state = secret_new(c), *verifier = secret_new(c);
	const struct bytes digest = bytes_sha256(c, state);
	const struct begun_by by = { .session_id = who->session_id,
		.token_id = who->token_id,
		.verifier = verifier };
	const struct connector *p;

	if (con && !str_eq(con->provider, provider))
		return fail(c, E_INVALID, "connection_id: is a connection of %s, not of %s",
		    con->provider, provider);
	if (str_in(provider, "http|postgres"))
		return fail(c, E_INVALID,
		    "provider: nobody signs in to %s at a service; "
		    "its credentials are entered here",
		    provider);
	TRY(provider_find(c, provider, &p));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO connection_state (hash, workspace_id, user_id, provider,"
		" connection_id, sealed, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(digest, ws->id, who->user_id, provider, con ? con->id : NULL,
		sealed_close(c->mem, &connect_sealed, crypto_hex(c->mem, digest.p, digest.n),
		    NULL, shape_text(c->mem, &begun_by_shape, &by)),
		c->now + STATE_S),
	    NULL));
	*out = (struct connect_start){ .url = provider_authorize_url(c, p, state, verifier),
		.expires_at = c->now + STATE_S };
	return E_OK;
}

/* ---- the return ---- */

static enum err
state_refused(struct ctx *c)
{
	return fail(c, E_INVALID,
	    "state: this sign-in has expired, was used already, or was begun elsewhere; "
	    "nothing has changed. Start again on the page of the connections");
}

/* A link that somebody else began must not connect the reader's account to a stranger's
 * workspace. */
static bool
is_who_began(const struct connecting *s, const struct begun_by *by, const struct principal *who)
{
	if (!str_eq(s->user_id, who->user_id))
		return false;
	if (by->session_id)
		return str_eq(by->session_id, who->session_id);
	return who->session_id || str_eq(by->token_id, who->token_id);
}

enum err
connect_take(struct ctx *c, const char *provider, const char *state,
    const struct principal *who, struct connecting **out)
{
	const struct bytes digest = bytes_sha256(c, state ? state : "");
	struct begun_by *by;
	const char *text;
	struct json *tree;
	int64_t taken;

	TRY(db_find(c,
	    ROWS(connecting,
		"SELECT workspace_id, user_id, provider, connection_id, sealed"
		" FROM connection_state WHERE hash = ? AND expires_at > ?"),
	    ARGS(digest, c->now), out));
	if (!*out || !str_eq((*out)->provider, provider))
		return state_refused(c);
	text = sealed_open(c->mem, &connect_sealed, crypto_hex(c->mem, digest.p, digest.n), NULL,
	    (*out)->sealed);
	if (!text)
		return state_refused(c);
	TRY(json_parse(c, text, strlen(text), &tree));
	TRY(shape_read(c, &begun_by_shape, tree, (void **)&by));
	if (!is_who_began(*out, by, who))
		return state_refused(c);
	TRY(db_exec(c, EXEC("DELETE FROM connection_state WHERE hash = ?"), ARGS(digest), &taken));
	(*out)->verifier = by->verifier;
	return taken ? E_OK : state_refused(c);
}

/* ---- the end ---- */

#define CONNECTED(F, T) F(T, ID, id, .arg = "con_")
SHAPE(connected, CONNECTED);

static const char *
connection_name(struct ctx *c, const struct connector *p, const struct provider_tokens *t, int n)
{
	const char *label = t->label ? t->label : t->account;

	if (!n)
		return p->title;
	if (n == 1 && *label)
		return str_cut(c->mem, mem_printf(c->mem, "%s (%s)", p->title, label),
		    CONNECTION_NAME_CHARS);
	return mem_printf(c->mem, "%s %d", p->title, n + 1);
}

/* Names the connection after the service. If that name is taken, tries other ones. */
static enum err
connection_make(struct ctx *c, const struct workspace *ws, const struct principal *who,
    const struct connector *p, const struct provider_tokens *t, const char **id)
{
	struct connection_new in = { .provider = p->name, .auth_mode = "shared", .config = "{}" };
	enum err e = E_CONFLICT;

	for (int n = 0; n < NAMES && e == E_CONFLICT; n++) {
		ctx_forgive(c);
		in.name = connection_name(c, p, t, n);
		e = connection_add(c, ws, who, &in, id);
	}
	return e;
}

static enum err
shared_connect(struct ctx *c, const struct workspace *ws, const struct principal *who,
    const struct connection *con, const struct provider_tokens *t)
{
	enum err e;

	if (con->remote_account && !str_eq(con->remote_account, t->account))
		return fail(c, E_CONFLICT,
		    "%s belongs to another account there than the one you chose; "
		    "choose that one, or make a new connection",
		    con->name);
	e = db_exec1(c,
	    EXEC(
		"UPDATE connection SET remote_account = ?, updated_at = ?"
		" WHERE id = ? AND workspace_id = ?"),
	    ARGS(t->account, c->now, con->id, ws->id));
	if (e == E_CONFLICT)
		return fail(c, E_CONFLICT,
		    "Another connection of the workspace is for this account already");
	TRY(e);
	return audit_add(c, ws->id, who,
	    &(struct audit){ .action = "connection.connected",
		.type = "connection",
		.id = con->id,
		.name = con->name,
		.after = audit_facts(c, "account", t->account) });
}

/* Returns the connection that the sign-in named, else the workspace's one for that account, else
 * a new one. */
static enum err
connection_find(struct ctx *c, const struct connecting *s, const struct workspace *ws,
    const struct principal *who, const struct connector *p, const struct provider_tokens *t,
    struct connection **out)
{
	const char *id = s->connection_id;
	struct connected *there;

	if (!id) {
		TRY(db_find(c,
		    ROWS(connected,
			"SELECT id FROM connection"
			" WHERE workspace_id = ? AND provider = ? AND remote_account = ?"),
		    ARGS(ws->id, p->name, t->account), &there));
		if (there)
			id = there->id;
		else
			TRY(connection_make(c, ws, who, p, t, &id));
	}
	return connection_get(c, ws, who, id, out);
}

enum err
connect_finish(struct ctx *c, const struct connecting *s, const struct connector *p,
    const struct provider_tokens *t, const struct principal *who, const char **connection_id)
{
	const struct credential got = credential_from(t);
	struct connection *con = NULL;
	struct workspace *ws;
	bool own;

	TRY(workspace_get(c, s->workspace_id, who, true, &ws));
	if (ws->deleted_at)
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	if (s->connection_id)
		TRY(connection_get(c, ws, who, s->connection_id, &con));
	own = con && str_eq(con->auth_mode, "member");
	if (member_rank(ws->role) < (own ? MEMBER_MEMBER : MEMBER_ADMIN))
		return fail(c, E_DENIED,
		    "You are no longer an admin of the workspace; ask one to connect %s", p->title);
	if (!own)
		TRY(connection_find(c, s, ws, who, p, t, &con));
	*connection_id = con->id;
	if (!own)
		TRY(shared_connect(c, ws, who, con, t));
	TRY(connection_renewed(c, con));
	return credential_save(c, con, own ? who->user_id : CREDENTIAL_SHARED, &got);
}

/* ---- expiry ---- */

static enum err
states_expire(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM connection_state WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC("DELETE FROM connection_state WHERE user_id = ? AND workspace_id = ?"),
	    ARGS(h->user_id, h->workspace_id), NULL);
}

WORKSPACE_ROWS(connection_state, "")

USERS(TRY(USER_DELETE(connection_state, user_id));)
FOLLOWS(connect, { MEMBER_LEFT, member_left }, USERS_FOLLOW,
    { WORKSPACE_PURGED, workspace_purged });
ROUNDS(connect, { "connection_states", .rows = states_expire });
