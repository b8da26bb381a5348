/* SPDX-License-Identifier: Apache-2.0
 * What stands beside each page of notes: the folders and notes at the top, and, of the one that the
 * page is in, what lies in it. Few are shown of many; the folder's own page has all. */
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

/* What lies directly in a folder ("" is the top), as entries of the tree; *notes counts those below
 * each folder. */
struct note_folder {
	const struct note_entry **v;
	int64_t *notes;
	size_t n;
};
void note_folder_of(
    struct ctx *c, const struct note_entry_list *tree, const char *folder, struct note_folder *out);
/* here: the path of the note, or of the folder, that the page is about; NULL: none. folder: the one
 * that is open, which is the note's. */
void note_nav_of(struct ctx *c, const struct workspace *, const struct note_entry_list *tree,
    const char *folder, const char *here, struct list *out);
const char *note_folder_url(struct ctx *c, const struct workspace *, const char *folder);
/* The folder's page, or the note's. */
const char *note_entry_url(struct ctx *c, const struct workspace *, const struct note_entry *);
const char *note_entry_name(const struct note_entry *);
/* The folder of a path; "" at the top. */
const char *note_folder_path(struct ctx *c, const char *path);
#endif
