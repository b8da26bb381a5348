/* SPDX-License-Identifier: Apache-2.0
 * Answers the requests to content hosts that nginx could not answer from a site's tree. All special
 * cases of serving pages are in this file. The worker decides which file is sent and nginx sends it
 * (X-Accel-Redirect); only pages with a status other than 200, which are small, are sent by the
 * worker. */
#include "base/conf.h"
#include "base/lease.h"
#include "base/mime.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/outside.h"
#include "core/slug.h"
#include "core/viewer.h"
#include "http/above.h"
#include "http/share.h"
#include "site/frame.h"
#include "site/front_page.h"
#include "site/handoff.h"
#include "site/rules.h"
#include "site/tablepage.h"
#include "site/visit.h"
#include "store/tree.h"

#include <sys/stat.h>
#include <unistd.h>

/* ADDRESS_BYTES: a published path has 1,024 at most; the rest is for addresses that only a redirect
 * rule knows. */
enum { PAGE_BYTES = 2 << 20, ADDRESS_BYTES = 2048 };

/* A request to a content host. */
struct visit {
	struct req *r;
	struct ctx *c;
	struct site_seen *site;
	int tree; /* the version's directory */
	const char *place; /* the path below trees/ */
	const char *label; /* the host's label: the slug, with "--v3" for a version */
	const char *path;  /* decoded, without the leading slash */
	const char *url;   /* "/" and path */
	const char *query; /* without "?" */
	struct redirects *redirects;
	struct headers *headers;
	const char *nonce; /* the CSP nonce of our script in a frame's page; NULL: no script */
};

static const char *
report_url(const struct req *r)
{
	return conf_has(r->c->conf->terms_url) ? r->c->conf->terms_url : NULL;
}

static void
error_page(struct req *r, int status, const char *title, const char *text)
{
	reply_error_page(r, status,
	    &(struct page_error){ .title = title, .message = text, .report = report_url(r) });
}

static void
page_missing(struct req *r)
{
	error_page(r, 404, "Page not found",
	    "No page has this address, or it isn’t shared with everyone.");
}

/* Answers 404 with a link to sign in, the same for a private page and for a missing one. */
static enum err
wall_page(struct visit *v, const char *path)
{
	struct req *r = v->r;
	struct buf to = BUF(r->c->mem), signin = BUF(r->c->mem);

	buf_fmt(&to, "%s%s", conf_site_origin(r->c->mem, r->c->conf, v->label), path);
	buf_str(&signin, r->c->conf->base_url);
	page_way(&signin, "", buf_done(&to));
	reply_error_page(r, 404,
	    &(struct page_error){ .title = "Page not found",
		.message = "No page has this address, or it isn’t shared with everyone.",
		.signin = to.n <= VIEW_TO_BYTES ? buf_done(&signin) : NULL,
		.report = report_url(r) });
	return E_OK;
}

/* The app shows the page to a person who is signed in there. */
static enum err
visit_wall(struct visit *v)
{
	bool gone;

	TRY(handoff_silent(v->r, v->label, &gone));
	return gone ? E_OK : wall_page(v, v->r->uri);
}

static void
visit_redirect(struct req *r, int status, const char *to)
{
	r->status = status;
	r->out = BUF(r->c->mem);
	reply_header(r, "Location", "%s", to);
	reply_header(r, "Cache-Control", "no-cache");
}

/* ---- finding ---- */

static bool
in_tree(struct visit *v, enum tree_area area, const char *path)
{
	struct stat st;
	int fd;

	return tree_open_in(v->c, v->tree, area, path, &fd, &st) == E_OK;
}

/* Finds path as a file in the version's pub tree, or else in its gated tree. */
static bool
tree_find(struct visit *v, const char *path, enum tree_area *area)
{
	if (!*path || str_ends(path, "/"))
		return false;
	*area = TREE_PUB;
	/* A file with that name in pub/ is our compressed form of another file. */
	if (!tree_packed_name(path) && in_tree(v, TREE_PUB, path))
		return true;
	*area = TREE_GATED;
	return in_tree(v, TREE_GATED, path);
}

/* Finds the file that answers the path: the file of that name, <path>.html for an address without
 * extension, or index.html of the directory. */
