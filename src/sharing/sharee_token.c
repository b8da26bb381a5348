/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/sharee_token.h"

#include "base/id.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/token.h"
#include "db/db.h"

SHAPE_DEFINE(sharee_token, SHAREE_TOKEN);
SHAPE_DEFINE(sharee_token_new, SHAREE_TOKEN_NEW);

#define SHAREE_TOKEN_COLUMNS \
	"t.id, NULLIF(t.name, '') AS name, t.scopes AS scope_bits, t.created_at," \
	" NULLIF(t.expires_at, 253402300799) AS expires_at, t.last_used_at," \
	" t.revoked_at, COALESCE(t.hint, '') AS hint, mk.id AS `created_by.user_id`," \
	" mk.name AS `created_by.name`, mk.email AS `created_by.email`," \
	" mk.kind AS `created_by.kind`"

enum err
sharee_token_list(struct ctx *c, const struct sharee *s, const struct sharee_member *m,
    const struct page_query *q, struct sharee_token_list *out, const char **next)
{
	TRY(db_part(c,
	    ROWS(sharee_token,
		"SELECT " SHAREE_TOKEN_COLUMNS
		" FROM token t LEFT JOIN user mk ON mk.id = t.made_by"
		" WHERE t.sharee_id = ? AND t.user_id = ?"
		" AND t.id < ? ORDER BY t.id DESC LIMIT ?"),
	    ARGS(s->id, m->id, arg_before(q->cursor, "tok_")), q->limit, out, next, last->id));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].scopes = scope_words(c->mem, out->v[i].scope_bits);
	return E_OK;
}

static enum err
sharee_token_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct sharee *s, const struct sharee_member *m, const char *id)
{
	return audit_sharee(c, w, who, action, s, NULL,
	    audit_facts(c, "email|token_id", m->email, id));
}

#define LIVE_TOKENS(F, T) F(T, INT, n)
SHAPE(live_tokens, LIVE_TOKENS);

static enum err
room_check(struct ctx *c, const struct sharee *s, const struct sharee_member *m)
{
	struct live_tokens *row;

	TRY(db_one(c,
	    ROWS(live_tokens,
		"SELECT COUNT(*) AS n FROM token"
		" WHERE sharee_id = ? AND user_id = ? AND revoked_at IS NULL AND expires_at > ?"),
	    ARGS(s->id, m->id, c->now), &row));
	if (row->n < SHAREE_TOKENS)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", SHAREE_TOKENS);
	return fail(c, E_LIMIT_REACHED,
	    "One person can have %d tokens that work in a client; revoke one first",
	    SHAREE_TOKENS);
}

enum err
sharee_token_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct sharee *s, const struct sharee_member *m, const struct sharee_token_new *in,
    const char **id, const char **token)
{
	int64_t bits = scope_bits_of(&in->scopes), ends;
	const char *hint;
	struct bytes hash = token_secret(c, "sot_", token, &hint);

	if (bits < 0)
		return fail(c, E_INVALID, "scopes: must not list a scope twice");
	TRY(token_ends(c, in->has.expires_at, in->expires_at, &ends));
	TRY(room_check(c, s, m));
	*id = id_new(c->mem, "tok_");
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO token (id, hash, user_id, name, created_at, expires_at, scopes,"
		" workspace_id, grants_only, sharee_id, made_by, hint)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, TRUE, ?, ?, ?)"),
	    ARGS(*id, hash, m->id, in->name ? in->name : "", c->now, ends, bits, w->id, s->id,
		who->user_id, hint),
	    NULL));
	return sharee_token_audit(c, w, who, "sharee.token_made", s, m, *id);
}

enum err
sharee_token_revoke(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct sharee *s, const struct sharee_member *m, const char *id)
{
	struct sharee_token *t;

	TRY(db_one(c,
	    ROWS(sharee_token,
		"SELECT " SHAREE_TOKEN_COLUMNS
		" FROM token t LEFT JOIN user mk ON mk.id = t.made_by"
		" WHERE t.sharee_id = ? AND t.user_id = ? AND t.id = ?"),
	    ARGS(s->id, m->id, id), &t));
	if (t->revoked_at)
		return E_OK;
	TRY(db_exec1(
	    c, EXEC("UPDATE token SET revoked_at = ? WHERE id = ?"), ARGS(c->now, id)));
	return sharee_token_audit(c, w, who, "sharee.token_revoked", s, m, id);
}
