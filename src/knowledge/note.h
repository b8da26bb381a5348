/* SPDX-License-Identifier: Apache-2.0
 * A workspace's notes: markdown by path, which people write, and which learning writes of what the
 * workspace's pages say. What is beneath NOTE_PAGES is learned, one note for an artifact; all else
 * is people's. Whoever is in the workspace reads people's notes; a learned one is read by who may
 * read its artifact, and for everybody else is not there. A change holds the workspace's row.
 * Source: interface, "Knowledge library"; knowledge/README.md. */
#ifndef VITRINE_NOTE_H
#define VITRINE_NOTE_H
#include "core/role.h"
#include "core/user.h"
#include "core/workspace.h"
#include "knowledge/learning.h"
#include "db/ids.h"

enum {
	NOTES = 20000 /* of a workspace */,
	NOTE_BYTES = 256 << 10,
	NOTE_PATH_BYTES = 255,
	NOTE_TITLE = 200,
	NOTE_LINKS = 1000 /* in one note, to different ones */,
	NOTE_EDITS = 30 /* that are kept of one */
};
#define NOTE_LINKED 200 /* that are listed as linking to one */
#define NOTE_PAGES "pages/"
#define NOTE_ORIGINS "learned|human"

/* ---- who may read one ---- */

#define NOTE_SEEN "(n.artifact_id IS NULL OR " LEARNED_SEEN ")"
/* With `n`. */
#define NOTE_TABLES \
	" LEFT JOIN artifact a ON a.id = n.artifact_id AND a.workspace_id = n.workspace_id" \
	    ROLE_TABLES("s.user_id")
#define NOTE_PATH "COALESCE(n.path, CONCAT('" NOTE_PAGES "', a.slug, '.md'))"

/* ---- what there is ---- */

#define NOTE_LINK(F, T) \
	F(T, STR,  path) \
	F(T, STR,  title, .flags = F_NUL, .doc = "null: no note has that path") \
	F(T, WORD, origin, .flags = F_NUL, .arg = NOTE_ORIGINS) \
	F(T, STR,  said_path, .flags = F_HID, .doc = "As the text has it")
SHAPE_DECLARE(note_link, NOTE_LINK);

#define NOTE_BACKLINK(F, T) \
	F(T, STR,  path) \
	F(T, STR,  title) \
	F(T, STR,  text,   .doc = "What stands around the link") \
	F(T, STR,  before, .flags = F_HID) \
	F(T, STR,  said,   .flags = F_HID) \
	F(T, STR,  after,  .flags = F_HID)
SHAPE_DECLARE(note_backlink, NOTE_BACKLINK);

#define NOTE_SOURCE(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, INT,  version_no) \
	F(T, URL,  url) \
	F(T, SLUG, slug,      .flags = F_HID) \
	F(T, STR,  subdomain, .flags = F_HID)
SHAPE_DECLARE(note_source, NOTE_SOURCE);

#define NOTE_HEAD(F, T) \
	F(T, STR,  path) \
	F(T, STR,  title) \
	F(T, WORD, origin,     .arg = NOTE_ORIGINS) \
	F(T, BOOL, edited,     .doc = "A person has changed what was learned, which stays so")
SHAPE_DECLARE(note_head, NOTE_HEAD);
#define NOTE(F, T) \
	NOTE_HEAD(F, T) \
	F(T, STR,  content) \
	F(T, OBJ,  source,     .flags = F_NUL, .sub = &note_source_shape, \
		.doc = "Of a learned note: the page") \
	F(T, LIST, links,      .sub = &note_link_shape, .doc = "What it links to") \
	F(T, LIST, backlinks,  .sub = &note_backlink_shape, \
		.doc = "What links to it; at most " SQL_NUMBER(NOTE_LINKED) ", by path") \
	F(T, TIME, learned_at, .flags = F_NUL) \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, OBJ,  updated_by, .flags = F_NUL, .sub = &ws_user_shape, \
		.doc = "null: learning, or their account has been deleted") \
	F(T, ID,   id,         .flags = F_HID, .arg = "note_") \
	F(T, STR,  sha256,     .flags = F_HID) \
	F(T, INT,  newer_no,   .flags = F_HID, \
		.doc = "Version in which its page said something else, after it was changed")
