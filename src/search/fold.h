/* SPDX-License-Identifier: Apache-2.0
 * The words of a text, in the form in which they are kept and looked for: what people take for the
 * same is the same (base/unicode.h, unicode_letters()). */
#ifndef VITRINE_FOLD_H
#define VITRINE_FOLD_H
#include <stddef.h>

/* Of a name or a short text, of a page's text, of a word; what is beyond is left out. */
enum { FOLD_WORDS = 64, FOLD_PAGE_WORDS = 4000, FOLD_LETTERS = 64 };

enum word_kind {
	WORD_WHOLE, /* all between two characters that are neither letter nor digit */
	WORD_PART,  /* of one, by its cases and digits: "Q3Report" is also q, 3, report */
	WORD_PAIR,  /* two neighbors of a script without spaces; "東京都" is 東京, 京都 */
	WORD_TAIL   /* the last of these alone, which no pair begins with */
};
struct word {
	const char *text;
	size_t letters;
	enum word_kind kind;
	size_t run; /* parts and pairs of one have its number, rising from 0 */
	size_t from, to; /* its bytes in the text */
};
struct words {
	struct word *v;
	size_t n;
};

/* The first `most` of valid UTF-8. A lone character of a script without spaces is a WORD_TAIL. */
struct words fold(void *owner, const char *text, size_t most);
#endif
