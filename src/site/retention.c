/* SPDX-License-Identifier: Apache-2.0 */
#include "site/retention.h"

#include "base/log.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/follow.h"
#include "core/storage.h"
#include "site/reviewing.h"
#include "site/version.h"
#include "site/versionsql.h"
#include "store/rounds.h"

SHAPE_DEFINE(retention_edit, RETENTION_EDIT);
SHAPE_DEFINE(retention_query, RETENTION_QUERY);
SHAPE_DEFINE(retention, RETENTION);
SHAPE_DEFINE(ws_retention, WS_RETENTION);

enum { VERSIONS_A_TURN = 100, ARTIFACTS_A_PIECE = 100, DAY_S = 86400, DRAFT_DAYS = 30 };

/* ---- what goes ---- */

/* SQL: version v of artifact a may go, by the values keep and days (NULL: not set). Parameters: the
 * time of a day ago, of 30 days ago, and keep, days, the time, keep twice. */
#define GOES \
	" NOT v.version_no <=> a.live_no AND NOT v.version_no <=> a.pinned_no AND NOT v.approved" \
	" AND NOT v.check_state <=> 'waiting'" \
	" AND v.created_at <= ? AND (v.first_live_at IS NOT NULL OR v.created_at <= ?)" \
	" AND COALESCE(?, ?) IS NOT NULL AND COALESCE(v.created_at <= ? - ? * 86400, TRUE)" \
	" AND (? IS NULL OR v.version_no <= (SELECT MIN(k.version_no) FROM (SELECT o.version_no" \
	" FROM version o WHERE o.artifact_id = ? ORDER BY o.version_no DESC LIMIT ?) k) - 1)" \
	" AND NOT EXISTS (SELECT 1 FROM approval p WHERE p.artifact_id = v.artifact_id" \
	" AND p.version_no = v.version_no AND p.status = 'pending')" \
	" AND NOT " REVIEW_HOLDS("v")

static struct arg
value(const uint8_t has, int64_t v)
{
	return has == GIVEN ? arg_int(v) : arg_null();
}

#define GOES_ARGS(c, id, r) \
	(c)->now - DAY_S, (c)->now - DRAFT_DAYS * DAY_S, value((r)->has.keep, (r)->keep), \
	    value((r)->has.days, (r)->days), (c)->now, value((r)->has.days, (r)->days), \
	    value((r)->has.keep, (r)->keep), (id), (r)->has.keep == GIVEN ? (r)->keep : 1

#define COUNTED(F, T) F(T, INT, n)
SHAPE(counted, COUNTED);

#define SET_TEXT(F, T) \
	F(T, INT,  keep, .flags = F_NUL) \
	F(T, INT,  days, .flags = F_NUL) \
	F(T, WORD, from, .arg = "artifact|workspace|none")
SHAPE(set_text, SET_TEXT);

static enum err
retention_read(struct ctx *c, const char *artifact_id, struct retention *out)
{
	struct set_text *row;

	TRY(db_one(c,
	    ROWS(set_text,
		"SELECT CAST(JSON_VALUE(COALESCE(a.retention, w.retention), '$.keep') AS SIGNED)"
		" AS keep,"
		" CAST(JSON_VALUE(COALESCE(a.retention, w.retention), '$.days') AS SIGNED) AS days,"
		" IF(a.retention IS NOT NULL, 'artifact',"
		" IF(w.retention IS NOT NULL, 'workspace', 'none')) AS `from`"
		" FROM artifact a LEFT JOIN workspace w ON w.id = a.workspace_id WHERE a.id = ?"),
	    ARGS(artifact_id), &row));
	out->keep = row->keep;
	out->days = row->days;
	out->has.keep = row->has.keep;
	out->has.days = row->has.days;
	out->from = row->from;
	return E_OK;
}

enum err
retention_get(struct ctx *c, const struct artifact *a, const struct retention_query *q,
    struct retention **out)
{
	struct retention *r = *out = mem_new(c->mem, struct retention);
	struct counted *row;

	if (q && (q->has.keep == GIVEN || q->has.days == GIVEN)) {
		r->keep = q->keep;
		r->days = q->days;
		r->has.keep = q->has.keep == GIVEN ? GIVEN : NULLED;
		r->has.days = q->has.days == GIVEN ? GIVEN : NULLED;
		r->from = "asked";
	} else {
		TRY(retention_read(c, a->id, r));
	}
	TRY(db_one(c,
	    ROWS(counted,
		"SELECT COUNT(*) AS n FROM version v JOIN artifact a ON a.id = v.artifact_id"
		" WHERE v.artifact_id = ? AND" GOES),
	    ARGS(a->id, GOES_ARGS(c, a->id, r)), &row));
	r->goes = row->n;
	return E_OK;
}

/* ---- settings ---- */

