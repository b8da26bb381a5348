/* SPDX-License-Identifier: Apache-2.0
 * Texts in which what was searched for is marked, by characters that no text has: templates write
 * no value without escaping it. */
#ifndef VITRINE_MARKED_H
#define VITRINE_MARKED_H
#include "base/shape.h"

/* These two characters enclose a match. */
#define MARKS "\2\3"

/* The text with marks around the bytes for which on[] is true. */
const char *marked_text(void *owner, const char *text, const bool *on);

#define MARKED_PIECE(F, T) \
	F(T, STR,  text) \
	F(T, BOOL, hit, .doc = "It was searched for")
SHAPE_DECLARE(marked_piece, MARKED_PIECE);
/* Of what that gives. */
struct list marked_pieces(void *owner, const char *marked);
#endif
