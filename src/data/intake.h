/* SPDX-License-Identifier: Apache-2.0
 * Imports rows into a table from JSON (an array of objects, or an object with such an array as its
 * member "rows"), NDJSON, CSV with column names in the first line, or a database. A text is read
 * twice, in pieces: first for columns and types, then for rows. Rows of a database are read once,
 * because columns and types are known.
 *
 * To replace a table, we fill another one and then give it the table's name. Readers see either the
 * old or the new rows, and writers wait for one commit. Names are made valid ("First name" becomes
 * First_name, "id" id_). Existing columns keep their type, which values must fit. New columns are
 * added.
 *
 * A person's CSV is an open file of any length. The table's rules apply to its rows. It creates a
 * table or adds to one that has its columns. Row ids of an export are left out; a column "id" with
 * other values becomes id_2. Source: data/README.md. */
#ifndef VITRINE_INTAKE_H
#define VITRINE_INTAKE_H
#include "data/csvcell.h"
#include "data/row.h"
#include "store/csvfile.h"

#define INTAKE_FORMATS "json|ndjson|csv"
enum intake_format { INTAKE_JSON, INTAKE_NDJSON, INTAKE_CSV, INTAKE_ROWS /* from a database */ };
/* Finds the format by Content-Type (may be NULL), else by the end of the address's path. False
 * if neither tells. */
bool intake_format_of(
    void *owner, const char *type, const char *url, enum intake_format *out);

/* Limits of a person's CSV file, and of one that isn't UTF-8, which is converted in memory. */
enum { INTAKE_FILE_BYTES = 50 << 20, INTAKE_CONVERT_BYTES = 16 << 20 };

struct intake {
	enum intake_format format;
	const char *text;
	size_t n, rows, column_n;
	struct span file;            /* used instead of text for INTAKE_ROWS and a person's CSV */
	const struct principal *who; /* whose file it is; NULL: a job's */
	struct intake_column {
		const char *head;  /* in the text */
		const char *name;  /* in the table; NULL: left out */
		bool known;        /* `type` is set: some row has a value */
		bool ids;          /* all values so far are row ids of an export */
		enum cell_type type;
		unsigned seen;     /* for CSV (data/csvcell.h) */
	} columns[CELL_SLOTS + 1];
	/* Set by intake_stage(): the existing table, and the one that will replace it. staged is
	 * NULL if rows are to be added. */
	const char *table;
	struct data_table *old, *staged;
	/* differences from the existing table, such as "column note is gone"; NULL: none, or not
	 * INTAKE_ROWS */
	const char *changed;
	char separator;      /* of CSV */
	const char *charset; /* the charset from which a person's file was converted; NULL: UTF-8 */
	/* Called between batches of intake_stage(), which may take long; may be NULL. */
	void (*between)(void *arg);
	void *arg;
};
/* Reads columns and types of a text. E_INVALID tells the place: "row 3: …", or "line 3: …" for
 * CSV, counted from 1. E_INVALID: more columns than a table can have. E_STORAGE_FULL: more rows. */
enum err intake_read(struct ctx *c, const char *text, size_t n, enum intake_format format,
    struct intake **out);
/* Like intake_read(), for a person's CSV file. */
enum err intake_read_file(struct ctx *c, const struct principal *who, const struct span *file,
    struct intake **out);
/* Reads rows of a database from a file: each line is a JSON array with a value for each column,
 * at most INTAKE_LINE_BYTES long. */
enum { INTAKE_LINE_BYTES = 1 << 20 };
struct intake_known {
	const char *name;
	enum cell_type type;
};
enum err intake_read_rows(struct ctx *c, const struct span *file, size_t rows,
    const struct intake_known *, size_t n, struct intake **out);
/* Lists columns whose names were changed: "Größe is Grosse, id is id_2"; NULL if none were. */
const char *intake_renamed(struct ctx *c, const struct intake *);
/* Returns the rows as a JSON array. */
enum err intake_json(struct ctx *c, const struct intake *, const char **out);

/* Outside a transaction: fills a table beside `table`, to replace it or if it doesn't exist.
 * Else it only checks that the rows can be added. The runner deletes the new table unless
 * intake_keep() commits within 15 minutes. E_INVALID names the row and column of a value that
 * doesn't fit. */
enum err intake_stage(struct ctx *c, const struct artifact *a, const char *table, bool replace,
    struct intake *);
/* Checks that the rows can be added to an existing table. E_INVALID: its columns don't match.
 * E_STORAGE_FULL. */
enum err intake_into(struct ctx *c, const struct table_for *tf, struct intake *);
/* In a transaction, as its last statement: shows the staged table, or adds the rows.
 * E_STORAGE_FULL. E_CONFLICT: somebody changed the table's columns meanwhile. */
enum err intake_keep(struct ctx *c, const struct artifact *a, const struct intake *);

/* ---- between the files of this folder ---- */

struct intake_scan {
	const struct intake *in;
	const char *p, *end;
	struct csv_file csv;
	struct span rest; /* INTAKE_ROWS: the part of the file that isn't in `piece` yet */
	char *piece;
	size_t row; /* number of rows read */
	size_t places[ROWS_AT_ONCE]; /* row or line number in the text of each row of the batch */
};
enum err intake_begin(struct ctx *c, const struct intake *, struct intake_scan *out);
enum { INTAKE_BATCH_BYTES = 1 << 20 };
/* Reads the next rows as a JSON array of objects with the columns' names: at most ROWS_AT_ONCE
 * rows and about INTAKE_BATCH_BYTES. *n is 0 at the end. */
enum err intake_batch(struct ctx *c, struct intake_scan *, const char **array, size_t *n);
/* Says how many rows were imported, and what was assumed. */
const char *intake_told(struct ctx *c, const struct intake *);
#endif
