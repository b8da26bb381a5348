/* SPDX-License-Identifier: Apache-2.0 */
#include "site/derive.h"

#include "base/buf.h"
#include "base/crypto.h"
#include "base/str.h"

/* ---- the entry page ---- */

/* Returns the place after a tag's '>', respecting quotes; end if the tag isn't closed. */
static const char *
tag_end(const char *p, const char *end)
{
	char quote = 0;

	for (; p < end; p++) {
		if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (*p == '>')
			return p + 1;
	}
	return end;
}

static bool
tag_is(const char *p, const char *end, const char *name)
{
	size_t n = strlen(name);

	return (size_t)(end - p) > n + 1 && *p == '<' && strncasecmp(p + 1, name, n) == 0 &&
	    (isspace((unsigned char)p[n + 1]) || strchr(">/", p[n + 1]));
}

/* Returns the place after a <meta charset> among the first tags of the head; p if there is none.
 * Browsers look for it in the first 1,024 bytes only. */
static const char *
past_charset(const char *p, const char *end)
{
	const char *from = p, *after = p;

	while (p < end && p - from < 900) {
		p += strspn(p, " \t\r\n");
		if (!tag_is(p, end, "meta"))
			break;
		after = tag_end(p, end);
		if (memmem(p, (size_t)(after - p), "charset", 7))
			return after;
		p = after;
	}
	return from;
}

/* Returns where tags can be inserted: in the head, or where a parser would begin one. */
static const char *
insertion_point(const char *html, const char *end)
{
	const char *p = html, *at = html;

	while (p < end) {
		p += strspn(p, " \t\r\n\xef\xbb\xbf");
		if (p + 4 <= end && memcmp(p, "<!--", 4) == 0) {
			const char *close = memmem(p, (size_t)(end - p), "-->", 3);

			if (!close)
				return at;
			p = close + 3;
		} else if (tag_is(p, end, "!doctype") || tag_is(p, end, "html")) {
			p = at = tag_end(p, end);
		} else if (tag_is(p, end, "head")) {
			return past_charset(tag_end(p, end), end);
		} else {
			return at;
		}
	}
	return at;
}

const char *
derive_title(void *owner, const char *html)
{
	const char *at = strcasestr(html, "<title"), *end = at ? strcasestr(at, "</title") : NULL;
	struct buf b = BUF(owner);
	const char *title;

	at = end ? memchr(at, '>', (size_t)(end - at)) : NULL;
	if (!at || !str_utf8_valid(at, (size_t)(end - at)))
		return NULL;
	for (at++; at < end;)
		if (*at == '&')
			at += buf_entity(&b, at);
		else
			buf_chr(&b, *at++);
	title = str_one_line(owner, buf_done(&b));
	return *title ? title : NULL;
}

/* Adds a tag. In a page of another character set, it writes our letters as numbers. */
static void
meta_add(struct buf *b, const struct page_tags *t, const char *kind, const char *name,
    const char *value)
{
	struct buf text = BUF(b->owner);

	if (!value)
		return;
	buf_html(&text, value);
	buf_fmt(b, "<meta %s=\"%s\" content=\"", kind, name);
	for (size_t at = 0, len; at < text.n; at += len ? len : 1) {
		uint32_t cp;

		len = str_utf8(text.s + at, text.n - at, &cp);
		if (t->other_charset && len > 1)
			buf_fmt(b, "&#%u;", (unsigned)cp);
		else
			buf_add(b, text.s + at, len ? len : 1);
	}
	buf_str(b, "\">");
}

void
derive_entry(void *owner, const char *html, size_t n, const struct page_tags *t, const char **out,
    size_t *out_n)
{
	bool utf16 = n > 1 &&
	    ((html[0] == '\xff' && html[1] == '\xfe') || (html[0] == '\xfe' && html[1] == '\xff'));
	bool preview = t->description || t->image_url || t->title;
	const char *at;
	struct buf b = BUF(owner);

	*out = html;
	*out_n = n;
	if (utf16 || (!preview && !t->manifest_href))
		return;
	at = insertion_point(html, html + n);
	buf_add(&b, html, (size_t)(at - html));
	meta_add(&b, t, "property", "og:title", t->title);
	meta_add(&b, t, "property", "og:description", t->description);
	meta_add(&b, t, "property", "og:image", t->image_url);
	meta_add(&b, t, "property", "og:url", t->url);
	meta_add(&b, t, "property", "og:type", preview ? "website" : NULL);
	meta_add(&b, t, "name", "twitter:card",
	    t->image_url  ? "summary_large_image"
		: preview ? "summary"
			  : NULL);
	meta_add(&b, t, "name", "twitter:title", t->title);
	meta_add(&b, t, "name", "twitter:description", t->description);
	meta_add(&b, t, "name", "twitter:image", t->image_url);
	if (t->manifest_href) {
		/* Sends the cookie with which a visitor may see a page that isn't public. */
		buf_str(&b, "<link rel=\"manifest\" crossorigin=\"use-credentials\" href=\"");
		buf_html(&b, t->manifest_href);
		buf_str(&b, "\">");
	}
	if (t->sw)
		buf_str(&b, "<script src=\"/_vitrine/register.js\" defer></script>");
	buf_add(&b, at, n - (size_t)(at - html));
	*out = b.s;
	*out_n = b.n;
}

bool
derive_manifest_closed(void *owner, const char *html)
{
	const char *end = html + strlen(html);

	for (const char *p = html; (p = strcasestr(p, "<link")); p++) {
		const char *tag = mem_strndup(owner, p, (size_t)(tag_end(p, end) - p));

		if (strcasestr(tag, "rel=manifest") || strcasestr(tag, "rel=\"manifest\"") ||
		    strcasestr(tag, "rel='manifest'"))
			return !strcasestr(tag, "use-credentials");
	}
	return false;
}

