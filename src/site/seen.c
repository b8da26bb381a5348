/* SPDX-License-Identifier: Apache-2.0 */
#include "site/seen.h"

#include "base/conf.h"
#include "base/json.h"
#include "base/str.h"
#include "core/follow.h"
#include "core/picture_want.h"
#include "db/ids.h"
#include "ext/room.h"

#include <sys/stat.h>

enum { AGAIN_S = 10, PATIENCE_S = 600, HOUR_S = 3600, DAY_S = 86400, KEPT_VERSIONS = 20 };

SHAPE_DEFINE(seen_basics, SEEN_BASICS);
SHAPE_DEFINE(seen_found, SEEN_FOUND);
SHAPE_DEFINE(seen_phone, SEEN_PHONE);
SHAPE_DEFINE(seen, SEEN);
SHAPE_DEFINE(page_problems, PAGE_PROBLEMS);

/* ---- what was seen ---- */

#define SEEN_ROW(F, T) \
	F(T, INT,  wanted_at) \
	F(T, BOOL, due) \
	F(T, TIME, seen_at, .flags = F_NUL) \
	F(T, STR,  seen) \
	F(T, BOOL, pictured) \
	F(T, BOOL, phoned)
SHAPE(seen_row, SEEN_ROW);

const char *
seen_subject(void *owner, const char *artifact_id, int64_t no)
{
	return mem_printf(owner, "%s %lld", artifact_id, (long long)no);
}

bool
seen_rooms(struct ctx *c, enum room_kind what)
{
	struct stat st;

	return room_program(c->mem, c->conf, what) &&
	    (stat(mem_printf(c->mem, "%s/" SEEN_LOCK, c->conf->data_dir), &st) ||
		st.st_mtime <= c->now || st.st_mtime - st.st_atime <= SEEN_BRIEF_S);
}

bool
seen_browser(struct ctx *c)
{
	return seen_rooms(c, ROOM_BROWSER);
}

static const char *
picture_url(struct ctx *c, const struct artifact *a, int64_t no, int width)
{
	return mem_printf(c->mem, "%s/v1/artifacts/%s/versions/%lld/picture?width=%d",
	    c->conf->base_url, a->id, (long long)no, width);
}

#define FACT(s, f, name) ((s)->name = (f)->name, (s)->has.name = (f)->has.name)

static void
seen_fill(struct ctx *c, const struct artifact *a, const struct seen_row *row,
    const struct seen_found *f, struct seen *s)
{
	struct seen_phone *phone;

	s->status = f->why ? "not_seen" : "seen";
	s->why = f->why;
	s->at = row->seen_at;
	s->has.at = GIVEN;
	FACT(s, f, ok);
	FACT(s, f, load_ms);
	FACT(s, f, blank);
	s->title = f->title;
	s->requests = f->requests;
	s->bytes = f->bytes;
	s->problems = f->items;
	s->other_hosts = f->other_hosts;
	s->failed = f->failed;
	s->basics = f->basics;
	s->picture_url = row->pictured ? picture_url(c, a, s->version_no, SEEN_WIDTH) : NULL;
	if (!row->phoned && f->has.wide_px != GIVEN)
		return;
	phone = s->phone = mem_new(c->mem, struct seen_phone);
	phone->overflow_px = f->wide_px > PHONE_WIDTH ? f->wide_px - PHONE_WIDTH : 0;
	phone->has.overflow_px = f->has.wide_px == GIVEN ? GIVEN : NULLED;
	phone->picture_url = row->phoned ? picture_url(c, a, s->version_no, PHONE_WIDTH) : NULL;
}

