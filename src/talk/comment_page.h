/* SPDX-License-Identifier: Apache-2.0
 * The comments on an artifact in pages (talk/comments-panel.html), with a form for a new comment
 * and the actions that the reader may take on each. */
#ifndef VITRINE_COMMENT_PAGE_H
#define VITRINE_COMMENT_PAGE_H
#include "http/req.h"
#include "talk/said.h"

#define COMMENTS_PART(F, T) \
	F(T, LIST, comments, .sub = &said_shape) \
	F(T, STR,  talk_at, .doc = "Path of the page; a comment has a place of its own") \
	F(T, STR,  earlier, .doc = "Address of those before") \
	F(T, STR,  reply_who) \
	F(T, BOOL, resolved, .doc = "These threads are resolved ones") \
	F(T, INT,  open_count) \
	F(T, BOOL, people,   .doc = "The reader may write for people alone") \
	F(T, INT,  on_version, .doc = "In the review view: what it shows") \
	F(T, STR,  on_page,  .doc = "There: path of the page that it begins with") \
	F(T, STR,  picture,  .doc = "That is a picture, or a drawn page of a PDF: its address") \
	F(T, INT,  pdf,      .doc = "That is a PDF: the page of it") \
	F(T, BOOL, refused,  .doc = "A form was refused")
SHAPE_DECLARE(comments_part, COMMENTS_PART);

/* The query of a page with comments. */
#define COMMENTS_QUERY(F, T) \
	F(T, STR, done,   .hi = 40) \
	F(T, STR, cursor, .hi = 200) \
	F(T, WORD, state, .arg = COMMENT_STATES, .def = "open") \
	F(T, ID,  reply_to, .arg = "cmt_", .doc = "Also from a form that was refused") \
	F(T, ID,  edit,   .arg = "cmt_") \
	F(T, ID,  thread, .arg = "cmt_", .doc = "Of the review view: a thread to begin with") \
	F(T, STR, path,   .hi = 1024, .doc = "Of the review view: the page to begin with") \
	F(T, INT, page,   .lo = 1, .hi = 10000, .def = "1", .doc = "There: of a PDF")
SHAPE_DECLARE(comments_query, COMMENTS_QUERY);

/* Reads the comments of r->art by r->query; *out is a struct comments_part. on_version: of the
 * review view; 0: elsewhere. */
enum err comments_part_read(struct req *, int64_t on_version, void **out);
/* The question before a comment is deleted, for struct asked: its texts, and what finds it. */
#define COMMENT_DELETE \
	"Delete the comment by {name}?", "Replies to it stay. This can’t be undone.", \
	    "Delete comment"
enum err comment_find(struct req *, struct shown *out);
#endif
