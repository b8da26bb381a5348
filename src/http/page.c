/* SPDX-License-Identifier: Apache-2.0 */
#include "http/page.h"

#include "base/crypto.h"
#include "base/str.h"

static const char style[] =
    ":root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.1rem/1.6 system-ui,sans-serif;"
    "background:#fafaf9;color:#1c1917}main{max-width:34rem;padding:2rem}h1{font-size:1.6rem;line-height:1.2;margin:0 0 .75rem}p{margin:0;color:#44403c}"
    "@media(prefers-color-scheme:dark){body{background:#1c1917;color:#fafaf9}p{color:#d6d3d1}}";

static const struct {
	const char *name, *text;
} templates[] = {
	{ "gate_error", "<main><h1>{{title}}</h1><p>{{message}}</p></main>" },
};

static const char *
value_of(const struct pair *values, size_t n, const char *name, size_t name_n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(values[i].name) == name_n && memcmp(values[i].name, name, name_n) == 0)
			return values[i].value;
	return NULL;
}

/* Renders up to end; sections are found by their closing tag and rendered, or not, as texts of their own. */
static void
render(struct buf *b, const char *p, const char *end, const struct pair *values, size_t n)
{
	while (p < end) {
		const char *open = memmem(p, (size_t)(end - p), "{{", 2), *close;
		const char *name, *value;
		char kind;

		buf_add(b, p, (size_t)((open ? open : end) - p));
		if (!open)
			return;
		close = strstr(open, "}}");
		kind = open[2];
		name = open + 2 + (kind == '#' || kind == '^');
		value = value_of(values, n, name, (size_t)(close - name));
		p = close + 2;
		if (kind == '#' || kind == '^') {
			const char *last = strstr(p, mem_printf(b->owner, "{{/%.*s}}", (int)(close - name), name));

			if (!value == (kind == '^'))
				render(b, p, last, values, n);
			p = strstr(last, "}}") + 2;
		} else if (value) {
			buf_html(b, value);
		}
	}
}

const char *
page_render(void *owner, const char *name, const struct pair *values, size_t n)
{
	static const char head[] = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
	                           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{{title}}</title><style>";
	struct buf b = BUF(owner);

	render(&b, head, head + strlen(head), values, n);
	buf_fmt(&b, "%s</style></head><body>", style);
	for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
		if (str_eq(templates[i].name, name))
			render(&b, templates[i].text, templates[i].text + strlen(templates[i].text), values, n);
	buf_str(&b, "</body></html>\n");
	return buf_done(&b);
}

const char *
page_csp(void)
{
	static char csp[256];
	uint8_t digest[SHA256_BYTES];

	if (!*csp) {
		void *scratch = mem_root("csp");

		crypto_sha256(style, strlen(style), digest);
		snprintf(csp, sizeof csp, "default-src 'none'; style-src 'sha256-%s'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
		    crypto_base64(scratch, digest, sizeof digest));
		mem_free(scratch);
	}
	return csp;
}