static const char *
tree_resolve(struct visit *v, enum tree_area *area)
{
	const char *path = v->path, *candidate;

	if (!*path)
		return tree_find(v, "_vitrine/entry.html", area) ? "_vitrine/entry.html" : NULL;
	if (str_eq(path, "_vitrine/entry.html"))
		return NULL;
	if (tree_find(v, path, area))
		return path;
	candidate = mem_printf(v->c->mem, str_ends(path, "/") ? "%sindex.html" : "%s.html", path);
	return tree_find(v, candidate, area) ? candidate : NULL;
}

/* ---- answering ---- */

/* Returns true if the file begins as its ending says. */
static bool
is_packed(struct visit *v, const char *path, enum tree_area area, const char *encoding)
{
	char head[4096];
	struct stat st;
	ssize_t n;
	int fd;

	if (tree_open_in(v->c, v->tree, area, path, &fd, &st))
		return false;
	n = pread(fd, head, sizeof head, 0);
	if (str_eq(encoding, "br"))
		return n > 0 && brotli_may_be(head, (size_t)n, n == st.st_size);
	return n > 2 && memcmp(head, "\x1f\x8b", 2) == 0;
}

static void
headers_add(struct visit *v)
{
	struct pair *extra;
	size_t n;

	headers_for(v->c->mem, v->headers, v->url, &extra, &n);
	for (size_t i = 0; i < n; i++)
		reply_header(v->r, extra[i].name, "%s", extra[i].value);
}

/* Adds noindex to X-Robots-Tag, for pages that search engines must not list: unlisted ones, a page
 * at a version's address, and a table's pages after the first. Values of _headers stay. */
static void
robots_keep_out(struct visit *v)
{
	const char *theirs = "";

	for (size_t i = 0; i < v->r->header_n; i++)
		if (str_eq(v->r->headers[i].name, "X-Robots-Tag"))
			theirs = mem_printf(v->c->mem, "%s, ", v->r->headers[i].value);
	reply_header(v->r, "X-Robots-Tag", "%snoindex", theirs);
}

/* Reports an outsider’s view of a page that isn’t public to the people who share it. */
static void
visit_note(struct visit *v, const char *mime)
{
	const struct site_seen *s = v->site;
	struct outside_read *seen;

	if (!str_eq(s->role, "external") || visit_is_open(s) || !str_starts(mime, "text/html"))
		return;
	v->r->seen = seen = mem_new(v->c->mem, struct outside_read);
	*seen = (struct outside_read){ s->user_id, s->workspace_id, "view", "artifact", s->id,
		s->name };
}

/* Reads a page that is small enough for a worker to send. *out is NULL for a larger one. */
static enum err
page_read(struct visit *v, const char *path, enum tree_area area, char **out, size_t *n)
{
	struct stat st;
	ssize_t got;
	int fd;

	*out = NULL;
	TRY(tree_open_in(v->c, v->tree, area, path, &fd, &st));
	if (st.st_size > PAGE_BYTES)
		return E_OK;
	*n = (size_t)st.st_size;
	*out = mem_zalloc(v->c->mem, *n + 1);
	got = pread(fd, *out, *n, 0);
	return got == st.st_size ? E_OK : fail_here(v->c, "reading %s", path);
}

/* Prepares a file for a frame of the review view: adds our script to an HTML page, and puts a
 * picture into a page of ours. Adds nothing to a page with bytes of zero, such as UTF-16, or to
 * one that is too large; these are sent unchanged. */
static enum err
frame_fill(struct visit *v, const char *path, enum tree_area area, const char *mime)
{
	char *html;
	size_t n;

	if (frame_wants_picture(v->r, mime)) {
		buf_str(&v->r->out, frame_picture(v->r, v->url, &v->nonce));
		return E_OK;
	}
	if (!str_starts(mime, "text/html"))
		return E_OK;
	TRY(page_read(v, path, area, &html, &n));
	if (html && !memchr(html, '\0', n))
		buf_str(&v->r->out, frame_page(v->c->mem, html, &v->nonce));
	return E_OK;
}

