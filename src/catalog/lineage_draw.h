/* SPDX-License-Identifier: Apache-2.0
 * Where data comes from and where it goes, as a picture (catalog/lineage-picture.html): boxes in
 * columns, what something comes from left of it, and arrows that pass no box. Drawn without a
 * program for graphs, since columns, an order in each, and a place in that order are all it takes.
 */
#ifndef VITRINE_LINEAGE_DRAW_H
#define VITRINE_LINEAGE_DRAW_H
#include "base/shape.h"

/* What stands in a box is the caller's. Its place is drawn: pixels of the left upper corner. */
#define LINEAGE_BOX(F, T) \
	F(T, STR,  kind) \
	F(T, STR,  name, .doc = "As much of it as the box holds") \
	F(T, STR,  whole) \
	F(T, STR,  href, .doc = "NULL: it leads nowhere") \
	F(T, BOOL, here, .doc = "The page is about it") \
	F(T, STR,  x) \
	F(T, STR,  y)
SHAPE_DECLARE(lineage_box, LINEAGE_BOX);

/* A part of an arrow, from one column to the next; tip: its point, or NULL. */
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

/* From one of the boxes to another, by their places in the list. */
struct lineage_arrow {
	size_t from, to;
};

enum { LINEAGE_DRAWN = 60 }; /* boxes that a picture shows at most: the first of those given */

/* An arrow to itself isn't drawn, nor one from or to a box that isn't. Arrows that go round in a
 * circle are: those that close it point left. */
struct lineage_picture *lineage_draw(void *owner, const struct lineage_box_list *,
    const struct lineage_arrow *arrows, size_t arrow_n);
#endif
