/* SPDX-License-Identifier: Apache-2.0
 * Search results with marks around the matches. The marks are characters that no text contains;
 * templates escape every value. */
#ifndef VITRINE_MARKED_H
#define VITRINE_MARKED_H
#include "base/shape.h"

/* These two characters enclose a match. */
#define MARKS "\2\3"

/* Returns the text with marks around the bytes for which on[] is true. */
const char *marked_text(void *owner, const char *text, const bool *on);

#define MARKED_PIECE(F, T) \
	F(T, STR,  text) \
	F(T, BOOL, hit, .doc = "It was searched for")
SHAPE_DECLARE(marked_piece, MARKED_PIECE);
/* Splits a marked text. */
struct list marked_pieces(void *owner, const char *marked);
#endif
