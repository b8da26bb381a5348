/* SPDX-License-Identifier: Apache-2.0
 * Tables in files: CSV (base/csv.h, in UTF-8, or in UTF-16 with a byte order mark), JSON
 * (an array of objects, or one as "rows") and lines of JSON. */
#ifndef VITRINE_CLI_TABLEFILE_H
#define VITRINE_CLI_TABLEFILE_H
#include "cli/cli.h"

/* A value that stands in a file. */
struct tablefile_value {
	const char *text;        /* of CSV; NULL: nothing stands there */
	const struct json *json; /* of the others; NULL: nothing */
	bool quoted;             /* "" is an empty text, nothing is none */
};
struct tablefile_column {
	const char *head;         /* as the file names it */
	const char *name, *type;  /* as a table can have it; type is guessed from all values */
	unsigned seen;            /* of CSV (data/csvcell.h) */
	bool left_out;
};
struct tablefile {
	struct tablefile_column *columns;
	size_t column_n;
	struct tablefile_value *values; /* row after row */
	size_t *lines;            /* where each row begins, from 1; of a JSON array, its number */
	size_t row_n;
	bool counts_lines;
	char separator; /* of CSV */
};
/* What `lines` counts: "line" or "row" */
const char *tablefile_unit(const struct tablefile *);
/* By the name's end: .csv, .json, .ndjson or .jsonl. false after saying what is wrong, and in which
 * line. */
bool tablefile_read(struct cli *, const char *path, struct tablefile *out);
/* The rows from `from` on, as the service takes them, of at most `rows` and some `bytes`; *n is how
 * many. What CSV has becomes what the type of its column says. */
const char *tablefile_rows(struct cli *, const struct tablefile *, size_t from, size_t rows,
    size_t bytes, size_t *n);
#endif
