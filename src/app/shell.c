/* SPDX-License-Identifier: Apache-2.0 */
#include "http/above.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/artifact.h"
#include "core/mail.h"
#include "core/workspace.h"
#include "http/filled.h"
#include "inbox/inbox.h"
#include "people/signin_page.h"
#include "site/standing.h"
#include "team/folder.h"

enum { SWITCH_MOST = 20 };

struct shell
shell_of(const struct req *r)
{
	const struct principal *who = r->who;
	struct shell out = { .base = r->c->conf->base_url,
		.here = r->uri,
		.place = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?")),
		.ws_at = r->ws ? mem_printf(r->c->mem, "/w/%s", r->ws->id) : "",
		.no_mail = !mail_enabled(r->c),
		.providers = offers(r),
		.title = r->route && r->route->title
		    ? text_filled(r, r->route->title, NULL, NULL)
		    : NULL,
		.done = r->content ? NULL : artifact_page_done(r),
		.made = r->made,
		.stand_until = r->c->now + STANDING_S,
		.report = conf_has(r->c->conf->terms_url) ? r->c->conf->terms_url : NULL,
		.trash_days = r->c->conf->trash_days,
		.now = r->c->now };

	if (!who || !who->session_id || r->content)
		return out;
	out.own_part = mem_strndup(r->c->mem, out.place + 1, strcspn(out.place + 1, "/"));
	out.me = who->name && *who->name ? who->name : who->email;
	out.me_email = who->email;
	out.me_id = who->user_id;
	out.staff = who->staff != STAFF_NONE;
	out.initials = page_initials(r->c->mem, out.me);
	return out;
}

static void
shell_enter(struct ctx *c, struct shell *s, const struct workspace *w)
{
	s->ws_id = w->id;
	s->ws_name = w->name;
	s->ws_role = w->role;
	s->ws_admin = member_rank(w->role) >= MEMBER_ADMIN;
	s->ws_owner = member_rank(w->role) == MEMBER_OWNER;
	s->ws_sharing = workspace_tier(c, w).features & 1u << FEATURE_EXTERNAL_SHARING;
}

/* Returns the part of a workspace that the page belongs to, from the path after the workspace's id;
 * folders belong to its artifacts. */
static const char *
workspace_part(const struct req *r, struct shell *s)
{
	const char *root = mem_printf(r->c->mem, "/w/%s", s->ws_id);
	size_t n;

	if (!str_starts(s->place, root))
		return NULL;
	root = s->place + strlen(root);
	root += *root == '/';
	if (!*root || str_starts(root, "folders/"))
		return "artifacts";
	n = strcspn(root, "/");
	if (root[n])
		s->subtab = mem_strndup(r->c->mem, root + n + 1, strcspn(root + n + 1, "/"));
	return mem_strndup(r->c->mem, root, n);
}

/* Reads the folder of the page, for members, who alone may know the names of folders. */
static enum err
shell_folder(struct req *r, struct shell *s)
{
	struct folder_step_list way;

	for (size_t i = 0; i < PATH_PARAMS && r->p[i].name; i++)
		if (str_eq(r->p[i].name, "fld"))
			s->ws_folder = r->p[i].value;
	if (!r->art || !r->art->folder_id)
		return E_OK;
	TRY(folder_way(r->c, r->art->folder_id, &way));
	s->ws_way = (struct list){ way.v, way.n };
	return E_OK;
}

/* Adds the present workspace if the switcher has no room for it. */
static enum err
shell_enter_other(struct req *r, struct shell *s, const char *id)
{
	struct workspace *w;
	enum err e = workspace_get(r->c, id, r->who, false, &w);

	if (e == E_NOT_FOUND)
		return ctx_forgive(r->c);
	TRY(e);
	shell_enter(r->c, s, w);
	return E_OK;
}

static enum err
shell_workspaces(struct req *r, struct shell *s)
{
	/* For members, an artifact's pages belong to its workspace. */
	const char *here = r->ws && !r->ws->deleted_at && str_starts(s->place, "/w/") ? r->ws->id
	    : r->art ? r->art->workspace_id
		     : NULL;
	const char *next;
	struct workspace_list all;
	struct switch_to *to;

	TRY(workspace_list(
	    r->c, r->who, &(struct workspace_query){ .limit = SWITCH_MOST }, &all, &next));
	if (here && r->ws && str_eq(r->ws->id, here))
		shell_enter(r->c, s, r->ws);
	to = mem_array(r->c->mem, struct switch_to, all.n + 1);
	for (size_t i = 0; i < all.n; i++) {
		bool current = str_eq(all.v[i].id, here);

		if (current)
			shell_enter(r->c, s, &all.v[i]);
		to[i] = (struct switch_to){
			.to_id = all.v[i].id, .to_name = all.v[i].name, .to_current = current
		};
	}
	s->switches = (struct list){ to, all.n };
	return here && !s->ws_id && next ? shell_enter_other(r, s, here) : E_OK;
}

static void
shell_artifact(const struct req *r, struct shell *s)
{
	const struct artifact *a = r->art;
	char *rest;

	if (!a || r->content)
		return;
	s->art = (void *)(uintptr_t)a;
	s->artifact_id = a->id;
	s->artifact_name = a->name;
	/* "/a/{art}/data/tables" is of the tab data. */
	rest = mem_strdup(r->c->mem, str_starts(s->place, "/a/") ? s->place + 3 : "");
	(void)str_split(&rest, '/');
	s->tab = rest ? str_split(&rest, '/') : "overview";
	s->subtab = rest ? str_split(&rest, '/') : NULL;
	s->visibilities = artifact_page_visibilities(r);
	s->is_new = artifact_page_first(r);
	s->may_edit = role_rank(a->role) >= ROLE_EDITOR;
	s->may_manage = s->may_edit || member_rank(a->workspace_role) >= MEMBER_ADMIN;
	s->may_stand = standing_may(a);
	s->may_open = role_rank(a->role) == ROLE_OWNER && !a->deleted_at;
}

enum err
shell_read(struct req *r, struct shell *out)
{
	*out = shell_of(r);
	shell_artifact(r, out);
	if (!out->me)
		return E_OK;
	TRY(inbox_newest(r->c, r->who, &out->inbox_new, &out->inbox_n));
	TRY(shell_workspaces(r, out));
	if (!out->ws_id)
		return E_OK;
	out->ws_part = workspace_part(r, out);
	/* Parts without a tab are listed under More. */
	if (out->ws_part &&
	    !str_in(out->ws_part, "artifacts|catalog|library|notes|members|invites|search"))
		out->ws_more = str_eq(out->ws_part, "runs") ? "Runs"
		    : str_eq(out->ws_part, "clients")   ? "Clients"
							: "Settings";
	out->ws_initials = page_initials(r->c->mem, out->ws_name);
	return shell_folder(r, out);
}
