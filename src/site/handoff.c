/* SPDX-License-Identifier: Apache-2.0 */
#include "site/handoff.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/token.h"
#include "core/viewer.h"
#include "site/visit.h"

/* Seconds for signing in, and for the way back from the app. */
enum { NONCE_S = 3600, ASKED_S = 60 };

static const char nonce_cookie[] = "__Host-vitrine_nonce", asked_cookie[] = "__Host-vitrine_asked";

/* Returns NULL if there are several nonces: then somebody may have planted one. */
static const char *
nonce_of(struct req *r)
{
	struct cookies all;

	req_cookies(r, nonce_cookie, &all);
	return all.n == 1 && token_valid(all.v[0], "vie_") ? all.v[0] : NULL;
}

/* Returns a value of the query, unescaped; NULL if it is missing. name ends with "=". */
static const char *
query_value(struct req *r, const char *query, const char *name)
{
	for (char *rest = mem_strdup(r->c->mem, query), *part; (part = str_split(&rest, '&'));)
		if (str_starts(part, name) && str_unescape(part, false))
			return part + strlen(name);
	return NULL;
}

/* Returns a path of this host, or "/" if it leads elsewhere. */
static const char *
path_here(const char *to)
{
	return to && *to == '/' && to[1] != '/' && !strpbrk(to, "\\\r\n\t") ? to : "/";
}

static const char *
address_of(struct req *r, const char *label, const char *path)
{
	return mem_printf(
	    r->c->mem, "%s%s", conf_site_origin(r->c->mem, r->c->conf, label), path);
}

/* Uses the browser's nonce again, because it may be signing in for several pages of one host at
 * once. */
static enum err
handoff_begin(struct req *r, const char *address, const char *how)
{
	struct buf there = BUF(r->c->mem);
	const char *nonce = nonce_of(r);

	if (!nonce)
		nonce = token_new(r->c->mem, "vie_");
	reply_cookie(r, nonce_cookie, nonce, "/", NONCE_S);
	buf_str(&there, r->c->conf->base_url);
	page_way(&there,
	    mem_printf(r->c->mem, "%s=1&nonce=%s&", how, viewer_nonce(r->c, nonce)), address);
	return reply_redirect(r, buf_done(&there));
}

enum err
handoff_signin(struct req *r, const char *label, const char *query)
{
	const char *address = address_of(r, label, path_here(query_value(r, query, "to=")));

	return handoff_begin(
	    r, strlen(address) > VIEW_TO_BYTES ? address_of(r, label, "/") : address, "signin");
}

enum err
handoff_silent(struct req *r, const char *label, bool *gone)
{
	const char *address = address_of(r, label, r->uri);
	struct cookies asked;

	req_cookies(r, asked_cookie, &asked);
	if (asked.n)
		reply_cookie(r, asked_cookie, "", "/", 0);
	*gone = !asked.n && req_is_opened(r) && strlen(address) <= VIEW_TO_BYTES;
	return *gone ? handoff_begin(r, address, "silent") : E_OK;
}

enum err
handoff_enter(
    struct req *r, const char *slug, const char *query, const char **to, bool *known)
{
	const char *ticket = query_value(r, query, "ticket="), *nonce = nonce_of(r),
		   *cookie = NULL, *id;

	*to = path_here(query_value(r, query, "to="));
	*known = nonce != NULL;
	if (!nonce)
		return E_OK;
	if (ticket) {
		TRY(visit_host(r->c, slug, &id));
		TRY(db_begin(r->c));
		TRY(viewer_trade(r->c, id, ticket, viewer_nonce(r->c, nonce), &cookie));
		TRY(db_commit(r->c));
	}
	if (cookie)
		reply_cookie(r, VIEWER_COOKIE, cookie, "/", session_life_s(r->c));
	reply_cookie(r, asked_cookie, "1", "/", ASKED_S);
	return E_OK;
}
