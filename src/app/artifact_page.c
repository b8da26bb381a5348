/* SPDX-License-Identifier: Apache-2.0
 * The pages of an artifact in the browser, for everything that the API can do with it. Each form
 * leads back to its page. */
#include "app/rehome.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/day_chart.h"
#include "core/find.h"
#include "core/mail.h"
#include "http/form.h"
#include "oauth/grant.h"
#include "share/collaborator.h"
#include "sharing/share_page.h"
#include "site/approval_page.h"
#include "site/check.h"
#include "site/seen.h"
#include "site/standing.h"
#include "site/stats.h"
#include "site/retention.h"
#include "site/version.h"
#include "talk/proxy.h"

/* A request of an agent to its person. */
#define ASKED_PART(F, T) \
	F(T, STR,  agent) \
	F(T, OBJ,  version, .sub = &version_shape, .doc = "NULL: it asks for a visibility")
SHAPE(asked_part, ASKED_PART);

enum { VIEW_DAYS = 30 };

static enum err
views_find(struct req *r, struct shown *out)
{
	struct day_figures of[VIEW_DAYS] = { 0 };
	const struct stats_day *day;
	struct day_chart *chart;
	struct stats views;

	TRY(stats_get(r->c, r->art, VIEW_DAYS, &views));
	day = views.days.v;
	for (size_t i = 0; i < views.days.n; i++)
		of[i] = (struct day_figures){ day[i].begins_at, { day[i].views },
			str_number(r->c->mem, day[i].views) };
	chart = day_chart_of(r->c, of, views.days.n, str_number);
	chart->about = mem_printf(r->c->mem,
	    "Views per day over the last %d days, the most, %s, on %s", VIEW_DAYS,
	    str_number(r->c->mem, chart->most), str_date_day(r->c->mem, chart->busiest));
	*out = SHOWN(day_chart, chart);
	return E_OK;
}

static enum err
rehome_find(struct req *r, struct shown *out)
{
	void *part;

	TRY(rehome_part_read(r->c, r->art, r->who, &part));
	*out = SHOWN(rehome_part, part);
	return E_OK;
}

/* ---- requests of agents to their person ---- */

#define ASKED_QUERY(F, T) \
	TAB_QUERY(F, T) \
	F(T, ID,  by,    .arg = "ogr_", .doc = "The agent that asks") \
	F(T, STR, asked, .hi = 20, .doc = "For what: a visibility, or a version to be live")
SHAPE(asked_query, ASKED_QUERY);

/* Finds the version; *out is NULL if it is live, or the caller can't make it live. */
static enum err
asked_version(struct req *r, int64_t no, void **out)
{
	struct version *v;
	enum err e = version_get(r->c, r->art, no, &v);

	if (e)
		return e == E_NOT_FOUND ? ctx_forgive(r->c) : e;
	*out = v->is_live || role_rank(r->art->role) < ROLE_EDITOR ? NULL : v;
	return E_OK;
}

/* Only an agent's own person knows its id. Finds nothing if there is nothing to decide. */
static enum err
asked_find(struct req *r, struct shown *out)
{
	const struct asked_query *q = r->query;
	struct asked_part *p = mem_new(r->c->mem, struct asked_part);
	struct agent_granted *by;
	int64_t no;
	enum err e;

	if (!q->by || !q->asked || !r->who)
		return E_OK;
	e = grant_get(r->c, r->who->user_id, q->by, &by);
	if (e)
		return e == E_NOT_FOUND ? ctx_forgive(r->c) : e;
	p->agent = by->name;
	if (str_int(q->asked, &no))
		TRY(asked_version(r, no, &p->version));
	if (p->version ||
	    (str_in(q->asked, VISIBILITIES) && visibility_opens(r->art->visibility, q->asked) &&
		str_eq(r->art->role, "owner")))
		*out = SHOWN(asked_part, p);
	return E_OK;
}

/* Only admins may know which outsiders have access. */
static enum err
outside_find(struct req *r, struct shown *out)
{
	const struct artifact *a = r->art;
	struct share_thing *thing;
	struct workspace *w;
	void *part;

	if (!a->workspace_id || member_rank(a->workspace_role) < MEMBER_ADMIN)
		return E_OK;
	TRY(workspace_get(r->c, a->workspace_id, r->who, false, &w));
	if (!(workspace_tier(r->c, w).features & 1u << FEATURE_EXTERNAL_SHARING))
		return E_OK;
	TRY(share_thing_get(r->c, w, "artifact", a->id, &thing));
	TRY(share_part_read(r, w, thing, &part));
	*out = SHOWN(share_part, part);
	return E_OK;
}

