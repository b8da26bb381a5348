/* SPDX-License-Identifier: Apache-2.0
 * Tables of any length by pages: CSV and TSV in memory. A record that isn't proper CSV, or is
 * longer than 1 MiB, is a line whose quotes mean nothing. A side says where rows are, so that a
 * page is read without the rows before it. Pure functions. */
#ifndef VITRINE_VIEWTABLE_H
#define VITRINE_VIEWTABLE_H
#include "base/viewdraw.h"

enum {
	TABLE_BYTES = 50 << 20,  /* of a longer file, only the first rows are shown */
	TABLE_SORTED = 1000000,  /* rows of a table that can be sorted */
	TABLE_FOUND = 10000,     /* rows that are counted */
	TABLE_FIND_CHARS = 200
};

struct table {
	const char *text;
	size_t n, first; /* where the rows begin */
	char delimiter;
	struct view_row head;
};
struct table_record {
	size_t at, stop, next; /* in the text */
	bool plain;            /* quotes mean nothing */
};
/* False if the file has no line. */
bool table_open(void *owner, const struct view_source *, struct table *out);
/* Finds the record at or behind at; false at the end. Blank lines are none. */
bool table_next(const struct table *, size_t at, struct table_record *out);
size_t table_value_count(const struct table *, const struct table_record *);
/* Cuts a record into values, in owner's memory. out->v has room for VIEW_COLUMNS. */
void table_cut(
    void *owner, const struct table *, const struct table_record *, struct view_row *out);
bool table_is_number(const char *value);

/* The start of a side. Places of every VIEW_ROWS-th row follow (uint32_t), or, if it is of a
 * column, of each row in the column's order (struct table_place). */
struct table_side {
	char magic[8];
	uint64_t n;     /* bytes of the text */
	uint32_t rows, places;
	int32_t sort;   /* 0: none */
	uint8_t as_is;  /* the file's bytes are the text, without a byte order mark */
	uint8_t ragged, wide;
};
struct table_place {
	uint32_t at, row; /* from 0 */
};
/* Makes a side. sort: a column from 1, or less than 0 for descending order; empty values come last,
 * equal ones stay in the file's order. E_INVALID: there is no such column, or too many rows. */
enum err table_side_make(
    struct ctx *c, const struct view_source *, int64_t sort, struct buf *out);
/* Returns NULL if these bytes aren't a side. */
const struct table_side *table_side_of(const char *bytes, size_t n);

/* A page of a table. */
struct table_asked {
	const char *path;     /* of the file in its version; NULL: there are no links */
	int64_t page, sort;   /* from 1; as of table_side_make() */
	const char *q;        /* "" or what a value must have, in any case */
	int64_t sheet;        /* of a workbook, from 1; else 0 */
	int64_t size;         /* of the workbook */
	const char *const *sheets; /* their names */
	size_t sheet_n;
	bool json; /* not a page, but {columns, rows, page, pages, total, more} */
	bool converted; /* the text isn't the file's bytes, but these as UTF-8 */
};
/* The rows of a page. */
struct table_rows {
	struct table_place v[VIEW_ROWS];
	size_t n;
	int64_t all; /* that are found, or that there are */
	bool more;   /* than were counted */
};
void table_rows_choose(void *owner, const struct table *, const struct table_side *,
    const struct table_asked *, struct table_rows *out);

/* Draws the first page. E_INVALID: there are no rows. */
enum err table_first(struct ctx *c, const struct view_source *, const struct table_asked *,
    struct buf *html);
/* Draws a page. side: of asked->sort. E_INVALID: there is no such page. */
enum err table_page(struct ctx *c, const struct view_source *, const struct table_asked *,
    const char *side, size_t side_n, struct buf *html);
#endif
