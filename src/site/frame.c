/* SPDX-License-Identifier: Apache-2.0 */
#include "site/frame.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"
#include "core/viewer.h"

static const char script_path[] = "/_vitrine/remark.js";

/* A browser says what for it asks: a person who opens the address by itself gets nothing. */
bool
frame_may_have(const struct req *r)
{
	const char *dest = req_header(r, "HTTP_SEC_FETCH_DEST");

	return !req_header(r, "HTTP_SERVICE_WORKER") &&
	    !str_in(dest ? dest : "", "document|serviceworker");
}

/* ---- the script ---- */

/* Returns what follows blanks, comments and the doctype; the start if there is no doctype, because
 * anything before one changes how a browser lays the page out. */
static const char *
doctype_end(const char *html)
{
	const char *p = html, *end;

	if (str_starts(p, "\xef\xbb\xbf"))
		p = html += 3;
	for (;;) {
		p += strspn(p, " \t\r\n\f");
		if (!str_starts(p, "<!--"))
			break;
		end = strstr(p + 4, "-->");
		if (!end)
			return html;
		p = end + 3;
	}
	end = strncasecmp(p, "<!doctype", strlen("<!doctype")) == 0 ? strchr(p, '>') : NULL;
	return end ? end + 1 : html;
}

const char *
frame_page(void *mem, const char *html, const char **nonce)
{
	const char *rest = doctype_end(html);
	struct buf b = BUF(mem);
	uint8_t raw[16];

	crypto_random(raw, sizeof raw);
	*nonce = crypto_hex(mem, raw, sizeof raw);
	buf_add(&b, html, (size_t)(rest - html));
	buf_fmt(&b, "<script src=\"%s\" nonce=\"%s\"></script>", script_path, *nonce);
	buf_str(&b, rest);
	return buf_done(&b);
}

bool
frame_wants_picture(const struct req *r, const char *mime)
{
	const char *dest = req_header(r, "HTTP_SEC_FETCH_DEST");

	return str_starts(mime, "image/") && dest && str_eq(dest, "iframe") &&
	    !reply_has_header(r, "Content-Encoding");
}

const char *
frame_picture(struct req *r, const char *path, const char **nonce)
{
	struct buf b = BUF(r->c->mem), url = BUF(r->c->mem);

	buf_url(&url, path);
	buf_str(&b, "<!doctype html><meta charset=\"utf-8\"><title>Picture</title>"
		    "<style>body { margin: 0 } img { display: block; max-width: 100% }</style>"
		    "<img alt=\"\" src=\"");
	buf_html(&b, buf_done(&url));
	buf_str(&b, "\">");
	reply_header(r, "Content-Type", "text/html; charset=utf-8");
	reply_header(r, "Content-Security-Policy",
	    "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; script-src 'none'");
	return frame_page(r->c->mem, buf_done(&b), nonce);
}

/* ---- the page's policy ---- */

/* A directive of a policy: its name in lower case, and its sources. */
struct directive {
	char *name, *sources;
};
enum { DIRECTIVES = 64 };
struct policy {
	struct directive v[DIRECTIVES];
	size_t n;
};

static void
policy_read(void *mem, char *text, struct policy *out)
{
	out->n = 0;
	for (char *one; out->n < DIRECTIVES && (one = str_split(&text, ';'));) {
		struct directive *d = &out->v[out->n];
		size_t n;

		one += strspn(one, " \t");
		n = strcspn(one, " \t");
		d->name = str_lower(mem_strndup(mem, one, n));
		d->sources = one + n + strspn(one + n, " \t");
		out->n += *d->name && !str_eq(d->name, "frame-ancestors");
	}
}

/* Returns the directive that applies to script elements; NULL: none. */
static struct directive *
script_directive(struct policy *p)
{
	static const char *const names[] = { "script-src-elem", "script-src", "default-src" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t k = 0; k < p->n; k++)
			if (str_eq(p->v[k].name, names[i]))
				return &p->v[k];
	return NULL;
}

/* Allows our script. A nonce would end what 'unsafe-inline' allows, so the policy gets one only
 * where addresses don't count. */
static void
policy_allow(void *mem, struct policy *p, const char *address, const char *nonce)
{
	struct directive *d = script_directive(p);
	bool none, strict;

	if (!d)
		return;
	none = strcasecmp(d->sources, "'none'") == 0;
	strict = strcasestr(d->sources, "'strict-dynamic'") != NULL;
	d->sources = mem_printf(mem, "%s%s%s%s%s", none ? "" : d->sources,
	    none || !*d->sources ? "" : " ", strict ? "'nonce-" : address, strict ? nonce : "",
	    strict ? "'" : "");
}

static const char *
frame_policy(struct req *r, const char *theirs, const char *nonce)
{
	const char *origin = conf_site_origin(
	    r->c->mem, r->c->conf, mem_printf(r->c->mem, FRAME_PREFIX "%s", r->frame));
	const char *address = mem_printf(r->c->mem, "%s%s", origin, script_path);
	char *rest = mem_strdup(r->c->mem, theirs);
	struct buf b = BUF(r->c->mem);
	struct policy p;

	for (char *one; (one = str_split(&rest, ','));) {
		policy_read(r->c->mem, one, &p);
		if (nonce)
			policy_allow(r->c->mem, &p, address, nonce);
		for (size_t i = 0; i < p.n; i++)
			buf_fmt(&b, "%s%s%s%s", p.v[i].name, *p.v[i].sources ? " " : "",
			    p.v[i].sources, i + 1 < p.n ? "; " : ", ");
	}
	buf_fmt(&b, "frame-ancestors %s 'self'", r->c->conf->base_url);
	return buf_done(&b);
}

void
frame_headers(struct req *r, const char *nonce)
{
	static const char kept[] = "Content-Type|Content-Encoding|Content-Language|Location|Link|"
				   "Permissions-Policy|Retry-After|Allow|X-Accel-Redirect";
	const char *theirs = "";
	size_t n = 0;

	for (size_t i = 0; i < r->header_n; i++) {
		if (str_eq(r->headers[i].name, "Content-Security-Policy"))
			theirs = r->headers[i].value;
		if (str_in(r->headers[i].name, kept))
			r->headers[n++] = r->headers[i];
	}
	r->header_n = n;
	reply_header(r, "Content-Security-Policy", "%s", frame_policy(r, theirs, nonce));
	reply_header(r, "Referrer-Policy", "no-referrer");
	reply_header(r, "Cache-Control", "private, no-store");
	reply_header(r, "X-Robots-Tag", "noindex");
}
