/* SPDX-License-Identifier: Apache-2.0
 * Fetches a page and the files of its host that it leads to, for `vitrine import`. A page of a
 * stranger says what is fetched, so only public addresses are connected to. */
#include "cli/elsewhere.h"

#include "base/address.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/http.h"
#include "cli/refers.h"

#include <curl/curl.h>
#include <unistd.h>

enum { CRAWL_FILES = 200, CRAWL_BYTES = 50 << 20, CRAWL_MS = 60000, HOPS = 5, CRAWL_LINKS = 2000 };

struct crawl {
	struct elsewhere *e;
	void *mem;
	CURL *curl;
	const char *origin; /* https://host:port, without a slash behind it */
	struct strs seen;   /* addresses, in the order in which they were found */
	struct folder files;
	int64_t until_ms;
	bool refused; /* the last address wasn't public */
	const char *entry;
};
struct page {
	const char *url, *mime; /* url: after redirects */
	struct buf body;
	const char *wrong; /* or NULL */
};

/* ---- addresses ---- */

/* Returns an address of the web without its query and fragment, made complete by `base` (or NULL);
 * NULL if it isn't one. */
static const char *
url_join(void *mem, const char *base, const char *address)
{
	CURLU *u = curl_url();
	char *text = NULL;
	const char *out = NULL;

	if ((!base || !curl_url_set(u, CURLUPART_URL, base, 0)) &&
	    !curl_url_set(u, CURLUPART_URL, address, 0) &&
	    !curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0) &&
	    !curl_url_set(u, CURLUPART_QUERY, NULL, 0) &&
	    !curl_url_get(u, CURLUPART_URL, &text, CURLU_NO_DEFAULT_PORT) && str_http_url(text))
		out = mem_strdup(mem, text);
	curl_free(text);
	curl_url_cleanup(u);
	return out;
}

static const char *
origin_of(void *mem, const char *url)
{
	const char *host = strstr(url, "://") + 3;

	return mem_strndup(mem, url, (size_t)(host - url) + strcspn(host, "/"));
}

/* Returns the path of the file for an address; NULL if no file can have it. */
static const char *
file_path(struct crawl *w, const struct page *p)
{
	char *path = mem_strdup(w->mem, p->url + strlen(origin_of(w->mem, p->url)));
	const char *out = path + (*path == '/');
	struct ctx *c = ctx_begin(NULL, NULL);
	bool html = str_starts(p->mime, "text/html"), good;

	if (!str_unescape(path, false))
		out = "";
	else if (!*out || str_ends(out, "/"))
		out = mem_printf(w->mem, "%sindex.html", out);
	else if (html && !str_ends(out, ".html") && !str_ends(out, ".htm"))
		out = mem_printf(w->mem, "%s.html", out);
	good = !path_check(c, "path", &out);
	out = good ? mem_strdup(w->mem, out) : NULL;
	ctx_end(c);
	return out;
}

/* ---- one request ---- */

