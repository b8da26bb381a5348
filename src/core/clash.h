/* SPDX-License-Identifier: Apache-2.0
 * Editors of a text, where somebody else may save meanwhile: whoever comes second is shown the
 * other text with what differs, beside their own, which isn't saved yet, and keeps one of them.
 * What was typed is shown again, too, where somebody has deleted the text. A page shows it by the
 * templates text-clash, above its form, and text-theirs, beside it. */
#ifndef VITRINE_CLASH_H
#define VITRINE_CLASH_H
#include "base/textdiff.h"
#include "core/user.h"

#define CLASH(F, T) \
	F(T, STR,  keep_url,   .doc = "Where the other text is") \
	F(T, LIST, lines,      .sub = &diff_line_shape, \
		.doc = "Of it; new: not in what was typed") \
	F(T, TIME, changed_at) \
	F(T, OBJ,  changed_by, .sub = &ws_user_shape)
SHAPE_DECLARE(clash, CLASH);

#define TEXT_EDITED(F, T) \
	F(T, STR,  what,  .doc = "It is called: note, file, entry") \
	F(T, STR,  seen,  .doc = "What of it was there when the page was made; NULL: it is new") \
	F(T, BOOL, lost,  .doc = "Somebody has deleted it meanwhile") \
	F(T, OBJ,  clash, .sub = &clash_shape)

/* seen NULL, as of a form of somebody's own: never. The same text is no clash. */
bool text_clashes(const char *seen, const char *is, const char *typed, const char *theirs);
struct clash *clash_of(struct ctx *, const char *keep_url, const char *theirs, const char *typed,
    int64_t changed_at, void *changed_by);
#endif