enum err
seen_get(struct ctx *c, const struct artifact *a, int64_t no, struct seen **out)
{
	struct seen *s = *out = mem_new(c->mem, struct seen);
	struct seen_row *row;
	struct json *tree;
	void *found;

	*s = (struct seen){ .version_no = no, .has = { .at = NULLED, .ok = NULLED,
		.load_ms = NULLED, .blank = NULLED } };
	TRY(db_find(c,
	    ROWS(seen_row,
		"SELECT wanted_at, due_at IS NOT NULL AS due, seen_at, seen,"
		" sha256 IS NOT NULL AS pictured, phone_sha256 IS NOT NULL AS phoned"
		" FROM page_seen WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(a->id, no), &row));
	if (row && row->due && row->wanted_at && c->now - row->wanted_at < PATIENCE_S &&
	    !a->paused && seen_browser(c)) {
		s->status = "waiting";
		return E_OK;
	}
	s->status = "not_seen";
	if (!row || !row->seen) {
		s->why = a->paused    ? "paused"
		    : !seen_browser(c) ? "no_browser"
		    : row              ? "busy"
				       : NULL; /* nobody asked */
		return E_OK;
	}
	TRY(json_parse(c, row->seen, strlen(row->seen), &tree));
	TRY(shape_read(c, &seen_found_shape, tree, &found));
	seen_fill(c, a, row, found, s);
	return E_OK;
}

enum err
seen_problems(struct ctx *c, const struct artifact *a, struct page_problems **out)
{
	struct page_problems *p = *out = mem_new(c->mem, struct page_problems);
	struct seen *s;

	p->version_no = a->version_no;
	p->has.version_no = a->version_no ? GIVEN : NULLED;
	p->has.checked_at = NULLED;
	p->status = "unavailable";
	if (!a->version_no)
		return E_OK;
	TRY(seen_get(c, a, a->version_no, &s));
	p->status = str_eq(s->status, "waiting") ? "waiting" : p->status;
	if (!str_eq(s->status, "seen") && !s->problems.n && !s->other_hosts.n)
		return E_OK;
	p->status = "checked";
	p->checked_at = s->at;
	p->has.checked_at = GIVEN;
	p->items = s->problems;
	p->other_hosts = s->other_hosts;
	return E_OK;
}

#define SEEN_PICTURE(F, T) F(T, STR, sha256)
SHAPE(seen_picture, SEEN_PICTURE);

enum err
seen_picture(struct ctx *c, const struct artifact *a, int64_t no, int64_t width,
    const char **sha256)
{
	struct seen_picture *row;

	TRY(db_find(c,
	    ROWS(seen_picture,
		"SELECT IF(?, phone_sha256, sha256) AS sha256 FROM page_seen"
		" WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(width == PHONE_WIDTH, a->id, no), &row));
	if (!row || !row->sha256)
		return fail(c, E_NOT_FOUND,
		    "There is no picture of version %lld; POST /v1/artifacts/%s/versions/%lld/seen "
		    "has one made",
		    (long long)no, a->id, (long long)no);
	*sha256 = row->sha256;
	return E_OK;
}

/* ---- asking ---- */

enum err
seen_again(struct ctx *c, const struct artifact *a, int64_t no, struct seen **out)
{
	if (!a->paused && seen_browser(c))
		TRY(db_exec(c,
		    EXEC(
			"INSERT INTO page_seen (artifact_id, version_no, wanted_at, waiter_until,"
			" due_at) VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
			" wanted_at = VALUES(wanted_at), waiter_until = VALUES(waiter_until),"
			" due_at = VALUES(due_at), attempts = 0"),
		    ARGS(a->id, no, c->now, c->now + SEEN_WAIT_S, c->now), NULL));
	return seen_get(c, a, no, out);
}

/* A runner that works on it keeps its lease. */
enum err
seen_await(struct ctx *c, const struct artifact *a, int64_t no)
{
	return db_exec(c,
	    EXEC(
		"UPDATE page_seen SET waiter_until = ?, due_at = IF(attempts, due_at, ?)"
		" WHERE artifact_id = ? AND version_no = ? AND wanted_at > 0"
		" AND due_at IS NOT NULL"),
	    ARGS(c->now + SEEN_WAIT_S, c->now, a->id, no), NULL);
}

/* ---- due pages ---- */

#define SEEN_DUE_IS_MINE DUE_IS_MINE " AND version_no = ?"
#define SEEN_DUE_ARGS(d) DUE_ARGS(d), (d)->version_no
#define FIRST "SELECT artifact_id, '' AS slug, version_no, due_at, attempts, waiter_until" \
	" FROM page_seen WHERE due_at <= ?"

static enum err
seen_first(struct ctx *c, struct page_due **out)
{
	TRY(db_find(c,
	    ROWS(page_due, FIRST " AND waiter_until > ? ORDER BY due_at LIMIT 1"),
	    ARGS(c->now, c->now), out));
	return *out ? E_OK
		    : db_find(c, ROWS(page_due, FIRST " ORDER BY due_at, artifact_id LIMIT 1"),
			  ARGS(c->now), out);
}

enum err
seen_waits(struct ctx *c, bool *yes)
{
	return due_waits(c, seen_first, yes);
}

/* *out is NULL if another runner was quicker, or if the version isn't to be opened: then its row is
 * deleted. A change that makes it due inserts another, also when a pause ends. */
static enum err
seen_due_take(struct ctx *c, struct page_due *d, struct page_due **out)
{
	int64_t mine;

	TRY(db_exec(c,
	    EXEC("UPDATE page_seen SET due_at = ?, attempts = attempts + 1, begun_at = ? WHERE"
		 SEEN_DUE_IS_MINE),
	    ARGS(c->now + DUE_LEASE_S, c->now, SEEN_DUE_ARGS(d)), &mine));
	if (!due_taken(c, d, mine))
		return E_OK;
	TRY(db_find(c,
	    ROWS(page_due,
		"SELECT p.artifact_id, a.slug, p.version_no, p.due_at, p.attempts, p.waiter_until,"
		" a.live_no <=> p.version_no AS live,"
		" EXISTS (SELECT 1 FROM version_hold h WHERE h.artifact_id = p.artifact_id"
		" AND h.version_no = p.version_no) AS held FROM page_seen p"
		" JOIN artifact a ON a.id = p.artifact_id JOIN version v"
		" ON v.artifact_id = p.artifact_id AND v.version_no = p.version_no"
		" WHERE p.artifact_id = ? AND p.due_at = ? AND p.attempts = ? AND p.version_no = ?"
		" AND (a.live_no = p.version_no OR p.waiter_until > 0) AND " ARTIFACT_IS_AWAKE),
	    ARGS(SEEN_DUE_ARGS(d)), out));
	return *out ? E_OK
		    : db_exec(c, EXEC("DELETE FROM page_seen WHERE" SEEN_DUE_IS_MINE),
			  ARGS(SEEN_DUE_ARGS(d)), NULL);
}

enum err
seen_take(struct ctx *c, struct page_due **out)
{
	return due_lease(c, seen_first, seen_due_take, out);
}

/* ---- what comes of it ---- */

/* Returns true if the page wasn't done in time, which may be the fault of a loaded machine. */
static bool
was_slow(const struct seen_found *found)
{
	const struct page_problem *p = found->items.v;

	for (size_t i = 0; i < found->items.n; i++)
		if (str_eq(p[i].kind, "timeout"))
			return true;
	return false;
}

/* Makes a page due again, soon. */
static enum err
look_soon(struct ctx *c, const struct page_due *d)
{
	return db_exec(c,
	    EXEC("UPDATE page_seen SET due_at = ? WHERE" SEEN_DUE_IS_MINE),
	    ARGS(c->now + (AGAIN_S << 2 * (d->attempts - 1)), SEEN_DUE_ARGS(d)), NULL);
}

/* Opens a page that was slow again after an hour and after a day. If it is fast then, the finding
 * is replaced. A version that the checks hold is opened again soon, and isn't judged before. */
enum err
seen_keep(struct ctx *c, const struct page_due *d, const struct seen_found *found,
    const struct object *picture, const struct object *phone)
{
	bool again = was_slow(found) && d->attempts < DUE_ATTEMPTS;
	int64_t changed;

	if (again && d->held)
		return look_soon(c, d);
	TRY(db_exec(c,
	    EXEC(
		"UPDATE page_seen p JOIN artifact a ON a.id = p.artifact_id"
		" SET p.due_at = IF(?, ?, NULL), p.attempts = IF(?, p.attempts, 0),"
		" p.wanted_at = 0, p.seen_at = ?, p.seen = ?, p.sha256 = ?, p.size_bytes = ?,"
		" p.phone_sha256 = ?, p.phone_size = ? WHERE p.artifact_id = ? AND p.due_at = ?"
		" AND p.attempts = ? AND p.version_no = ? AND (NOT ? OR a.live_no = p.version_no)"),
	    ARGS(again, c->now + (d->attempts == 1 ? HOUR_S : DAY_S), again, c->now,
		shape_text(c->mem, &seen_found_shape, found),
		arg_sha256(picture ? picture->sha256 : NULL),
		arg_opt(picture != NULL, picture ? picture->size : 0),
		arg_sha256(phone ? phone->sha256 : NULL),
		arg_opt(phone != NULL, phone ? phone->size : 0), SEEN_DUE_ARGS(d), d->live),
	    &changed));
	if (!changed)
		return E_OK;
	/* Keep what was seen of the versions that were looked at last, and of the live one. */
	return db_exec(c,
	    EXEC(
		"DELETE FROM page_seen WHERE artifact_id = ? AND due_at IS NULL"
		" AND NOT version_no <=> (SELECT a.live_no FROM artifact a WHERE a.id = ?)"
		" AND seen_at < (SELECT MIN(k.seen_at) FROM (SELECT o.seen_at FROM page_seen o"
		" WHERE o.artifact_id = ? AND o.seen_at IS NOT NULL"
		" ORDER BY o.seen_at DESC LIMIT ?) k)"),
	    ARGS(d->artifact_id, d->artifact_id, d->artifact_id, KEPT_VERSIONS), NULL);
}

enum err
seen_fail(struct ctx *c, const struct page_due *d, const char *why)
{
	struct seen_found none = { .why = why, .has = { .ok = NULLED, .load_ms = NULLED,
		.blank = NULLED, .wide_px = NULLED } };

	if (d->attempts >= DUE_ATTEMPTS)
		return seen_keep(c, d, &none, NULL, NULL);
	return look_soon(c, d);
}

/* ---- when other things change ---- */

static enum err
version_live(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC("BEGIN NOT ATOMIC DECLARE art " SQL_ID " DEFAULT ?;"
		 " DECLARE no INT UNSIGNED DEFAULT ?; DECLARE at BIGINT DEFAULT ?;"
		 SEEN_FRESH("art", "no", "at") " END"),
	    ARGS(h->art->id, h->version_no, c->now), NULL);
}

/* Deletes what was seen of a version that was removed. */
static enum err
version_passed(struct ctx *c, const struct happened *h)
{
	return h->version_no
	    ? db_exec(c,
		  EXEC("DELETE FROM page_seen WHERE artifact_id = ? AND version_no = ?"),
		  ARGS(h->artifact_id, h->version_no), NULL)
	    : E_OK;
}

FOLLOWS(seen, { VERSION_LIVE, version_live }, { VERSION_PASSED, version_passed });
PURGES(seen, ROWS_OF(page_seen), ROWS_OF(page_check));
