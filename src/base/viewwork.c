/* SPDX-License-Identifier: Apache-2.0
 * Views that are drawn in a separate process: the order that it reads, and its answer. */
#include "base/str.h"
#include "base/viewdraw.h"

#include <string.h>

/* In bytes before the name and the text. */
struct order {
	enum view_kind kind;
	bool within, cut;
	size_t name_n, n;
	int64_t size;
};
/* Before the title, the warning and the page. SIZE_MAX: there is none. */
struct answer {
	size_t title_n, warning_n, n;
};

void
view_order(struct buf *b, const struct view_source *s, bool within)
{
	struct order o;

	memset(&o, 0, sizeof o);
	o.kind = s->kind;
	o.within = within;
	o.cut = s->cut;
	o.name_n = strlen(s->name);
	o.n = s->n;
	o.size = s->size;
	buf_add(b, &o, sizeof o);
	buf_add(b, s->name, o.name_n);
	buf_add(b, s->text, o.n);
}

enum err
view_work(struct ctx *c, const char *in, size_t n, struct buf *out)
{
	struct view_source s = { 0 };
	struct view_drawn drawn;
	struct answer a;
	struct order o;

	if (n < sizeof o)
		return fail(c, E_INVALID, "it isn't an order");
	memcpy(&o, in, sizeof o);
	if (o.name_n > n - sizeof o || o.n != n - sizeof o - o.name_n ||
	    (!o.within && !view_parses(o.kind)))
		return fail(c, E_INVALID, "it isn't an order");
	s.kind = o.kind;
	s.name = mem_strndup(c->mem, in + sizeof o, o.name_n);
	s.size = o.size;
	s.cut = o.cut;
	s.text = in + sizeof o + o.name_n;
	s.n = o.n;
	if (o.within && o.kind == VIEW_NOTEBOOK) {
		if (!view_cells(c, &s, &drawn))
			return fail(c, E_INVALID, "it isn't a notebook");
	} else if (o.within) {
		view_readme(c, &s, &drawn);
	} else {
		view_draw(c, &s, &drawn);
	}
	a = (struct answer){ SIZE_MAX, SIZE_MAX, drawn.html.n };
	if (drawn.title)
		a.title_n = strlen(drawn.title);
	if (drawn.warning)
		a.warning_n = strlen(drawn.warning);
	buf_add(out, &a, sizeof a);
	buf_add(out, drawn.title, drawn.title ? a.title_n : 0);
	buf_add(out, drawn.warning, drawn.warning ? a.warning_n : 0);
	buf_add(out, drawn.html.s, a.n);
	return E_OK;
}

/* Moves *at behind the next n bytes and returns them, or NULL if n is SIZE_MAX; *bad if there are
 * fewer. */
static const char *
part_read(void *owner, const char **at, const char *end, size_t n, bool *bad)
{
	const char *from = *at;

	if (n == SIZE_MAX || *bad)
		return NULL;
	*bad = n > (size_t)(end - from) || !str_is_text(from, n);
	if (*bad)
		return NULL;
	*at += n;
	return mem_strndup(owner, from, n);
}

bool
view_answer(void *owner, const char *answer, size_t n, struct view_drawn *out)
{
	const char *at = answer + sizeof(struct answer), *end = answer + n;
	struct answer a;
	bool bad = false;

	*out = (struct view_drawn){ .html = BUF(owner) };
	if (n < sizeof a)
		return false;
	memcpy(&a, answer, sizeof a);
	out->title = part_read(owner, &at, end, a.title_n, &bad);
	out->warning = part_read(owner, &at, end, a.warning_n, &bad);
	if (bad || a.n != (size_t)(end - at))
		return false;
	buf_add(&out->html, at, a.n);
	return true;
}
