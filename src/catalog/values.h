/* SPDX-License-Identifier: Apache-2.0
 * A summary of a table's columns from the newest rows that somebody may read: at most
 * VALUES_ROWS and about VALUES_BYTES. */
#ifndef VITRINE_CATALOG_VALUES_H
#define VITRINE_CATALOG_VALUES_H
#include "data/table.h"

enum {
	VALUES_ROWS = 1000,
	/* bytes of the rows; reading stops after the piece that exceeds this */
	VALUES_BYTES = 1 << 20,
	VALUES_OFTEN = 3,
	VALUES_SHOWN = 40 /* characters of a text */
};

struct column_values {
	const char *name, *type;
	size_t filled, different;
	/* in the row's format; NULL: the type has no order, or all values are empty */
	const char *least, *most;
	struct value_often {
		const char *text;
		size_t n;
	} often[VALUES_OFTEN]; /* the most frequent first; empty for type json */
	size_t often_n;
};
struct table_values {
	struct column_values *v; /* in the table's order */
	size_t n;
	size_t rows; /* rows that were read */
	bool more;   /* there may be more rows */
	bool whole;  /* the reader may read all rows */
};
/* Reads the newest rows and summarizes each column. out->n is 0 if `who` may not read the table. */
enum err table_values(struct ctx *c, const char *artifact_id, const char *table,
    const struct principal *who, struct table_values *out);
/* Fills `values`, `often` and `empty`, words for people, of each struct catalog_column in the list
 * that the table has. */
void values_say(void *owner, const struct table_values *, const struct list *columns);
#endif
