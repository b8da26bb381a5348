/* SPDX-License-Identifier: Apache-2.0
 * Reads tables from files: CSV (base/csv.h; UTF-8, or UTF-16 with a byte order mark), JSON (an
 * array of objects, or an object with one in "rows") and JSON lines. */
#ifndef VITRINE_CLI_TABLEFILE_H
#define VITRINE_CLI_TABLEFILE_H
#include "cli/cli.h"

struct tablefile_value {
	const char *text;        /* of CSV; NULL: no value */
	const struct json *json; /* of the other formats; NULL: no value */
	bool quoted;             /* of CSV: "" is an empty text, an empty field is no value */
};
struct tablefile_column {
	const char *head;        /* its name in the file */
	const char *name, *type; /* its name and type in a table; type is guessed from all values */
	unsigned seen;           /* forms of its values, of CSV (data/csvcell.h) */
	bool left_out;           /* the column isn't sent */
};
struct tablefile {
	struct tablefile_column *columns;
	size_t column_n;
	struct tablefile_value *values; /* row after row */
	size_t *lines; /* the line of each row, from 1; for a JSON array, its number */
	size_t row_n;
	bool counts_lines; /* lines has lines; else numbers of rows */
	char separator;    /* of CSV */
};
/* Returns what `lines` counts: "line" or "row". */
const char *tablefile_unit(const struct tablefile *);
/* Reads a file by its ending: .csv, .json, .ndjson or .jsonl. Returns false after saying what is
 * wrong, and in which line. */
bool tablefile_read(struct cli *, const char *path, struct tablefile *out);
/* Whether any row has a value in this column. */
bool tablefile_says(const struct tablefile *, size_t column);
/* Returns rows from `from` on as the API's JSON: at most `rows`, and no more after `bytes` bytes.
 * *n is their number. A value of CSV is written as its column's type. */
const char *tablefile_rows(struct cli *, const struct tablefile *, size_t from, size_t rows,
    size_t bytes, size_t *n);
#endif
