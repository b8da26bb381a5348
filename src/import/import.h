/* SPDX-License-Identifier: Apache-2.0
 * An import: a file that becomes rows of a table. It is a record, so it survives a lost connection,
 * a reload and a killed runner. The runner reads every line and says what each column will be, what
 * doesn't fit and what it can't know (import/check.h); the maker answers and starts it, and the
 * runner stores the rows in batches (import/keep.h). Source: import/README.md. */
#ifndef VITRINE_IMPORT_H
#define VITRINE_IMPORT_H
#include "data/row.h"
#include "import/text.h"

enum {
	IMPORT_BYTES = 300 << 20,      /* of a file */
	IMPORT_TEXT_BYTES = 1 << 20,   /* pasted */
	IMPORT_XLSX_BYTES = 100 << 20,
	IMPORTS_OPEN = 3,              /* of one person in an artifact */
	IMPORT_PREVIEW = 20,
	IMPORT_MISFITS = 200,
	IMPORT_LIVES_S = 86400,        /* since somebody touched it */
	IMPORT_STAYS_S = 7 * 86400     /* since its end */
};
#define IMPORT_STATES "uploading|checking|ready|storing|done|failed|cancelled"
#define IMPORT_MODES "create|add|upsert|replace"
#define IMPORT_FORMATS "csv|tsv|json|ndjson|xlsx"
#define IMPORT_SECRET "upi_"
#define IMPORT_ENCODINGS TEXT_ENCODINGS "|utf-16le|utf-16be"

/* Columns of new tables can have these types. */
#define IMPORT_TYPES "text|number|integer|boolean|timestamp|json|date"

#define IMPORT_DIALECT(F, T) \
	F(T, STR,  encoding, .flags = F_NUL, .hi = 40, .doc = "As utf-8 or windows-1252") \
	F(T, WORD, delimiter, .flags = F_NUL, .arg = "comma|semicolon|tab|vertical bar") \
	F(T, STR,  quote,    .flags = F_NUL, .hi = 1, .doc = "\"\": none") \
	F(T, BOOL, header,   .flags = F_NUL, .doc = "The first line has the columns' names") \
	F(T, STR,  sheet,    .flags = F_NUL, .hi = 200) \
	F(T, STRS, sheets,   .item_hi = 200, .doc = "Of a workbook; can't be set") \
	F(T, WORD, decimal,  .flags = F_NUL, .arg = ".|,", \
		.doc = "Of columns whose values don't tell") \
	F(T, WORD, date_order, .flags = F_NUL, .arg = "ymd|dmy|mdy", \
		.doc = "Of columns whose values don't tell") \
	F(T, STR,  zone,     .flags = F_NUL, .hi = 64, \
		.doc = "Of times without a zone, such as Europe/Berlin") \
	F(T, STRS, nulls,    .hi = 20, .item_hi = 40, \
		.doc = "Texts that mean no value, such as n/a")
SHAPE_DECLARE(import_dialect, IMPORT_DIALECT);

#define IMPORT_COLUMN(F, T) \
	F(T, STR,  source,   .flags = F_NUL, .doc = "Its name in the file") \
	F(T, STR,  name,     .doc = "Its name in the table") \
	F(T, WORD, type,     .arg = COLUMN_TYPES) \
	F(T, BOOL, take,     .doc = "false: it is left out") \
	F(T, STRS, samples) \
	F(T, INT,  empty) \
	F(T, INT,  distinct, .flags = F_NUL, \
		.doc = "Different values; null: more than were counted") \
	F(T, INT,  misfits) \
	F(T, STR,  note,     .flags = F_NUL, .doc = "What its values prove, or what was changed") \
	F(T, WORD, decimal,  .flags = F_NUL, .arg = ".|,") \
	F(T, WORD, date_order, .flags = F_NUL, .arg = "ymd|dmy|mdy") \
	F(T, STR,  zone,     .flags = F_NUL) \
	F(T, INT,  place,    .flags = F_HID, .doc = "For pages: its number, from 0")
SHAPE_DECLARE(import_column, IMPORT_COLUMN);

#define IMPORT_QUESTION(F, T) \
	F(T, STR,  id,       .doc = "The topic, or topic.column") \
	F(T, STR,  text) \
	F(T, STRS, choices) \
	F(T, STR,  proposed)
