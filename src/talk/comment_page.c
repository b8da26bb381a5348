/* SPDX-License-Identifier: Apache-2.0
 * The comments on an artifact in the browser: the latest, with what one may do about each. */
#include "base/str.h"
#include "core/artifact.h"
#include "core/artifact_top_page.h"
#include "core/confirm.h"
#include "http/req.h"
#include "talk/comment.h"

enum { COMMENTS_A_PAGE = 50 };

#define SAID(F, T) \
	F(T, ID,   id,          .arg = "cmt_") \
	F(T, STR,  author) \
	F(T, STR,  initials) \
	F(T, STR,  text) \
	F(T, STR,  path) \
	F(T, STR,  path_url,    .doc = "Address of that page") \
	F(T, ID,   answers,     .arg = "cmt_", .doc = "What it replies to") \
	F(T, STR,  answers_who, .doc = "Whose that is; NULL: not on this page") \
	F(T, TIME, created_at) \
	F(T, TIME, edited_at) \
	F(T, BOOL, mine,        .doc = "It can be changed, too") \
	F(T, BOOL, mine_or_all, .doc = "It can be deleted") \
	F(T, BOOL, answerable) \
	F(T, BOOL, editing)
SHAPE_DECLARE(said, SAID);
SHAPE_DEFINE(said, SAID);

#define COMMENTS_PAGE(F, T) \
	ARTIFACT_PAGE(F, T) \
	F(T, LIST, comments, .sub = &said_shape) \
	F(T, STR,  earlier, .doc = "Address of those before") \
	F(T, STR,  latest, .doc = "Address of the latest; NULL: these are") \
	F(T, BOOL, open) \
	F(T, BOOL, owned) \
	F(T, BOOL, mails) \
	F(T, ID,   reply_to, .arg = "cmt_") \
	F(T, STR,  reply_who)
SHAPE_DECLARE(comments_page, COMMENTS_PAGE);
SHAPE_DEFINE(comments_page, COMMENTS_PAGE);

#define COMMENTS_QUERY(F, T) \
	F(T, STR, done,   .hi = 40) \
	F(T, STR, cursor, .hi = 200) \
	F(T, ID,  reply,  .arg = "cmt_") \
	F(T, ID,  edit,   .arg = "cmt_")
SHAPE_DECLARE(comments_query, COMMENTS_QUERY);
SHAPE_DEFINE(comments_query, COMMENTS_QUERY);

static const char *
author_told(const struct comment *m)
{
	const struct comment_author *who = m->author;

	return *who->name ? who->name : who->email ? who->email : "Someone";
}

static const char *
author_of(const struct comment_list *all, const char *id)
{
	for (size_t i = 0; id && i < all->n; i++)
		if (str_eq(all->v[i].id, id))
			return author_told(&all->v[i]);
	return NULL;
}

static const char *
page_url(struct req *r, const char *path)
{
	struct buf b = BUF(r->c->mem);

	if (!path)
		return NULL;
	buf_str(&b, artifact_origin(r->c, r->art));
	buf_url(&b, path);
	return buf_done(&b);
}

static struct said
said_of(struct req *r, const struct comment_list *all, const struct comment *m)
{
	const struct comments_query *q = r->query;
	bool mine = str_eq(((struct comment_author *)m->author)->id, r->who->user_id);

	return (struct said){ .id = m->id,
		.author = author_told(m),
		.initials = page_initials(r->c->mem, author_told(m)),
		.text = m->text,
		.path = m->path,
		.path_url = page_url(r, m->path),
		.answers = m->reply_to,
		.answers_who = author_of(all, m->reply_to),
		.created_at = m->created_at,
		.edited_at = m->edited_at,
		.mine = mine && r->art->comments_open,
		.editing = mine && r->art->comments_open && str_eq(q->edit, m->id),
		.mine_or_all = mine || role_rank(r->art->role) >= ROLE_EDITOR,
		.answerable = r->art->comments_open };
}

static enum err
h_comments(struct req *r)
{
	const struct comments_query *q = r->query;
	struct comments_page page = { ARTIFACT_PAGE_OF(r, "comments"),
		.open = r->art->comments_open,
		.owned = str_eq(r->art->role, "owner"),
		.mails = r->art->comment_mails };
	struct comment_list all;
	const char *earlier;

	TRY(comment_latest(
	    r->c, r->art, q->cursor, COMMENTS_A_PAGE, NAMES_AND_ADDRESSES, &all, &earlier));
	page.comments = list_made(r->c->mem, &all, m, said_of(r, &all, m));
	page.earlier = req_next(r, earlier, "cursor|done|reply|edit");
	page.latest = q->cursor ? mem_printf(r->c->mem, "/a/%s/comments", r->art->id) : NULL;
	page.reply_who = author_of(&all, q->reply);
	page.reply_to = page.reply_who ? q->reply : NULL;
	return reply_page(r, 0, &page);
}

/* Who may not delete it hears so here already. */
static enum err
h_comment_delete_ask(struct req *r)
{
	struct comment *m;
	void *mem = r->c->mem;

	TRY(comment_get(r->c, r->art, req_param(r, "cmt"), NAMES_AND_ADDRESSES, &m));
	return reply_page(r, 0,
	    &(struct confirm_page){ .url = r->art->url,
		.question = mem_printf(mem, "Delete the comment by %s?", author_told(m)),
		.consequence = "Replies to it stay. This can’t be undone.",
		.action = mem_strndup(mem, r->uri, strcspn(r->uri, "?")),
		.verb = "Delete comment",
		.back = mem_printf(mem, "/a/%s/comments#%s", r->art->id, m->id) });
}

static const struct route comment_page_routes[] = {
/*  method path                             who
    body                               reply                 handler */
  { GET,  "/a/{art}/comments",              ART_VIEW,
    TAKES_NOTHING,                     GIVES_PAGE(comments), h_comments,
    .query = &comments_query_shape, .doc = "What people say about it" },
  { POST, "/a/{art}/comments", DOES("POST /v1/artifacts/{art}/comments"),
    .then = "/a/{art}/comments#{id}", .again = "/a/{art}/comments", .doc = "Add a comment" },
  { POST, "/a/{art}/comments/settings", DOES("PATCH /v1/artifacts/{art}"),
    .then = "/a/{art}/comments?done=saved", .again = "/a/{art}/comments",
    .doc = "Open or close comments, and choose whether to be e-mailed about them" },
  { POST, "/a/{art}/comments/{cmt}", DOES("PATCH /v1/artifacts/{art}/comments/{cmt}"),
    .then = "/a/{art}/comments#{cmt}", .again = "/a/{art}/comments",
    .doc = "Change a comment of yours" },
  { GET,  "/a/{art}/comments/{cmt}/delete", ART_VIEW,
    TAKES_NOTHING,                     GIVES_PAGE(confirm),  h_comment_delete_ask,
    .doc = "Asks whether to delete a comment" },
  { POST, "/a/{art}/comments/{cmt}/delete", DOES("DELETE /v1/artifacts/{art}/comments/{cmt}"),
    .then = "/a/{art}/comments?done=comment_deleted", .again = "/a/{art}/comments/{cmt}/delete",
    .doc = "Delete a comment" },
};
ROUTES(comment_page, "Pages: comments",
    "Comments on an artifact in the browser.");