static enum err
send_file(struct visit *v, const char *path, enum tree_area area)
{
	struct buf to = BUF(v->c->mem);
	const char *mime = mime_of(path), *inner, *encoding = mime_encoding(path, &inner);

	if (area == TREE_GATED) {
		TRY(visit_version(v->c, v->site));
		TRY(visit_mime(v->c, v->site,
		    str_eq(path, "_vitrine/entry.html") ? v->site->entrypoint : path, &mime));
		mime = mime ? mime : mime_of(path);
	}
	visit_note(v, mime);
	buf_fmt(&to, "/_tree/%s/%s/", v->place, area == TREE_PUB ? "pub" : "gated");
	buf_url(&to, path);
	v->r->status = 200;
	v->r->out = BUF(v->c->mem);
	/* Only some programs would unpack the file, so we declare its encoding, unless the
	 * publisher set another type. */
	if (encoding && str_eq(mime, mime_of(path)) && is_packed(v, path, area, encoding)) {
		mime = mime_of(inner);
		reply_header(v->r, "Content-Encoding", "%s", encoding);
	}
	reply_header(v->r, "Content-Type", "%s", mime);
	reply_header(v->r, "Cache-Control", "no-cache");
	headers_add(v);
	if (str_eq(path, "_vitrine/sw.js"))
		reply_header(v->r, "Service-Worker-Allowed", "/");
	if (v->r->frame)
		TRY(frame_fill(v, path, area, mime));
	if (!v->nonce)
		reply_header(v->r, "X-Accel-Redirect", "%s", buf_done(&to));
	return E_OK;
}

/* Sends a page from the worker, because nginx can't send a file with a status other than 200. */
static enum err
send_page(struct visit *v, const char *path, enum tree_area area, int status)
{
	char *bytes;
	size_t n;

	TRY(page_read(v, path, area, &bytes, &n));
	if (!bytes)
		return fail(v->c, E_NOT_FOUND, "%s is too large for an error page", path);
	v->r->status = status;
	v->r->out = BUF(v->c->mem);
	buf_add(&v->r->out, bytes, n);
	reply_header(v->r, "Content-Type", "%s", mime_of(path));
	reply_header(v->r, "Cache-Control", "no-cache");
	headers_add(v);
	return E_OK;
}

/* Sends our robots.txt, or the nearest 404.html, from the path's directory upward, or our own page
 * if there is none. */
static enum err
send_missing(struct visit *v)
{
	const char *pub, *gated;

	if (str_eq(v->path, "robots.txt")) {
		/* Our robots.txt forbids no page, because robots must read a page to learn that it
		 * isn't to be listed. */
		v->r->status = 200;
		v->r->out = BUF(v->c->mem);
		buf_str(&v->r->out, "User-agent: *\nDisallow: /_vitrine/\nDisallow: /v1/\n");
		reply_header(v->r, "Content-Type", "text/plain; charset=utf-8");
		reply_header(v->r, "Cache-Control", "no-cache");
		return E_OK;
	}
	TRY(tree_nearest(v->c, v->tree, TREE_PUB, v->path, "404.html", &pub));
	TRY(tree_nearest(v->c, v->tree, TREE_GATED, v->path, "404.html", &gated));
	if (gated && (!pub || strlen(gated) > strlen(pub)))
		return send_page(v, gated, TREE_GATED, 404);
	if (pub)
		return send_page(v, pub, TREE_PUB, 404);
	page_missing(v->r);
	return E_OK;
}

static bool
is_navigation(const struct visit *v)
{
	const char *accept = req_header(v->r, "HTTP_ACCEPT"),
		   *mode = req_header(v->r, "HTTP_SEC_FETCH_MODE");

	if (mode)
		return str_eq(mode, "navigate");
	return accept && strstr(accept, "text/html");
}

static enum err
visit_follow(struct visit *v, const struct redirect_hit *hit)
{
	enum tree_area area;
	const char *path;
	char *to;

	if (hit->status != 200 && hit->status != 404) {
		visit_redirect(v->r, hit->status, hit->to);
		return E_OK;
	}
	path = hit->to + (*hit->to == '/');
	to = mem_strndup(v->c->mem, path, strcspn(path, "?#"));
	v->path = str_unescape(to, false) ? to : "";
	path = tree_resolve(v, &area);
	if (!path) {
		v->path = mem_printf(v->c->mem, "%s/", v->path); /* a folder's page */
		path = tree_resolve(v, &area);
	}
	if (!path)
		return send_missing(v);
	return hit->status == 200 ? send_file(v, path, area) : send_page(v, path, area, 404);
}

static enum err
to_entry(struct visit *v)
{
	struct buf b = BUF(v->c->mem);
	const char *entry;

	TRY(visit_version(v->c, v->site));
	entry = v->site->entrypoint;
	/* An entry page in a folder, or of another type, is redirected to its own address. */
	buf_chr(&b, '/');
	buf_url(&b,
	    str_ends(entry, "/index.html")
		? mem_strndup(v->c->mem, entry, strlen(entry) - strlen("index.html"))
		: entry);
	visit_redirect(v->r, 302, buf_done(&b));
	return E_OK;
}

