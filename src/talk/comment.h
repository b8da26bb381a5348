/* SPDX-License-Identifier: Apache-2.0
 * Comments on an artifact: plain text about the artifact or one of its pages, perhaps a reply.
 * Signed-in people who see the artifact may comment while comments are open. The owner gets at
 * most one e-mail an hour. Source: talk/README.md. */
#ifndef VITRINE_COMMENT_H
#define VITRINE_COMMENT_H
#include "core/artifact.h"

enum { COMMENT_CHARS = 5000, THREAD_REPLIES = 500, OPEN_THREADS = 2000 };

#define COMMENT_AUTHOR(F, T) \
	F(T, ID,    id,    .arg = "usr_") \
	F(T, STR,   name,  .doc = "Can be empty") \
	F(T, EMAIL, email, .flags = F_NUL, \
		.doc = "null unless both you and the author have a role on the artifact")
SHAPE_DECLARE(comment_author, COMMENT_AUTHOR);

/* Where in a page a remark is. The page is the comment's path. */
#define ANCHOR_QUOTE(F, T) \
	F(T, STR, exact,  .flags = F_REQ | F_LONG, .lo = 1, .hi = 1000, .eg = "\"41 %\"") \
	F(T, STR, prefix, .flags = F_OPT | F_LONG, .hi = 64, .doc = "The text before it") \
	F(T, STR, suffix, .flags = F_OPT | F_LONG, .hi = 64, .doc = "The text after it")
SHAPE_DECLARE(anchor_quote, ANCHOR_QUOTE);
#define ANCHOR(F, T) \
	F(T, WORD, kind,     .flags = F_REQ, .arg = "text|element|point|page", .eg = "\"text\"") \
	F(T, STR,  selector, .flags = F_OPT, .lo = 1, .hi = 1000, .doc = "CSS, of the element") \
	F(T, OBJ,  quote,    .flags = F_OPT, .sub = &anchor_quote_shape, .eg = "{}") \
	F(T, NUM,  x,        .flags = F_OPT, .lo = 0, .hi = 1, \
		.doc = "From the left edge of the element, picture, or page (0) to the right (1)") \
	F(T, NUM,  y,        .flags = F_OPT, .lo = 0, .hi = 1, \
		.doc = "From the top to the bottom") \
	F(T, INT,  page,     .flags = F_OPT, .lo = 1, .hi = 10000, .doc = "Of a PDF") \
	F(T, INT,  width,    .flags = F_OPT, .lo = 1, .hi = 100000, \
		.doc = "Of the window, in pixels")
SHAPE_DECLARE(anchor, ANCHOR);

#define AUDIENCES "all|people"
#define COMMENT_STATES "open|resolved"
#define COMMENT_PERSON(F, T) \
	F(T, ID,  id,   .arg = "usr_") \
	F(T, STR, name, .doc = "Can be empty")
SHAPE_DECLARE(comment_person, COMMENT_PERSON);

#define PLACES "here|changed|gone|unknown|pending"
#define COMMENT_PLACE(F, T) \
	F(T, INT,  version_no) \
	F(T, WORD, status, .arg = PLACES, \
		.doc = "changed: the page says something else there; gone: it isn't in this " \
		       "version; unknown: only a browser can tell; pending: not looked yet")
SHAPE_DECLARE(comment_place, COMMENT_PLACE);

