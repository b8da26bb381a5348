/* SPDX-License-Identifier: Apache-2.0 */
#include "core/marked.h"

#include "base/buf.h"
#include "base/mem.h"

SHAPE_DEFINE(marked_piece, MARKED_PIECE);

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

struct list
marked_pieces(void *owner, const char *marked)
{
	struct marked_piece *all;
	size_t n = 1;

	for (const char *p = marked; (p = strpbrk(p, MARKS)); p++)
		n++;
	all = mem_array(owner, struct marked_piece, n);
	for (size_t i = 0; i < n; i++) {
		size_t length = strcspn(marked, MARKS);

		all[i] = (struct marked_piece){
			.text = mem_strndup(owner, marked, length), .hit = i % 2
		};
		marked += length + 1;
	}
	return (struct list){ all, n };
}
