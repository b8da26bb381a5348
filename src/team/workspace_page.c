/* SPDX-License-Identifier: Apache-2.0
 * The pages of workspaces: all of somebody's, and one's settings. */
#include "team/workspace_page.h"

#include "base/str.h"
#include "core/notice.h"
#include "core/workspace.h"
#include "http/req.h"

enum err
ws_page_back(struct req *r, const char *page, const char *done)
{
	return reply_redirect(
	    r, mem_printf(r->c->mem, "/w/%s%s?done=%s", r->ws->id, page, done));
}

const char *
ws_page_text(struct req *r, const char *typed)
{
	return typed && *typed ? str_lines(r->c->mem, typed) : NULL;
}

const char *
ws_page_scopes(struct ctx *c, const struct strs *scopes)
{
	static const struct {
		const char *scope, *can;
	} known[] = { { "artifacts:read", "read artifacts" },
		{ "artifacts:publish", "publish artifacts" }, { "data:read", "read data" },
		{ "data:write", "change data" } };
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < scopes->n; i++)
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (str_eq(known[k].scope, scopes->v[i]))
				buf_fmt(&b, "%s%s", b.n ? ", " : "", known[k].can);
	return buf_done(&b);
}

enum err
ws_page_plan_need(struct req *r, enum feature feature, const char *field)
{
	const char *plans = tier_plans_with(r->c, feature);
	struct tier t;

	TRY(tier_of(r->c, r->ws->id, &t));
	if (t.features & 1u << feature)
		return E_OK;
	return fail(r->c, E_TIER_REQUIRED,
	    "%s: this workspace’s plan, %s, doesn’t include this; you need %s", field,
	    t.plan->name, plans ? plans : "a plan that isn’t offered here");
}

/* ---- all of somebody's ---- */

#define TEAM(F, T) \
	F(T, ID,   id, .arg = "wsp_") \
	F(T, STR,  name) \
	F(T, STR,  letters) \
	F(T, STR,  slug) \
	F(T, WORD, role, .arg = MEMBER_ROLES) \
	F(T, INT,  people)
SHAPE_DECLARE(team, TEAM);
SHAPE_DEFINE(team, TEAM);

#define WORKSPACES_PAGE(F, T) \
	F(T, STR,  done) \
	F(T, LIST, workspaces, .sub = &team_shape) \
	F(T, STR,  next) \
	F(T, BOOL, deleted, .doc = "There are some to restore") \
	F(T, LIST, gone,       .sub = &workspace_shape) \
	F(T, INT,  trash_days)
SHAPE_DECLARE(workspaces_page, WORKSPACES_PAGE);
SHAPE_DEFINE(workspaces_page, WORKSPACES_PAGE);

static struct list
teams_of(struct ctx *c, const struct workspace_list *rows)
{
	return list_made(c->mem, rows, w,
	    (struct team){ .id = w->id,
		.name = w->name,
		.letters = page_initials(c->mem, w->name),
		.slug = w->slug,
		.role = w->role,
		.people = ((const struct seats *)w->seats)->used });
}

static enum err
h_workspaces(struct req *r)
{
	const struct tab_query *q = r->query;
	struct workspaces_page page = { .done = notice_text(r->c, q->done),
		.trash_days = r->c->conf->trash_days };
	struct workspace_list rows, gone;
	const char *cursor, *more;

	TRY(workspace_list(r->c, r->who,
	    &(struct workspace_query){ .limit = WS_ROWS, .cursor = q->cursor }, &rows, &cursor));
	TRY(workspace_list(r->c, r->who,
	    &(struct workspace_query){ .limit = WS_ROWS, .deleted = true }, &gone, &more));
	page.workspaces = teams_of(r->c, &rows);
	page.next = req_next(r, cursor, NEXT_WITHOUT);
	page.gone = (struct list){ gone.v, gone.n };
	page.deleted = gone.n > 0;
	return reply_page(r, 0, &page);
}

/* ---- its settings ---- */

#define WS_SETTINGS_PAGE(F, T) \
	WS_PAGE(F, T) \
	F(T, STR,  name) \
	F(T, STR,  slug) \
	F(T, STR,  description) \
	F(T, WORD, member_access, .arg = MEMBER_ACCESS) \
	F(T, WORD, default_visibility, .arg = VISIBILITIES) \
	F(T, TIME, created_at) \
	F(T, INT,  trash_days)
SHAPE_DECLARE(ws_settings_page, WS_SETTINGS_PAGE);
SHAPE_DEFINE(ws_settings_page, WS_SETTINGS_PAGE);