/* "{}" says that all stay. */
static const char *
retention_text(struct ctx *c, const struct retention_edit *in)
{
	struct buf b = BUF(c->mem);

	buf_chr(&b, '{');
	if (in->has.keep == GIVEN)
		json_add_int(&b, "keep", in->keep);
	if (in->has.days == GIVEN)
		json_add_int(&b, "days", in->days);
	buf_chr(&b, '}');
	return buf_done(&b);
}

enum err
retention_set(struct ctx *c, const struct artifact *a, const struct retention_edit *in)
{
	const char *text = in ? retention_text(c, in) : NULL;

	TRY(db_exec1(
	    c, EXEC("UPDATE artifact SET retention = ? WHERE id = ?"), ARGS(text, a->id)));
	return audit_artifact(c, a, "artifact.retention_changed", NULL, text);
}

enum err
retention_ws_get(struct ctx *c, const char *workspace_id, struct ws_retention **out)
{
	return db_one(c,
	    ROWS(ws_retention,
		"SELECT CAST(JSON_VALUE(retention, '$.keep') AS SIGNED) AS keep,"
		" CAST(JSON_VALUE(retention, '$.days') AS SIGNED) AS days"
		" FROM workspace WHERE id = ?"),
	    ARGS(workspace_id), out);
}

enum err
retention_ws_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct retention_edit *in)
{
	const char *text = retention_text(c, in);

	TRY(db_exec1(c, EXEC("UPDATE workspace SET retention = ? WHERE id = ?"),
	    ARGS(str_eq(text, "{}") ? NULL : text, w->id)));
	return audit_add(c, w->id, who,
	    &(struct audit){ .action = "workspace.retention_changed", .type = "workspace",
		.id = w->id, .name = w->name, .after = text });
}

/* ---- removal ---- */

/* Bytes that no other version of the artifact has. */
#define FREED(kind) \
	"IF(" HAS_HAD("version", kind "_sha256", "version_" kind, "v." kind "_sha256", \
	    "v.artifact_id", "o.version_no <> v.version_no") \
	" IS NULL, COALESCE(v." kind "_size, 0), 0)"

