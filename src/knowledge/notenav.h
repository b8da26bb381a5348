/* SPDX-License-Identifier: Apache-2.0
 * The list beside each page of notes: top folders and notes, and the contents of the open
 * folder. It shows at most NAV_SHOWN entries; the folder's page shows all. */
#ifndef VITRINE_NOTENAV_H
#define VITRINE_NOTENAV_H
#include "knowledge/tree.h"

enum { NAV_SHOWN = 50 };

#define NOTE_NAV(F, T) \
	F(T, OBJ,  entry, .sub = &note_entry_shape) \
	F(T, LIST, subs,  .sub = &note_entry_shape, .doc = "Of the folder that is open") \
	F(T, INT,  more,  .doc = "So many are not shown")
SHAPE_DECLARE(note_nav, NOTE_NAV);

/* Lists the entries directly in a folder ("" is the top), folders first, each with the number of
 * notes below it. */
void note_folder_of(struct ctx *c, const struct note_entry_list *tree, const char *folder,
    struct note_entry_list *out);
/* folder: the open folder; for a note, the folder that contains it. */
void note_nav_of(struct ctx *c, const struct note_entry_list *tree, const char *folder,
    struct list *out);
/* Returns the folder of a path; "" at the top. */
const char *note_folder_path(struct ctx *c, const char *path);
/* Reads the tree and lists what is beside a note. */
enum err note_nav_read(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *path, struct list *out);
struct strs note_crumbs(struct ctx *c, const char *path); /* the folders that it is in */
#endif
