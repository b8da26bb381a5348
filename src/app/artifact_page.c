/* SPDX-License-Identifier: Apache-2.0
 * The pages of an artifact in the browser, for everything that the API can do with it. Each form
 * leads back to its page. */
#include "base/str.h"
#include "core/artifact.h"
#include "core/artifact_top_page.h"
#include "core/find.h"
#include "core/mail.h"
#include "core/way.h"
#include "http/req.h"
#include "oauth/grant.h"
#include "share/collaborator.h"
#include "share/rehome_page.h"
#include "sharing/share_page.h"
#include "site/approval_page.h"
#include "site/pagecheck.h"
#include "site/standing.h"
#include "site/stats.h"
#include "site/version.h"
#include "talk/proxy.h"

/* ---- views and settings ---- */

/* A day's bar in the chart of views, in the chart's units. */
#define BAR(F, T) \
	F(T, TIME, day) \
	F(T, INT, views) \
	F(T, INT, x) \
	F(T, INT, y) \
	F(T, INT, height)
SHAPE(bar, BAR);

/* A request of an agent to its person. */
#define ASKED_PART(F, T) \
	F(T, STR,  agent) \
	F(T, OBJ,  version, .sub = &version_shape, .doc = "NULL: it asks for a visibility")
SHAPE(asked_part, ASKED_PART);

/* Of the artifact's pages; each shows what its template names. */
#define ARTIFACT_PAGE(F, T) \
	F(T, INT,  views) \
	F(T, LIST, bars, .sub = &bar_shape) \
	F(T, INT,  view_days) \
	F(T, INT,  busiest_views) \
	F(T, TIME, busiest_day) \
	F(T, OBJ,  asks,    .sub = &asked_part_shape) \
	F(T, OBJ,  asking,  .sub = &approval_part_shape) \
	F(T, OBJ,  outside, .sub = &share_part_shape, \
		.doc = "For admins of its workspace, whose plan includes sharing outside") \
	F(T, OBJ,  rehome,  .sub = &rehome_part_shape)
SHAPE(artifact_page, ARTIFACT_PAGE);
#define GIVES_PARTS(template_) { ANSWER_PAGE, template_, &artifact_page_shape }

enum {
	/* artifact.html draws a bar of 8 every 10 units. */
	VIEW_DAYS = 30,
	BAR_EACH = 10,
	BAR_HIGHEST = 60,
	BAR_LEAST = 1
};

/* The busiest day's bar is the highest; a day without a view has a line at the bottom. */
static void
bars_draw(struct ctx *c, const struct stats *s, struct artifact_page *page)
{
	const struct stats_day *day = s->days.v;
	struct bar *bars = mem_array(c->mem, struct bar, s->days.n);
	int64_t most = 0;

	for (size_t i = 0; i < s->days.n; i++) {
		if (day[i].views <= most)
			continue;
		most = page->busiest_views = day[i].views;
		page->busiest_day = day[i].begins_at;
	}
	for (size_t i = 0; i < s->days.n; i++) {
		double share = most ? (double)day[i].views / (double)most : 0;
		int64_t height = BAR_LEAST + (int64_t)(share * (BAR_HIGHEST - BAR_LEAST));

		bars[i] = (struct bar){ .day = day[i].begins_at,
			.views = day[i].views,
			.x = (int64_t)i * BAR_EACH,
			.y = BAR_HIGHEST - height,
			.height = height };
	}
	page->bars = (struct list){ bars, s->days.n };
	page->views = s->views;
	page->view_days = (int64_t)s->days.n;
}

static enum err
h_overview(struct req *r)
{
	struct artifact_page page = { 0 };
	struct stats views;

	TRY(approval_part_read(r, &page.asking));
	TRY(stats_get(r->c, r->art, VIEW_DAYS, &views));
	bars_draw(r->c, &views, &page);
	return reply_page(r, 0, &page);
}

/* ---- requests of agents to their person ---- */

#define ASKED_QUERY(F, T) \
	TAB_QUERY(F, T) \
	F(T, ID,  by,    .arg = "ogr_", .doc = "The agent that asks") \
	F(T, STR, asked, .hi = 20, .doc = "For what: a visibility, or a version to be live")
SHAPE(asked_query, ASKED_QUERY);

/* *out is NULL if the version is live, or isn't theirs to make live. */
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

static bool
asked_visibility(const struct req *r, const char *asked)
{
	return str_in(asked, VISIBILITIES) && visibility_opens(r->art->visibility, asked) &&
	    str_eq(r->art->role, "owner");
}

/* Only an agent's own person knows its id. *out is NULL if there is nothing to decide. */
static enum err
asked_read(struct req *r, void **out)
{
	const struct asked_query *q = r->query;
	struct asked_part *p = mem_new(r->c->mem, struct asked_part);
	struct agent_granted *by;
	int64_t no;
	enum err e;

	*out = NULL;
	if (!q->by || !q->asked || !r->who)
		return E_OK;
	e = grant_get(r->c, r->who->user_id, q->by, &by);
	if (e)
		return e == E_NOT_FOUND ? ctx_forgive(r->c) : e;
	p->agent = by->name;
	if (str_int(q->asked, &no))
		TRY(asked_version(r, no, &p->version));
	*out = p->version || asked_visibility(r, q->asked) ? p : NULL;
	return E_OK;
}