static enum err
rows_remove(struct ctx *c, const struct artifact *a, int64_t no, int64_t *bytes)
{
	struct counted *row;

	TRY(db_one(c,
	    ROWS(counted,
		"SELECT CAST((SELECT COALESCE(SUM(x.size_bytes), 0) FROM"
		" (SELECT DISTINCT f.sha256, f.size_bytes FROM version_file f"
		" WHERE f.artifact_id = ? AND f.version_no = ? AND "
		HAS_HAD("version_file", "sha256", "version_file_sha256", "f.sha256",
		    "f.artifact_id", "o.version_no <> f.version_no") " IS NULL) x) + "
		FREED("mobile") " + " FREED("icon") " AS SIGNED) AS n FROM version v"
		" WHERE v.artifact_id = ? AND v.version_no = ?"),
	    ARGS(a->id, no, a->id, no), &row));
	*bytes += row->n;
	TRY(db_exec1(c, EXEC("DELETE FROM version WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(a->id, no)));
	TRY(follow(
	    c, VERSION_PASSED, &(struct happened){ .artifact_id = a->id, .version_no = no }));
	return db_exec1(
	    c, EXEC("UPDATE artifact SET removed_n = removed_n + 1 WHERE id = ?"), ARGS(a->id));
}

static enum err
removal_check(struct ctx *c, const struct artifact *a, int64_t no)
{
	struct version *v;
	struct counted *row;

	TRY(version_get(c, a, no, &v));
	if (v->is_live || v->is_pinned)
		return fail(c, E_CONFLICT,
		    "version_no: version %lld is %s; make another version live first",
		    (long long)no, v->is_live ? "live" : "pinned");
	TRY(db_one(c,
	    ROWS(counted,
		"SELECT COUNT(*) AS n FROM approval"
		" WHERE artifact_id = ? AND version_no = ? AND status = 'pending'"),
	    ARGS(a->id, no), &row));
	if (row->n)
		return fail(c, E_CONFLICT,
		    "version_no: version %lld waits for approval; withdraw the request first",
		    (long long)no);
	TRY(db_one(c,
	    ROWS(counted,
		"SELECT COUNT(*) AS n FROM version v WHERE v.artifact_id = ?"
		" AND v.version_no = ? AND " REVIEW_HOLDS("v")),
	    ARGS(a->id, no), &row));
	return !row->n ? E_OK : fail(c, E_CONFLICT,
		  "version_no: version %lld waits for a review; close it first", (long long)no);
}

/* Closes the versions' addresses, and gives the bytes back. */
static enum err
removal_end(struct ctx *c, const struct artifact *a, int64_t bytes)
{
	TRY(artifact_touch_whole(c, a->id, NULL));
	return storage_add(c, a->id, NULL, -bytes);
}

enum err
version_remove(struct ctx *c, const struct artifact *a, int64_t no)
{
	int64_t bytes = 0;

	TRY(removal_check(c, a, no));
	TRY(rows_remove(c, a, no, &bytes));
	TRY(audit_artifact(
	    c, a, "artifact.version_removed", NULL, audit_facts(c, "version_no", no)));
	return removal_end(c, a, bytes);
}

/* ---- a pinned version ---- */

enum err
version_pin(struct ctx *c, const struct artifact *a, int64_t no)
{
	struct artifact pinned = *a;
	struct version *v;

	if (no) {
		TRY(version_get(c, a, no, &v));
		if (v->is_draft)
			return fail(c, E_CONFLICT,
			    "pinned_version: version %lld is a draft; make it live first",
			    (long long)no);
	}
	if (no == a->pinned_version)
		return E_OK;
	TRY(db_exec1(c, EXEC("UPDATE artifact SET pinned_no = NULLIF(?, 0) WHERE id = ?"),
	    ARGS(no, a->id)));
	TRY(audit_artifact(c, a, no ? "artifact.version_pinned" : "artifact.version_unpinned", NULL,
	    audit_facts(c, "version_no", no ? no : a->pinned_version)));
	pinned.pinned_version = no;
	return no ? version_restore(c, &pinned, no) : E_OK;
}

/* ---- the round ---- */

#define GONE(F, T) F(T, INT, version_no)
SHAPE(gone, GONE);

/* Removes up to VERSIONS_A_TURN old versions of an artifact. *more: there may be others. */
static enum err
artifact_trim(struct ctx *c, const char *id, int64_t *removed, bool *more)
{
	struct retention r = { 0 };
	struct gone_list rows;
	struct artifact *a;
	int64_t bytes = 0;

	*more = false;
	TRY(db_find(c,
	    ROWS(artifact,
		"SELECT id, name, owner_id, workspace_id FROM artifact WHERE id = ?"
		" AND owner_id IS NOT NULL AND deleted_at IS NULL FOR UPDATE"),
	    ARGS(id), &a));
	if (!a)
		return E_OK;
	TRY(retention_read(c, id, &r));
	TRY(db_all(c,
	    ROWS(gone,
		"SELECT v.version_no FROM version v JOIN artifact a ON a.id = v.artifact_id"
		" WHERE v.artifact_id = ? AND" GOES " ORDER BY v.version_no LIMIT ?"),
	    ARGS(id, GOES_ARGS(c, id, &r), VERSIONS_A_TURN), &rows));
	if (!rows.n)
		return E_OK;
	for (size_t i = 0; i < rows.n; i++)
		TRY(rows_remove(c, a, rows.v[i].version_no, &bytes));
	TRY(audit_artifact(c, a, "artifact.versions_expired", NULL,
	    audit_facts(c, "versions", (int64_t)rows.n)));
	*removed += (int64_t)rows.n;
	*more = rows.n == VERSIONS_A_TURN;
	return removal_end(c, a, bytes);
}

static enum err
trim_commit(struct ctx *c, const char *id, int64_t *removed, bool *more)
{
	TRY(db_begin(c));
	TRY(artifact_trim(c, id, removed, more));
	return db_commit(c);
}

/* Commits by itself, so that a failure leaves the others done. Returns true if there may be more to
 * remove. */
static bool
artifact_turn(struct ctx *of, const char *id, int64_t *removed)
{
	struct ctx *c = ctx_begin(of->conf, of->db);
	bool more = false;

	if (trim_commit(c, id, removed, &more)) {
		db_rollback(c);
		more = false;
		log_line(LOG_LEVEL_WARN, "old versions stay", "artifact", id, "why", ctx_why(c),
		    NULL);
	}
	ctx_end(c);
	return more;
}

#define OLD(F, T) \
	F(T, ID,   id,       .arg = "art_") \
	F(T, BOOL, has_rule)
SHAPE(old, OLD);

static enum err
retention_piece(struct ctx *c, struct sweep_at *at)
{
	struct old_list rows;

	TRY(db_all(c,
	    ROWS(old,
		"SELECT a.id, a.deleted_at IS NULL AND w.deleted_at IS NULL"
		" AND COALESCE(a.retention, w.retention, '{}') <> '{}' AS has_rule"
		" FROM artifact a LEFT JOIN workspace w ON w.id = a.workspace_id"
		" WHERE a.id > ? ORDER BY a.id LIMIT ?"),
	    ARGS(at->id, ARTIFACTS_A_PIECE), &rows));
	at->end = rows.n < ARTIFACTS_A_PIECE;
	for (size_t i = 0; i < rows.n; i++) {
		/* The next piece begins with it. */
		if (rows.v[i].has_rule && artifact_turn(c, rows.v[i].id, &at->removed)) {
			at->end = false;
			return E_OK;
		}
		at->looked++;
		snprintf(at->id, sizeof at->id, "%s", rows.v[i].id);
	}
	return E_OK;
}

ROUNDS(retention, { "retention", .piece = retention_piece, .how = DAILY });
