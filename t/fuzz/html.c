/* SPDX-License-Identifier: Apache-2.0
 * HTML: what comes of it is plain text with whole links, no longer than it may be, and shows nothing that a page could do: text alone stays text. */
#include "base/ctx.h"
#include "base/markdown.h"
#include "base/str.h"
#include "ext/html.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 3000, BYTES = 20000 };

static const char *
to_note(void *arg, const char *address)
{
	(void)arg;
	if (!str_starts(address, "https://") && !str_starts(address, "http://") && !str_starts(address, "mailto:"))
		abort();
	if (address[strcspn(address, " \n<>()[]\"\\")])
		abort();
	return strlen(address) % 2 ? "pages/x" : NULL;
}

/* Of the tags that Markdown makes, those that a page's text may lead to. A bare link takes the backslash of an escaped "<" that follows it: what then
 * looks like HTML is left out, with a comment. */
static void
tags_check(const char *html, bool text_alone)
{
	static const char all[] = "!--|h1|h2|h3|h4|h5|h6|p|br|hr|ul|ol|li|table|thead|tbody|tr|th|td|pre|code|blockquote|a";
	void *mem = mem_root("tags");

	for (const char *at = html; (at = strchr(at, '<')); at++) {
		const char *name = at + 1 + (at[1] == '/');
		const char *tag = mem_strndup(mem, name, strcspn(name, " />"));

		if (!str_in(tag, text_alone ? "p|br|a" : all))
			abort();
	}
	mem_free(mem);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct html_page page = { "https://own.pages.example/a/b.html", NULL, (const char *)data, n, MOST, NULL };
	struct html_content said;
	const char *text;

	if (n > BYTES || html_parse(c, &page, &said)) {
		ctx_end(c);
		return 0;
	}
	if (strlen(said.text) > MOST + 1 || !str_plain(said.title))
		abort();
	text = html_links(c->mem, said.text, to_note, NULL);
	if (!str_plain_lines(text) || strpbrk(text, "\1\2\3"))
		abort();
	tags_check(markdown_html(c->mem, text, strlen(text), 0), !memchr(data, '<', n) && !said.cut);
	ctx_end(c);
	return 0;
}
