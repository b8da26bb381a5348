/* SPDX-License-Identifier: Apache-2.0
 * Detects that two people edit the same text. The second one to save sees the other text, the
 * differences, and their own unsaved text, and chooses one. If somebody has deleted the text
 * meanwhile, the form still shows what they typed. The template text-clash comes above the page's
 * form, text-theirs beside it. */
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

/* The form of a text. A new one has a name, in the field that its page calls so. */
#define TEXT_TYPED(F, T) \
	F(T, STR, name,    .hi = 100) \
	F(T, STR, note,    .hi = 100) \
	F(T, STR, content, .flags = F_REQ) \
	F(T, STR, seen,    .hi = 100)
SHAPE_DECLARE(text_typed, TEXT_TYPED);

/* True if the text was changed to something else since the form was shown. False if seen is NULL:
 * the form never showed a text. */
bool text_clashes(const char *seen, const char *is, const char *typed, const char *theirs);
struct clash *clash_of(struct ctx *, const char *keep_url, const char *theirs, const char *typed,
    int64_t changed_at, void *changed_by);
#endif
