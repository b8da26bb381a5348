/* SPDX-License-Identifier: Apache-2.0
 * A workspace's notes as a tree that the caller may read. Folders are parts of paths, so none is
 * empty. */
#ifndef VITRINE_TREE_H
#define VITRINE_TREE_H
#include "knowledge/note.h"

#define NOTE_ENTRY(F, T) \
	F(T, STR,  path) \
	F(T, WORD, type,       .arg = "file|folder") \
	F(T, STR,  title,      .flags = F_NUL, .doc = "null, as all below, of a folder") \
	F(T, INT,  size,       .flags = F_NUL) \
	F(T, WORD, origin,     .flags = F_NUL, .arg = NOTE_ORIGINS) \
	F(T, BOOL, edited,     .flags = F_NUL) \
	F(T, TIME, updated_at, .flags = F_NUL) \
	F(T, STR,  etag,       .flags = F_NUL, .doc = "Of the note as markdown, for If-Match") \
	F(T, INT,  notes,      .flags = F_HID, .doc = "In a folder: note_folder_of() counts them")
SHAPE_DECLARE(note_entry, NOTE_ENTRY);

/* Returns all notes and folders that the caller may read, sorted by path. */
enum err note_tree(struct ctx *c, const struct workspace *, const struct principal *who,
    struct note_entry_list *out);
#endif