#define COMMENT(F, T) \
	F(T, ID,   id,          .arg = "cmt_") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, OBJ,  author,      .sub = &comment_author_shape) \
	F(T, WORD, via,         .arg = "person|agent|page", \
		.doc = "page: a script of the page posted it in the author's name") \
	F(T, STR,  text) \
	F(T, STR,  path,        .flags = F_NUL, .doc = "Path of the page it's about") \
	F(T, ID,   reply_to,    .flags = F_NUL, .arg = "cmt_", \
		.doc = "Also null if that comment has been deleted") \
	F(T, ID,   thread_id,   .arg = "cmt_", .doc = "The first comment of its thread") \
	F(T, INT,  version_no,  .flags = F_NUL, \
		.doc = "The version it's about; null for old comments") \
	F(T, JSON, anchor,      .flags = F_NUL, .arg = "object", .sub = &anchor_shape, \
		.doc = "Where in the page it is; null for replies") \
	F(T, WORD, audience,    .arg = AUDIENCES, \
		.doc = "Who can read the thread. all: everyone who can see the artifact; people: " \
		       "its author, and people with a role on the artifact or a grant to comment") \
	F(T, WORD, state,       .arg = COMMENT_STATES, .doc = "Of the thread") \
	F(T, OBJ,  resolved_by, .flags = F_NUL, .sub = &comment_person_shape) \
	F(T, TIME, resolved_at, .flags = F_NUL) \
	F(T, INT,  resolved_version_no, .flags = F_NUL, .doc = "The version that resolves it") \
	F(T, INT,  pending_version_no,  .flags = F_NUL, \
		.doc = "The draft that resolves it when it goes live") \
	F(T, JSON, mentions,    .arg = "array", .sub = &comment_person_shape, \
		.doc = "People whom the text mentions") \
	F(T, OBJ,  place,       .flags = F_NUL, .sub = &comment_place_shape, \
		.doc = "In lists with version: where it is there; null without an anchor") \
	F(T, TIME, created_at) \
	F(T, TIME, edited_at,   .flags = F_NUL)
SHAPE_DECLARE(comment, COMMENT);

enum { MENTIONS_MOST = 20 };
#define COMMENT_NEW(F, T) \
	F(T, STR, text,     .flags = F_REQ | F_LONG, .lo = 1, .hi = COMMENT_CHARS, \
		.eg = "\"The second chart is missing its unit.\"") \
	F(T, STR, path,     .flags = F_NUL, .lo = 1, .hi = 1024, \
		.doc = "Path of the page it's about, such as /report.html") \
	F(T, ID,  reply_to, .flags = F_NUL, .arg = "cmt_") \
	F(T, INT, version_no, .flags = F_NUL, .lo = 1, .hi = 2147483647, \
		.doc = "Default: the live version, else the newest that you can see") \
	F(T, OBJ,  anchor,   .flags = F_NUL, .sub = &anchor_shape, \
		.doc = "Where in the page; not for a reply. text needs a quote, element a " \
		       "selector, point x and y, page a page of a PDF") \
	F(T, WORD, audience, .flags = F_NUL, .arg = AUDIENCES, \
		.doc = "Not for a reply. Default: people for an anchor, if you have a role or a " \
		       "grant, else all") \
	F(T, STRS, mentions, .hi = MENTIONS_MOST, .item_lo = 1, .item_hi = 254, \
		.doc = "Ids or addresses of people, who must be able to read it")
SHAPE_DECLARE(comment_new, COMMENT_NEW);

#define COMMENT_EDIT(F, T) \
	F(T, STR,  text,       .flags = F_LONG, .lo = 1, .hi = COMMENT_CHARS, \
		.eg = "\"The second chart is missing its unit, meters.\"") \
	F(T, WORD, state,      .arg = COMMENT_STATES, .doc = "Of its thread") \
	F(T, INT,  version_no, .lo = 1, .hi = 2147483647, \
		.doc = "The version that resolves it; default: the live one") \
	F(T, WORD, audience,   .arg = AUDIENCES, .doc = "Of its thread")
SHAPE_DECLARE(comment_edit, COMMENT_EDIT);

#define COMMENT_QUERY(F, T) \
	F(T, STR,  path,     .hi = 1024, .doc = "Only comments about this page") \
	F(T, WORD, state,    .arg = "all|" COMMENT_STATES, .doc = "Only threads in this state") \
	F(T, ID,   thread,   .arg = "cmt_", .doc = "Only the thread of this comment") \
	F(T, INT,  version,  .lo = 1, .hi = 2147483647, \
		.doc = "A version in which the places of open threads are told") \
	F(T, BOOL, anchored, .doc = "1: only threads with an anchor; 0: only without") \
	WAIT_FIELDS(F, T) \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(comment_query, COMMENT_QUERY);

