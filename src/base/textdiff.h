/* SPDX-License-Identifier: Apache-2.0
 * The differences between two texts, by lines, and within lines by words. Texts too long to compare
 * count as one change. */
#ifndef VITRINE_TEXTDIFF_H
#define VITRINE_TEXTDIFF_H
#include "base/shape.h"

#define DIFF_LINE(F, T) \
	F(T, WORD, sign, .arg = "same|gone|new|skip", .doc = "skip: lines that are the same") \
	F(T, INT,  was_no, .doc = "Its number in the text before; 0: it isn't there") \
	F(T, INT,  now_no, .doc = "In the text after") \
	F(T, STR,  line,   .flags = F_NUL) \
	F(T, STR,  head,   .flags = F_NUL, \
		.doc = "Of a changed line: what comes before the words that differ") \
	F(T, STR,  said,   .flags = F_NUL, .doc = "These; null: the line has no such words") \
	F(T, STR,  tail,   .flags = F_NUL) \
	F(T, INT,  skipped)
SHAPE_DECLARE(diff_line, DIFF_LINE);

/* Lines of two texts that are the same. Finds the shortest edit (Myers, An O(ND) Difference
 * Algorithm), if at most TEXT_EDITS lines differ. */
struct text_lines {
	struct text_piece {
		const char *p;
		size_t n;
	} *v;
	size_t n;
};
/* Lines keep their ends, so a last line without one differs from one that has it. */
struct text_lines text_lines_split(void *owner, const char *text);
enum { TEXT_EDITS = 3000 };
#define TEXT_UNMATCHED SIZE_MAX
/* match has a place for each line of a, which gets the number of its line in b, or TEXT_UNMATCHED.
 * Returns false if more lines differ; then only the common beginning and end are matched. */
bool text_match(
    void *owner, const struct text_lines *a, const struct text_lines *b, size_t *match);

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
/* Likewise for the line that a refusal's details name: {"line":12}. *line is its number, or 0. */
struct list text_mistake(struct ctx *c, const char *text, int64_t *line, int64_t *first);
#endif
