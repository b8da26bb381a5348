/* SPDX-License-Identifier: Apache-2.0
 * The list beside each page of notes: top folders and notes, and the contents of the open
 * folder. It shows at most NAV_SHOWN entries; the folder's page shows all. */
#ifndef VITRINE_NOTENAV_H
#define VITRINE_NOTENAV_H
#include "knowledge/tree.h"

enum { NAV_SHOWN = 50 };

#define NOTE_NAV_SUB(F, T) \
	F(T, STR,  sub_name) \
	F(T, STR,  sub_url) \
	F(T, INT,  sub_count, .doc = "Notes in it, of a folder") \
	F(T, BOOL, sub_folder) \
	F(T, BOOL, sub_here)
SHAPE_DECLARE(note_nav_sub, NOTE_NAV_SUB);

#define NOTE_NAV(F, T) \
	F(T, STR,  nav_name) \
	F(T, STR,  nav_url) \
	F(T, INT,  nav_count) \
	F(T, BOOL, nav_folder) \
	F(T, BOOL, nav_here) \
	F(T, LIST, nav_subs,  .sub = &note_nav_sub_shape, .doc = "Of the folder that is open") \
	F(T, INT,  nav_more,  .doc = "So many are not shown")
SHAPE_DECLARE(note_nav, NOTE_NAV);

/* The entries directly in a folder ("" is the top). notes[i] counts the notes below entry i if
 * it is a folder. */
struct note_folder {
	const struct note_entry **v;
	int64_t *notes;
	size_t n;
};
void note_folder_of(
    struct ctx *c, const struct note_entry_list *tree, const char *folder, struct note_folder *out);
/* here: path of the note or folder that the page shows, or NULL. folder: the open folder; for a
 * note, the folder that contains it. */
void note_nav_of(struct ctx *c, const struct workspace *, const struct note_entry_list *tree,
    const char *folder, const char *here, struct list *out);
const char *note_folder_url(struct ctx *c, const struct workspace *, const char *folder);
/* Returns the address of the folder's or note's page. */
const char *note_entry_url(struct ctx *c, const struct workspace *, const struct note_entry *);
const char *note_entry_name(const struct note_entry *);
/* Returns the folder of a path; "" at the top. */
const char *note_folder_path(struct ctx *c, const char *path);
#endif