static enum err
h_versions(struct req *r)
{
	struct artifact_page page = { 0 };

	TRY(asked_read(r, &page.asks));
	return reply_page(r, 0, &page);
}

/* Only admins may know which outsiders have access. */
static enum err
outside_read(struct req *r, void **out)
{
	const struct artifact *a = r->art;
	struct share_thing *thing;
	struct workspace *w;

	*out = NULL;
	if (!a->workspace_id || member_rank(a->workspace_role) < MEMBER_ADMIN)
		return E_OK;
	TRY(workspace_get(r->c, a->workspace_id, r->who, false, &w));
	if (!(workspace_tier(r->c, w).features & 1u << FEATURE_EXTERNAL_SHARING))
		return E_OK;
	TRY(share_thing_get(r->c, w, "artifact", a->id, &thing));
	return share_part_read(r, w, thing, out);
}

static enum err
h_sharing(struct req *r)
{
	struct artifact_page page = { 0 };

	TRY(asked_read(r, &page.asks));
	TRY(outside_read(r, &page.outside));
	TRY(approval_part_read(r, &page.asking));
	return reply_page(r, 0, &page);
}

static enum err
h_settings(struct req *r)
{
	struct artifact_page page = { 0 };

	TRY(rehome_part_read(r, r->art, &page.rehome));
	return reply_page(r, 0, &page);
}

static enum err
h_trashed(struct req *r)
{
	return r->art->deleted_at
	    ? reply_page(r, 0, NULL)
	    : reply_go(r, "/a/%s", r->art->id);
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
	return artifact_page_back(r, tab, in->visibility);
}

#define LIVE_FORM(F, T) \
	F(T, TIME, refresh_until, .doc = "Until then, the agent that published it may refresh it")
SHAPE(live_form, LIVE_FORM);

static enum err
h_live(struct req *r)
{
	const struct live_form *in = r->in;
	int64_t no = req_param_no(r, "no");

	TRY(ask_first(r, version_restore(r->c, r->art, no)));
	if (in->refresh_until)
		TRY(standing_add_for(
		    r->c, r->art, r->who, no, r->art->visibility, in->refresh_until));
	return artifact_page_back(r, "/versions", "live");
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
	return artifact_page_back(r, "/sharing", done);
}

static enum err
art_find(struct req *r, struct shown *out)
{
	*out = SHOWN(artifact, r->art);
	return E_OK;
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
static const struct route artifact_page_routes[] = {
  { PAGE("/a/{art}", ART_VIEW, artifact, h_overview),
    .shows = SHOWS({ "people", "GET " API "/collaborators" },
	{ "versions", "GET " API "/versions?limit=3" },
	{ "problems", SHOW_MAY "GET " API "/problems" }), .query = &tab_query_shape,
    .opened = FIND_ARTIFACT, .doc = "An artifact at a glance" },
  { GET,  "/a/{art}/versions",              ART_VIEW,
    TAKES_NOTHING,               GIVES_PARTS("versions"), h_versions,
    .shows = SHOWS({ "versions", "GET " API "/versions?limit=50" }),
    .query = &asked_query_shape, .doc = "Its versions" },
  { SHOWN_PAGE("/a/{art}/files", ART_VIEW, "files"),
    .shows = SHOWS({ "files", SHOW_MAY "GET " API "/files?limit=200" }), .query = &tab_query_shape,
    .doc = "The files of its live version" },
  { GET,  "/a/{art}/sharing",               ART_VIEW,
    TAKES_NOTHING,               GIVES_PARTS("sharing"), h_sharing,
    .shows = SHOWS({ "people", "GET " API "/collaborators" },
	{ "standing", SHOW_MAY "GET " API "/standing-approvals?limit=100" }),
    .query = &asked_query_shape, .doc = "Who can see and change it" },
  { GET,  "/a/{art}/settings",              ART_OWN,
    TAKES_NOTHING,               GIVES_PARTS("settings"), h_settings,
    .shows = SHOWS({ "proxy", "GET " API "/proxy" }),
    .query = &tab_query_shape, .doc = "Its name and address" },
  { PAGE_OF("/a/{art}/trash", ART_TRASH, "trashed", NULL, h_trashed), .query = &tab_query_shape,
    .doc = "An artifact in the trash" },
  { FORM("/a/{art}/visibility", ART_OWN, visibility_form, h_visibility),
    .again = "/a/{art}/sharing", .doc = "Choose who can see it" },
  { POST, "/a/{art}/favorite", DOES("PUT /v1/artifacts/{art}/favorite"),
    .then = "/a/{art}", .again = "/a/{art}", .doc = "Add it to your favorites" },
  { POST, "/a/{art}/unfavorite", DOES("DELETE /v1/artifacts/{art}/favorite"),
    .then = "/a/{art}", .again = "/a/{art}", .doc = "Remove it from them" },
  { FORM("/a/{art}/versions/{no}/live", ART_EDIT, live_form, h_live), .again = "/a/{art}/versions",
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
