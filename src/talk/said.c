/* SPDX-License-Identifier: Apache-2.0 */
#include "talk/said.h"

#include "base/json.h"
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

/* Sets the quote, or the words for the place. Anchors were checked when they were stored. */
static enum err
anchor_describe(struct ctx *c, const char *anchor, struct said *out)
{
	const char *kind;
	struct json *j;

	if (!anchor)
		return E_OK;
	TRY(json_parse(c, anchor, strlen(anchor), &j));
	kind = json_word(j, "kind");
	out->quote = json_word(json_get(j, "quote"), "exact");
	if (str_eq(kind, "page"))
		out->spot = mem_printf(
		    c->mem, "on page %lld", (long long)json_int(json_get(j, "page")));
	else if (str_eq(kind, "point"))
		out->spot = mem_printf(c->mem, "at %.0f %% from the left, %.0f %% from the top",
		    json_num(json_get(j, "x")) * 100, json_num(json_get(j, "y")) * 100);
	else if (str_eq(kind, "element"))
		out->spot = mem_printf(c->mem, "on the element %s", json_word(j, "selector"));
	return E_OK;
}

static struct said
said_of(struct ctx *c, const struct artifact *a, const struct comment_list *all, size_t i,
    const char *edited, const struct principal *me)
{
	const struct comment *m = &all->v[i];
	const struct comment_person *by = m->resolved_by;
	const struct comment_author *author = m->author;
	struct said out = { .comment = &all->v[i],
		.path_url = page_url(c, a, m->path),
		.answers_who = comment_author_of(all, m->reply_to),
		.editing = me && str_eq(edited, m->id) && str_eq(author->id, me->user_id),
		.is_reply = !str_eq(m->id, m->thread_id) };

	if (out.is_reply)
		return out;
	out.may_settle = me && comment_may_settle(a, me, author->id);
	out.settled_by = !by ? NULL : *by->name ? by->name : "someone";
	out.anchor = m->anchor;
	out.moved = m->place && str_eq(m->state, "open")
	    ? ((const struct comment_place *)m->place)->status
	    : NULL;
	if (anchor_describe(c, m->anchor, &out))
		ctx_forgive(c);
	return out;
}

struct list
comments_said(struct ctx *c, const struct artifact *a, const struct comment_list *all,
    const char *edited, const struct principal *me)
{
	struct said *v = mem_array(c->mem, struct said, all->n + 1);

	for (size_t i = 0; i < all->n; i++)
		v[i] = said_of(c, a, all, i, edited, me);
	return (struct list){ v, all->n };
}
