/* SPDX-License-Identifier: Apache-2.0
 * Splits a text into words in the form in which the index stores and compares them. Spellings
 * that people take for the same become equal (base/unicode.h, unicode_letters()). */
#ifndef VITRINE_FOLD_H
#define VITRINE_FOLD_H
#include "base/shape.h"

/* Limits: words of a name or short text, words of a page's text, letters of a word. fold() drops
 * the rest. */
enum { FOLD_WORDS = 64, FOLD_PAGE_WORDS = 4000, FOLD_LETTERS = 64 };

enum word_kind {
	WORD_WHOLE, /* everything between two characters that are neither letter nor digit */
	/* a piece of a whole word, split at capitals and digits: "Q3Report" gives q, 3, report */
	WORD_PART,
	WORD_PAIR,  /* two neighbors of a script without spaces: "東京都" gives 東京 and 京都 */
	WORD_TAIL   /* the last character of such a run, which begins no pair */
};
struct word {
	const char *text;
	size_t letters;
	enum word_kind kind;
	size_t run; /* counts up from 0; all parts or pairs of one run of letters share it */
	size_t from, to; /* first byte and the byte after the last, in the text */
};
struct words {
	struct word *v;
	size_t n;
};

/* Returns the first `most` words of the text, which must be valid UTF-8. `owner` owns them. A
 * lone character of a script without spaces is a WORD_TAIL. */
struct words fold(void *owner, const char *text, size_t most);
/* Sorts the strings and removes repeated ones, in place. */
void strs_sort_unique(struct strs *);
#endif
