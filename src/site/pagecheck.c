/* SPDX-License-Identifier: Apache-2.0 */
#include "site/pagecheck.h"

#include "base/conf.h"
#include "base/json.h"
#include "base/str.h"
#include "core/follow.h"

enum { AGAIN_S = 10, PATIENCE_S = 600, HOUR_S = 3600, DAY_S = 86400 };

SHAPE_DEFINE(page_found, PAGE_FOUND);
SHAPE_DEFINE(page_problems, PAGE_PROBLEMS);

/* ---- findings ---- */

#define CHECK_ROW(F, T) \
	F(T, INT, wanted_at) \
	F(T, BOOL, due) \
	F(T, TIME, checked_at, .flags = F_NUL) \
	F(T, STR, found)
SHAPE(check_row, CHECK_ROW);

static enum err
found_read(struct ctx *c, const char *text, struct page_found **out)
{
	struct json *tree;
	void *read;

	TRY(json_parse(c, text, strlen(text), &tree));
	TRY(shape_read(c, &page_found_shape, tree, &read));
	*out = read;
	return E_OK;
}

/* No runner reports that it has no browser. After this time we assume so. */
static bool
is_coming(const struct ctx *c, const struct check_row *row)
{
	return row && row->due && c->now - row->wanted_at < PATIENCE_S &&
	    !str_eq(c->conf->chromium, "-");
}

enum err
pagecheck_find(struct ctx *c, const struct artifact *a, struct page_problems **out)
{
	struct page_problems *p = *out = mem_new(c->mem, struct page_problems);
	struct page_found *found;
	struct check_row *row;

	p->version_no = a->version_no;
	p->has.version_no = a->version_no ? GIVEN : NULLED;
	p->has.checked_at = NULLED;
	p->status = "unavailable";
	TRY(db_find(c,
	    ROWS(check_row,
		"SELECT wanted_at, due_at IS NOT NULL AS due, checked_at, found FROM page_check"
		" WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(a->id, a->version_no), &row));
	if (!row || !row->found) {
		p->status = is_coming(c, row) ? "waiting" : p->status;
		return E_OK;
	}
	TRY(found_read(c, row->found, &found));
	p->status = "checked";
	p->checked_at = row->checked_at;
	p->has.checked_at = GIVEN;
	p->items = found->items;
	p->other_hosts = found->other_hosts;
	return E_OK;
}

/* ---- due pages ---- */

/* A paused or trashed artifact is requested again when it returns; a remaining row would prevent
 * that. */
DUE_DEFINE(pagecheck, "page_check", "a.live_no = p.version_no AND " ARTIFACT_IS_AWAKE)

/* A slow page may be the fault of a loaded machine. */
static bool
is_late(const struct page_found *found)
{
	const struct page_problem *p = found->items.v;

	for (size_t i = 0; i < found->items.n; i++)
		if (str_eq(p[i].kind, "timeout"))
			return true;
	return false;
}

/* Opens a page that was slow again after an hour and after a day. If it is fast then, the finding
 * is deleted. */
enum err
pagecheck_keep(struct ctx *c, const struct page_due *d, const struct page_found *found)
{
	bool again = is_late(found) && d->attempts < DUE_ATTEMPTS;

	return db_exec(c,
	    EXEC(
		"UPDATE page_check SET due_at = IF(?, ?, NULL), attempts = IF(?, attempts, 0),"
		" checked_at = ?, found = ? WHERE" DUE_IS_MINE " AND version_no = ?"),
	    ARGS(again, c->now + (d->attempts == 1 ? HOUR_S : DAY_S), again, c->now,
		shape_text(c->mem, &page_found_shape, found), DUE_ARGS(d), d->version_no),
	    NULL);
}

enum err
pagecheck_fail(struct ctx *c, const struct page_due *d)
{
	return db_exec(c,
	    EXEC(
		"UPDATE page_check SET due_at = IF(attempts < ?, ?, NULL) WHERE" DUE_IS_MINE),
	    ARGS(DUE_ATTEMPTS, c->now + (AGAIN_S << 2 * (d->attempts - 1)), DUE_ARGS(d)),
	    NULL);
}

PURGES(pagecheck, ROWS_OF(page_check));
