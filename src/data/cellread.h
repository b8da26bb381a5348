/* SPDX-License-Identifier: Apache-2.0
 * Texts as people write values, read as values of a column's type. Source: data/README.md. */
#ifndef VITRINE_CELLREAD_H
#define VITRINE_CELLREAD_H
#include "data/cell.h"

struct zone;

#define CELL_READ(F, T) \
	F(T, WORD, decimal,    .arg = "point|comma", .doc = "Of numbers; by default point. The " \
		"other one, spaces, and apostrophes may stand between thousands") \
	F(T, WORD, date_order, .arg = "ymd|dmy|mdy", \
		.doc = "Of dates such as 3.4.2026; absent: only 2026-04-03 is a date") \
	F(T, STR,  zone,       .lo = 1, .hi = 64, \
		.doc = "Of times without an offset, such as Europe/Berlin") \
	F(T, STRS, yes,        .item_lo = 1, .item_hi = 64, .hi = 20, \
		.doc = "Words for true, in any case; by default those of imports (yes, ja, oui, " \
		       "sí, true), and 1") \
	F(T, STRS, no,         .item_lo = 1, .item_hi = 64, .hi = 20, \
		.doc = "By default those of imports (no, nein, non, false), and 0")
SHAPE_DECLARE(cell_read, CELL_READ);

/* How texts are read. */
struct cell_reading {
	const struct cell_read *how;
	const struct zone *zone; /* NULL: none is given */
};
/* E_INVALID: there is no such zone. how: may be NULL. */
enum err cell_reading_make(
    struct ctx *c, const struct cell_read *how, struct cell_reading *out);

/* Writes a value as JSON for a column of another type. An empty text becomes null, but for columns
 * of texts and JSON. *empty: it is null. Returns false if it isn't a value of that type. Ids of
 * rows aren't looked for. */
bool cell_convert(struct ctx *c, const struct cell_column *to, const struct cell_reading *,
    const struct json *, struct buf *out, bool *empty);
#endif
