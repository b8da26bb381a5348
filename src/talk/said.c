/* SPDX-License-Identifier: Apache-2.0 */
#include "talk/said.h"

#include "base/str.h"

SHAPE_DEFINE(said, SAID);

const char *
comment_author(const struct comment *m)
{
	const struct comment_author *who = m->author;

	return *who->name ? who->name : who->email ? who->email : "Someone";
}

const char *
comment_author_of(const struct comment_list *all, const char *id)
{
	for (size_t i = 0; id && i < all->n; i++)
		if (str_eq(all->v[i].id, id))
			return comment_author(&all->v[i]);
	return NULL;
}

static const char *
page_url(struct ctx *c, const struct artifact *a, const char *path)
{
	struct buf b = BUF(c->mem);

	if (!path)
		return NULL;
	buf_str(&b, artifact_origin(c, a));
	buf_url(&b, path);
	return buf_done(&b);
}

static bool
is_edited(const struct comment *m, const char *edited, const char *me)
{
	return str_eq(edited, m->id) && str_eq(((const struct comment_author *)m->author)->id, me);
}

struct list
comments_said(struct ctx *c, const struct artifact *a, const struct comment_list *all,
    const char *edited, const char *me)
{
	return list_made(c->mem, all, m,
	    (struct said){ .comment = m,
		.path_url = page_url(c, a, m->path),
		.answers_who = comment_author_of(all, m->reply_to),
		.editing = is_edited(m, edited, me) });
}
