/* SPDX-License-Identifier: Apache-2.0
 * Search results with marks around the matches. The marks are characters that no text contains;
 * templates escape every value, and their format `marks` writes marks as HTML. */
#ifndef VITRINE_MARKED_H
#define VITRINE_MARKED_H
#include <stdbool.h>

/* These two characters enclose a match. */
#define MARKS "\2\3"

/* Returns text with marks around the bytes for which on[] is true. */
const char *marked_text(void *owner, const char *text, const bool *on);
/* Returns a text with marks as HTML, with <mark> elements. */
const char *marked_html(void *owner, const char *marked);
#endif
