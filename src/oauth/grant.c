/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth/grant.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/id.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/follow.h"
#include "core/role.h"
#include "core/session.h"
#include "core/tell.h"
#include "inbox/item.h"
#include "store/rounds.h"

SHAPE_DEFINE(grant_tokens, GRANT_TOKENS);
SHAPE_DEFINE(agent_granted, AGENT);
SHAPE_DEFINE(agent_act, AGENT_ACT);

enum {
	DAY_S = 86400,
	REFRESH_S = 60 * DAY_S,
	AGAIN_S = 120, /* the time in which a traded refresh token can be traded again */
	AGAIN_MOST = 1000,
	KEPT_S = GRANT_KEPT_DAYS * DAY_S
};

#define GRANT(F, T) \
	F(T, ID,   id,           .arg = "ogr_") \
	F(T, ID,   user_id,      .arg = "usr_") \
	F(T, STR,  email) \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, BOOL, own_only) \
	F(T, INT,  scopes) \
	F(T, WORD, opens_to, .arg = VISIBILITIES) \
	F(T, STR,  client_id) \
	F(T, STR,  name) \
	F(T, STR,  host) \
	F(T, TIME, expires_at) \
	F(T, BOOL, dead) \
	F(T, TIME, code_until) \
	F(T, BOOL, redeemed) \
	F(T, STR,  redirect_uri) \
	F(T, STR,  challenge) \
	F(T, TIME, used_at) \
	F(T, INT,  uses) \
	F(T, BOOL, stale)
SHAPE(grant, GRANT);

#define GRANT_COLUMNS \
	"g.id, g.user_id, u.email, g.workspace_id, g.own_only, g.scopes, g.opens_to," \
	" g.client_id, g.name, g.host, g.expires_at," \
	" g.ended_at IS NOT NULL OR g.expires_at <= ? OR u.disabled_at IS NOT NULL AS dead"
#define GRANT_USER " JOIN user u ON u.id = g.user_id"

static enum err
grant_audit(struct ctx *c, const char *workspace_id, const struct principal *who,
    const char *action, const char *id, const char *name)
{
	return workspace_id
	    ? audit_add(c, workspace_id, who,
		  &(struct audit){ .action = action, .type = "agent", .id = id, .name = name })
	    : E_OK;
}

static enum err
grant_put(struct ctx *c, enum inbox_sort sort, const char *id)
{
	return inbox_put(c,
	    INBOX_PUT("SELECT " INBOX_ROW("g.user_id", "g.id", "NULL", "NULL", "NULL",
		"g.workspace_id", "g.name", "NULL", "NULL", "NULL")
		" FROM agent_grant g WHERE g.id = ?"),
	    sort, ARGS(id));
}

static enum err
grant_mail(struct ctx *c, enum mail_template template, const char *to, const struct consent *in)
{
	return tell(c,
	    &(struct mail){ .template = template,
		.to = to,
		.values = { .what = in->name, .where = in->host,
		    .when = str_date(c->mem, c->now), .link = "/auth/account/agents" } });
}

enum err
grant_begin(
    struct ctx *c, const struct principal *who, const struct consent *in, const char **code)
{
	const char *id = id_new(c->mem, "ogr_");
	int64_t until = in->days ? c->now + in->days * DAY_S : TOKEN_NEVER;

	*code = token_new(c->mem, "oac_");
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO agent_grant (id, user_id, workspace_id, own_only, scopes, opens_to,"
		" client_id, name, host, created_at, expires_at, code_hash, code_until,"
		" redirect_uri, challenge, reap_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id, who->user_id, in->workspace_id, in->own_only, in->scopes, in->opens_to,
		in->client_id, in->name, in->host, c->now, until,
		*secret_digest(c, *code, "oac_"), c->now + CODE_S, in->redirect_uri,
		in->challenge, c->now + CODE_S),
	    NULL));
	TRY(grant_audit(c, in->workspace_id, who, "agent.connected", id, in->name));
	TRY(grant_put(c, ITEM_AGENT_CONNECTED, id));
	return grant_mail(c, MAIL_AGENT_CONNECTED, who->email, in);
}