SHAPE_DECLARE(note, NOTE);

/* What a page says now whose note people have changed. */
#define NOTE_NEWER(F, T) \
	F(T, INT,  version_no, .doc = "The version of the page that says it") \
	F(T, TIME, learned_at) \
	F(T, STR,  content) \
	F(T, STR,  title,      .flags = F_HID)
SHAPE_DECLARE(note_newer, NOTE_NEWER);

#define NOTE_COUNTS(F, T) \
	F(T, INT, notes) \
	F(T, INT, learned) \
	F(T, INT, human)
SHAPE_DECLARE(note_counts, NOTE_COUNTS);

/* E_NOT_FOUND also for one that the caller may not read. A learned one is found by any slug that
 * its artifact has or had, as its page is. */
enum err note_get(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *path, struct note **out);
/* The same without links, and *out is NULL where there is none. */
enum err note_find(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *path, struct note **out);
/* Those that link to an entry of the workspace's data catalog (core/mention.h) and the caller may
 * read, by title; at most NOTE_LINKED. */
enum err notes_mentioning(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *entry_id, struct note_head_list *out);
/* Of those that the caller may read. */
enum err note_counts(struct ctx *c, const struct workspace *, const struct principal *who,
    struct note_counts **out);
/* Where a person looks at it: /w/{ws}/notes/<page>/<path>. */
const char *note_page_path(
    struct ctx *c, const char *workspace_id, const char *page, const char *path);
/* E_INVALID, naming `where`: it breaks publish's rules, has more than NOTE_PATH_BYTES, or doesn't
 * end in .md. */
enum err note_path_check(struct ctx *c, const char *where, const char **path);

/* ---- what people write ---- */

/* old: what note_find() gave. NULL: it is new, outside of NOTE_PAGES, and folded not the path of
 * another (E_CONFLICT, which names that). E_INVALID, E_FILE_TOO_LARGE, E_LIMIT_REACHED. What it was
 * before is kept; the same text again changes nothing. */
enum err note_write(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct note *old, const char *path, struct bytes content);
/* What is kept of a note's text is made from it again, in a transaction of its own. */
enum err note_mend(struct ctx *c, const char *workspace_id, const char *id, const char *content);
/* What its page says now. *out is NULL where that is the note, or hasn't been learned since
 * somebody changed it. */
enum err note_newer_get(struct ctx *c, const struct note *, struct note_newer **out);
/* Puts that in the note's place, which is learned from now on as if nobody had changed it; what it
 * was before is kept. */
enum err note_newer_take(
    struct ctx *c, const struct workspace *, const struct note *, const struct note_newer *);
/* With its history. Links to it stay, and lead nowhere. */
enum err note_remove(struct ctx *c, const struct workspace *, const struct note *);

/* ---- what is learned ---- */

struct learned {
	const char *workspace_id, *artifact_id;
	int64_t version_no;
	const char *title;   /* cut at NOTE_TITLE characters */
	const char *content; /* UTF-8, at most NOTE_BYTES: cut by who reads the page */
};
enum note_learned {
	NOTE_WRITTEN, /* new, or other text than before */
	NOTE_SAME,    /* it says so already; the version is noted */
	NOTE_KEPT     /* a person has changed it; the text is kept beside it (note_newer_get()) */
};
/* In a transaction of the caller's, who has made sure that the artifact is live in the workspace
 * and holds its row; the workspace's is held here. Its path is made of the artifact's slug whenever
 * it is read, so nothing follows a new one. E_LIMIT_REACHED, with words for people, past NOTES.
 * What is beyond NOTE_LINKS is no link. */
enum err note_learn(struct ctx *c, const struct learned *, enum note_learned *did);
/* The same for a page that says nothing any more: its note is deleted, unless people have ever
 * changed it. *there: there was one; *kept: it is there still. */
enum err note_unlearn(struct ctx *c, const char *workspace_id, const char *artifact_id, bool *there,
    bool *kept);
#endif
