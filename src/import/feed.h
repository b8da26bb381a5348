/* SPDX-License-Identifier: Apache-2.0
 * Rows that a job fetches: a server's answer as JSON (an array of objects, or an object with such
 * an array as its member "rows"), NDJSON or CSV, or rows of a database. They are read as the rows
 * of an import are, twice: first for columns and types, then as they are stored. Nobody can be
 * asked, so a column of a new table whose values leave a question stays text, and a value that
 * doesn't fit ends it. Columns of a table that is there keep their types; new ones are added.
 *
 * To replace a table, we fill another one and then give it the table's name. Readers see either
 * the old or the new rows, and writers wait for one commit. Source: import/README.md. */
#ifndef VITRINE_IMPORT_FEED_H
#define VITRINE_IMPORT_FEED_H
#include "import/plan.h"

#define FEED_FORMATS "json|ndjson|csv"
/* Finds the format by Content-Type (may be NULL), else by the end of the address's path. False
 * if neither tells. */
bool feed_format_of(void *owner, const char *type, const char *url, enum read_format *out);

struct feed {
	int64_t rows;
	const char *table;
	/* Set by feed_stage(): the existing table, and the one that will replace it. staged is NULL
	 * if rows are to be added. */
	struct data_table *old, *staged;
	/* Of a database: how columns differ from the table's; NULL: they don't. */
	const char *changed;
	/* Called between batches of feed_stage(), which may take long; may be NULL. */
	void (*between)(void *arg);
	void *arg;
	/* ---- of feed.c ---- */
	struct source source;
	struct look *look;
	const struct feed_known *known; /* columns of a database; NULL: types by the values */
	struct import_dialect dialect;
	struct import planned; /* with the columns of the last plan */
	struct plan plan;
};
struct feed_known {
	const char *name, *type;
};
/* Reads columns and types of a text. E_INVALID: it can't be read so. E_STORAGE_FULL: it has too
 * many rows. */
enum err feed_read(
    struct ctx *c, const char *text, size_t n, enum read_format, struct feed **out);
/* For rows of a database: each line is a JSON array with a value for each column. */
enum err feed_read_rows(struct ctx *c, const struct span *file, size_t rows,
    const struct feed_known *, size_t n, struct feed **out);
/* Lists columns whose names were changed: "Größe is Grosse"; NULL if none were. */
const char *feed_renamed(struct ctx *c, const struct feed *);
/* Returns the rows as a JSON array. */
enum err feed_json(struct ctx *c, struct feed *, const char **out);
/* Outside a transaction: fills a staged table, to replace `table` or if it doesn't exist. Else
 * only checks that there is room. The runner deletes the staged table unless feed_keep() commits
 * within 15 minutes. E_INVALID names row and column of a value that doesn't fit. */
enum err feed_stage(
    struct ctx *c, const struct artifact *a, const char *table, bool replace, struct feed *);
/* In a transaction, as its last statement: shows the staged table, or adds the rows.
 * E_STORAGE_FULL. E_CONFLICT: somebody changed the table's columns meanwhile. */
enum err feed_keep(struct ctx *c, const struct artifact *a, struct feed *);
#endif