bool
derive_entry_is(const char *html, size_t n, const char *page, size_t page_n)
{
	size_t before = (size_t)(insertion_point(html, html + n) - html), after = n - before;

	return page_n >= n && memcmp(page, html, before) == 0 &&
	    memcmp(page + page_n - after, html + before, after) == 0;
}

/* ---- installable pages ---- */

const char *
derive_manifest(void *owner, const struct manifest_in *in)
{
	struct buf b = BUF(owner);

	buf_str(&b,
	    "{\"id\":\"/\",\"start_url\":\"/\",\"scope\":\"/\","
	    "\"display\":\"standalone\",\"name\":");
	buf_json(&b, in->name);
	buf_str(&b, ",\"short_name\":");
	buf_json(&b, in->short_name);
	buf_str(&b, ",\"icons\":[");
	if (in->icons)
		buf_str(&b,
		    "{\"src\":\"/_vitrine/icon-192.png\",\"sizes\":\"192x192\","
		    "\"type\":\"image/png\"},"
		    "{\"src\":\"/_vitrine/icon-512.png\",\"sizes\":\"512x512\","
		    "\"type\":\"image/png\"}");
	buf_str(&b, "]}\n");
	return buf_done(&b);
}

const char *
derive_service_worker(void *owner, const char *cache_key)
{
	return mem_printf(owner,
	    "// Network first; the cached copy when offline.\n"
	    "const CACHE = 'vitrine-%s';\n"
	    "self.addEventListener('install', () => self.skipWaiting());\n"
	    "self.addEventListener('activate', (event) => event.waitUntil((async () => {\n"
	    "  for (const key of await caches.keys())"
	    " if (key.startsWith('vitrine-') && key !== CACHE) await caches.delete(key);\n"
	    "  await self.clients.claim();\n"
	    "})()));\n"
	    "self.addEventListener('fetch', (event) => {\n"
	    "  const request = event.request;\n"
	    "  if (request.method !== 'GET' || request.headers.has('range')"
	    " || new URL(request.url).origin !== location.origin) return;\n"
	    "  event.respondWith((async () => {\n"
	    "    const cache = await caches.open(CACHE);\n"
	    "    try {\n"
	    "      const response = await fetch(request);\n"
	    "      if (response.status === 200) await cache.put(request, response.clone());\n"
	    "      else if (response.status >= 400) await cache.delete(request);\n"
	    "      return response;\n"
	    "    } catch (error) {\n"
	    "      const kept = await cache.match(request);\n"
	    "      if (kept) return kept;\n"
	    "      throw error;\n"
	    "    }\n"
	    "  })());\n"
	    "});\n",
	    cache_key);
}

const char *
derive_register(void)
{
	return "if ('serviceWorker' in navigator) "
	       "navigator.serviceWorker.register('/_vitrine/sw.js', { scope: '/' });\n";
}

/* ---- the card ---- */

enum { LINE_CHARS = 24, LINES = 3 };

/* Returns the bytes of the next line: whole words if they fit, and never a part of a character. */
static size_t
line_bytes(const char *s)
{
	size_t chars = 0, fit = 0, i = 0;

	while (s[i]) {
		if ((s[i] & 0xc0) != 0x80 && ++chars > LINE_CHARS)
			return fit ? fit : i;
		if (s[i] == ' ')
			fit = i;
		i++;
	}
	return i;
}

/* XML has no way to write U+FFFE, U+FFFF and control characters. */
static void
card_text(struct buf *b, const char *s, size_t n)
{
	uint32_t cp;

	for (size_t at = 0, len; at < n; at += len ? len : 1) {
		char one[5] = "";

		len = str_utf8(s + at, n - at, &cp);
		if (!len || cp < 0x20 || cp == 0xfffe || cp == 0xffff)
			continue;
		memcpy(one, s + at, len);
		buf_html(b, one);
	}
}

const char *
derive_card_svg(void *owner, const char *name, const char *host)
{
	struct buf b = BUF(owner);
	uint8_t digest[SHA256_BYTES];
	int hue;

	crypto_sha256(host, strlen(host), digest);
	hue = (digest[0] << 8 | digest[1]) % 360;
	buf_fmt(&b,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 630\" "
	    "width=\"1200\" height=\"630\">"
	    "<defs><linearGradient id=\"g\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"1\">"
	    "<stop stop-color=\"hsl(%d 45%% 30%%)\"/>"
	    "<stop offset=\"1\" stop-color=\"hsl(%d 50%% 18%%)\"/></linearGradient></defs>"
	    "<rect width=\"1200\" height=\"630\" fill=\"url(#g)\"/>"
	    "<circle cx=\"1040\" cy=\"120\" r=\"220\" fill=\"hsl(%d 60%% 60%%)\" opacity=\".18\"/>"
	    "<g fill=\"#fff\" font-family=\"system-ui,sans-serif\">"
	    "<g font-size=\"76\" font-weight=\"700\">",
	    hue, (hue + 40) % 360, (hue + 90) % 360);
	for (int i = 0; i < LINES && *name; i++) {
		size_t n = line_bytes(name);

		buf_fmt(&b, "<text x=\"80\" y=\"%d\">", 220 + 96 * i);
		card_text(&b, name, n);
		name += n + strspn(name + n, " ");
		buf_str(&b, i + 1 == LINES && *name ? "…</text>" : "</text>");
	}
	buf_str(&b, "</g><text x=\"80\" y=\"560\" font-size=\"34\" opacity=\".75\">");
	buf_html(&b, host);
	buf_str(&b, "</text></g></svg>\n");
	return buf_done(&b);
}
