/* SPDX-License-Identifier: Apache-2.0
 * A workspace's notes: Markdown by path. Notes below NOTE_PAGES are learned, one for each
 * artifact; people write all others. Everybody in the workspace reads people's notes. A learned
 * note exists only for those who may read its artifact. Callers that change notes hold the lock
 * on the workspace's row. Source: interface, "Knowledge library"; knowledge/README.md. */
#ifndef VITRINE_NOTE_H
#define VITRINE_NOTE_H
#include "core/role.h"
#include "core/user.h"
#include "core/workspace.h"
#include "knowledge/learning.h"
#include "db/ids.h"

enum {
	NOTES = 20000 /* notes in one workspace */,
	NOTE_BYTES = 256 << 10,
	NOTE_PATH_BYTES = 255,
	NOTE_TITLE = 200,
	NOTE_LINKS = 1000 /* distinct link targets in one note */,
	NOTE_EDITS = 30 /* former texts kept of each note */
};
#define NOTE_LINKED 200 /* backlinks listed */
#define NOTE_PAGES "pages/"
#define NOTE_ORIGINS "learned|human"

/* ---- readers of a note ---- */

#define NOTE_SEEN "(n.artifact_id IS NULL OR " LEARNED_SEEN ")"
/* Joins the artifact and role of the note `n`. */
#define NOTE_TABLES \
	" LEFT JOIN artifact a ON a.id = n.artifact_id AND a.workspace_id = n.workspace_id" \
	    ROLE_TABLES("s.user_id")
#define NOTE_PATH "COALESCE(n.path, CONCAT('" NOTE_PAGES "', a.slug, '.md'))"

/* ---- shapes ---- */

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

/* The present text of a page whose note people have changed. */
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

/* Returns a note with its links. E_NOT_FOUND: none that the caller may read. A learned note is
 * found by each slug that its artifact has or had. */
enum err note_get(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *path, struct note **out);
/* Returns a note without links. *out is NULL if there is none that the caller may read. */
enum err note_find(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *path, struct note **out);
/* Lists notes that link to an entry of the data catalog (core/mention.h) and that the caller may
 * read, by title; at most NOTE_LINKED. */
enum err notes_mentioning(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *entry_id, struct note_head_list *out);
/* Counts the notes that the caller may read. */
enum err note_counts(struct ctx *c, const struct workspace *, const struct principal *who,
    struct note_counts **out);
/* Returns the path of the note's page: /w/{ws}/notes/<page>/<path>. */
const char *note_page_path(
    struct ctx *c, const char *workspace_id, const char *page, const char *path);
/* Checks and normalizes a note's path. E_INVALID, beginning with `where`: it breaks the rules of
 * published paths, exceeds NOTE_PATH_BYTES, or doesn't end in .md. */
enum err note_path_check(struct ctx *c, const char *where, const char **path);

/* ---- people's writing ---- */

/* Writes a note. old: the result of note_find(); NULL creates a note. The old text is kept in
 * the history. The same text again changes nothing. E_INVALID: a wrong path, a path below
 * NOTE_PAGES, or too many links. E_CONFLICT: another note's path looks the same; the message
 * names it. E_FILE_TOO_LARGE, E_LIMIT_REACHED. */
enum err note_write(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct note *old, const char *path, struct bytes content);
/* Writes the rows made from a note's text again. Runs its own transaction. */
enum err note_mend(struct ctx *c, const char *workspace_id, const char *id, const char *content);
/* Returns the page's present text. *out is NULL if the note has that text, or the page wasn't
 * learned since somebody changed the note. */
enum err note_newer_get(struct ctx *c, const struct note *, struct note_newer **out);
/* Replaces the note's text by the page's. Learning updates the note again from now on. The old
 * text is kept in the history. */
enum err note_newer_take(
    struct ctx *c, const struct workspace *, const struct note *, const struct note_newer *);
/* Deletes the note with its history. Links to it stay, without a target. */
enum err note_remove(struct ctx *c, const struct workspace *, const struct note *);

/* ---- learning ---- */

struct learned {
	const char *workspace_id, *artifact_id;
	int64_t version_no;
	const char *title;   /* cut at NOTE_TITLE characters */
	const char *content; /* UTF-8, at most NOTE_BYTES */
};
enum note_learned {
	NOTE_WRITTEN, /* new, or the text changed */
	NOTE_SAME,    /* same text; only the version was recorded */
	/* people have changed the note; the text is kept beside it (note_newer_get()) */
	NOTE_KEPT
};
/* Writes a learned note within the caller's transaction. The caller has locked the artifact's
 * row and checked that it is live in the workspace. This function locks the workspace's row.
 * Links beyond NOTE_LINKS are ignored. E_LIMIT_REACHED: the workspace has NOTES; the message is
 * for people. */
enum err note_learn(struct ctx *c, const struct learned *, enum note_learned *did);
/* Deletes the note of a page that has no text any more, unless people have ever changed it.
 * Locks like note_learn(). *there: there was a note. *kept: it stays. */
enum err note_unlearn(struct ctx *c, const char *workspace_id, const char *artifact_id, bool *there,
    bool *kept);
#endif
