/* SPDX-License-Identifier: Apache-2.0
 * The differences between two texts, by lines, and within lines by words. Texts too long to compare
 * count as one change. */
#ifndef VITRINE_TEXTDIFF_H
#define VITRINE_TEXTDIFF_H
#include "base/shape.h"

#define DIFF_LINE(F, T) \
	F(T, WORD, sign, .arg = "same|gone|new|skip", .doc = "skip: lines that are the same") \
	F(T, STR,  line) \
	F(T, STR,  head, .doc = "Of a changed line: what comes before the words that differ") \
	F(T, STR,  said, .doc = "These; NULL: the line has no such words") \
	F(T, STR,  tail) \
	F(T, INT,  skipped)
SHAPE_DECLARE(diff_line, DIFF_LINE);

/* Returns all lines of both texts. Within a change the removed lines come first. */
void text_diff(void *owner, const char *before, const char *after, struct diff_line_list *out);
/* Keeps three lines around each change and replaces the rest by "skip" rows. Empty if nothing
 * differs. */
void text_diff_fold(void *owner, const struct diff_line_list *all, struct diff_line_list *out);

/* Two texts side by side. */
#define DIFF_PAIR(F, T) \
	F(T, WORD, row, .arg = "same|other|skip") \
	F(T, OBJ,  was, .sub = &diff_line_shape, .doc = "NULL: there is no such line") \
	F(T, OBJ,  now, .sub = &diff_line_shape) \
	F(T, INT,  left_out)
SHAPE_DECLARE(diff_pair, DIFF_PAIR);
void text_diff_pairs(
    void *owner, const struct diff_line_list *lines, struct diff_pair_list *out);

#define TEXT_LINE(F, T) \
	F(T, STR,  text) \
	F(T, BOOL, marked)
SHAPE_DECLARE(text_line, TEXT_LINE);
/* Returns a list of struct text_line: the line with this number, marked, and two around it. *first
 * is the number of the first. Empty if there is no such line. */
struct list text_lines_around(void *owner, const char *text, int64_t line, int64_t *first);
#endif
