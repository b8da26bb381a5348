/* SPDX-License-Identifier: Apache-2.0
 * What changed from one text to the next, by lines. */
#ifndef VITRINE_NOTEDIFF_H
#define VITRINE_NOTEDIFF_H
#include "base/shape.h"

#define DIFF_LINE(F, T) \
	F(T, WORD, sign, .arg = "same|gone|new|skip", .doc = "skip: lines that are the same") \
	F(T, STR,  line) \
	F(T, INT,  skipped)
SHAPE_DECLARE(diff_line, DIFF_LINE);

/* With three lines around each change. Texts that have little in common are one change. */
void note_diff(void *owner, const char *before, const char *after, struct diff_line_list *out);
#endif
