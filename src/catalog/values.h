/* SPDX-License-Identifier: Apache-2.0
 * What the columns of a table hold, told of the newest rows that somebody may read: so many and no
 * more, however many the table has. */
#ifndef VITRINE_CATALOG_VALUES_H
#define VITRINE_CATALOG_VALUES_H
#include "data/table.h"

enum {
	VALUES_ROWS = 1000,
	VALUES_BYTES = 1 << 20, /* of them; the piece that passes this is the last */
	VALUES_OFTEN = 3,
	VALUES_SHOWN = 40 /* characters of a text */
};

struct column_values {
	const char *name, *type;
	size_t filled, different;
	const char *least, *most; /* as rows have them; NULL: of no order, or all are empty */
	struct value_often {
		const char *text;
		size_t n;
	} often[VALUES_OFTEN]; /* the most frequent first; of a type that is shown */
	size_t often_n;
};
struct table_values {
	struct column_values *v; /* in the table's order */
	size_t n;
	size_t rows; /* that were read */
	bool more;   /* there may be others */
	bool whole;  /* they may read all */
};
/* Nothing (n is 0) of a table that is not there for them. */
enum err table_values(struct ctx *c, const char *artifact_id, const char *table,
    const struct principal *who, struct table_values *out);
#endif
