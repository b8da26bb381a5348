/* SPDX-License-Identifier: Apache-2.0
 * The only place that says what a value of a file is: which types it may have, and its JSON and key
 * in a column of a type. The check and the storing both ask it, so what is stored is what the
 * preview showed. */
#ifndef VITRINE_IMPORT_VALUE_H
#define VITRINE_IMPORT_VALUE_H
#include "base/typed.h"
#include "import/reader.h"

/* Bits that say what a value may be. */
enum {
	MAY_WHOLE = 1 << 0,   /* digits alone */
	MAY_POINT = 1 << 1,   /* a number with a decimal point: 1,260.00 */
	MAY_COMMA = 1 << 2,   /* a number with a decimal comma: 1.260,00 */
	MAY_POINT_WHOLE = 1 << 3, /* read so, it has no fraction */
	MAY_COMMA_WHOLE = 1 << 4,
	HAS_MARK = 1 << 5,    /* a point or comma */
	MAY_YMD = 1 << 6,     /* a date, in this order */
	MAY_DMY = 1 << 7,
	MAY_MDY = 1 << 8,
	MAY_TIME = 1 << 9,    /* with a date, in the order that the bits above tell */
	MAY_DATE = 1 << 10,   /* without a time of day */
	HAS_ZONE = 1 << 11,   /* a time with its offset */
	MAY_YES = 1 << 12,
	MAY_NO = 1 << 13,
	MAY_BOOL = 1 << 14,   /* true or false, which need no partner */
	MAY_JSON = 1 << 15,   /* an array or object */
	MAY_NULL = 1 << 16,   /* NULL, NA, n/a, #N/A, -, none */
	IS_CODE = 1 << 17,    /* a leading 0 or +, or more than 18 digits: keeps a column text */
	IS_ROW = 1 << 18,     /* the id of a row */
	IS_STRING = 1 << 19,  /* marked as a text by the format */
	VALUE_BITS = 20
};
/* Returns the bits of a value that isn't GIVEN_NONE. */
unsigned value_bits(void *owner, const struct given *);

/* How the values of a column are read. */
struct reading {
	char decimal;             /* '.' or ',' */
	enum date_order order;
	const struct zone *zone;  /* of times without one; NULL: UTC */
	struct strs nulls;        /* texts that mean no value */
	struct strs choices;      /* of CELL_CHOICE */
	bool blanks_null;         /* an empty text means no value */
};
/* A value to store. */
struct value {
	const char *json; /* "null" for no value */
	struct bytes key; /* n 0: no value */
};
/* Reads a value for a column of that type. Returns NULL, or why it doesn't fit ("isn't a number").
 * The result belongs to owner, or to the value. */
const char *value_read(struct ctx *c, enum cell_type, const struct reading *,
    const struct given *, struct value *out);
#endif
