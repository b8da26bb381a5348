/* SPDX-License-Identifier: Apache-2.0 */
#include "base/markdown.h"

#include "base/mem.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

/* cmark leaves HTML and dangerous links out unless CMARK_OPT_UNSAFE is said. */
enum { OPTIONS = CMARK_OPT_VALIDATE_UTF8 | CMARK_OPT_FOOTNOTES };

static cmark_parser *
parser_new(void)
{
	static const char *const extensions[] = { "table", "strikethrough", "autolink",
		"tasklist" };
	cmark_parser *parser;

	cmark_gfm_core_extensions_ensure_registered();
	parser = cmark_parser_new(OPTIONS);
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
		cmark_parser_attach_syntax_extension(
		    parser, cmark_find_syntax_extension(extensions[i]));
	return parser;
}

static void
headings_lower(cmark_node *document, int below)
{
	enum { LOWEST = 6 };
	cmark_iter *iter = cmark_iter_new(document);
	cmark_event_type event;

	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node *at = cmark_iter_get_node(iter);
		int level = cmark_node_get_heading_level(at);

		if (event == CMARK_EVENT_ENTER && level)
			cmark_node_set_heading_level(
			    at, level + below < LOWEST ? level + below : LOWEST);
	}
	cmark_iter_free(iter);
}

const char *
markdown_html(void *owner, const char *text, size_t n, int below)
{
	cmark_parser *parser = parser_new();
	cmark_node *document;
	char *html;
	const char *out;

	cmark_parser_feed(parser, text, n);
	document = cmark_parser_finish(parser);
	headings_lower(document, below);
	html = cmark_render_html(document, OPTIONS, cmark_parser_get_syntax_extensions(parser));
	out = mem_strdup(owner, html);
	cmark_get_default_mem_allocator()->free(html);
	cmark_node_free(document);
	cmark_parser_free(parser);
	return out;
}
