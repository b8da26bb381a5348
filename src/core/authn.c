/* SPDX-License-Identifier: Apache-2.0 */
#include "base/conf.h"
#include "base/str.h"
#include "core/slug.h"
#include "core/token.h"
#include "core/viewer.h"
#include "http/req.h"
#include "http/who.h"

static enum err
by_token(struct req *r, const char *header)
{
	const struct noun *noun = r->route->who->noun;
	struct principal *who;
	bool agents = false;

	if (strncasecmp(header, "Bearer ", 7) != 0 || !header[7])
		return fail(r->c, E_UNAUTHENTICATED,
		    "Authorization: only \"Bearer <token>\" is supported");
	agents = token_is_agents(header + 7);
	if (agents && !r->route->agents)
		return fail(r->c, E_UNAUTHENTICATED,
		    "A connected agent's token is only for %s/mcp", r->c->conf->base_url);
	/* A change loads the thing later, inside its transaction. */
	if (r->method == GET && noun && noun->load_by_token && !agents) {
		r->loaded = true;
		return noun->load_by_token(r, req_param(r, noun->param), header + 7);
	}
	TRY(token_check(r->c, header + 7, &who));
	r->who = who;
	return E_OK;
}

/* Checks each cookie of one kind. If two of them belong to two people, another host has planted
 * somebody else's session, and we can't tell whose browser it is. */
static enum err
cookies_check(struct req *r, const char *name, const char *kind, struct principal **who)
{
	struct cookies all;

	req_cookies(r, name, &all);
	for (size_t i = 0; i < all.n; i++) {
		struct principal *one;

		TRY(session_check(r->c, all.v[i], kind, &one));
		if (one && *who && !str_eq(one->user_id, (*who)->user_id))
			return fail(r->c, E_INVALID,
			    "Cookie: two people are signed in at once; "
			    "clear this site's cookies in the browser and sign in again");
		if (one && !*who)
			*who = one;
	}
	return E_OK;
}

/* We ignore an invalid cookie, such as an old one that the browser kept: the caller counts as not
 * signed in. */
static enum err
by_cookie(struct req *r)
{
	struct principal *who = NULL;

	TRY(cookies_check(r, "vitrine_session", "provider", &who));
	TRY(cookies_check(r, "vitrine_access", "password", &who));
	if (who && r->method != GET && !req_same_origin(r))
		return fail(r->c, E_DENIED,
		    "Changes with a cookie must come from a page of this service; "
		    "programs send Authorization: Bearer <token>");
	r->who = who;
	return E_OK;
}

/* A host of the review view reads the artifact's data, by its own name, without cookies. */
static enum err
by_frame(struct req *r, const char *id)
{
	if (r->method != GET) {
		reply_header(r, "Allow", "GET, HEAD");
		return fail(r->c, E_METHOD, "This page is shown for review, and changes nothing");
	}
	if (!str_starts(r->route->path, "/v1/data/"))
		return fail(r->c, E_NOT_FOUND, "There is no such address");
	TRY(viewer_frame_find(r->c, r->frame, &r->site));
	r->site = r->site ? r->site : "";
	TRY(r->route->who->noun->load_by_visitor(r, id, NULL));
	r->loaded = true;
	return E_OK;
}

/* On a content host only the host's own cookie counts, never a token, because nobody must give a
 * token to a published page. */
static enum err
by_visitor(struct req *r)
{
	const struct noun *noun = r->route->who->noun;
	const char *id = req_param(r, noun->param);
	struct cookies all;
	struct standing s;

	if (r->frame)
		return by_frame(r, id);
	req_cookies(r, VIEWER_COOKIE, &all);
	if (all.n && r->method != GET && !req_same_origin(r))
		return fail(r->c, E_DENIED, "Changes must come from a page on this host");
	if (r->domain)
		TRY(slug_of_domain(r->c, r->domain, &r->site));
	/* No slug is empty. */
	r->site = r->site ? r->site : "";
	TRY(noun->load_by_visitor(r, id, all.v[0]));
	for (size_t i = 1; i < all.n && !r->who; i++)
		TRY(noun->load_by_visitor(r, id, all.v[i]));
	/* A change is checked again by what its transaction reads. An artifact of another host
	 * stays hidden. */
	r->loaded = r->method == GET || !noun->standing(r, &s);
	return E_OK;
}

enum err
authenticate(struct req *r)
{
	const char *header = req_header(r, "HTTP_AUTHORIZATION");

	if (r->route->agents && !header)
		return E_OK;
	if (r->site)
		return by_visitor(r);
	/* Forms are refused from other sites even when nobody is signed in: otherwise another page
	 * could sign a browser in to an account of its choice. */
	if ((r->route->body.kind == BODY_FORM || r->route->body.kind == BODY_FILES) &&
	    !req_same_origin(r))
		return fail(r->c, E_DENIED,
		    "This form must be sent from its own page; open that page again and retry");
	return header ? by_token(r, header) : req_header(r, "HTTP_COOKIE") ? by_cookie(r) : E_OK;
}