/* ---- tokens ---- */

static enum err
access_mint(struct ctx *c, const struct grant *g, struct grant_tokens *out)
{
	int64_t until = c->now + ACCESS_S < g->expires_at ? c->now + ACCESS_S : g->expires_at;
	uint8_t hash[SHA256_BYTES];

	out->access_token = token_new(c->mem, "som_");
	out->expires_in = until - c->now;
	token_hash(out->access_token, hash);
	TRY(db_exec(c, EXEC("DELETE FROM token WHERE grant_id = ? AND expires_at < ?"),
	    ARGS(g->id, c->now - DAY_S), NULL));
	return db_exec(c,
	    EXEC(
		"INSERT INTO token (id, hash, user_id, workspace_id, grant_id, own_only, opens_to,"
		" name, created_at, expires_at, scopes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id_new(c->mem, "tok_"), ((struct bytes){ hash, sizeof hash }), g->user_id,
		g->workspace_id, g->id, g->own_only, g->opens_to, g->name, c->now, until,
		g->scopes),
	    NULL);
}

static enum err
tokens_mint(struct ctx *c, const struct grant *g, struct grant_tokens *out)
{
	struct strs words = scope_words(c->mem, g->scopes);
	struct buf scope = BUF(c->mem);

	for (size_t i = 0; i < words.n; i++)
		buf_fmt(&scope, "%s%s", i ? " " : "", words.v[i]);
	*out = (struct grant_tokens){ .token_type = "Bearer", .scope = buf_done(&scope) };
	out->has.scope = GIVEN;
	TRY(access_mint(c, g, out));
	out->refresh_token = token_new(c->mem, "sor_");
	out->has.refresh_token = GIVEN;
	TRY(db_exec(c,
	    EXEC("INSERT INTO agent_refresh (hash, grant_id, expires_at) VALUES (?, ?, ?)"),
	    ARGS(*secret_digest(c, out->refresh_token, "sor_"), g->id,
		c->now + REFRESH_S < g->expires_at ? c->now + REFRESH_S : g->expires_at),
	    NULL));
	return db_exec(c,
	    EXEC(
		"UPDATE agent_grant SET redeemed = TRUE, last_used_at = ?, reap_at = expires_at + ?"
		" WHERE id = ?"),
	    ARGS(c->now, KEPT_S, g->id), NULL);
}

static enum err
grant_close(struct ctx *c, const struct principal *who, const struct grant *g)
{
	TRY(db_exec(c,
	    EXEC(
		"UPDATE agent_grant SET ended_at = ?, reap_at = ?"
		" WHERE id = ? AND ended_at IS NULL"),
	    ARGS(c->now, c->now + KEPT_S, g->id), NULL));
	TRY(grant_audit(c, g->workspace_id, who, "agent.disconnected", g->id, g->name));
	TRY(db_exec(c,
	    EXEC("UPDATE token SET revoked_at = ? WHERE grant_id = ? AND revoked_at IS NULL"),
	    ARGS(c->now, g->id), NULL));
	return db_exec(c, EXEC("DELETE FROM agent_refresh WHERE grant_id = ?"), ARGS(g->id), NULL);
}

/* Ends a grant after a stranger has used a secret of it, and mails its person. */
static enum err
grant_close_stolen(struct ctx *c, const struct grant *g)
{
	TRY(grant_close(c, NULL, g));
	TRY(grant_put(c, ITEM_AGENT_ENDED, g->id));
	return grant_mail(c, MAIL_AGENT_ENDED, g->email,
	    &(struct consent){ .name = g->name, .host = g->host });
}

static bool
verifier_fits(struct ctx *c, const char *verifier, const char *challenge)
{
	uint8_t digest[SHA256_BYTES];
	size_t n = strlen(verifier);

	crypto_sha256(verifier, n, digest);
	return n >= 43 && n <= 128 &&
	    str_eq(crypto_base64url(c->mem, digest, sizeof digest), challenge);
}

