/* SPDX-License-Identifier: Apache-2.0
 * Comments on an artifact: plain text, about the whole or about a page of it, perhaps in reply to
 * another. Whoever is signed in and may see the artifact may add one while they are open; its owner
 * is mailed the news, once an hour at most. Source: talk/README.md. */
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

/* Whether the reader is told addresses: of those authors only who have a role themselves, and those
 * by which they got it. */
enum comment_names { NAMES_ONLY, NAMES_AND_ADDRESSES };

/* Lists the artifact's comments, oldest first. *next is NULL on the last page. */
enum err comment_list(struct ctx *c, const struct artifact *a, const struct comment_query *,
    enum comment_names, struct list *out, const char **next);
/* Lists the last `most` that are older than `before` (NULL: of all), oldest first. *earlier is what
 * to go on before, or NULL. E_INVALID when before is no id of a comment. */
enum err comment_latest(struct ctx *c, const struct artifact *a, const char *before, int64_t most,
    enum comment_names, struct comment_list *out, const char **earlier);
/* E_NOT_FOUND when the artifact has no such comment. */
enum err comment_get(struct ctx *c, const struct artifact *a, const char *id, enum comment_names,
    struct comment **out);
/* Adds a comment by `who`, who may see the artifact, and the event comment.added. E_DENIED while
 * comments are closed; E_INVALID for blank text, a path that is none, or a reply_to that is not the
 * artifact's. *id is the new one's. */
enum err comment_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct comment_new *, const char **id);
/* Its author alone, while comments are open: otherwise E_DENIED. */
enum err comment_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const char *text);
/* Its author, editors and the owner; otherwise E_DENIED. Replies to it stay. */
enum err comment_remove(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id);

/* ---- for the runner ---- */

/* Somebody has commented: has the owner told, at once or when the hour since the last time is
 * over. */
enum err comment_heard(struct ctx *c, const char *artifact_id);
/* Mails the owner what is new since the last time, when there is something and they want to know.
 * Inside the caller's transaction. *again_at is 0, or when to come again, since it is too early or
 * a mail budget is used up. */
enum err comment_tell(struct ctx *c, const char *artifact_id, int64_t *again_at);
#endif
