/* SPDX-License-Identifier: Apache-2.0 */
#include "team/agenttoken.h"

#include "base/id.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/find.h"
#include "core/token.h"
#include "people/identity.h"

SHAPE_DEFINE(agent_token, AGENT_TOKEN);
SHAPE_DEFINE(agent_token_new, AGENT_TOKEN_NEW);

/* ---- reading ---- */

#define MADE_TOKEN_COLUMNS \
	"t.id, t.user_id AS principal_id, t.name, t.scopes AS scope_bits, t.opens_to," \
	" t.created_at," \
	" NULLIF(t.expires_at, 253402300799) AS expires_at," \
	" t.last_used_at, t.revoked_at, COALESCE(t.hint, '') AS hint," \
	" mk.id AS `created_by.user_id`, mk.name AS `created_by.name`," \
	" mk.email AS `created_by.email`, mk.kind AS `created_by.kind`"

enum err
agent_token_list(struct ctx *c, const struct workspace *w, const struct page_query *q,
    struct agent_token_list *out, const char **next)
{
	TRY(db_part(c,
	    ROWS(agent_token,
		"SELECT " MADE_TOKEN_COLUMNS
		" FROM token t JOIN user u ON u.id = t.user_id AND u.kind = 'agent'"
		" LEFT JOIN user mk ON mk.id = t.made_by WHERE t.workspace_id = ?"
		" AND t.id < ? ORDER BY t.id DESC LIMIT ?"),
	    ARGS(w->id, arg_before(q->cursor, "tok_")), q->limit, out, next, last->id));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].scopes = scope_words(c->mem, out->v[i].scope_bits);
	return E_OK;
}

enum err
agent_token_get(
    struct ctx *c, const struct workspace *w, const char *id, struct agent_token **out)
{
	TRY(db_one(c,
	    ROWS(agent_token,
		"SELECT " MADE_TOKEN_COLUMNS
		" FROM token t JOIN user u ON u.id = t.user_id AND u.kind = 'agent'"
		" LEFT JOIN user mk ON mk.id = t.made_by WHERE t.workspace_id = ?"
		" AND t.id = ?"), ARGS(w->id, id), out));
	(*out)->scopes = scope_words(c->mem, (*out)->scope_bits);
	return E_OK;
}

/* ---- changing ---- */

static enum err
agent_token_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const char *id, const char *name)
{
	return audit_add(c, w->id, who,
	    &(struct audit){ .action = action, .type = "agent_token", .id = id, .name = name });
}

#define LIVE_COUNT(F, T) F(T, INT, n)
SHAPE(live_count, LIVE_COUNT);

/* Locks the workspace's row, so that concurrent requests count one after the other. */
static enum err
room_check(struct ctx *c, const struct workspace *w)
{
	struct live_count *row;
	struct tier tier;

	TRY(tier_of(c, w->id, &tier));
	TRY(db_one(c,
	    ROWS(live_count,
		"SELECT COUNT(*) AS n"
		" FROM token t JOIN user u ON u.id = t.user_id AND u.kind = 'agent'"
		" WHERE t.workspace_id = ? AND t.revoked_at IS NULL AND t.expires_at > ?"),
	    ARGS(w->id, c->now), &row));
	if (tier.agent_tokens < 0 || row->n < tier.agent_tokens)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%lld}", (long long)tier.agent_tokens);
	return fail(c, E_LIMIT_REACHED,
	    "The %s plan is limited to %lld active agent tokens; revoke one or upgrade the plan",
	    tier.plan->name, (long long)tier.agent_tokens);
}

enum err
agent_token_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct agent_token_new *in, const char **id, const char **token)
{
	const char *user = id_new(c->mem, "usr_"), *hint;
	struct bytes hash = token_secret(c, "sot_", token, &hint);
	int64_t bits = scope_bits_of(&in->scopes), ends = 0;

	if (bits < 0)
		return fail(c, E_INVALID, "scopes: must not list a scope twice");
	TRY(token_ends(c, in->has.expires_at, in->expires_at, &ends));
	TRY(room_check(c, w));
	*id = id_new(c->mem, "tok_");
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO user (id, kind, email, name, created_at)"
		" VALUES (?, 'agent', NULL, ?, ?)"),
	    ARGS(user, in->name, c->now), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO member (workspace_id, user_id, role, joined_at)"
		" VALUES (?, ?, 'agent', ?)"),
	    ARGS(w->id, user, c->now), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO token (id, hash, user_id, name, created_at, expires_at, scopes,"
		" workspace_id, made_by, hint, opens_to)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(*id, hash, user, in->name, c->now, ends, bits, w->id, who->user_id, hint,
		in->opens_to),
	    NULL));
	TRY(find_changed(c, FIND_AGENT, user));
	return agent_token_audit(c, w, who, "agent_token.created", *id, in->name);
}