/* Returns the address with a slash added, for a folder's page, or removed, for another page; NULL:
 * there is neither. */
static const char *
other_slash(struct visit *v)
{
	size_t n = strlen(v->path);
	bool slash = n && v->path[n - 1] == '/';
	const char *bare = mem_strndup(v->c->mem, v->path, n - slash);
	enum tree_area area;

	if (!n || str_starts(bare, "_vitrine/"))
		return NULL;
	if (!tree_find(v, mem_printf(v->c->mem, slash ? "%s.html" : "%s/index.html", bare), &area))
		return NULL;
	return mem_printf(v->c->mem, slash ? "/%s" : "/%s/", bare);
}

/* ---- pages of tables ---- */

static const char table[] = "_vitrine/view/";

/* Answers why a table's page can't be shown: as JSON with the message, or as a page. */
static enum err
table_refuse(struct visit *v, int status, bool json)
{
	struct buf b = BUF(v->c->mem);

	if (!json) {
		error_page(v->r, status, "This page of the table can’t be shown", v->c->message);
		return ctx_forgive(v->c);
	}
	buf_str(&b, "{\"error\":");
	buf_json(&b, v->c->message);
	buf_str(&b, "}\n");
	v->r->status = status;
	v->r->out = b;
	reply_header(v->r, "Content-Type", "application/json");
	return ctx_forgive(v->c);
}

static enum err
send_table(struct visit *v, const char *path)
{
	const char *accept = req_header(v->r, "HTTP_ACCEPT");
	bool json = accept && strstr(accept, "application/json"), found = false;
	struct buf out = BUF(v->c->mem);
	struct redirect_hit hit;
	enum tree_area area;
	enum err e;

	TRY(share_table(v->r));
	/* A rule that leads away from the file leads away from its table's pages, too. */
	if (tree_find(v, path, &area) &&
	    !redirects_match(v->c->mem, v->redirects, mem_printf(v->c->mem, "/%s", path), "",
		true, &hit)) {
		e = tablepage_make(v->c, v->site->id, v->site->version_no, path, v->query, json,
		    &out, &found);
		if (e == E_INVALID || e == E_LIMIT_REACHED)
			return table_refuse(v, e == E_INVALID ? 400 : 422, json);
		TRY(e);
	}
	if (!found)
		return send_missing(v);
	visit_note(v, json ? "application/json" : "text/html");
	v->r->status = 200;
	v->r->out = out;
	reply_header(
	    v->r, "Content-Type", json ? "application/json" : "text/html; charset=utf-8");
	reply_header(v->r, "Vary", "Accept");
	reply_header(v->r, "Cache-Control", "no-cache");
	headers_add(v);
	if (v->r->frame && !json) {
		v->r->out = BUF(v->c->mem);
		buf_str(&v->r->out, frame_page(v->c->mem, buf_done(&out), &v->nonce));
	}
	return E_OK;
}

static enum err
visit_answer(struct visit *v)
{
	struct redirect_hit hit;
	enum tree_area area;
	const char *file = tree_resolve(v, &area);
	const char *other = file ? NULL : other_slash(v);

	if (redirects_match(v->c->mem, v->redirects, v->url, v->query, file || other, &hit) &&
	    (hit.force || !(file || other)))
		return visit_follow(v, &hit);
	if (file)
		return send_file(v, file, area);
	if (other) {
		struct buf b = BUF(v->c->mem);

		buf_url(&b, other);
		buf_fmt(&b, "%s%s", *v->query ? "?" : "", v->query);
		visit_redirect(v->r, 308, buf_done(&b));
		return E_OK;
	}
	if (!*v->path)
		return to_entry(v);
	TRY(visit_version(v->c, v->site));
	if (str_eq(v->site->routing, "spa") && is_navigation(v)) {
		v->path = "";
		file = tree_resolve(v, &area);
		return file ? send_file(v, file, area) : to_entry(v);
	}
	return send_missing(v);
}

/* ---- the way in ---- */