#define COMMENTS(F, T) \
	F(T, LIST, comments, .sub = &comment_shape) \
	F(T, INT,  open_count, .doc = "How many open threads there are for you") \
	F(T, INT,  change_no, .flags = F_OPT, \
		.doc = "With since or wait: another number after each change of comments that " \
		       "you can see, on whatever page and in whatever state") \
	F(T, STR,  next_cursor, .flags = F_NUL)
SHAPE_DECLARE(comments, COMMENTS);

/* A reader: what they see, and whether authors' addresses are part of it. Only authors with a role
 * on the artifact have one shown: the address that got the role. */
struct comment_reader {
	const char *user_id; /* NULL: nobody is signed in */
	bool addresses;
	bool people;         /* also threads for people */
	bool page;           /* a published page: only threads for all, without an anchor */
};
extern const struct comment_reader comment_reads_all; /* without addresses; for the runner */
struct comment_reader comment_reader_of(
    const struct artifact *, const struct principal *who, bool page);

/* Lists the artifact's comments, oldest first. */
enum err comment_list(struct ctx *c, const struct artifact *a, const struct comment_query *,
    const struct comment_reader *, struct comments *out);
/* Lists the last `most` threads in this state whose first comment is older than `before` (NULL: the
 * newest), each followed by its replies; oldest first. *earlier is the `before` of the next call,
 * or NULL. E_INVALID: `before` is not an id of a comment. */
enum err comment_threads(struct ctx *c, const struct artifact *a, const char *state,
    const char *before, int64_t most, const struct comment_reader *, struct comment_list *out,
    const char **earlier);
/* *out counts the open threads that the reader sees. */
enum err comment_open_count(
    struct ctx *c, const struct artifact *a, const struct comment_reader *, int64_t *out);
/* *out is another number after each change of a comment that the reader sees, and reads all of
 * them. */
enum err comment_change_no(
    struct ctx *c, const struct artifact *a, const struct comment_reader *, int64_t *out);
/* Returns the subject (base/told.h) of an artifact's comments. */
const char *comment_subject(void *owner, const char *artifact_id);
/* E_NOT_FOUND: the artifact has no such comment, or the reader doesn't see it. */
enum err comment_get(struct ctx *c, const struct artifact *a, const char *id,
    const struct comment_reader *, struct comment **out);
/* Adds a comment by `who`, who may see the artifact, and queues the event comment.added. page: a
 * script of the page does it. *id is the new id. E_DENIED: comments are closed, or not for them.
 * E_INVALID: blank text, a wrong path or anchor, a reply_to of another artifact, a mention of
 * somebody who can't read it. E_NOT_FOUND: a version that they can't see. E_LIMIT_REACHED. */
enum err comment_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    bool page, const struct comment_new *, const char **id);
/* Changes the text (its author), the thread's state (its author, editors, people who may edit), its
 * audience (editors). E_DENIED: `who` may not, or comments are closed and the text is to change.
 * E_INVALID: nothing is given. */
enum err comment_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const struct comment_edit *);
/* Deletes a comment. Replies stay: the oldest one leads the thread of a deleted first comment.
 * E_DENIED: `who` is neither the author, an editor, nor the owner. */
enum err comment_remove(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id);
/* True if this author or editor may resolve the thread. */
bool comment_may_settle(
    const struct artifact *, const struct principal *who, const char *head_author);

/* ---- for the runner ---- */

/* Queues the e-mail to the owner: now, or an hour after the last one. */
enum err comment_heard(struct ctx *c, const char *artifact_id);
/* Mails the owner about comments since the last e-mail, within the caller's transaction. Does
 * nothing if there are none or the owner wants no e-mail. *again_at is 0, or the Unix time to
 * call again: an hour hasn't passed, or a mail budget is used up. */
enum err comment_tell(struct ctx *c, const char *artifact_id, int64_t *again_at);
#endif