SHAPE_DECLARE(import_question, IMPORT_QUESTION);

#define IMPORT_MISFIT(F, T) \
	F(T, INT,  line,     .doc = "In a JSON array, the number of the row") \
	F(T, STR,  column,   .flags = F_NUL, .doc = "null: the whole line") \
	F(T, STR,  value,    .flags = F_NUL) \
	F(T, STR,  why)
SHAPE_DECLARE(import_misfit, IMPORT_MISFIT);

#define IMPORT(F, T) \
	F(T, ID,   id,          .arg = "imp_") \
	F(T, WORD, state,       .arg = IMPORT_STATES) \
	F(T, STR,  filename,    .flags = F_NUL) \
	F(T, INT,  size_bytes,  .flags = F_NUL) \
	F(T, INT,  received) \
	F(T, URL,  upload_url,  .flags = F_NUL, \
		.doc = "PUT the file's bytes here, whole or in pieces with Content-Range. " \
		       "Only in the reply that made it; no token is needed, so treat it as " \
		       "a secret") \
	F(T, WORD, format,      .flags = F_NUL, .arg = IMPORT_FORMATS) \
	F(T, OBJ,  dialect,     .flags = F_NUL, .sub = &import_dialect_shape) \
	F(T, STR,  table,       .flags = F_NUL) \
	F(T, WORD, mode,        .arg = IMPORT_MODES) \
	F(T, STR,  key,         .flags = F_NUL) \
	F(T, LIST, columns,     .sub = &import_column_shape) \
	F(T, INT,  rows,        .flags = F_NUL, .doc = "Of the file; null: not checked yet") \
	F(T, JSON, preview,     .flags = F_NUL, .arg = "array", \
		.doc = "The first rows, up to 20, as they will be") \
	F(T, INT,  misfit_rows) \
	F(T, LIST, misfits,     .sub = &import_misfit_shape, .doc = "Up to 200") \
	F(T, WORD, on_misfit,   .arg = "refuse|leave_out|null") \
	F(T, LIST, questions,   .sub = &import_question_shape) \
	F(T, INT,  rows_done) \
	F(T, ID,   batch_id,    .flags = F_NUL, .arg = "bat_", \
		.doc = "Of add and upsert: the batch in the table's history, which can be undone") \
	F(T, STR,  error,       .flags = F_NUL) \
	F(T, ID,   created_by,  .flags = F_NUL, .arg = "usr_") \
	F(T, TIME, created_at) \
	F(T, TIME, ended_at,    .flags = F_NUL) \
	F(T, ID,   artifact_id, .flags = F_HID, .arg = "art_") \
	F(T, STR,  sha256,      .flags = F_HID) \
	F(T, INT,  total,       .flags = F_HID | F_NUL) \
	F(T, STR,  rows_sha256, .flags = F_HID) \
	F(T, STR,  asked,       .flags = F_HID) \
	F(T, STR,  found,       .flags = F_HID) \
	F(T, STR,  first_row,   .flags = F_HID) \
	F(T, STR,  last_row,    .flags = F_HID) \
	F(T, INT,  records_done, .flags = F_HID) \
	F(T, INT,  staged_no,   .flags = F_HID | F_NUL) \
	F(T, INT,  table_no,    .flags = F_HID | F_NUL) \
	F(T, INT,  shape_no,    .flags = F_HID) \
	F(T, INT,  announced,   .flags = F_HID | F_NUL) \
	F(T, INT,  fence,       .flags = F_HID)
/* table_no and shape_no: of the table when it was checked. first_row: the id of the first added row
 * in hex; the others follow it. records_done: records of the file that the batches have read. */
SHAPE_DECLARE(import, IMPORT);

/* The result of a check, as import.found has it. */
#define IMPORT_FOUND(F, T) \
	F(T, OBJ,  dialect,   .flags = F_NUL, .sub = &import_dialect_shape) \
	F(T, LIST, columns,   .sub = &import_column_shape) \
	F(T, LIST, misfits,   .sub = &import_misfit_shape) \
	F(T, LIST, questions, .sub = &import_question_shape)
SHAPE_DECLARE(import_found, IMPORT_FOUND);

#define IMPORT_FILE(F, T) \
	F(T, STR,  path,     .flags = F_REQ, .lo = 1, .hi = 1024, .eg = "\"orders.csv\"") \
	F(T, INT,  version,  .lo = 1, .hi = 2147483647, .doc = "Default: the live version")
