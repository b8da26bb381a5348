/* SPDX-License-Identifier: Apache-2.0
 * Words that differ by one or two letters. Two words are compared if they are equal without some
 * letters: search_near stores each word under these shortened forms. A missing, extra, wrong, or
 * swapped letter is one typo. Words from 4 letters may have one typo, from 8 letters two. A word
 * with a digit may have none: another number is another thing. */
#ifndef VITRINE_NEAR_H
#define VITRINE_NEAR_H
#include "base/shape.h"

enum { NEAR_FORMS = 29 };

/* Returns the forms under which search_near stores a word, sorted, each once. 4 to 7 letters:
 * the word, and the word without any one letter. 8 and more: its first seven letters without any
 * two. Empty if the word may have no typo. */
struct strs near_kept(void *owner, const char *word);
/* Returns the forms under which to look up words like this one. */
struct strs near_asked(void *owner, const char *word);
/* Counts the typos between the typed text and a word. With `begun` and seven or more letters, it
 * may also match only the beginning of the word. Returns NEAR_NOT if there are too many. */
enum { NEAR_NOT = 9 };
unsigned near_typos(const char *asked, const char *word, bool begun);
#endif
