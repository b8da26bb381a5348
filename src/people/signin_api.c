/* SPDX-License-Identifier: Apache-2.0
 * The end of all ways of signing in: a session and its cookies. */
#include "people/signin_page.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/way.h"
#include "http/onward.h"

enum { DAY_S = 86400, BROWSER_DAYS = 400 };

SHAPE_DEFINE(offer, OFFER);

struct origin
req_origin(const struct req *r)
{
	return (struct origin){ req_address(r), req_header(r, "HTTP_USER_AGENT") };
}

enum err
browser_find(struct req *r, const char *email, const char **browser, bool *known)
{
	struct cookies all;

	req_cookies(r, "vitrine_browser", &all);
	*browser = all.n == 1 ? all.v[0] : NULL;
	*known = false;
	for (size_t i = 0; i < all.n && !*known; i++) {
		TRY(browser_known(r->c, email, all.v[i], known));
		if (*known)
			*browser = all.v[i];
	}
	return E_OK;
}

enum err
signin_finish(struct req *r, const struct user *u, const char *kind, const char *next)
{
	struct origin from = req_origin(r);
	bool provider = str_eq(kind, "provider"), outside = false, known;
	const char *session, *browser, *to = next_path(next);

	TRY(browser_find(r, u->email, &browser, &known));
	TRY(session_leave(r->c, r->who));
	TRY(session_begin(r->c, u->id, kind, &from, &session));
	TRY(browser_remember(r->c, u, &from, &browser));
	/* Ends the earlier session of the other kind, so that no planted or forged cookie stays
	 * valid. */
	reply_cookie(r, provider ? "vitrine_session" : "vitrine_access", session, "/",
	    session_life_s(r->c));
	reply_cookie(r, provider ? "vitrine_access" : "vitrine_session", "", "/", 0);
	reply_cookie(r, "vitrine_browser", browser, "/auth", BROWSER_DAYS * DAY_S);
	/* The new session is valid from here on. */
	r->who = NULL;
	/* A person who has only shared things sees these first. */
	if (str_eq(to, "/"))
		TRY(user_is_only_outside(r->c, u->id, &outside));
	return reply_onward(r, outside ? "/shared" : to);
}

enum err
signin_complete(struct req *r, const struct user *u, const char *kind, const char *next)
{
	bool asked = false;

	if (!str_eq(kind, "provider"))
		TRY(signin_ask_code(r, u, next, &asked));
	return asked ? E_OK : signin_finish(r, u, kind, next);
}

struct list
offers(const struct req *r)
{
	const struct conf *conf = r->c->conf;
	struct offer *all = mem_array(r->c->mem, struct offer, conf->provider_n + 1);

	for (size_t i = 0; i < conf->provider_n; i++)
		all[i] = (struct offer){ .name = conf->providers[i].name,
			.title = conf->providers[i].title };
	return (struct list){ all, conf->provider_n };
}