/* The Settings tab, with values that somebody weighs. */
#define SETTINGS_QUERY(F, T) \
	F(T, STR, done,   .hi = 40) \
	F(T, STR, cursor, .hi = 4096) \
	RETENTION_FIELDS(F, T, 0)
SHAPE(settings_query, SETTINGS_QUERY);

static enum err
old_find(struct req *r, struct shown *out)
{
	const struct settings_query *q = r->query;
	const struct retention_query asked = { .keep = q->keep, .days = q->days,
		.has = { .keep = q->has.keep, .days = q->has.days } };
	struct retention *old;

	TRY(retention_get(r->c, r->art, &asked, &old));
	*out = SHOWN(retention, old);
	return E_OK;
}

#define CHECKS_FORM(F, T) \
	F(T, BOOL, blank) \
	F(T, BOOL, errors) \
	F(T, BOOL, missing) \
	F(T, BOOL, basics)
SHAPE(checks_form, CHECKS_FORM);

static enum err
checks_find(struct req *r, struct shown *out)
{
	const struct strs *is = &r->art->checks;
	struct checks_form *f = mem_new(r->c->mem, struct checks_form);

	f->blank = strs_have(is, "blank");
	f->errors = strs_have(is, "errors");
	f->missing = strs_have(is, "missing");
	f->basics = strs_have(is, "basics");
	*out = SHOWN(checks_form, f);
	return E_OK;
}

static enum err
h_checks(struct req *r)
{
	const struct checks_form *f = r->in;
	struct artifact_edit edit = { .has.checks = GIVEN };

	if (f->blank)
		strs_add(r->c->mem, &edit.checks, "blank");
	if (f->errors)
		strs_add(r->c->mem, &edit.checks, "errors");
	if (f->missing)
		strs_add(r->c->mem, &edit.checks, "missing");
	if (f->basics)
		strs_add(r->c->mem, &edit.checks, "basics");
	TRY(artifact_change(r->c, r->art, &edit));
	return form_done(r, NULL);
}

static enum err
h_trashed(struct req *r)
{
	return r->art->deleted_at ? reply_page(r, 0, NULL) : reply_go(r, "/a/%s", r->art->id);
}

/* ---- changes ---- */

#define VISIBILITY_FORM(F, T) \
	F(T, WORD, visibility, .flags = F_REQ, .arg = VISIBILITIES) \
	F(T, WORD, tab,        .arg = TABS, .doc = "Where it is changed")
SHAPE(visibility_form, VISIBILITY_FORM);

/* If its workspace requires approval, the page says so in its own words. */
static enum err
ask_first(struct req *r, enum err e)
{
	return e != E_APPROVAL_REQUIRED
	    ? e
	    : fail(r->c, e,
		  "Admins of the workspace must approve this first; "
		  "ask for approval on the Sharing tab");
}

static enum err
h_visibility(struct req *r)
{
	const struct visibility_form *in = r->in;
	const char *tab = !in->tab          ? "/sharing"
	    : str_eq(in->tab, "overview") ? ""
					  : mem_printf(r->c->mem, "/%s", in->tab);

	TRY(ask_first(r,
	    artifact_change(r->c, r->art,
		&(struct artifact_edit){
		    .visibility = in->visibility, .has.visibility = GIVEN })));
	return reply_go(r, "/a/%s%s?done=%s", r->art->id, tab, in->visibility);
}

#define LIVE_FORM(F, T) \
	F(T, TIME, refresh_until, .doc = "Until then, the agent that published it may refresh it")
SHAPE(live_form, LIVE_FORM);

static enum err
h_live(struct req *r)
{
	const struct live_form *in = r->in;
	int64_t no = req_param_no(r, "no");

	TRY(ask_first(r, checks_restore(r->c, r->art, no)));
	if (in->refresh_until)
		TRY(standing_add_for(
		    r->c, r->art, r->who, no, r->art->visibility, in->refresh_until));
	return form_done(r, NULL);
}

/* Adds people; the notice depends on the role that they have now. */
static enum err
h_invite(struct req *r)
{
	const struct collaborator *co;
	const char *done = "invited";
	struct list now;

	TRY(collaborator_add(r->c, r->art, r->who, r->in, &now));
	co = now.v;
	for (size_t i = 0; i < now.n; i++)
		if (co[i].has.mailed == GIVEN && !co[i].mailed && mail_enabled(r->c))
			done = "unmailed";
	return reply_go(r, "/a/%s/sharing?done=%s", r->art->id, done);
}

