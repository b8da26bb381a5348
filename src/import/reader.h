/* SPDX-License-Identifier: Apache-2.0
 * Reads the records of a file one by one, in bounded memory: lines of CSV, elements of a JSON
 * array, lines of NDJSON, rows of a converted workbook (READ_ROWS), which are JSON arrays on lines
 * that begin with the row's number, or rows of a database (READ_ARRAYS), which don't. A record
 * that can't be read is returned with the reason, and reading goes on behind its first line. */
#ifndef VITRINE_IMPORT_READER_H
#define VITRINE_IMPORT_READER_H
#include "base/csv.h"
#include "data/cell.h"
#include "import/text.h"

enum read_format { READ_CSV, READ_JSON, READ_NDJSON, READ_ROWS, READ_ARRAYS };
enum { READ_COLUMNS = CELL_SLOTS + 1 /* and a column of row ids */ };

/* A value as the file has it. */
struct given {
	enum given_kind {
		GIVEN_NONE,   /* n isn't 0: the null of JSON */
		GIVEN_TEXT,   /* not marked as a text by the format: it may be a number */
		GIVEN_EMPTY,  /* "" in quotes */
		GIVEN_STRING, /* a text of JSON */
		GIVEN_NUMBER, /* of JSON */
		GIVEN_BOOL,
		GIVEN_TREE,   /* an array or object of JSON */
		GIVEN_ERROR   /* of a workbook, such as #N/A */
	} kind;
	const char *s; /* ends with a NUL */
	size_t n;
};

struct record {
	int64_t line;      /* of its start, from 1; in a JSON array, the number of the element */
	const char *wrong; /* why it can't be read; NULL: it was */
	size_t n;          /* values; 0: a blank line */
	struct given v[READ_COLUMNS];
};

struct reader {
	enum read_format format;
	char delimiter, quote;
	struct text text;
	int64_t line, element; /* of the next record */
	size_t fields;         /* of CSV: values that a line must have; 0: any number */
	bool begun, closed;    /* of the JSON array */
	const char *heads[READ_COLUMNS]; /* of JSON: names of members in order of appearance */
	size_t head_n;
	void *owner;           /* of heads */
};

/* encoding: of text_begin(). delimiter and quote: of CSV. Memory that lasts is c->mem. */
enum err reader_begin(struct ctx *c, const struct span *, enum read_format, const char *encoding,
    char delimiter, char quote, struct reader *out);
/* *any is false at the end. Values are valid until the next call, or the end of c->mem, which may
 * be another one than reader_begin()'s. E_INVALID: the rest of the file can't be read. */
enum err reader_next(struct ctx *c, struct reader *, struct record *out, bool *any);
#endif
