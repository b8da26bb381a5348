/* SPDX-License-Identifier: Apache-2.0
 * Draws lineage as a picture (catalog/lineage-picture.html): boxes in columns, sources on the
 * left, and arrows that pass no box. */
#ifndef VITRINE_LINEAGE_DRAW_H
#define VITRINE_LINEAGE_DRAW_H
#include "base/shape.h"

/* The caller fills the texts. lineage_draw() fills x and y: pixels of the upper left corner. */
#define LINEAGE_BOX(F, T) \
	F(T, STR,  kind) \
	F(T, STR,  name, .doc = "As much of it as the box holds") \
	F(T, STR,  whole) \
	F(T, STR,  href, .doc = "NULL: it leads nowhere") \
	F(T, BOOL, here, .doc = "The page is about it") \
	F(T, STR,  x) \
	F(T, STR,  y)
SHAPE_DECLARE(lineage_box, LINEAGE_BOX);

/* A part of an arrow, between two neighboring columns. tip: its point, or NULL. */
#define LINEAGE_LINE(F, T) \
	F(T, STR, path) \
	F(T, STR, tip)
SHAPE_DECLARE(lineage_line, LINEAGE_LINE);

#define LINEAGE_PICTURE(F, T) \
	F(T, STR,  wide) \
	F(T, STR,  tall) \
	F(T, STR,  box_wide) \
	F(T, STR,  box_tall) \
	F(T, LIST, lines, .sub = &lineage_line_shape) \
	F(T, LIST, boxes, .sub = &lineage_box_shape)
SHAPE_DECLARE(lineage_picture, LINEAGE_PICTURE);

/* An arrow between two boxes, by their indexes. */
struct lineage_arrow {
	size_t from, to;
};

enum { LINEAGE_DRAWN = 60 }; /* maximum number of boxes in a picture; later ones are left out */

/* Draws the boxes and arrows. Leaves out arrows from a box to itself and to boxes that aren't
 * drawn. In a circle, the arrows that close it point left. `owner` owns the result. */
struct lineage_picture *lineage_draw(void *owner, const struct lineage_box_list *,
    const struct lineage_arrow *arrows, size_t arrow_n);
#endif
