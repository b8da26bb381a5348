/* SPDX-License-Identifier: Apache-2.0 */
#include "base/marked.h"

#include "base/buf.h"
#include "base/mem.h"

const char *
marked_text(void *owner, const char *text, const bool *on)
{
	const size_t n = strlen(text);
	struct buf out = BUF(owner);

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && on[to] == on[from];)
			to++;
		if (on[from])
			buf_chr(&out, MARKS[0]);
		buf_add(&out, text + from, to - from);
		if (on[from])
			buf_chr(&out, MARKS[1]);
	}
	return buf_done(&out);
}

const char *
marked_html(void *owner, const char *marked)
{
	struct buf out = BUF(owner);

	for (size_t n; *marked; marked += n + 1) {
		n = strcspn(marked, MARKS);
		buf_html(&out, mem_strndup(owner, marked, n));
		if (!marked[n])
			break;
		buf_str(&out, marked[n] == MARKS[0] ? "<mark>" : "</mark>");
	}
	return buf_done(&out);
}
