/* SPDX-License-Identifier: Apache-2.0 */
#include "core/who_api.h"

#include "base/str.h"
#include "core/accesspolicy.h"
#include "core/artifact.h"
#include "core/role.h"
#include "core/workspace.h"
#include "http/req.h"

static enum err
art_load(struct req *r, const char *id, bool lock)
{
	struct artifact *a;

	TRY(artifact_get(r->c, id, r->who, lock, &a));
	r->art = a;
	return E_OK;
}

static enum err
art_load_by_token(struct req *r, const char *id, const char *bearer)
{
	struct principal *who;
	struct artifact *a;

	TRY(artifact_get_by_token(r->c, id, bearer, &who, &a));
	r->who = who;
	r->art = a;
	return E_OK;
}

static enum err
visitor_load(struct req *r, const char *id, const struct visitor *v)
{
	struct principal *who;
	struct artifact *a;

	TRY(artifact_get_by_visitor(r->c, str_eq(id, PARAM_SELF) ? NULL : id, v, &who, &a));
	r->who = who;
	r->art = a;
	/* The path may name the artifact "self"; from here on r has its id. */
	for (size_t i = 0; a && i < PATH_PARAMS && r->p[i].name; i++)
		if (str_eq(r->p[i].name, "art"))
			r->p[i].value = a->id;
	return E_OK;
}

static enum err
art_load_by_visitor(struct req *r, const char *id, const char *cookie)
{
	return visitor_load(r, id,
	    &(struct visitor){
		.slug = r->site, .subdomain = r->subdomain, .cookie = cookie, .frame = r->frame });
}

/* A page that polls its document costs one statement each time. */
static enum err
document_load_by_visitor(struct req *r, const char *id, const char *cookie)
{
	return visitor_load(r, id,
	    &(struct visitor){ .slug = r->site,
		.subdomain = r->subdomain,
		.cookie = cookie,
		.frame = r->frame,
		.document = true,
		.known = req_header(r, "HTTP_IF_NONE_MATCH") });
}

/* The capabilities that grants on an artifact give; each includes those before it. */
enum capability { VIEW = 1, COMMENT, EDIT };
static const char *const art_capabilities[] = {
	[VIEW] = "view", [COMMENT] = "comment", [EDIT] = "edit"
};

static bool
art_standing(const struct req *r, struct standing *out)
{
	const struct artifact *a = r->art;

	if (a)
		*out = (struct standing){ .role = role_rank(a->role),
			.open = a->is_open,
			.given = a->can_edit      ? EDIT
			    : a->can_comment ? COMMENT
			    : a->can_view    ? VIEW
					     : 0,
			.paused = a->stopped,
			.governs = member_rank(a->workspace_role) >= MEMBER_ADMIN,
			.deleted = a->deleted_at != 0,
			.reads_only = agent_words(r->c, r->who, a->agent_bound) };
	return a != NULL;
}

const struct rung art_rungs[] = {
	[ROLE_NONE] = { NULL, "Anyone signed in who can see the", "" },
	[ROLE_VIEWER] = { "viewer", "Anyone with a role on the", "viewer, editor or owner" },
	[ROLE_EDITOR] = { "editor", "Editors and the owner of the", "editor or owner" },
	[ROLE_OWNER] = { "owner", "The owner of the", "owner" },
};
static const struct noun art = { "art", NULL, art_rungs, art_capabilities, true, art_load,
	art_load_by_token, art_load_by_visitor, art_standing, NULL };
/* art, which on content hosts also loads the document. */
static const struct noun art_and_document = { "art", NULL, art_rungs, art_capabilities, true,
	art_load, art_load_by_token, document_load_by_visitor, art_standing, NULL };

/* Rights on a thing of an artifact are rights on that artifact, which this loads. A missing thing
 * counts as one of no artifact and takes the same steps as a hidden one; so does a thing of another
 * artifact than the path names. */
enum err
inner_load(struct req *r, const char *id, bool lock)
{
	const char *artifact_id;

	TRY(r->route->who->noun->artifact_of(r->c, id, &artifact_id));
	for (size_t i = 0; i < PATH_PARAMS && r->p[i].name; i++)
		if (str_eq(r->p[i].name, "art") && !str_eq(r->p[i].value, artifact_id))
			artifact_id = "";
	return art_load(r, artifact_id, lock);
}

enum err
inner_load_by_token(struct req *r, const char *id, const char *bearer)
{
	const char *artifact_id;

	TRY(r->route->who->noun->artifact_of(r->c, id, &artifact_id));
	return art_load_by_token(r, artifact_id, bearer);
}

/* A caller without a role on the artifact doesn't learn that the thing exists, even if the artifact
 * is open or shared with them. */
bool
inner_standing(const struct req *r, struct standing *out)
{
	bool loaded = art_standing(r, out);

	out->open = false;
	out->given = 0;
	return loaded;
}

enum err
ws_load(struct req *r, const char *id, bool lock)
{
	struct workspace *ws;

	TRY(workspace_get(r->c, id, r->who, lock, &ws));
	r->ws = ws;
	return E_OK;
}

/* Also loads a workspace that the access policy would let the caller join, without a role. */
static enum err
ws_load_to_join(struct req *r, const char *id, bool lock)
{
	enum err e = ws_load(r, id, lock);
	bool may = false;

	if (e != E_NOT_FOUND)
		return e;
	TRY(access_policy_joins(r->c, id, r->who, &may));
	if (!may)
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(workspace_get_to_join(r->c, id, lock, &r->ws));
	return E_OK;
}