static enum err
art_find(struct req *r, struct shown *out)
{
	*out = SHOWN(artifact, r->art);
	return E_OK;
}

/* Redirects a caller who has only a grant to the page that shows what is given. */
static enum err
h_artifact(struct req *r)
{
	if (!r->art->role)
		return reply_go(r, "/shared/artifacts/%s", r->art->id);
	return reply_page(r, 0, NULL);
}

/* Redirects to the page of the artifact with this id. */
static enum err
h_artifact_named(struct req *r)
{
	const char *slug = req_param(r, "slug"), *rest = r->uri + strlen("/a/") + strlen(slug);
	struct artifact *a;

	TRY(artifact_find_by_slug(r->c, slug, r->who, false, &a));
	if (!a || !a->role)
		return fail(r->c, E_NOT_FOUND, "There is no such artifact");
	return reply_go(r, "/a/%s%s", a->id, rest);
}

#define API "/v1/artifacts/{art}"
#define ASKING { "asking", .find = approval_part_find, .of = &approval_part_shape }
#define ASKS { "asks", .find = asked_find, .of = &asked_part_shape }
static const struct route artifact_page_routes[] = {
  { PAGE_OF("/a/{art}", ART_GIVEN, "artifact", NULL, h_artifact),
    .shows = SHOWS({ "people", "GET " API "/collaborators" },
	{ "versions", "GET " API "/versions?limit=3" },
	{ "problems", SHOW_MAY "GET " API "/problems" }, ASKING,
	{ "chart", .find = views_find, .of = &day_chart_shape }),
    .query = &tab_query_shape, .opened = FIND_ARTIFACT, .doc = "An artifact at a glance" },
  { SHOWN_PAGE("/a/{art}/versions", ART_VIEW, "versions"),
    .shows = SHOWS({ "versions", "GET " API "/versions?limit=50" }, ASKS,
	{ "reviews", "GET " API "/reviews?limit=5" }),
    .query = &asked_query_shape, .title = "Versions", .doc = "Its versions" },
  { SHOWN_PAGE("/a/{art}/versions/{no}/seen", ART_EDIT, "version_seen"),
    .shows = SHOWS({ "seen", "GET " API "/versions/{no}/seen" },
	{ "version", "GET " API "/versions/{no}" }),
    .query = &tab_query_shape, .title = "Version {no} in a browser",
    .doc = "What a browser saw of a version" },
  { POST, "/a/{art}/versions/{no}/look", DOES("POST " API "/versions/{no}/seen"),
    .then = "/a/{art}/versions/{no}/seen?done=looking", .again = "/a/{art}/versions/{no}/seen",
    .doc = "Have a version opened in a browser" },
  { SHOWN_PAGE("/a/{art}/sharing", ART_VIEW, "sharing"),
    .shows = SHOWS({ "people", "GET " API "/collaborators" },
	{ "standing", SHOW_MAY "GET " API "/standing-approvals?limit=100" }, ASKS, ASKING,
	{ "outside", .find = outside_find, .of = &share_part_shape }),
    .query = &asked_query_shape, .title = "Sharing", .doc = "Who can see and change it" },
  { SHOWN_PAGE("/a/{art}/settings", ART_OWN, "settings"),
    .shows = SHOWS({ "proxy", "GET " API "/proxy" },
	{ "old", .find = old_find, .of = &retention_shape },
	{ "checks", .find = checks_find, .of = &checks_form_shape },
	{ "rehome", .find = rehome_find, .of = &rehome_part_shape }),
    .query = &settings_query_shape, .title = "Settings",
    .doc = "Its name and address, and how long versions stay" },
  { PAGE_OF("/a/{art}/trash", ART_TRASH, "trashed", NULL, h_trashed), .query = &tab_query_shape,
    .title = "Trash", .doc = "An artifact in the trash" },
  { FORM("/a/{art}/visibility", ART_OWN, visibility_form, h_visibility),
    .again = "/a/{art}/sharing", .doc = "Choose who can see it" },
  { POST, "/a/{art}/favorite", DOES("PUT /v1/artifacts/{art}/favorite"),
    .then = "/a/{art}", .again = "/a/{art}", .doc = "Add it to your favorites" },
  { POST, "/a/{art}/unfavorite", DOES("DELETE /v1/artifacts/{art}/favorite"),
    .then = "/a/{art}", .again = "/a/{art}", .doc = "Remove it from them" },
  { FORM("/a/{art}/versions/{no}/live", ART_EDIT, live_form, h_live),
    .then = "/a/{art}/versions?done=live", .again = "/a/{art}/versions",
    .doc = "Make a version live" },
  { POST, "/a/{art}/versions/{no}/address", DOES("PATCH /v1/artifacts/{art}/versions/{no}"),
    .then = "/a/{art}/versions?done=version_open_{is_open}", .again = "/a/{art}/versions",
    .doc = "Show a version to visitors at its own address, or hide it from them" },
  { FORM("/a/{art}/people", ART_EDIT, collaborator_new, h_invite), .again = "/a/{art}/sharing",
    .doc = "Invite someone" },
  { POST, "/a/{art}/people/remove", DOES("DELETE " API "/collaborators/{email}"),
    .then = "/a/{art}/sharing?done=removed",
    .again = "/a/{art}/sharing", .doc = "Remove someone's access" },
  { POST, "/a/{art}/settings", DOES("PATCH /v1/artifacts/{art}"),
    .then = "/a/{art}/settings?done=saved", .again = "/a/{art}/settings",
    .doc = "Change its name and address" },
  { POST, "/a/{art}/pin", DOES("PATCH /v1/artifacts/{art}"),
    .then = "/a/{art}/settings?done=saved", .again = "/a/{art}/settings",
    .doc = "Keep a version live, or end that" },
  { FORM("/a/{art}/checks", ART_OWN, checks_form, h_checks),
    .then = "/a/{art}/settings?done=checks", .again = "/a/{art}/settings",
    .doc = "Choose what its versions must pass before they go live" },
  { POST, "/a/{art}/old-versions", DOES("PUT /v1/artifacts/{art}/retention"),
    .then = "/a/{art}/settings?done=retention", .again = "/a/{art}/settings",
    .doc = "Choose how long old versions stay" },
  { POST, "/a/{art}/old-versions/inherit", DOES("DELETE /v1/artifacts/{art}/retention"),
    .then = "/a/{art}/settings?done=retention", .again = "/a/{art}/settings",
    .doc = "Keep old versions as long as its workspace says" },
  { POST, "/a/{art}/versions/{no}/remove", DOES("DELETE /v1/artifacts/{art}/versions/{no}"),
    .ask = ASK("Delete version {version_no}?",
	"Its files and its own address are deleted now. This can’t be undone.", "Delete version",
	"/a/{art}/versions", .of = "GET /v1/artifacts/{art}/versions/{no}"),
    .then = "/a/{art}/versions?done=version_removed", .doc = "Delete a version for good" },
  { POST, "/a/{art}/proxy", DOES("PUT /v1/artifacts/{art}/proxy"),
    .then = "/a/{art}/settings?done=saved", .again = "/a/{art}/settings",
    .doc = "Choose which hosts its pages can fetch from" },
  { POST, "/a/{art}/transfer", DOES("POST /v1/artifacts/{art}/transfer-ownership"),
    .then = "/a/{art}?done=transferred", .again = "/a/{art}/settings",
    .doc = "Make another person the owner" },
  { POST, "/a/{art}/delete", DOES("DELETE /v1/artifacts/{art}"),
    .ask = ASK("Delete {name}?",
	"Its address stops working at once, for everyone. "
	"It stays in the trash for {trash_days} days.",
	"Delete artifact", "/a/{art}/settings", .find = art_find, .url = "{url}", .who = ART_OWN),
    .then = "/?done=deleted", .doc = "Move it to the trash" },
  { POST, "/a/{art}/restore", DOES("POST /v1/artifacts/{art}/restore"),
    .then = "/a/{art}?done=restored", .again = "/a/{art}/trash",
    .doc = "Take it out of the trash" },
  { POST, "/a/{art}/purge", DOES("DELETE /v1/artifacts/{art}"),
    .ask = ASK("Delete {name}?", "All its versions will be deleted now. This can’t be undone.",
	"Delete for good", "/a/{art}/trash", .find = art_find, .url = "{url}", .who = ART_TRASH),
    .then = "/trash?done=purged", .with = "purge=1",
    .doc = "Delete it for good" },
  { GET,  "/a/{slug}",                      SESSION,
    TAKES_NOTHING,               GIVES_REDIRECT,       h_artifact_named,
    .open_query = true, .alias = true, .doc = "Leads to the artifact with that slug" },
  { GET,  "/a/{slug}/{+}",                  SESSION,
    TAKES_NOTHING,               GIVES_REDIRECT,       h_artifact_named,
    .open_query = true, .alias = true,
    .doc = "Leads to a page of the artifact with that slug" },
};
ROUTES(artifact_page, "Pages: artifact",
    "What people see of an artifact in the browser.");
