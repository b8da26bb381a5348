/* SPDX-License-Identifier: Apache-2.0
 * Comments on an artifact: plain text about the artifact or one of its pages, perhaps a reply.
 * Signed-in people who see the artifact may comment while comments are open. The owner gets at
 * most one e-mail an hour. Source: talk/README.md. */
#ifndef VITRINE_COMMENT_H
#define VITRINE_COMMENT_H
#include "core/artifact.h"

enum { COMMENT_CHARS = 5000 };

#define COMMENT_AUTHOR(F, T) \
	F(T, ID,    id,    .arg = "usr_") \
	F(T, STR,   name,  .doc = "Can be empty") \
	F(T, EMAIL, email, .flags = F_NUL, \
		.doc = "null unless both you and the author have a role on the artifact")
SHAPE_DECLARE(comment_author, COMMENT_AUTHOR);

#define COMMENT(F, T) \
	F(T, ID,   id,          .arg = "cmt_") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, OBJ,  author,      .sub = &comment_author_shape) \
	F(T, STR,  text) \
	F(T, STR,  path,        .flags = F_NUL, .doc = "Path of the page it's about") \
	F(T, ID,   reply_to,    .flags = F_NUL, .arg = "cmt_", \
		.doc = "Also null if that comment has been deleted") \
	F(T, TIME, created_at) \
	F(T, TIME, edited_at,   .flags = F_NUL)
SHAPE_DECLARE(comment, COMMENT);

#define COMMENT_NEW(F, T) \
	F(T, STR, text,     .flags = F_REQ | F_LONG, .lo = 1, .hi = COMMENT_CHARS, \
		.eg = "\"The second chart is missing its unit.\"") \
	F(T, STR, path,     .flags = F_NUL, .lo = 1, .hi = 1024, \
		.doc = "Path of the page it's about, such as /report.html") \
	F(T, ID,  reply_to, .flags = F_NUL, .arg = "cmt_")
SHAPE_DECLARE(comment_new, COMMENT_NEW);

#define COMMENT_EDIT(F, T) \
	F(T, STR, text, .flags = F_REQ | F_LONG, .lo = 1, .hi = COMMENT_CHARS, \
		.eg = "\"The second chart is missing its unit, meters.\"")
SHAPE_DECLARE(comment_edit, COMMENT_EDIT);

#define COMMENT_QUERY(F, T) \
	F(T, STR, path,   .hi = 1024, .doc = "Only comments about this page") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(comment_query, COMMENT_QUERY);

/* Whether replies contain the authors' addresses. Only authors with a role on the artifact have
 * one shown: the address that got the role. */
enum comment_names { NAMES_ONLY, NAMES_AND_ADDRESSES };

/* Lists the artifact's comments, oldest first. *next is NULL on the last page. */
enum err comment_list(struct ctx *c, const struct artifact *a, const struct comment_query *,
    enum comment_names, struct list *out, const char **next);
/* Lists the last `most` comments older than the comment `before`, oldest first. NULL means the
 * newest. *earlier is the `before` of the next call, or NULL. E_INVALID: `before` is not an id
 * of a comment. */
enum err comment_latest(struct ctx *c, const struct artifact *a, const char *before, int64_t most,
    enum comment_names, struct comment_list *out, const char **earlier);
/* E_NOT_FOUND: the artifact has no such comment. */
enum err comment_get(struct ctx *c, const struct artifact *a, const char *id, enum comment_names,
    struct comment **out);
/* Adds a comment by `who`, who may see the artifact, and queues the event comment.added. *id is
 * the new id. E_DENIED: comments are closed. E_INVALID: blank text, a wrong path, or a reply_to
 * of another artifact. */
enum err comment_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct comment_new *, const char **id);
/* Changes the text. E_DENIED: `who` isn't the author, or comments are closed. */
enum err comment_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const char *text);
/* Deletes a comment. Replies stay. E_DENIED: `who` is neither the author, an editor, nor the
 * owner. */
enum err comment_remove(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id);

/* ---- for the runner ---- */

/* Queues the e-mail to the owner: now, or an hour after the last one. */
enum err comment_heard(struct ctx *c, const char *artifact_id);
/* Mails the owner about comments since the last e-mail, within the caller's transaction. Does
 * nothing if there are none or the owner wants no e-mail. *again_at is 0, or the Unix time to
 * call again: an hour hasn't passed, or a mail budget is used up. */
enum err comment_tell(struct ctx *c, const char *artifact_id, int64_t *again_at);
#endif
