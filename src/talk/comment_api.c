/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/artifacts/{art}/comments. Source: talk/README.md. */
#include "core/artifact.h"
#include "http/quota.h"
#include "http/req.h"
#include "talk/comment.h"


/* A published page gets no addresses, because its script may be somebody else's. */
static enum comment_names
names_shown(const struct req *r)
{
	return r->art->role && !r->site ? NAMES_AND_ADDRESSES : NAMES_ONLY;
}

static enum err
h_comment_list(struct req *r)
{
	return reply_list_of(r, struct list, comment_list, r->art, r->query, names_shown(r));
}

static enum err
comment_reply(struct req *r, const char *id)
{
	struct comment *m;

	TRY(comment_get(r->c, r->art, id, names_shown(r), &m));
	return reply_noun(r, m);
}

static enum err
h_comment_get(struct req *r)
{
	return comment_reply(r, req_param(r, "cmt"));
}

static enum err
h_comment_add(struct req *r)
{
	const char *id;

	TRY(comment_add(r->c, r->art, r->who, r->in, &id));
	reply_header(r, "Location", "/v1/artifacts/%s/comments/%s", r->art->id, id);
	return comment_reply(r, id);
}

static enum err
h_comment_change(struct req *r)
{
	const struct comment_edit *in = r->in;

	TRY(comment_change(r->c, r->art, r->who, req_param(r, "cmt"), in->text));
	return comment_reply(r, req_param(r, "cmt"));
}

static enum err
h_comment_remove(struct req *r)
{
	TRY(comment_remove(r->c, r->art, r->who, req_param(r, "cmt")));
	return reply_none(r);
}

static LIMIT(LIM_COMMENT, "comment", OF_CALLER, SUCCESSES, comments_per_hour, "comments");

static const struct route comment_routes[] = {
/* method  path                                  who body                 reply
 * handler */
  { GET,    "/v1/artifacts/{art}/comments",       ART_DISCUSS,
    TAKES_NOTHING,       GIVES_LIST("comments", comment), h_comment_list,
    .scope = ARTIFACTS_READ, .query = &comment_query_shape, .content = true,
    .doc = "List the comments, oldest first" },
  { POST,   "/v1/artifacts/{art}/comments",       ART_DISCUSS,
    TAKES(comment_new),  GIVES("comment", comment),       h_comment_add,
    .scope = DATA_WRITE, .limit = LIM_COMMENT, .success = 201, .content = true,
    .doc = "Add a comment, or a reply to one",
    .did = "Commented on" },
  { GET,    "/v1/artifacts/{art}/comments/{cmt}", ART_DISCUSS,
    TAKES_NOTHING,       GIVES("comment", comment),       h_comment_get,
    .scope = ARTIFACTS_READ, .doc = "Get one comment" },
  { PATCH,  "/v1/artifacts/{art}/comments/{cmt}", ART_DISCUSS,
    TAKES(comment_edit), GIVES("comment", comment),       h_comment_change,
    .scope = DATA_WRITE, .doc = "Edit your comment" },
  { DELETE, "/v1/artifacts/{art}/comments/{cmt}", ART_DISCUSS,
    TAKES_NOTHING,       GIVES_NOTHING,                   h_comment_remove,
    .scope = DATA_WRITE, .doc = "Delete your comment; editors and the owner can delete any" },
};
ROUTES(comment, "Comments",
    "What people say about an artifact. Anyone who is signed in and can see it can comment, "
    "unless its owner has turned comments off (comments_open).");