static enum err
rules_read(struct visit *v)
{
	static const char *const name[] = { "_redirects", "_headers" };
	char *text[2] = { "", "" };
	size_t n[2] = { 0 };
	struct stat st;
	int fd;

	/* Most versions have no rules; then this is the only look for them. */
	for (int i = tree_has_area(v->tree, TREE_META) ? 0 : 2; i < 2; i++) {
		if (tree_open_in(v->c, v->tree, TREE_META, name[i], &fd, &st))
			continue;
		n[i] = st.st_size > RULES_BYTES ? RULES_BYTES + 1 : (size_t)st.st_size;
		text[i] = mem_zalloc(v->c->mem, n[i] + 1);
		if (pread(fd, text[i], n[i], 0) != (ssize_t)n[i])
			n[i] = 0;
	}
	TRY(rules_redirects_parse(v->c, text[0], n[0], &v->redirects));
	return rules_headers_parse(v->c, text[1], n[1], v->url, &v->headers);
}

static const char *
label_of(const struct visit *v, const char *slug, int64_t no)
{
	if (v->r->domain)
		return v->r->domain;
	return no ? mem_printf(v->c->mem, "%s--v%lld", slug, (long long)no)
		  : slug_host(v->c->mem, slug, v->r->subdomain);
}

static bool
path_read(struct visit *v)
{
	struct req *r = v->r;
	char *path = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?"));
	const char *q = strchr(r->uri, '?');
	char *whole = path, *rest;

	for (rest = path; *rest; rest++)
		if (rest[0] == '%' && rest[1] == '2' && (rest[2] | 32) == 'f')
			return false;
	if (*path != '/' || !str_unescape(path, false) || strlen(path) > ADDRESS_BYTES ||
	    strpbrk(path, "\\\r\n\t\x7f") || strstr(path, "//"))
		return false;
	/* Files have composed names (NFC); a page made on a Mac may link to decomposed ones. */
	v->url = unicode_composed(r->c->mem, whole);
	v->path = v->url + 1;
	v->query = q ? q + 1 : "";
	for (const char *p = v->path; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (*p == '.' && (!p[1] || p[1] == '/' || (p[1] == '.' && (!p[2] || p[2] == '/'))))
			return false;
	}
	return true;
}

/* Finds the page by the pass, or by each cookie until one gives access: if there are several
 * cookies of that name, all but one are planted. */
static enum err
visit_find_site(struct visit *v, const char *slug, int64_t no)
{
	const char *pass = req_header(v->r, "HTTP_X_VITRINE_PASS");
	struct cookies all;

	if (pass) {
		TRY(visit_find_by_pass(v->c, slug, no, pass, &v->site));
		if (v->site)
			return E_OK;
	}
	req_cookies(v->r, VIEWER_COOKIE, &all);
	TRY(visit_find(v->c, slug, no, all.v[0], &v->site));
	for (size_t i = 1; i < all.n && !(v->site && v->site->role); i++)
		TRY(visit_find(v->c, slug, no, all.v[i], &v->site));
	return E_OK;
}

/* The browser comes back from signing in. We redirect it to the page even if its ticket is invalid,
 * because the page checks access again. */
static enum err
visit_enter(struct visit *v, const char *slug, int64_t no)
{
	const char *to;
	bool known;

	TRY(handoff_enter(v->r, slug, v->query, &to, &known));
	if (!known)
		TRY(visit_find_site(v, slug, no));
	return known || visit_may(v->site) ? reply_redirect(v->r, to) : wall_page(v, to);
}

/* Redirects to the same address on the host with this label. */
static enum err
to_host(struct visit *v, const char *label)
{
	const char *origin = conf_site_origin(v->c->mem, v->c->conf, label);

	visit_redirect(v->r, 308, mem_printf(v->c->mem, "%s%s", origin, v->r->uri));
	return E_OK;
}

/* An address without a page for this visitor may be the front page of a workspace. */
static enum err
visit_none(struct visit *v, const char *slug, int64_t no)
{
	bool front = false;

	if (!no && !v->r->subdomain)
		TRY(front_page_visit(v->r, slug, v->path, v->query, &front));
	return front ? E_OK : visit_wall(v);
}

/* Redirects to the image of a chart, which the API makes on this host, too. */
static enum err
to_chart(struct visit *v, const char *name)
{
	struct buf b = BUF(v->c->mem);

	buf_str(&b, "/v1/data/self/charts/");
	buf_form(&b, mem_strndup(v->c->mem, name, strlen(name) - strlen(".svg")));
	buf_fmt(&b, "/svg%s%s", *v->query ? "?" : "", v->query);
	visit_redirect(v->r, 302, buf_done(&b));
	return E_OK;
}

