/* SPDX-License-Identifier: Apache-2.0
 * The audit of a workspace in the browser of its admins, and all of it as a file. */
#include "base/str.h"
#include "people/person_pick.h"
#include "team/audit_api.h"
#include "team/audit_pick.h"
#include "team/audit_row.h"
#include "team/workspace_page.h"

#define AUDIT_PAGE_QUERY(F, T) \
	F(T, STR, person,    .hi = 40) \
	F(T, STR, who,       .hi = 200, .doc = "Looks for a person") \
	F(T, STR, what,      .hi = 200, .doc = "Looks for an action") \
	F(T, STR, action,    .hi = 40) \
	F(T, STR, target,    .hi = 200, .doc = "Part of a name") \
	F(T, STR, target_id, .hi = 254) \
	F(T, STR, from,      .hi = 10, .doc = "The first day, such as 2026-01-31") \
	F(T, STR, to,        .hi = 10, .doc = "The last") \
	F(T, STR, cursor,    .hi = 200)
SHAPE(audit_page_query, AUDIT_PAGE_QUERY);

#define WS_AUDIT_PAGE(F, T) \
	F(T, OBJ,  pick, .sub = &person_pick_shape) \
	F(T, LIST, groups, .sub = &audit_group_shape) \
	F(T, STR,  about, .doc = "What target_id is called") \
	F(T, BOOL, narrowed) \
	F(T, STR,  lines, .doc = "Where the same is a file") \
	F(T, LIST, rows, .sub = &audit_row_shape) \
	F(T, STR,  next)
SHAPE(ws_audit_page, WS_AUDIT_PAGE);

/* ---- filters ---- */

/* The page shows the refusal above its fields, so it names the field by its label. */
static enum err
day_read(struct req *r, const char *label, const char *typed, int64_t *out)
{
	return str_from_rfc3339(mem_printf(r->c->mem, "%sT00:00:00Z", typed), out)
	    ? E_OK
	    : fail(r->c, E_INVALID, "%s must be a date such as 2026-01-31, not “%s”",
		  label, typed);
}

/* Days begin and end as they do in UTC, which is what the page tells times in. */
static enum err
days_asked(struct req *r, const struct audit_page_query *q, struct audit_query *ask)
{
	if (str_given(q->from)) {
		TRY(day_read(r, "From", q->from, &ask->since));
		ask->has.since = GIVEN;
	}
	if (!str_given(q->to))
		return E_OK;
	TRY(day_read(r, "To", q->to, &ask->until));
	ask->until += 86400;
	ask->has.until = GIVEN;
	return E_OK;
}

static enum err
audit_asked(struct req *r, struct audit_query *ask, struct person_pick *pick)
{
	const struct audit_page_query *q = r->query;

	*ask = (struct audit_query){ .limit = WS_ROWS,
		.action = str_given(q->action) ? q->action : audit_action_sole(str_given(q->what)),
		.target = str_given(q->target),
		.target_id = str_given(q->target_id) };
	TRY(person_pick_find(r->c, r->ws, str_given(q->who), q->person, pick, &ask->actor));
	return days_asked(r, q, ask);
}

/* ---- the page ---- */

static enum err
rows_show(struct req *r, const struct audit_query *ask, struct ws_audit_page *page)
{
	struct audited_list found;
	struct audit_row_list rows;
	const char *next;

	TRY(audit_list(r->c, r->ws->id, ask, &found, &next));
	TRY(audit_rows_tell(r->c, r->ws, &found, &rows));
	page->rows = (struct list){ rows.v, rows.n };
	page->next = req_next(r, next, "cursor");
	if (ask->target_id)
		page->about = rows.n ? ((struct audit_target *)found.v[0].target)->name
				     : ask->target_id;
	person_pick_keep(r->c, page->pick, ask->actor, rows.n ? rows.v[0].actor : NULL);
	return E_OK;
}

static enum err
h_audit_page(struct req *r)
{
	struct ws_audit_page page = { 0 };
	const struct audit_page_query *q = r->query;
	const char *query = strchr(r->uri, '?');
	struct person_pick pick = { 0 };
	struct audit_query ask;
	enum err e = audit_asked(r, &ask, &pick);

	page.pick = &pick;
	page.groups = audit_actions_offered(r->c->mem, str_given(q->what), ask.action);
	page.narrowed = ask.actor || ask.action || ask.target || ask.target_id ||
	    str_given(q->from) || str_given(q->to);
	page.lines =
	    mem_printf(r->c->mem, "/w/%s/audit/lines%s", r->ws->id, query ? query : "");
	if (e == E_INVALID)
		return reply_refused(r, 400, r->c->message, &page);
	TRY(e);
	ask.cursor = q->cursor;
	TRY(rows_show(r, &ask, &page));
	return reply_page(r, 0, &page);
}

/* All parts of the page. */
static enum err
h_audit_lines(struct req *r)
{
	struct person_pick pick;
	struct audit_query ask;

	TRY(audit_asked(r, &ask, &pick));
	return audit_lines_reply(r, &ask);
}

#define AUDIT_PAGE "/w/{ws}/audit"
static const struct route audit_page_routes[] = {
  { PAGE(AUDIT_PAGE, WS_ADMIN, ws_audit, h_audit_page), .slow = true,
    .query = &audit_page_query_shape, .title = "Audit log",
    .doc = "The audit log of a workspace, newest first" },
  { GET,  AUDIT_PAGE "/lines", WS_ADMIN, TAKES_NOTHING, GIVES_STREAM,         h_audit_lines,
    .slow = true, .query = &audit_page_query_shape,
    .doc = "The audit log as a file with one JSON object per line" },
};
ROUTES(audit_page, "Pages: audit",
    "What admins see of a workspace's audit log in the browser.");
