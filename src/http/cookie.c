/* SPDX-License-Identifier: Apache-2.0
 * Reads and sets cookies. Cookies that we set are host-only, Secure, HttpOnly and SameSite=Lax. */
#include "base/conf.h"
#include "base/str.h"
#include "http/req.h"

void
req_cookies(const struct req *r, const char *name, struct cookies *out)
{
	char *rest = mem_strdup(r->c->mem, req_header(r, "HTTP_COOKIE")), *part;
	size_t n = strlen(name);

	*out = (struct cookies){ 0 };
	while ((part = str_split(&rest, ';')) && out->n < COOKIES) {
		part += strspn(part, " \t");
		if (strncmp(part, name, n) == 0 && part[n] == '=' &&
		    !strs_have(&(struct strs){ out->v, out->n }, part + n + 1))
			out->v[out->n++] = part + n + 1;
	}
}

void
reply_cookie(
    struct req *r, const char *name, const char *value, const char *path, int64_t max_age_s)
{
	if (r->cookie_n == sizeof r->cookies / sizeof *r->cookies)
		abort();
	r->cookies[r->cookie_n++] = mem_printf(r->c->mem,
	    "%s=%s; Path=%s; Max-Age=%lld; Secure; HttpOnly; SameSite=Lax", name, value, path,
	    (long long)max_age_s);
}

/* Sec-Fetch-Site, which all current browsers send, decides; for older ones Origin does. A request
 * with neither, such as a program's, doesn't count as ours. */
bool
req_same_origin(const struct req *r)
{
	const char *site = req_header(r, "HTTP_SEC_FETCH_SITE"),
		   *origin = req_header(r, "HTTP_ORIGIN");

	if (site)
		return str_eq(site, "same-origin");
	if (r->content)
		return str_eq(origin,
		    mem_printf(r->c->mem, "https://%s", req_header(r, "HTTP_HOST")));
	return str_eq(origin, r->c->conf->base_url);
}