enum err
grant_redeem(struct ctx *c, const struct redeemed *in, struct grant_tokens *out,
    const char **wrong)
{
	const struct bytes *digest = secret_digest(c, in->code, "oac_");
	struct grant *g = NULL;

	if (digest)
		TRY(db_find(c,
		    ROWS(grant,
			"SELECT " GRANT_COLUMNS ", g.code_until, g.redeemed, g.redirect_uri,"
			" g.challenge FROM agent_grant g" GRANT_USER
			" WHERE g.code_hash = ? FOR UPDATE"),
		    ARGS(c->now, *digest), &g));
	if (!g)
		*wrong = "there is no such code";
	else if (g->redeemed)
		*wrong = "the code has been used before, so the connection has been ended";
	else if (g->dead || g->code_until <= c->now)
		*wrong = "the code has expired";
	else if (!str_eq(g->client_id, in->client_id))
		*wrong = "the code is another client's";
	else if (in->redirect_uri && !str_eq(g->redirect_uri, in->redirect_uri))
		*wrong = "redirect_uri isn't the one that the code was sent to";
	else if (!verifier_fits(c, in->verifier, g->challenge))
		*wrong = "code_verifier isn't the one that code_challenge was made of";
	if (!*wrong)
		return tokens_mint(c, g, out);
	return g && g->redeemed && !g->dead ? grant_close_stolen(c, g) : E_OK;
}

enum err
grant_refresh(struct ctx *c, const char *refresh, const char *client_id,
    struct grant_tokens *out, const char **wrong)
{
	const struct bytes *digest = secret_digest(c, refresh, "sor_");
	struct grant *g = NULL;
	bool stolen;

	if (digest)
		TRY(db_find(c,
		    ROWS(grant,
			"SELECT " GRANT_COLUMNS ", f.used_at, f.uses, f.expires_at <= ? AS stale"
			" FROM agent_refresh f JOIN agent_grant g ON g.id = f.grant_id" GRANT_USER
			" WHERE f.hash = ? FOR UPDATE"),
		    ARGS(c->now, c->now, *digest), &g));
	stolen = g && !g->dead && g->used_at && g->used_at + AGAIN_S < c->now;
	if (!g || g->dead || g->stale)
		*wrong = "the refresh token isn't valid any more; connect again";
	else if (!str_eq(g->client_id, client_id))
		*wrong = "the refresh token is another client's";
	else if (stolen)
		*wrong = "the refresh token has been used before, so the connection has been ended";
	else if (g->uses > AGAIN_MOST)
		*wrong = "the refresh token has been traded too often; use a newer one";
	if (*wrong)
		return stolen ? grant_close_stolen(c, g) : E_OK;
	TRY(db_exec(c,
	    EXEC(
		"UPDATE agent_refresh SET used_at = COALESCE(used_at, ?), uses = uses + 1"
		" WHERE hash = ?"),
	    ARGS(c->now, *digest), NULL));
	return tokens_mint(c, g, out);
}

/* ---- for the grant's person ---- */

#define AGENT_COLUMNS \
	"g.id, g.name, g.host, g.opens_to, g.workspace_id, g.own_only, w.name AS workspace," \
	" g.scopes AS bits, (SELECT COUNT(*) FROM agent_act x FORCE INDEX (agent_act_grant)" \
	" WHERE x.grant_id = g.id AND x.at > ?) AS changes, g.created_at," \
	" IF(g.expires_at = ?, NULL, g.expires_at) AS expires_at," \
	" GREATEST(g.last_used_at, COALESCE((SELECT MAX(t.last_used_at)" \
	" FROM token t FORCE INDEX (token_grant) WHERE t.grant_id = g.id), 0)) AS last_used_at," \
	" IF(g.expires_at <= ?, LEAST(g.expires_at, COALESCE(g.ended_at, g.expires_at))," \
	" g.ended_at) AS ended_at" \
	" FROM agent_grant g LEFT JOIN workspace w ON w.id = g.workspace_id"
#define AGENT_OF(c) (c)->now - KEPT_S, TOKEN_NEVER, (c)->now

