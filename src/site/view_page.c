/* SPDX-License-Identifier: Apache-2.0
 * The way from base_url to a page on its artifact's own host. */
#include "base/conf.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/viewer.h"
#include "core/way.h"
#include "http/onward.h"
#include "http/quota.h"
#include "share/access.h"
#include "site/reviewing.h"
#include "site/version.h"

#define VIEW_QUERY(F, T) \
	F(T, STR,  to,     .flags = F_REQ, .hi = VIEW_TO_BYTES, \
		.doc = "Address of an artifact's page") \
	F(T, BOOL, signin, \
		.doc = "1: sign in on the page's own host, even though everyone can see it") \
	F(T, BOOL, silent, \
		.doc = "1: go back at once, without asking anything, " \
		       "unless you're signed in and have access") \
	F(T, STR,  nonce,  .lo = 64, .hi = 64, \
		.doc = "Set by the page's own host: the browser that is to be signed in there")
SHAPE(view_query, VIEW_QUERY);

#define VIEW_FORM(F, T) \
	F(T, STR, to,      .flags = F_REQ, .hi = VIEW_TO_BYTES) \
	F(T, STR, nonce,   .lo = 64, .hi = 64) \
	F(T, STR, message, .flags = F_LONG, .hi = 2000)
SHAPE(view_form, VIEW_FORM);

#define VIEW_PAGE(F, T) \
	F(T, STR,  to) \
	F(T, STR,  nonce) \
	F(T, STR,  here, .doc = "Address of this page") \
	F(T, BOOL, sent) \
	F(T, BOOL, asks, .doc = "Whether the page may know who they are")
SHAPE(view_page, VIEW_PAGE);

static enum err
view_go(struct req *r, const char *label, const char *path, const char *way)
{
	struct buf to = BUF(r->c->mem);

	buf_fmt(&to, "%s/_vitrine/%sto=", conf_site_origin(r->c->mem, r->c->conf, label), way);
	buf_form(&to, path);
	return reply_onward(r, buf_done(&to));
}

/* Signs the browser in on the page's host. Without a nonce it must first get one there. */
static enum err
view_enter(struct req *r, const struct artifact *a, const char *label, const char *path,
    const char *nonce)
{
	const char *ticket;

	if (!nonce)
		return view_go(r, label, path, "signin?");
	TRY(viewer_ticket(r->c, a->id, r->who->session_id, nonce, &ticket));
	return view_go(r, label, path, mem_printf(r->c->mem, "enter?ticket=%s&", ticket));
}

/* Returns the address of this page, without the nonce, which would not outlast signing in. */
static const char *
view_path(struct req *r, const char *to, bool signin)
{
	struct buf b = BUF(r->c->mem);

	page_way(&b, signin ? "signin=1&" : "", to);
	return buf_done(&b);
}

/* Finds the artifact's slug in the address of a page, with its host's label and its path. */
static enum err
view_read(struct req *r, const char *to, const char **label, const char **path, const char **slug)
{
	TRY(access_slug_of_url(r->c, to, label, path, slug));
	return *slug ? E_OK
		     : fail(r->c, E_INVALID, "to: must be the address of a page under %s",
			   conf_site_origin(r->c->mem, r->c->conf, "*"));
}

/* *yes is true if everybody may see what the host of that label shows. */
static enum err
label_is_open(struct req *r, const struct artifact *a, const char *label, bool *yes)
{
	const char *version = strstr(label, "--v");
	int64_t no;

	*yes = a && a->is_open;
	/* A word that is no number is a subdomain that begins with v. */
	if (!*yes || !version || !str_int(version + 3, &no))
		return E_OK;
	return version_is_open(r->c, a, no, yes);
}

/* *yes is true if the person for whom the artifact was read may see the version that the host
 * shows. People outside the workspace see the live version, and one that an open review asks them
 * about. */
static enum err
label_is_theirs(struct req *r, const struct artifact *a, const char *label, bool *yes)
{
	const char *version = strstr(label, "--v");
	int64_t no;

	*yes = a && (a->role || a->can_view);
	if (!*yes || a->role || !version || !str_int(version + 3, &no) || no == a->version_no)
		return E_OK;
	*yes = false;
	return a->can_comment && a->review_id
	    ? reviewing_asks(r->c, a->id, no, r->who->user_id, yes)
	    : E_OK;
}

/* Leads a person to a page on its own host. A page that is private to others and one that does not
 * exist get the same answer. */
static enum err
h_view(struct req *r)
{
	const struct view_query *q = r->query;
	const char *label, *path, *slug;
	bool person = r->who && r->who->session_id;
	struct artifact *a;
	bool open, theirs;

	TRY(view_read(r, q->to, &label, &path, &slug));
	TRY(artifact_find_by_slug(r->c, slug, person ? r->who : NULL, false, &a));
	TRY(label_is_open(r, a, label, &open));
	TRY(label_is_theirs(r, a, label, &theirs));
	if (person && theirs && (q->silent || q->signin || !open))
		return view_enter(r, a, label, path, q->nonce);
	if (q->silent)
		return view_go(r, label, path, "enter?");
	if (open && !q->signin)
		return reply_redirect(r, q->to);
	if (!person)
		return reply_redirect(r, signin_path(r->c, view_path(r, q->to, q->signin)));
	if (open && !q->nonce)
		return view_enter(r, a, label, path, NULL);
	return reply_page(r, open ? 0 : 403,
	    &(struct view_page){ .to = q->to,
		.nonce = q->nonce,
		.here = view_path(r, q->to, q->signin),
		.asks = open });
}

/* A person without a role here must agree that the page learns who they are. Otherwise a page could
 * identify everybody who opens it. */
static enum err
h_view_enter(struct req *r)
{
	const struct view_form *in = r->in;
	const char *label, *path, *slug;
	struct artifact *a;
	bool open, theirs;

	TRY(view_read(r, in->to, &label, &path, &slug));
	TRY(artifact_find_by_slug(r->c, slug, r->who, false, &a));
	TRY(label_is_open(r, a, label, &open));
	TRY(label_is_theirs(r, a, label, &theirs));
	if (open || theirs)
		return view_enter(r, a, label, path, in->nonce);
	return reply_redirect(r, view_path(r, in->to, false));
}

static enum err
h_view_ask(struct req *r)
{
	const struct view_form *in = r->in;

	TRY(access_ask(
	    r->c, &(struct access_new){ .url = in->to, .message = in->message }, r->who));
	return reply_page(
	    r, 0, &(struct view_page){ .to = in->to, .sent = true });
}

static const struct route view_page_routes[] = {
  { PAGE("/auth/view", PUBLIC, view, h_view), .query = &view_query_shape,
    .doc = "Go to a page, even a private one, or ask for access to it" },
  { FORM_PAGE("/auth/view", SESSION, view_form, view, h_view_ask), .again = "/auth/view",
    .limit = LIM_ACCESS, .doc = "Ask for access" },
  { FORM("/auth/view/enter", SESSION, view_form, h_view_enter), .again = "/auth/view",
    .doc = "Sign in on a page's own host" },
};
ROUTES(view_page, "Pages: the way in",
    "The way to a page on its own host.");
