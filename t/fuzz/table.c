/* SPDX-License-Identifier: Apache-2.0
 * Tables by pages. The first line is a text to find. Whatever the rest has, each page ends and has no HTML of the file's, pages have all
 * rows once, and a text is found in as many rows in the file's order as in a column's. */
#include "base/str.h"
#include "base/viewtable.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Returns how many rows a page says that there are; counts in *shown those that it has. */
static long
page_rows(struct ctx *c, const struct view_source *s, const struct table_asked *asked, const struct buf *side, long *shown)
{
	struct buf html = BUF(c->mem);
	const char *at;

	if (table_page(c, s, asked, side->s, side->n, &html)) {
		if (c->err == E_INTERNAL)
			abort();
		ctx_forgive(c);
		return -1;
	}
	if (strstr(buf_done(&html), "<script") || html.n > (64 << 20))
		abort();
	for (at = html.s; (at = strstr(at, "<tr><td")); at++)
		++*shown;
	at = strstr(html.s, "<p role=\"status\">");
	at = at && at[17] >= '0' && at[17] <= '9' ? strstr(at, " of ") : NULL;
	return at ? strtol(at + 4, NULL, 10) : 0;
}

static long
all_pages(struct ctx *c, const struct view_source *s, int64_t sort, const char *q)
{
	struct table_asked asked = { .path = "a.csv", .page = 1, .sort = sort, .q = q };
	struct buf side = BUF(c->mem);
	long all = 0, shown = 0, one;

	if (table_side_make(c, s, sort, &side)) {
		ctx_forgive(c);
		return -1;
	}
	while ((one = page_rows(c, s, &asked, &side, &shown)) >= 0 && asked.page++ < 5)
		all = one;
	if (all < 1000 && asked.page < 5 && shown < all)
		abort();
	return shown;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *text = mem_strndup(c->mem, (const char *)data, n), *end = NULL;
	struct view_source s = { .kind = VIEW_TABLE, .name = "a.csv", .path = "a.csv" };

	if (str_is_text((const char *)data, n))
		end = memchr(text, '\n', n);
	if (end) {
		const char *q = str_cut(c->mem, str_one_line(c->mem, mem_strndup(c->mem, text, (size_t)(end - text))), TABLE_FIND_CHARS);
		char *exact;

		/* Without a byte behind it that could be read. */
		s.n = n - (size_t)(end + 1 - text);
		exact = malloc(s.n ? s.n : 1);
		memcpy(exact, end + 1, s.n);
		s.text = exact;
		s.size = (int64_t)s.n;
		if (all_pages(c, &s, 0, "") != all_pages(c, &s, 1, "") || all_pages(c, &s, 0, "") != all_pages(c, &s, -1, ""))
			abort();
		if (all_pages(c, &s, 0, q) != all_pages(c, &s, -1, q))
			abort();
		free(exact);
	}
	ctx_end(c);
	return 0;
}
