/* SPDX-License-Identifier: Apache-2.0 */
#include "core/clash.h"

#include "base/str.h"

SHAPE_DEFINE(clash, CLASH);
SHAPE_DEFINE(text_typed, TEXT_TYPED);

bool
text_clashes(const char *seen, const char *is, const char *typed, const char *theirs)
{
	return seen && !str_eq(seen, is) && !str_eq(typed, theirs);
}

struct clash *
clash_of(struct ctx *c, const char *keep_url, const char *theirs, const char *typed,
    int64_t changed_at, void *changed_by)
{
	struct clash *out = mem_new(c->mem, struct clash);
	struct diff_line_list all;
	size_t kept = 0;

	text_diff(c->mem, typed, theirs, &all);
	for (size_t i = 0; i < all.n; i++)
		if (!str_eq(all.v[i].sign, "gone"))
			all.v[kept++] = all.v[i];
	*out = (struct clash){ keep_url, { all.v, kept }, changed_at, changed_by, { 0 } };
	return out;
}
