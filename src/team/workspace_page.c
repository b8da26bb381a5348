/* SPDX-License-Identifier: Apache-2.0
 * The pages of workspaces: all of somebody's, and one's settings. */
#include "team/workspace_page.h"

#include "base/str.h"
#include "http/form.h"

SHAPE_DEFINE(ws_plan, WS_PLAN);

enum err
ws_plan_find(struct req *r, struct shown *out)
{
	struct ws_plan *plan = mem_new(r->c->mem, struct ws_plan);
	const struct tier t = workspace_tier(r->c, r->ws);

	*plan = (struct ws_plan){ .plan_name = t.plan->name,
		.has_branding = t.features & 1u << FEATURE_CUSTOM_BRANDING,
		.branding_plans = tier_plans_with(r->c, FEATURE_CUSTOM_BRANDING),
		.has_subdomain = t.features & 1u << FEATURE_SUBDOMAIN,
		.subdomain_plans = tier_plans_with(r->c, FEATURE_SUBDOMAIN),
		.has_learning = t.features & 1u << FEATURE_KNOWLEDGE,
		.learning_plans = tier_plans_with(r->c, FEATURE_KNOWLEDGE),
		.has_session_policy = t.features & 1u << FEATURE_SESSION_POLICY,
		.usual_days = r->c->conf->session_days };
	*out = SHOWN(ws_plan, plan);
	return E_OK;
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

/* ---- its settings ---- */

#define WS_SETTINGS_FORM(F, T) \
	F(T, STR,  name,          .flags = F_REQ, .lo = 1, .hi = 120) \
	F(T, SLUG, slug,          .flags = F_REQ, .lo = 2, .hi = 30) \
	F(T, STR,  description,   .flags = F_LONG, .hi = 500) \
	F(T, WORD, member_access, .flags = F_REQ, .arg = MEMBER_ACCESS) \
	F(T, WORD, default_visibility, .arg = VISIBILITIES)
SHAPE(ws_settings_form, WS_SETTINGS_FORM);

static enum err
h_ws_settings_save(struct req *r)
{
	const struct ws_settings_form *in = r->in;
	const char *typed = str_given(in->description),
		   *description = typed ? str_lines(r->c->mem, typed) : NULL;
	struct workspace_settings set = { .member_access = in->member_access,
		.description = description,
		.default_visibility = in->default_visibility,
		.has = { .description = description ? GIVEN : NULLED,
		    .default_visibility = in->has.default_visibility } };

	TRY(workspace_change(r->c, r->ws, r->who,
	    &(struct workspace_edit){
		.name = in->name, .slug = in->slug, .settings = &set }));
	return form_done(r, NULL);
}

/* Redirects to the page of the workspace with this id. */
static enum err
h_ws_named(struct req *r)
{
	const char *slug = req_param(r, "slug"), *rest = r->uri + strlen("/w/") + strlen(slug);
	struct workspace_found *found;

	TRY(workspace_by_slug(r->c, slug, r->who, &found));
	return reply_go(r, "/w/%s%s", found->id, rest);
}

static const struct route workspace_page_routes[] = {
  { SHOWN_PAGE("/w", SESSION, "workspaces"),
    .shows = SHOWS({ "workspaces", "GET /v1/workspaces?limit=50" },
	{ "gone", "GET /v1/workspaces?deleted=1&limit=50" }), .query = &tab_query_shape,
    .doc = "The workspaces you belong to" },
  { POST, "/w", SESSION, DOES("POST /v1/workspaces"),
    .then = "/w/{id}?done=workspace_made", .again = "/w", .doc = "Create a workspace" },
  { POST, "/w/{ws}/restore", DOES("POST /v1/workspaces/{ws}/restore"),
    .then = "/w/{ws}?done=workspace_restored", .again = "/w", .doc = "Take it out of the trash" },
  { SHOWN_PAGE("/w/{ws}/settings", WS_MEMBER, "ws_settings"),
    .shows = SHOWS({ "workspace", "GET /v1/workspaces/{ws}" }), .title = "Settings",
    .query = &tab_query_shape, .doc = "Its name, and what its members can do" },
  { FORM("/w/{ws}/settings", WS_ADMIN, ws_settings_form, h_ws_settings_save),
    .then = "/w/{ws}/settings?done=saved", .again = "/w/{ws}/settings", .doc = "Change them" },
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