static curl_socket_t
socket_open(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct crawl *w = arg;
	const char *allowed = getenv("VITRINE_EGRESS_ALLOW"); /* for the tests */

	(void)purpose;
	w->refused = !address_allowed(&address->addr, ADDRESS_WEB, allowed ? allowed : "");
	return w->refused
	    ? CURL_SOCKET_BAD
	    : socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t
bytes_receive(char *bytes, size_t one, size_t n, void *arg)
{
	struct buf *body = arg;

	if (body->n + one * n > CRAWL_BYTES)
		return 0;
	buf_add(body, bytes, one * n);
	return one * n;
}

static const char *
fetch_wrong(const struct crawl *w, CURLcode code, long status)
{
	return w->refused                        ? "its address isn't public"
	    : code == CURLE_OPERATION_TIMEDOUT ? "it took too long"
	    : code == CURLE_WRITE_ERROR        ? "it is too large"
	    : code                             ? curl_easy_strerror(code)
	    : status != 200 ? mem_printf(w->mem, "the answer was %ld", status)
			    : NULL;
}

/* Fetches p->url. Follows redirects within the host; the first request may be led to another. */
static void
page_fetch(struct crawl *w, struct page *p)
{
	const char *ca = http_ca();
	char *next = NULL, *mime = NULL;
	long status = 0;
	CURLcode code;

	for (int hop = 0; hop < HOPS; hop++) {
		p->body = BUF(w->mem);
		curl_easy_reset(w->curl);
		w->refused = false;
		curl_easy_setopt(w->curl, CURLOPT_URL, p->url);
		curl_easy_setopt(w->curl, CURLOPT_PROTOCOLS_STR, "http,https");
		curl_easy_setopt(w->curl, CURLOPT_PROXY, "");
		curl_easy_setopt(w->curl, CURLOPT_NOSIGNAL, 1L);
		curl_easy_setopt(w->curl, CURLOPT_USERAGENT, "vitrine-import");
		curl_easy_setopt(w->curl, CURLOPT_ACCEPT_ENCODING, "");
		curl_easy_setopt(w->curl, CURLOPT_OPENSOCKETFUNCTION, socket_open);
		curl_easy_setopt(w->curl, CURLOPT_OPENSOCKETDATA, w);
		curl_easy_setopt(w->curl, CURLOPT_WRITEFUNCTION, bytes_receive);
		curl_easy_setopt(w->curl, CURLOPT_WRITEDATA, &p->body);
		curl_easy_setopt(w->curl, CURLOPT_TIMEOUT_MS,
		    (long)(w->until_ms - clock_ms() > 0 ? w->until_ms - clock_ms() : 1));
		if (ca)
			curl_easy_setopt(w->curl, CURLOPT_CAINFO, ca);
		code = curl_easy_perform(w->curl);
		curl_easy_getinfo(w->curl, CURLINFO_RESPONSE_CODE, &status);
		curl_easy_getinfo(w->curl, CURLINFO_REDIRECT_URL, &next);
		curl_easy_getinfo(w->curl, CURLINFO_CONTENT_TYPE, &mime);
		p->mime = mem_strdup(w->mem, mime ? mime : "");
		p->wrong = fetch_wrong(w, code, status);
		next = code || !next ? NULL : (char *)(uintptr_t)url_join(w->mem, NULL, next);
		if (!next)
			return;
		p->wrong = "it is elsewhere";
		if (w->origin && !str_eq(origin_of(w->mem, next), w->origin))
			return;
		p->url = next;
	}
}

/* ---- all ---- */

/* Notes the addresses of the host that a page or style sheet names. */
static void
links_find(struct crawl *w, const struct page *p)
{
	const char *at = p->body.s, *address;

	if (!str_starts(p->mime, "text/html") && !str_starts(p->mime, "text/css"))
		return;
	while (w->seen.n < CRAWL_LINKS && clock_ms() < w->until_ms &&
	    (address = refers_next(w->mem, &at))) {
		const char *url = url_join(w->mem, p->url, address);

		if (url && str_eq(origin_of(w->mem, url), w->origin) && !strs_have(&w->seen, url))
			strs_add(w->mem, &w->seen, url);
	}
}

static void
page_keep(struct crawl *w, struct page *p)
{
	const char *path = p->wrong ? NULL : file_path(w, p);

	if (!path)
		left_add(w->e, "%s: %s", p->url,
		    p->wrong ? p->wrong : "no file can have this path");
	else if (w->files.bytes + (int64_t)p->body.n > CRAWL_BYTES)
		left_add(w->e, "%s: all files together would be more than %s", p->url,
		    str_amount_1024(w->mem, CRAWL_BYTES));
	else if (!folder_file_at(&w->files, path)) {
		w->entry = w->entry ? w->entry : path;
		folder_make(w->e->cli, &w->files, path, buf_done(&p->body), p->body.n);
		links_find(w, p);
	}
}

int
crawl_read(struct elsewhere *e, const char *typed)
{
	void *mem = e->cli->c->mem;
	struct crawl w = { .e = e, .mem = mem, .files = { .place = typed },
		.until_ms = clock_ms() + CRAWL_MS };
	struct page p = { .url = url_join(mem, NULL, typed) };
	struct item *item;
	size_t at = 1;

	if (!p.url)
		return cli_misuse("%s isn't an address of a page", typed);
	w.curl = curl_easy_init();
	page_fetch(&w, &p);
	if (!p.wrong) {
		w.origin = origin_of(mem, p.url);
		strs_add(mem, &w.seen, p.url);
		page_keep(&w, &p);
	}
	for (; at < w.seen.n && w.files.n < CRAWL_FILES && clock_ms() < w.until_ms; at++) {
		cli_progress(e->cli, "fetching", (int64_t)at, (int64_t)w.seen.n);
		p = (struct page){ .url = w.seen.v[at] };
		page_fetch(&w, &p);
		page_keep(&w, &p);
	}
	cli_progress(e->cli, "", 1, 1);
	curl_easy_cleanup(w.curl);
	if (!w.files.n)
		return cli_fail("%s: %s", p.url, p.wrong ? p.wrong : "there is no page");
	for (; at < w.seen.n; at++)
		left_add(e, "%s: there are more than %d files, or they took more than a minute",
		    w.seen.v[at], CRAWL_FILES);
	item = item_add(e, "site", strstr(w.origin, "://") + 3);
	item->files = w.files;
	item->entry = str_eq(w.entry, "index.html") ? NULL : w.entry;
	return EXIT_FINE;
}
