/* SPDX-License-Identifier: Apache-2.0
 * How a file becomes rows: its dialect, its columns, and their place in a table. The check makes
 * the plan and stores it with the import; the storing reads it back. */
#ifndef VITRINE_IMPORT_PLAN_H
#define VITRINE_IMPORT_PLAN_H
#include "import/claim.h"
#include "import/look.h"

/* The file without its columns. */
struct source {
	enum read_format format;
	const char *word;      /* of IMPORT_FORMATS */
	const char *encoding;
	char delimiter, quote;
	bool header;
	struct span file;
};
/* Opens the import's bytes. Finds format, encoding, delimiter and quote by what its maker has set,
 * else by the bytes. Adds questions. E_INVALID: we can't read such a file. */
enum err source_open(struct ctx *c, const struct import *imp, struct import_dialect *d,
    struct import_question_list *open, struct source *out);
void question_add(struct ctx *c, struct import_question_list *open, const char *id,
    const struct strs *choices, const char *proposed, const char *text);
/* Goes on with the lines of a converted workbook. */
struct object;
enum err source_rows(struct ctx *c, const struct object *rows, struct source *out);
/* Opens the import's bytes as its stored dialect says. */
enum err source_open_as(struct ctx *c, const struct import *imp, struct source *out);
enum err source_reader(struct ctx *c, const struct source *, struct reader *out);

/* The columns by their place in the file. */
struct plan {
	struct plan_column {
		bool take;
		const char *name;
		enum cell_type type;
		struct reading reading;
		int slot;      /* in the table */
	} v[READ_COLUMNS];
	size_t n;
	int place[CELL_SLOTS]; /* of each slot in the file; -1: the file lacks the column */
};

/* Chooses names and types of the columns, by what was seen, what its maker has set, and the table
 * (NULL: a new one). Adds questions. E_INVALID. */
enum err plan_make(struct ctx *c, const struct import *imp, const struct data_table *table,
    const struct source *, const struct look *, struct import_dialect *,
    struct import_question_list *open, struct import_column_list *out);
/* Reads a plan back. table: where the rows go. E_CONFLICT: it lacks a column. */
enum err plan_read(struct ctx *c, const struct import *imp, const struct data_table *table,
    struct plan *out);
/* Returns the columns of the table to be filled: those of `was` (NULL: none), then new ones. */
void plan_columns(struct ctx *c, const struct import *imp, const struct data_table *was,
    struct data_table_new *out);

/* Why a row with a key doesn't fit. */
#define KEY_TWICE "is the key of another line"
#define KEY_TAKEN "is the key of a row of the table"

/* Told of each value that doesn't fit; column -1: the whole row, whose v is NULL. */
struct misfit_sink {
	void (*take)(void *arg, const struct record *, int column, const struct given *v,
	    const char *why);
	void *arg;
};
/* Makes a row of a record. Returns false if it doesn't fit. nulls: values that don't fit become
 * null, so only whole rows don't fit. */
bool plan_row(struct ctx *c, const struct plan *, const struct data_table *,
    const struct record *, bool nulls, const struct misfit_sink *, struct row_new *out);
#endif