static const char chart[] = "_vitrine/chart/";

static bool
is_chart(const struct visit *v)
{
	return str_starts(v->path, chart) && str_ends(v->path, ".svg");
}

/* Answers from the version's tree. */
static enum err
visit_show(struct visit *v)
{
	TRY(tree_version_open(v->c, v->site->id, v->site->version_no, &v->tree, &v->place));
	TRY(rules_read(v));
	return str_starts(v->path, table) ? send_table(v, v->path + sizeof table - 1)
					  : visit_answer(v);
}

/* Answers on a host of the review view. */
static enum err
visit_frame(struct visit *v)
{
	struct req *r = v->r;

	if (is_chart(v))
		return to_chart(v, v->path + sizeof chart - 1);
	TRY(visit_find_by_frame(v->c, r->frame, &v->site));
	if (visit_may(v->site) && !v->site->paused && frame_may_have(r) &&
	    !str_eq(v->path, "_vitrine/sw.js"))
		TRY(visit_show(v));
	else
		page_missing(r);
	frame_headers(r, v->nonce);
	return E_OK;
}

static enum err
visit(struct visit *v, const char *slug, int64_t no)
{
	struct site_seen *s;
	bool was;

	v->label = label_of(v, slug, no);
	if (str_eq(v->path, "_vitrine/enter"))
		return visit_enter(v, slug, no);
	if (str_eq(v->path, "_vitrine/signin"))
		return handoff_signin(v->r, v->label, v->query);
	if (is_chart(v))
		return to_chart(v, v->path + sizeof chart - 1);
	TRY(visit_find_site(v, slug, no));
	s = v->site;
	if (!visit_may(s))
		return visit_none(v, slug, no);
	if (v->r->subdomain && !str_eq(s->subdomain, v->r->subdomain)) {
		/* We redirect only visitors who may see the page, from a former subdomain. */
		TRY(subdomain_was(v->c, s->id, v->r->subdomain, &was));
		return was ? to_host(v, s->slug) : visit_wall(v);
	}
	if (s->paused) {
		error_page(v->r, 403, "Paused",
		    "This page has been paused by an administrator.");
		return E_OK;
	}
	if (!str_eq(s->slug, slug))
		return to_host(v, label_of(v, s->slug, no));
	if (s->moved_to && !no && !v->r->domain) /* to a domain of the artifact's own */
		return to_host(v, s->moved_to);
	TRY(visit_show(v));
	if (str_eq(s->visibility, "unlisted") || no || str_starts(v->path, table))
		robots_keep_out(v);
	/* Replaces headers from the site's _headers: no cache may store a page that isn't open to
	 * everybody. */
	if (!visit_is_open(s))
		reply_header(v->r, "Cache-Control", "private, no-store");
	return E_OK;
}

static enum err
visit_shared(struct visit *v, const char *slug, int64_t no)
{
	TRY(share_take(v->r));
	if (v->r->frame)
		return visit_frame(v);
	if (v->r->domain)
		TRY(slug_of_domain(v->c, v->r->domain, &slug));
	if (!slug)
		page_missing(v->r);
	return slug ? visit(v, slug, no) : E_OK;
}

/* True if this machine was no longer active when the rows had been read. */
static bool
lease_is_over(struct req *r)
{
	return r->c->round_trips && !lease_active() && !r->forwarded && reply_not_active(r);
}

void
gate(struct req *r)
{
	const char *slug = req_env(r, "VITRINE_SLUG"), *no_text = req_env(r, "VITRINE_NO");
	struct visit v = { .r = r, .c = r->c };
	int64_t no = 0;

	if (r->method != GET) {
		error_page(r, 405, "This didn’t work", "Pages accept only GET and HEAD requests.");
		reply_header(r, "Allow", "GET, HEAD");
	} else if ((!slug && !r->domain && !r->frame) || !path_read(&v) ||
	    (no_text && !str_int(no_text, &no))) {
		page_missing(r);
	} else if ((visit_shared(&v, slug, no) || lease_is_over(r)) && !r->forwarded) {
		int status = err_table[r->c->err].status;
		bool away = status == 503 || status == 429;

		error_page(r, status, "Back in a moment",
		    away ? "The service is busy or being restarted. Try again in ten seconds."
			 : "Something went wrong on our side.");
	}
	if (!r->forwarded)
		reply_finish(r);
}