enum err
grant_list(struct ctx *c, const char *user_id, struct agent_granted_list *out)
{
	TRY(db_all(c,
	    ROWS(agent_granted,
		"SELECT " AGENT_COLUMNS
		" WHERE g.user_id = ? AND g.redeemed AND g.reap_at > ? ORDER BY g.id DESC"),
	    ARGS(AGENT_OF(c), user_id, c->now), out));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].scopes = scope_words(c->mem, out->v[i].bits);
	return E_OK;
}

enum err
grant_get(struct ctx *c, const char *user_id, const char *id, struct agent_granted **out)
{
	TRY(db_one(c,
	    ROWS(agent_granted,
		"SELECT " AGENT_COLUMNS " WHERE g.user_id = ? AND g.redeemed AND g.id = ?"),
	    ARGS(AGENT_OF(c), user_id, id), out));
	(*out)->scopes = scope_words(c->mem, (*out)->bits);
	return E_OK;
}

/* Ends a grant that a statement has locked; does nothing for NULL or an ended one. */
static enum err
grant_close_found(struct ctx *c, struct grant *g)
{
	return g && !g->dead ? grant_close(c, c->actor, g) : E_OK;
}

enum err
grant_end(struct ctx *c, const char *user_id, const char *id)
{
	struct grant *g;

	TRY(db_one(c,
	    ROWS(grant,
		"SELECT " GRANT_COLUMNS " FROM agent_grant g" GRANT_USER
		" WHERE g.user_id = ? AND g.id = ? FOR UPDATE"),
	    ARGS(c->now, user_id, id), &g));
	return grant_close_found(c, g);
}

enum err
grant_end_by_token(struct ctx *c, const char *token)
{
	const struct bytes *access = secret_digest(c, token, "som_");
	const struct bytes *refresh = secret_digest(c, token, "sor_");
	struct grant *g = NULL;

	if (access)
		TRY(db_find(c,
		    ROWS(grant,
			"SELECT " GRANT_COLUMNS " FROM token t"
			" JOIN agent_grant g ON g.id = t.grant_id" GRANT_USER
			" WHERE t.hash = ? FOR UPDATE"),
		    ARGS(c->now, *access), &g));
	else if (refresh)
		TRY(db_find(c,
		    ROWS(grant,
			"SELECT " GRANT_COLUMNS " FROM agent_refresh f"
			" JOIN agent_grant g ON g.id = f.grant_id" GRANT_USER
			" WHERE f.hash = ? FOR UPDATE"),
		    ARGS(c->now, *refresh), &g));
	return grant_close_found(c, g);
}

/* ---- acts ---- */

enum err
grant_note(struct ctx *c, const struct principal *who, const struct act *act)
{
	const struct artifact *was = act->was;

	return db_exec(c,
	    EXEC(
		"INSERT INTO agent_act (id, grant_id, at, what, artifact_id, name, request_id,"
		" was_live, now_live, was_visibility, now_visibility, was_name, trashed)"
		" SELECT ?, ?, ?, ?, ?, a.name, ?, IF(w.live <> a.live_no, w.live, NULL),"
		" IF(w.live <> a.live_no, a.live_no, NULL),"
		" IF(w.visibility <> a.visibility, w.visibility, NULL),"
		" IF(w.visibility <> a.visibility, a.visibility, NULL),"
		" IF(w.name <> a.name, w.name, NULL),"
		" COALESCE(a.deleted_at IS NOT NULL AND NOT w.deleted, FALSE)"
		" FROM (SELECT ? AS live, ? AS visibility, ? AS name, ? AS deleted) w"
		" LEFT JOIN artifact a ON a.id = ?"),
	    ARGS(id_new(c->mem, "act_"), who->grant_id, c->now, act->what, act->artifact_id,
		c->request_id, arg_opt(was && was->version_no, was ? was->version_no : 0),
		was ? was->visibility : NULL, was ? was->name : NULL, !was || was->deleted_at,
		act->artifact_id),
	    NULL);
}

/* Acts with the artifact's present state and the role of the grant's person. */
#define ACT_ROWS \
	"SELECT x.id, x.at, x.what, x.artifact_id, x.name, x.request_id, x.was_live, x.now_live," \
	" x.was_visibility, x.now_visibility, x.was_name, x.trashed," \
	" " ROLE_OF("g.user_id") " AS role, a.live_no, a.visibility," \
	" a.name AS called, a.deleted_at FROM agent_act x JOIN agent_grant g ON g.id = x.grant_id" \
	" LEFT JOIN artifact a ON a.id = x.artifact_id" ROLE_TABLES("g.user_id")

