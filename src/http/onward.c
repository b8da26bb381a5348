/* SPDX-License-Identifier: Apache-2.0 */
#include "http/onward.h"

#include "base/conf.h"
#include "base/str.h"

/* True if `to` is an address outside the content domain, or the way to one (/auth/view). Other
 * paths of ours may have foreign addresses in their queries. */
static bool
target_is_outside(struct req *r, const char *to)
{
	static const char view[] = "/auth/view?";
	char *plain = mem_strdup(r->c->mem, to), *host;
	const char *ours = strchr(conf_site_origin(r->c->mem, r->c->conf, "*"), '.');

	if ((*to == '/' && !str_starts(to, view)) || !str_unescape(plain, false))
		return false;
	host = strstr(plain, "https://");
	if (!host)
		return false;
	host += strlen("https://");
	host[strcspn(host, "/?#")] = '\0';
	return !str_ends(host, ours);
}

/* Browsers apply form-action to each redirect that answers a form, and our pages can't name every
 * domain there. So the answer is a page that goes on by itself. */
enum err
reply_onward(struct req *r, const char *to)
{
	if (r->method != POST || !target_is_outside(r, to))
		return reply_redirect(r, to);
	reply_error_page(r, 200,
	    &(struct page_error){ .title = "You’re signed in",
		.message = "The page opens by itself.",
		.home = to,
		.go = "Open the page" });
	reply_header(r, "Refresh", "0; url=%s", to);
	return E_OK;
}