bool
ws_standing(const struct req *r, struct standing *out)
{
	const struct workspace *ws = r->ws;

	if (ws)
		*out = (struct standing){ .role = member_rank(ws->role),
			.deleted = ws->deleted_at != 0,
			.reads_only = agent_words(r->c, r->who, ws->agent_bound) };
	return ws != NULL;
}

/* A caller who may join passes the check for admins; the handler recognizes them by their role,
 * NULL. */
static bool
ws_standing_to_join(const struct req *r, struct standing *out)
{
	bool loaded = ws_standing(r, out);

	if (loaded && !r->ws->role)
		out->role = MEMBER_ADMIN;
	return loaded;
}

/* If the plan doesn't include it, nobody can share with outsiders, whatever their role. */
static bool
sharing_standing(const struct req *r, struct standing *out)
{
	struct tier tier;

	if (!ws_standing(r, out))
		return false;
	tier = workspace_tier(r->c, r->ws);
	if (!(tier.features & 1u << FEATURE_EXTERNAL_SHARING)) {
		out->role = out->role ? MEMBER_AGENT : MEMBER_NONE;
		out->lacks = mem_printf(r->c->mem,
		    "The workspace's plan, %s, doesn't include sharing with people outside; "
		    "GET /v1/billing/plans lists the plans that do",
		    tier.plan->name);
	}
	return true;
}

const struct rung ws_rungs[] = {
	[MEMBER_NONE] = { NULL, "", "" },
	[MEMBER_AGENT] = { "agent", "Members and agents of the", "member or agent" },
	[MEMBER_MEMBER] = { "member", "Members of the", "member, admin or owner" },
	[MEMBER_ADMIN] = { "admin", "Admins and the owner of the", "admin or owner" },
	[MEMBER_OWNER] = { "owner", "The owner of the", "owner" },
};
static const struct noun ws = { "ws", NULL, ws_rungs, NULL, false, ws_load, NULL, NULL,
	ws_standing, NULL };
static const struct noun sharing = { "ws", NULL, ws_rungs, NULL, false, ws_load, NULL, NULL,
	sharing_standing, NULL };
static const struct noun ws_to_join = { "ws", NULL, ws_rungs, NULL, false, ws_load_to_join, NULL,
	NULL, ws_standing_to_join, NULL };

WHO(ART_READ, "artifact_read", ANYBODY, &art, ROLE_NONE, .given = VIEW);
WHO(ART_DISCUSS, "artifact_discuss", ANYBODY, &art, ROLE_NONE, .given = COMMENT);
WHO(ART_GIVEN, "artifact_given", KNOWN, &art, ROLE_VIEWER, .given = VIEW);
WHO(ART_MARK, "artifact_mark", ANYBODY, &art, ROLE_NONE);
WHO(DOCUMENT_READ, "document_read", ANYBODY, &art_and_document, ROLE_NONE, .given = VIEW);
WHO(ART_VIEW, "artifact_view", KNOWN, &art, ROLE_VIEWER);
WHO(ART_VISIT, "artifact_visit", KNOWN, &art, ROLE_VIEWER, .visitors = true);
WHO(ART_ANSWER, "artifact_answer", KNOWN, &art, ROLE_VIEWER, .lock = true, .given = COMMENT);
WHO(ART_LEAVE, "artifact_leave", KNOWN, &art, ROLE_VIEWER, .lock = true);
WHO(ART_EDIT, "artifact_edit", KNOWN, &art, ROLE_EDITOR, .lock = true);
WHO(ART_CHANGE, "artifact_change", KNOWN, &art, ROLE_EDITOR, .lock = true, .governed = true);
WHO(DATA_CHANGE, "data_change", ANYBODY, &art, ROLE_NONE, .policy = true, .given = EDIT);
WHO(DATA_FOLLOW, "data_follow", KNOWN, &art, ROLE_NONE, .given = VIEW);
WHO(DATA_EDIT, "data_edit", KNOWN, &art, ROLE_EDITOR);
WHO(ART_OWN, "artifact_own", KNOWN, &art, ROLE_OWNER, .lock = true);
WHO(ART_ALLOW, "artifact_allow", KNOWN, &art, ROLE_OWNER, .lock = true, .governed = true);
WHO(ART_TRASH, "artifact_trash", KNOWN, &art, ROLE_OWNER, .lock = true, .trash = true,
    .governed = true);
WHO(WS_READ, "workspace_read", KNOWN, &ws, MEMBER_AGENT, .lock = true);
WHO(WS_MEMBER, "workspace_member", KNOWN, &ws, MEMBER_MEMBER, .lock = true);
WHO(WS_ADMIN, "workspace_admin", KNOWN, &ws, MEMBER_ADMIN, .lock = true);
WHO(WS_JOIN, "workspace_join", KNOWN, &ws_to_join, MEMBER_ADMIN, .lock = true);
WHO(SHARE_ADMIN, "share_admin", KNOWN, &sharing, MEMBER_ADMIN, .lock = true,
    .refusal = E_SHARING_NOT_ENTITLED);
WHO(SHARE_MEMBER, "share_member", KNOWN, &sharing, MEMBER_MEMBER, .lock = true,
    .refusal = E_SHARING_NOT_ENTITLED);
WHO(WS_OWN, "workspace_own", KNOWN, &ws, MEMBER_OWNER, .lock = true);
WHO(WS_TRASH, "workspace_trash", KNOWN, &ws, MEMBER_OWNER, .lock = true, .trash = true);

struct who_row
who_of(const struct req *r)
{
	struct who_row row = *r->route->who;

	if (row.visitors && r->site) {
		row.caller = ANYBODY;
		row.least = ROLE_NONE;
		row.given = VIEW;
	}
	return row;
}