SHAPE_DECLARE(import_file, IMPORT_FILE);

#define IMPORT_NEW(F, T) \
	F(T, STR,  filename, .lo = 1, .hi = 255, .eg = "\"orders.csv\"") \
	F(T, INT,  size,     .lo = 0, .hi = IMPORT_BYTES, \
		.doc = "What is sent must have this size") \
	F(T, STR,  table,    .lo = 1, .hi = 64, .doc = "By default made from filename") \
	F(T, WORD, mode,     .arg = IMPORT_MODES, .doc = "create by default") \
	F(T, STR,  key,      .hi = 64, .doc = "Of upsert: the column by which rows are found") \
	F(T, STR,  text,     .doc = "The file's text, up to 1 MiB, in place of an upload") \
	F(T, OBJ,  from_file, .sub = &import_file_shape, \
		.doc = "A published file of the artifact, in place of an upload; requires the " \
		       "scope artifacts:read, too")
SHAPE_DECLARE(import_new, IMPORT_NEW);

#define IMPORT_COLUMN_EDIT(F, T) \
	F(T, STR,  source,   .flags = F_NUL, .hi = 1000) \
	F(T, STR,  name,     .hi = 64) \
	F(T, WORD, type,     .arg = COLUMN_TYPES) \
	F(T, BOOL, take)
SHAPE_DECLARE(import_column_edit, IMPORT_COLUMN_EDIT);

#define IMPORT_EDIT(F, T) \
	F(T, STR,  table,    .lo = 1, .hi = 64) \
	F(T, WORD, mode,     .arg = IMPORT_MODES) \
	F(T, STR,  key,      .flags = F_NUL, .hi = 64) \
	F(T, OBJ,  dialect,  .sub = &import_dialect_shape) \
	F(T, LIST, columns,  .hi = CELL_SLOTS + 1, .sub = &import_column_edit_shape, \
		.doc = "Found by source; what is missing stays as it is") \
	F(T, WORD, on_misfit, .arg = "refuse|leave_out|null") \
	F(T, JSON, answers,  .arg = "object", .doc = "A choice for each question's id", \
		.eg = "{\"encoding\":\"windows-1252\"}")
SHAPE_DECLARE(import_edit, IMPORT_EDIT);

/* Finds a file of a version that the caller sees, or E_NOT_FOUND. site/ defines it, because nothing
 * here knows of versions. */
struct object;
enum err import_file_find(
    struct ctx *c, const struct artifact *a, const struct import_file *, struct object *out);
/* E_INVALID; E_DENIED for who may not write such rows; E_LIMIT_REACHED. bytes: of in->text, stored
 * before the transaction. */
enum err import_make(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct import_new *in, const struct object *bytes, struct import **out);
/* Reads an import that `who` made or, as an editor, may see. E_NOT_FOUND. lock: locks its row. */
enum err import_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, bool lock, struct import **out);
enum err import_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct page_query *q, struct import_list *out, const char **next);
/* Changes what is asked for, and has the file checked again. body: `in` as it was sent. E_CONFLICT
 * unless it is uploading, checking or ready. */
enum err import_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct import *imp, const struct import_edit *in, const struct json *body);
/* E_CONFLICT unless it is ready, if questions are open (accept: the proposals are taken), or lines
 * don't fit and nothing says what becomes of them (leave_out: they are left out). */
enum err import_start(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct import *imp, bool accept, bool leave_out);
enum err import_cancel(struct ctx *c, const struct import *imp);

/* ---- the bytes ---- */

/* Finds an import by its upload address. E_NOT_FOUND, also if `who` (NULL: unknown) isn't its
 * maker; E_CONFLICT if it has its bytes. */
enum err import_by_secret(struct ctx *c, const char *secret, const struct principal *who,
    struct import **out);
enum err import_receive(struct ctx *c, const struct import *imp, int64_t total, int64_t received);
enum err import_received(
    struct ctx *c, const struct import *imp, const uint8_t *sha256, int64_t size);

/* ---- between the files of this folder ---- */

/* Checks that `who` may import in that mode. table may be NULL. */
enum err import_allowed(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *mode, const char *table);
/* The kind of file, by its name; NULL if that doesn't tell. */
const char *import_format_of(const char *filename);
#endif
