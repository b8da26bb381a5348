/* SPDX-License-Identifier: Apache-2.0
 * Whether what is kept of notes is what their texts say. */
#ifndef VITRINE_NOTECHECK_H
#define VITRINE_NOTECHECK_H
#include "db/db.h"

#define NOTE_ODD(F, T) \
	F(T, ID,  id, .arg = "note_") \
	F(T, STR, why)
SHAPE_DECLARE(note_odd, NOTE_ODD);

enum { NOTES_ODD = 100 /* are named at most */ };
/* For fsck: every note, some at a time, in memory that each such piece gives back. For reproject,
 * with mend, they are right afterwards. */
enum err note_check(struct ctx *c, bool mend, struct note_odd_list *out);
#endif
