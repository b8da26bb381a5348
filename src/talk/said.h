/* SPDX-License-Identifier: Apache-2.0
 * Comments as pages show them (talk/comments-panel.html). */
#ifndef VITRINE_SAID_H
#define VITRINE_SAID_H
#include "core/artifact.h"
#include "talk/comment.h"

#define SAID(F, T) \
	F(T, OBJ,  comment,     .sub = &comment_shape) \
	F(T, STR,  path_url,    .doc = "Address of the page that it is about") \
	F(T, STR,  answers_who, .doc = "Whom it replies to; NULL: not on this page") \
	F(T, BOOL, editing) \
	F(T, BOOL, is_reply) \
	F(T, BOOL, may_settle,  .doc = "The reader may resolve the thread") \
	F(T, STR,  quote,       .doc = "What the page said there") \
	F(T, STR,  spot,        .doc = "Where in the page, in words") \
	F(T, STR,  moved,       .doc = "Of an open thread in the review view: a word of PLACES") \
	F(T, STR,  settled_by) \
	F(T, STR,  anchor,      .doc = "JSON, for the review view's script")
SHAPE_DECLARE(said, SAID);

const char *comment_author(const struct comment *); /* for people */
/* Returns the author of the comment with this id; NULL if it isn't in the list. */
const char *comment_author_of(const struct comment_list *, const char *id);
/* Returns a list of struct said. edited: the comment that its author, the reader `me` (NULL:
 * nobody), edits; NULL: none. */
struct list comments_said(struct ctx *c, const struct artifact *, const struct comment_list *,
    const char *edited, const struct principal *me);
#endif
