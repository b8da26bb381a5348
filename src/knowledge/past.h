/* SPDX-License-Identifier: Apache-2.0
 * Former texts of a note. A text is kept when a person changes it, at most NOTE_EDITS for each
 * note. Texts that learning replaces are in the page's versions. */
#ifndef VITRINE_PAST_H
#define VITRINE_PAST_H
#include "knowledge/note.h"

#define NOTE_PAST(F, T) \
	F(T, INT,  no,         .doc = "Rises with each change") \
	F(T, TIME, at,         .doc = "Since when it said that") \
	F(T, OBJ,  by,         .flags = F_NUL, .sub = &ws_user_shape, \
		.doc = "null: learning, or their account has been deleted") \
	F(T, BOOL, learned,    .doc = "As it was learned") \
	F(T, BOOL, current) \
	F(T, INT,  size) \
	F(T, STR,  content,    .flags = F_OPT, .doc = "With no, of the one that was asked for")
SHAPE_DECLARE(note_past, NOTE_PAST);

/* Lists the texts without contents; the present one comes first. */
enum err note_past_list(struct ctx *c, const struct note *, struct note_past_list *out);
/* Returns one text with its content. E_NOT_FOUND: no such number. */
enum err note_past_get(struct ctx *c, const struct note *, int64_t no, struct note_past **out);
#endif
