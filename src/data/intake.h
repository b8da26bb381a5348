/* SPDX-License-Identifier: Apache-2.0
 * Rows that come as a text from another server, for a table of an artifact: JSON (an array of
 * objects, or an object with such an array as its member rows), NDJSON, or CSV whose first line
 * names the columns. A text of 16 MiB is gone through a piece at a time, twice: for its columns,
 * whose types are guessed, then for its rows.
 *
 * A table is replaced by another that is filled beside it and then takes its name, so readers see
 * the rows before or those after, and whoever writes waits for one commit only. Names become such
 * as tables take ("First name" First_name, "id" id_). A column that the table has keeps its type,
 * which the values must fit; others are added. Source: data/README.md.
 *
 * Of what comes from a database the columns and their types are known, so it is gone through once,
 * and what has changed since is told.
 *
 * A person's CSV is an open file of any length, which is read in pieces. Its rows are held against
 * the rules of the table; it makes a table, or adds to one that has its columns already. The ids
 * that an export has are left out; a column id of anything else is kept as id_2. */
#ifndef VITRINE_INTAKE_H
#define VITRINE_INTAKE_H
#include "data/csvcell.h"
#include "data/row.h"
#include "store/csvfile.h"

#define INTAKE_FORMATS "json|ndjson|csv"
enum intake_format { INTAKE_JSON, INTAKE_NDJSON, INTAKE_CSV, INTAKE_ROWS /* of a database */ };
/* By a Content-Type (NULL: none), else by how the path of the address ends. False: neither says. */
bool intake_format_of(
    void *owner, const char *type, const char *url, enum intake_format *out);

/* A person's CSV; and one that isn't UTF-8, which is converted in memory. */
enum { INTAKE_FILE_BYTES = 50 << 20, INTAKE_CONVERT_BYTES = 16 << 20 };

struct intake {
	enum intake_format format;
	const char *text;
	size_t n, rows, column_n;
	struct span file;            /* in place of text, with CSV and INTAKE_ROWS */
	const struct principal *who; /* whose file that is; NULL: it comes from a job */
	struct intake_column {
		const char *head;  /* in the text */
		const char *name;  /* in the table; NULL: it is left out */
		bool known;        /* type is: some row has a value */
		bool ids;          /* of an export, as far as it has been read */
		enum cell_type type;
		unsigned seen;     /* of CSV (data/csvcell.h) */
	} columns[CELL_SLOTS + 1];
	/* Of intake_stage(): the table as it was, and the one that is to take its place; NULL when
	 * there was none, or rows are to be added to the one that is there. */
	const char *table;
	struct data_table *old, *staged;
	const char *changed; /* "column note is gone"; NULL: nothing, or not INTAKE_ROWS */
	char separator;      /* of CSV */
	const char *charset; /* that a person's file was converted from; NULL: it is UTF-8 */
	/* Called between batches of intake_stage(), which may take long; NULL: nobody is. */
	void (*between)(void *arg);
	void *arg;
};
/* What a text has. E_INVALID says where it is not what it must be ("row 3: …" or, of CSV,
 * "line 3: …", from 1), E_CONFLICT and E_STORAGE_FULL when it has more columns or rows than a
 * table. */
enum err intake_read(struct ctx *c, const char *text, size_t n, enum intake_format format,
    struct intake **out);
/* The same of a person's CSV. */
enum err intake_read_file(struct ctx *c, const struct principal *who, const struct span *file,
    struct intake **out);
/* Rows of a database: a line each, an array of as many values as there are columns. Lines have at
 * most INTAKE_LINE_BYTES. */
enum { INTAKE_LINE_BYTES = 1 << 20 };
struct intake_known {
	const char *name;
	enum cell_type type;
};
enum err intake_read_rows(struct ctx *c, const struct span *file, size_t rows,
    const struct intake_known *, size_t n, struct intake **out);
/* "Größe is Grosse, id is id_2": columns whose names aren't those of the text; NULL: there are
 * none. */
const char *intake_renamed(struct ctx *c, const struct intake *);
/* Its rows as the text of one JSON array. */
enum err intake_json(struct ctx *c, const struct intake *, const char **out);

/* Outside of a transaction: fills the table that is to take the place of `table`, when that is to
 * be replaced or is not there; else only looks whether there is room. What it made is taken away
 * by the runner unless intake_keep() is committed within some minutes. Values must fit: E_INVALID
 * names row and column. */
enum err intake_stage(struct ctx *c, const struct artifact *a, const char *table, bool replace,
    struct intake *);
/* The rows are to be added to a table that is there: E_INVALID and E_STORAGE_FULL when it can't
 * take them. */
enum err intake_into(struct ctx *c, const struct table_for *tf, struct intake *);
/* In a transaction, as its last statement: the table is there with its rows, or the rows are added.
 * E_STORAGE_FULL; E_CONFLICT when somebody has changed the table's columns meanwhile. */
enum err intake_keep(struct ctx *c, const struct artifact *a, const struct intake *);

/* ---- between its files ---- */

struct intake_scan {
	const struct intake *in;
	const char *p, *end;
	struct csv_file csv;
	struct span rest; /* of the file of INTAKE_ROWS, what is not in piece yet */
	char *piece;
	size_t row; /* how many have been given */
	size_t places[ROWS_AT_ONCE]; /* of intake_batch()'s, in the text: rows, or lines of CSV */
};
enum err intake_begin(struct ctx *c, const struct intake *, struct intake_scan *out);
enum { INTAKE_BATCH_BYTES = 1 << 20 };
/* The next rows, at most ROWS_AT_ONCE and some INTAKE_BATCH_BYTES, as a JSON array of objects with
 * the columns' names; *n is 0 at the end. */
enum err intake_batch(struct ctx *c, struct intake_scan *, const char **array, size_t *n);
#endif
