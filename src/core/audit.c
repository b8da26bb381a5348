/* SPDX-License-Identifier: Apache-2.0 */
#include "core/audit.h"

#include "base/id.h"
#include "base/str.h"
#include "core/follow.h"
#include "db/db.h"
#include "store/rounds.h"

SHAPE_DEFINE(audit_target, AUDIT_TARGET);
SHAPE_DEFINE(audited, AUDITED);
SHAPE_DEFINE(audit_query, AUDIT_QUERY);
SHAPE_DEFINE(audit_there, AUDIT_THERE);

const struct audit_words audit_actions[] = {
#define AUDIT(action_, label_, sentence_) \
	{ .action = action_, .label = label_, .sentence = sentence_ },
#include "core/nouns.def"
	{ 0 },
};

const struct audit_words *
audit_words(const char *action)
{
	for (const struct audit_words *w = audit_actions; w->action; w++)
		if (str_eq(w->action, action))
			return w;
	return NULL;
}

/* ---- writing ---- */

enum { AUDIT_COLUMNS = 15 };

enum err
audit_add_many(struct ctx *c, const char *workspace_id, const struct principal *who,
    const struct audit *all, size_t n)
{
	const char *name = !who ? "the service" : *who->name ? who->name : who->email;
	struct arg *v = mem_array(c->mem, struct arg, AUDIT_COLUMNS * n + 1);

	for (size_t i = 0; i < n; i++) {
		const struct audit *a = &all[i];
		const struct args row = ARGS(id_new(c->mem, "aud_"), workspace_id, c->now,
		    who ? who->user_id : NULL, name ? name : "", who ? who->token_id : NULL,
		    who && who->grant_id ? who->token_name : NULL, who ? c->address : NULL,
		    c->request_id, a->action, a->type, a->id, a->name, a->before, a->after);

		memcpy(&v[AUDIT_COLUMNS * i], row.v, AUDIT_COLUMNS * sizeof *v);
	}
	return db_exec_many(c,
	    EXEC(
		"INSERT INTO audit (id, workspace_id, at, actor_id, actor_name, token_id,"
		" agent_name, address, request_id, action, target_type, target_id, target_name,"
		" before_it, after_it)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    v, AUDIT_COLUMNS, n);
}

enum err
audit_add(struct ctx *c, const char *workspace_id, const struct principal *who,
    const struct audit *a)
{
	return audit_add_many(c, workspace_id, who, a, 1);
}

const char *
audit_facts_of(struct ctx *c, const char *names, struct args values)
{
	char *rest = mem_strdup(c->mem, names);
	struct buf b = BUF(c->mem);

	for (const struct arg *v = values.v; v < values.v + values.n; v++) {
		buf_chr(&b, b.n ? ',' : '{');
		buf_json(&b, str_split(&rest, '|'));
		buf_chr(&b, ':');
		if (v->kind == ARG_INT)
			buf_fmt(&b, "%lld", (long long)v->i);
		else
			buf_json(&b, v->p);
	}
	buf_chr(&b, '}');
	return buf_done(&b);
}

/* ---- reading ---- */

/* True if an action above w has the same first part, of n characters. */
static bool
group_is_above(const struct audit_words *w, size_t n)
{
	for (const struct audit_words *v = audit_actions; v < w; v++)
		if (!strncmp(v->action, w->action, n))
			return true;
	return false;
}

/* Returns the first parts of the actions, each once: "artifact., member.". */
static const char *
audit_groups(struct ctx *c)
{
	struct buf b = BUF(c->mem);

	for (const struct audit_words *w = audit_actions; w->action; w++) {
		size_t n = strcspn(w->action, ".") + 1;

		if (!group_is_above(w, n))
			buf_fmt(&b, "%s%.*s", b.n ? ", " : "", (int)n, w->action);
	}
	return buf_done(&b);
}

enum err
audit_query_check(struct ctx *c, const struct audit_query *q)
{
	struct str_near near = STR_NEAR(q->action);

	if (!q->action || audit_words(q->action))
		return E_OK;
	for (const struct audit_words *w = audit_actions; w->action; w++)
		str_near_try(&near, w->action);
	return near.word
	    ? fail(c, E_INVALID, "action: there's no such action; did you mean %s?", near.word)
	    : fail(c, E_INVALID,
		  "action: there's no such action; "
		  "actions start with one of %s, as in member.removed",
		  audit_groups(c));
}

/* Forces the index; otherwise MariaDB may scan the ids of all rows to find the few of a small
 * workspace. */
#define AUDIT_SELECT(index) \
	"SELECT d.id, d.at, d.actor_id AS `actor.user_id`, d.actor_name AS `actor.name`," \
	" IF(m.user_id IS NULL, NULL, u.email) AS `actor.email`," \
	" COALESCE(u.kind, 'person') AS `actor.kind`, d.token_id, d.agent_name, d.address," \
	" d.request_id, d.action, d.target_type AS `target.type`, d.target_id AS `target.id`," \
	" d.target_name AS `target.name`, d.before_it AS `before`, d.after_it AS `after`" \
	" FROM audit d FORCE INDEX (" index ") LEFT JOIN user u ON u.id = d.actor_id" \
	" LEFT JOIN member m ON m.workspace_id = d.workspace_id AND m.user_id = d.actor_id" \
	" WHERE d.workspace_id = ?"
/* Ids begin with the time, so a range of times becomes a range of ids. We add an hour on each side,
 * because a row has the time when its request began. */
#define AUDIT_WHERE \
	" AND d.id > ? AND d.id < ? AND d.at >= ? AND d.at < ? AND (? IS NULL OR d.actor_id = ?)" \
	" AND (? IS NULL OR d.action = ?) AND (? IS NULL OR d.target_id = ?)" \
	" AND (? IS NULL OR LOCATE(LOWER(?), LOWER(d.target_name))) ORDER BY d.id DESC LIMIT ?"

struct audit_span {
	const char *after, *before; /* ids */
	int64_t since, until;
};

static const char *
audit_id_at(struct ctx *c, int64_t at)
{
	uint8_t bytes[ID_BYTES] = { 0 };
	uint64_t ms = at < 0 ? 0 : (uint64_t)at * 1000;

	for (int i = 5; i >= 0; i--, ms >>= 8)
		bytes[i] = (uint8_t)ms;
	return id_text(c->mem, "aud_", bytes);
}

static struct audit_span
audit_span_of(struct ctx *c, const struct audit_query *q)
{
	enum { TO_SPARE_S = 3600 };
	bool from = q->has.since == GIVEN, to = q->has.until == GIVEN;
	struct audit_span s = { "aud_", "aud_~", from ? q->since : 0, to ? q->until : INT64_MAX };

	if (from)
		s.after = audit_id_at(c, q->since - TO_SPARE_S);
	if (to && q->until < c->now)
		s.before = audit_id_at(c, q->until + TO_SPARE_S);
	if (q->cursor && strcmp(q->cursor, s.before) < 0)
		s.before = q->cursor;
	return s;
}

#define AUDIT_ARGS(q, s)                                                                  \
	(s).after, (s).before, (s).since, (s).until, (q)->actor, (q)->actor, (q)->action, \
	    (q)->action, (q)->target_id, (q)->target_id, (q)->target, (q)->target,        \
	    (q)->limit + 1

/* The index of the filter with the fewest rows leads. */
static enum err
audit_find(struct ctx *c, const char *ws, const struct audit_query *q, struct audited_list *out)
{
	const struct audit_span s = audit_span_of(c, q);

	if (q->target_id)
		return db_all(c,
		    ROWS(audited, AUDIT_SELECT("audit_target") " AND d.target_id = ?" AUDIT_WHERE),
		    ARGS(ws, q->target_id, AUDIT_ARGS(q, s)), out);
	if (q->actor)
		return db_all(c,
		    ROWS(audited, AUDIT_SELECT("audit_actor") " AND d.actor_id = ?" AUDIT_WHERE),
		    ARGS(ws, q->actor, AUDIT_ARGS(q, s)), out);
	if (q->action)
		return db_all(c,
		    ROWS(audited, AUDIT_SELECT("audit_action") " AND d.action = ?" AUDIT_WHERE),
		    ARGS(ws, q->action, AUDIT_ARGS(q, s)), out);
	return db_all(c, ROWS(audited, AUDIT_SELECT("audit_list") AUDIT_WHERE),
	    ARGS(ws, AUDIT_ARGS(q, s)), out);
}

enum err
audit_list(struct ctx *c, const char *workspace_id, const struct audit_query *q,
    struct audited_list *out, const char **next)
{
	if (q->cursor && !id_valid(q->cursor, "aud_"))
		return fail_cursor(c);
	TRY(audit_find(c, workspace_id, q, out));
	*next = db_page(out, q->limit, last->id);
	return E_OK;
}

/* ids is JSON; the statement looks up each. */
#define THERE_IDS \
	"JSON_TABLE(?, '$[*]' COLUMNS" \
	" (id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$')) j"

enum err
audit_find_there(struct ctx *c, const char *workspace_id, const struct strs *ids,
    struct audit_there_list *out)
{
	struct buf b = BUF(c->mem);
	const char *all;

	buf_jsons(&b, ids->v, ids->n);
	all = buf_done(&b);
	return db_all(c,
	    ROWS(audit_there,
		"SELECT a.id, 'artifact' AS type, a.name, NULL AS email"
		" FROM " THERE_IDS " STRAIGHT_JOIN artifact a ON a.id = j.id"
		" WHERE a.workspace_id = ? AND a.deleted_at IS NULL"
		" UNION ALL SELECT u.id, 'member', u.name, u.email FROM " THERE_IDS
		" STRAIGHT_JOIN member m ON m.workspace_id = ? AND m.user_id = j.id"
		" STRAIGHT_JOIN user u ON u.id = m.user_id"
		" UNION ALL SELECT f.id, 'folder', f.name, NULL"
		" FROM " THERE_IDS " STRAIGHT_JOIN folder f ON f.id = j.id WHERE f.workspace_id = ?"
		" UNION ALL SELECT x.name, 'context', x.name, NULL FROM " THERE_IDS
		" STRAIGHT_JOIN context_file x ON x.workspace_id = ? AND x.name = j.id"),
	    ARGS(all, workspace_id, all, workspace_id, all, workspace_id, all, workspace_id), out);
}

static enum err
audit_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM audit WHERE at <= ? LIMIT ?"),
	    ARGS(c->now - AUDIT_DAYS * 86400, limit), removed);
}

/* ---- when other things change ---- */

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("UPDATE audit SET actor_id = ? WHERE actor_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL);
}

enum { AUDIT_AT_ONCE = 500 };

static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	int64_t rows;

	TRY(db_exec(c, EXEC("DELETE FROM audit WHERE workspace_id = ? LIMIT ?"),
	    ARGS(h->workspace_id, AUDIT_AT_ONCE), &rows));
	*h->more = rows == AUDIT_AT_ONCE;
	return E_OK;
}

FOLLOWS(audit, { USER_MERGED, user_merged }, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(audit, { "audit", .rows = audit_reap });
