/* SPDX-License-Identifier: Apache-2.0
 * _redirects and _headers, and matching against them; then paths, slugs, expressions, addresses and pages from the same bytes. */
#include "base/crypto.h"
#include "base/dataurl.h"
#include "base/mime.h"
#include "base/path.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/slug.h"
#include "site/derive.h"
#include "site/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
text_parsers(struct ctx *c, const char *text, size_t n)
{
	struct page_tags tags = { .title = "t", .manifest_href = "/m" };
	const char *out, *slug, *path = text;
	uint8_t *raw = mem_zalloc(c->mem, n + 4);
	size_t out_n;

	if (path_check(c, "p", &path) == E_OK && (str_starts(path, "../") || *path == '/' || strchr(path, '\\')))
		abort();
	slug = str_utf8_valid(text, strlen(text)) ? slug_from_name(c->mem, text) : "";
	if (*slug && !slug_valid(slug))
		abort();
	mime_valid(text);
	mime_of(text);
	str_email(text);
	str_http_url(text);
	crypto_unbase64(text, strlen(text), raw, &out_n);
	data_url_parse(c, "icon", "png|jpeg", text, &out, &out_n);
	derive_entry(c->mem, text, n, &tags, &out, &out_n);
	if (out_n < n)
		abort();
	str_unescape(mem_strdup(c->mem, text), true);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *text = mem_strndup(c->mem, (const char *)data, n);
	struct redirects *r;
	struct headers *h;
	struct redirect_hit hit;
	static const char *const visits[][2] = { { "/blog/2024/post", "a=b&c" }, { "/a/b", "" }, { "/", "x=//evil.example&y=%0d%0a" }, { "/go/ö ?/\n", "id=%2f%2fe\xff" },
		{ "/t../x", "a=b" } };
	struct pair *extra;
	size_t count;

	unicode_open();
	rules_redirects_parse(c, (const char *)data, n, &r);
	rules_headers_parse(c, (const char *)data, n, n % 2 ? "/a/b" : NULL, &h);
	for (size_t i = 0; i < sizeof visits / sizeof *visits; i++) {
		if (!redirects_match(c->mem, r, visits[i][0], visits[i][1], i & 1, &hit))
			continue;
		/* Fit for a header, and never another host than the rule names. */
		if (!*hit.to || str_starts(hit.to, "//"))
			abort();
		for (const char *p = hit.to; *p; p++)
			if (*p <= ' ' || *p >= 0x7f || *p == '\\')
				abort();
	}
	headers_for(c->mem, h, "/blog/2024/post", &extra, &count);
	for (size_t i = 0; i < count; i++)
		if (strpbrk(extra[i].value, "\r\n"))
			abort();
	text_parsers(c, text, strlen(text));
	ctx_end(c);
	return 0;
}
