/* SPDX-License-Identifier: Apache-2.0
 * Checks that the rows about notes agree with their texts. */
#ifndef VITRINE_NOTECHECK_H
#define VITRINE_NOTECHECK_H
#include "db/db.h"

#define NOTE_ODD(F, T) \
	F(T, ID,  id, .arg = "note_") \
	F(T, STR, why)
SHAPE_DECLARE(note_odd, NOTE_ODD);

enum { NOTES_ODD = 100 /* notes named at most */ };
/* Checks all notes against their texts, in pieces; each frees its memory. With `mend`, corrects
 * their rows. For fsck and reproject. */
enum err note_check(struct ctx *c, bool mend, struct note_odd_list *out);
#endif