static enum err
h_ws_settings(struct req *r)
{
	const struct workspace_settings *set = r->ws->settings;

	return reply_page(r, 0,
	    &(struct ws_settings_page){ WS_PAGE_OF(r, "Settings"),
		.name = r->ws->name,
		.slug = r->ws->slug,
		.description = set->description,
		.member_access = set->member_access,
		.default_visibility = set->default_visibility,
		.created_at = r->ws->created_at,
		.trash_days = r->c->conf->trash_days });
}

#define WS_SETTINGS_FORM(F, T) \
	F(T, STR,  name,          .flags = F_REQ, .lo = 1, .hi = 120) \
	F(T, SLUG, slug,          .flags = F_REQ, .lo = 2, .hi = 30) \
	F(T, STR,  description,   .flags = F_LONG, .hi = 500) \
	F(T, WORD, member_access, .flags = F_REQ, .arg = MEMBER_ACCESS) \
	F(T, WORD, default_visibility, .arg = VISIBILITIES)
SHAPE_DECLARE(ws_settings_form, WS_SETTINGS_FORM);
SHAPE_DEFINE(ws_settings_form, WS_SETTINGS_FORM);

static enum err
h_ws_settings_save(struct req *r)
{
	const struct ws_settings_form *in = r->in;
	const char *description = ws_page_text(r, in->description);
	struct workspace_settings set = { .member_access = in->member_access,
		.description = description,
		.default_visibility = in->default_visibility,
		.has = { .description = description ? GIVEN : NULLED,
		    .default_visibility = in->has.default_visibility } };

	TRY(workspace_change(r->c, r->ws, r->who,
	    &(struct workspace_edit){
		.name = in->name, .slug = in->slug, .settings = &set }));
	return ws_page_back(r, "/settings", "saved");
}

/* To the page of that workspace, by its id. */
static enum err
h_ws_named(struct req *r)
{
	const char *slug = req_param(r, "slug"), *rest = r->uri + strlen("/w/") + strlen(slug);
	struct workspace_found *found;

	TRY(workspace_by_slug(r->c, slug, r->who, &found));
	return reply_redirect(r, mem_printf(r->c->mem, "/w/%s%s", found->id, rest));
}

static const struct route workspace_page_routes[] = {
/*  method path               who
    body                          reply                    handler */
  { GET,  "/w",               SESSION,
    TAKES_NOTHING,                GIVES_PAGE(workspaces),  h_workspaces,
    .query = &tab_query_shape, .doc = "The workspaces you belong to" },
  { POST, "/w", SESSION, DOES("POST /v1/workspaces"),
    .then = "/w/{id}?done=workspace_made", .again = "/w", .doc = "Create a workspace" },
  { POST, "/w/{ws}/restore", DOES("POST /v1/workspaces/{ws}/restore"),
    .then = "/w/{ws}?done=workspace_restored", .again = "/w", .doc = "Take it out of the trash" },
  { GET,  "/w/{ws}/settings", WS_MEMBER,
    TAKES_NOTHING,                GIVES_PAGE(ws_settings), h_ws_settings,
    .query = &tab_query_shape, .doc = "Its name, and what its members can do" },
  { POST, "/w/{ws}/settings", WS_ADMIN,
    TAKES_FORM(ws_settings_form), GIVES_REDIRECT,          h_ws_settings_save,
    .again = "/w/{ws}/settings", .doc = "Change them" },
  { POST, "/w/{ws}/delete", DOES("DELETE /v1/workspaces/{ws}"),
    .ask = ASK("Delete {name}?",
	"All its artifacts disappear from their addresses at once, for everyone. "
	"Its tokens stop working for good. You can restore the workspace for {trash_days} days; "
	"after that, it is gone with everything in it.",
	"Delete workspace", "/w/{ws}/settings", .of = "GET /v1/workspaces/{ws}"),
    .then = "/w?done=workspace_deleted",
    .doc = "Delete it; it can be restored" },
  { GET,  "/w/{slug}",        SESSION,
    TAKES_NOTHING,                GIVES_REDIRECT,          h_ws_named,
    .open_query = true, .alias = true, .doc = "Leads to the workspace with that slug" },
  { GET,  "/w/{slug}/{+}",    SESSION,
    TAKES_NOTHING,                GIVES_REDIRECT,          h_ws_named,
    .open_query = true, .alias = true,
    .doc = "Leads to a page of the workspace with that slug" },
};
ROUTES(workspace_page, "Pages: workspace",
    "What people see of a workspace in the browser.");
