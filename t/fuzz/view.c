/* SPDX-License-Identifier: Apache-2.0
 * Views of files: whatever a file has, its page ends, is bounded, and has no script and no HTML of the file's. */
#include "base/str.h"
#include "base/viewdraw.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const names[] = { "a.md", "a.csv", "a.json", "a.ndjson", "a.ipynb", "a.c" };
	struct ctx *c = ctx_begin(NULL, NULL);
	struct view_source s = { 0 };
	struct view_drawn drawn;
	struct buf order = BUF(c->mem), answer = BUF(c->mem);

	if (n && str_is_text((const char *)data + 1, n - 1)) {
		s.name = names[data[0] % (sizeof names / sizeof *names)];
		s.kind = view_kind_of(s.name);
		s.text = mem_strndup(c->mem, (const char *)data + 1, n - 1);
		s.n = n - 1;
		s.cut = data[0] & 0x80;
		s.size = (int64_t)s.n + s.cut;
		view_order(&order, &s, s.kind == VIEW_MARKDOWN && data[0] & 0x40);
		if (!view_parses(s.kind))
			view_draw(c, &s, &drawn);
		else if (view_work(c, buf_done(&order), order.n, &answer) || !view_answer(c->mem, buf_done(&answer), answer.n, &drawn))
			abort();
		if (strstr(buf_done(&drawn.html), "<script>") || strstr(buf_done(&drawn.html), "href=\"javascript:"))
			abort();
		if (drawn.html.n > 200 * n + (64 << 10))
			abort();
	}
	ctx_end(c);
	return 0;
}