bool
grant_act_has_undo(const struct agent_act *x)
{
	return x->artifact_id && (x->trashed || x->was_live || x->was_visibility || x->was_name);
}

/* Returns a newer change to what the act changed, in words; NULL: none. */
static const char *
act_since(struct ctx *c, const struct agent_act *x)
{
	if (x->trashed)
		return x->deleted_at ? NULL : "It was taken out of the trash since.";
	if (x->deleted_at)
		return "It was moved to the trash since.";
	if (x->was_live && x->live_no != x->now_live)
		return mem_printf(c->mem, "Version %lld is live now.", (long long)x->live_no);
	if (x->was_visibility && !str_eq(x->visibility, x->now_visibility))
		return mem_printf(c->mem, "It is %s now.", x->visibility);
	if (x->was_name && !str_eq(x->called, x->name))
		return mem_printf(c->mem, "It is called %s now.", x->called);
	return NULL;
}

static void
act_undo_find(struct ctx *c, struct agent_act *x)
{
	if (!grant_act_has_undo(x) || !x->role)
		return;
	x->since = act_since(c, x);
	x->can_undo = !x->since && !str_eq(x->role, "viewer");
}

enum err
grant_act_get(struct ctx *c, const char *grant_id, const char *id, struct agent_act **out)
{
	TRY(db_one(c, ROWS(agent_act, ACT_ROWS " WHERE x.grant_id = ? AND x.id = ?"),
	    ARGS(grant_id, id), out));
	act_undo_find(c, *out);
	return E_OK;
}

enum err
grant_act_judge(struct ctx *c, const struct agent_act *x, const struct artifact *now)
{
	struct agent_act then = *x;
	const char *since;

	then.live_no = now->version_no;
	then.visibility = now->visibility;
	then.called = now->name;
	then.deleted_at = now->deleted_at;
	since = act_since(c, &then);
	return since ? fail(c, E_CONFLICT, "Nothing was undone. %s", since) : E_OK;
}

enum err
grant_acts(struct ctx *c, const char *grant_id, const char *before, int64_t limit,
    struct agent_act_list *out)
{
	TRY(db_all(c,
	    ROWS(agent_act,
		ACT_ROWS " WHERE x.grant_id = ? AND x.id < ? ORDER BY x.id DESC LIMIT ?"),
	    ARGS(grant_id, arg_before(before, "act_"), limit), out));
	for (size_t i = 0; i < out->n; i++)
		act_undo_find(c, &out->v[i]);
	return E_OK;
}

/* ---- expired rows ---- */

/* Deletes grants; their tokens and acts go with them. */
static enum err
grants_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM agent_grant WHERE reap_at < ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

static enum err
refreshes_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM agent_refresh WHERE expires_at < ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

static enum err
acts_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM agent_act WHERE at < ? LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), removed);
}

/* ---- followers ---- */

PURGES(grant, STMT("UPDATE agent_act SET artifact_id = NULL WHERE artifact_id = ? LIMIT ?"));

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	struct grant_list all;

	TRY(db_all(c,
	    ROWS(grant,
		"SELECT " GRANT_COLUMNS " FROM agent_grant g" GRANT_USER
		" WHERE g.workspace_id = ? AND g.user_id = ? FOR UPDATE"),
	    ARGS(c->now, h->workspace_id, h->user_id), &all));
	for (size_t i = 0; i < all.n; i++)
		TRY(grant_close_found(c, &all.v[i]));
	return E_OK;
}

USERS(USER_ENDS(agent_grant, user_id))
WORKSPACE_ROWS(agent_grant, "")
FOLLOWS(grant, USERS_FOLLOW, { MEMBER_LEFT, member_left }, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(grant, { "agent_grants", .rows = grants_reap },
    { "agent_refreshes", .rows = refreshes_reap }, { "agent_acts", .rows = acts_reap });
