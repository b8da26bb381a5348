/* SPDX-License-Identifier: Apache-2.0
 * Words that differ by a letter or two. What both are without some letters is the same, so a word
 * is kept under what is left of it (search_near), and looked for by what is left of what was
 * typed; then the letters are compared. A letter that is missing, too many, another, or swapped
 * with the next is one typo. Words of four letters and more may have one, of eight two; what has
 * digits none, since another number is another thing. */
#ifndef VITRINE_NEAR_H
#define VITRINE_NEAR_H
#include "base/shape.h"

enum { NEAR_FORMS = 29 }; /* at most */

/* What the word is kept under, each once, rising: a word of 4 to 7 letters itself, and without any
 * one; a longer one its first seven without any two. Nothing for one that may have no typo. */
struct strs near_kept(void *owner, const char *word);
/* What to look for to find the words near it. */
struct strs near_asked(void *owner, const char *word);
/* How many typos lie between what was asked for and the word; with begun, between that and how the
 * word begins, from seven letters on. NEAR_NOT: too many. */
enum { NEAR_NOT = 9 };
unsigned near_typos(const char *asked, const char *word, bool begun);
#endif