enum err
agent_token_rotate(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id, const char **token)
{
	struct agent_token *t;
	struct bytes hash;
	const char *hint;

	TRY(agent_token_get(c, w, id, &t));
	if (t->revoked_at || (t->expires_at && t->expires_at <= c->now))
		return fail(
		    c, E_CONFLICT, "This token has expired or been revoked; create another");
	hash = token_secret(c, "sot_", token, &hint);
	TRY(db_exec1(c, EXEC("UPDATE token SET hash = ?, hint = ? WHERE id = ?"),
	    ARGS(hash, hint, id)));
	return agent_token_audit(c, w, who, "agent_token.rotated", id, t->name);
}

enum err
agent_token_revoke(
    struct ctx *c, const struct workspace *w, const struct principal *who, const char *id)
{
	struct agent_token *t;

	TRY(agent_token_get(c, w, id, &t));
	if (t->revoked_at)
		return E_OK;
	TRY(db_exec1(
	    c, EXEC("UPDATE token SET revoked_at = ? WHERE id = ?"), ARGS(c->now, id)));
	return agent_token_audit(c, w, who, "agent_token.revoked", id, t->name);
}

/* ---- when other things change ---- */

#define AGENT(F, T) F(T, ID, user_id, .arg = "usr_")
SHAPE(agent, AGENT);

enum { AGENTS_AT_ONCE = 20 };

/* At this point they own no artifact any more. */
static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	struct agent_list agents;

	TRY(db_all(c,
	    ROWS(agent,
		"SELECT user_id FROM member WHERE workspace_id = ? AND role = 'agent' LIMIT ?"),
	    ARGS(h->workspace_id, AGENTS_AT_ONCE), &agents));
	for (size_t i = 0; i < agents.n; i++)
		TRY(user_delete(c, agents.v[i].user_id));
	*h->more = agents.n == AGENTS_AT_ONCE;
	return E_OK;
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	return find_changed(c, FIND_AGENT, h->user_id);
}

FOLLOWS(agent_token, { WORKSPACE_PURGED, workspace_purged }, { USER_DELETED, user_deleted });

/* ---- how it is found ---- */

/* Finds agents for admins, also those whose tokens have ended, as in the list. */
static enum err
agent_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	return find_rows(c,
	    ROWS(found,
		"SELECT a.user_id AS `key`, a.id, a.name AS title, CONCAT('Agent of ', wk.name,"
		" IF(a.revoked_at IS NULL, '', ' · revoked')) AS subtitle,"
		" CONCAT('/w/', wk.id, '/agents') AS url, wk.id AS workspace_id,"
		" a.made_by <=> s.user_id AS own,"
		" COALESCE(a.revoked_at, a.created_at) AS updated_at"
		" FROM " FIND_ASKED " STRAIGHT_JOIN user u ON u.id = t.id AND u.kind = 'agent'"
		" STRAIGHT_JOIN token a ON a.user_id = u.id" MEMBER_TABLES("s.user_id")
		" WHERE " FIND_WITHIN("a.workspace_id")
		" AND " WORKSPACE_ROLE_COLUMN " IN ('admin', 'owner')"),
	    asked, out);
}

FINDS(agent_token, FIND_AGENT, "crew", NO_SCOPE, agent_found,
    .text = ROWS(find_text,
	"SELECT u.id, CONCAT(k.workspace_id, '" FIND_ADMINS "') AS audiences, k.name"
	" FROM " ID_TABLE " STRAIGHT_JOIN user u ON u.id = t.id AND u.kind = 'agent'"
	" STRAIGHT_JOIN token k ON k.user_id = u.id"),
    .all = ROWS(find_text,
	"SELECT id FROM user WHERE id > ? AND kind = 'agent' ORDER BY id LIMIT ?"));
