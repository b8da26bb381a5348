/* SPDX-License-Identifier: Apache-2.0
 * The key of a value: bytes that C and MariaDB compare alike. Equal values have equal keys. Keys
 * sort null, false, true, numbers, times, texts, then arrays and objects (in no useful order).
 *
 *  null             no bytes
 *  false, true      a tag and one byte
 *  number           its decimal value: 1, 1.0, and 1e0 are equal; 0.1 and 0.1000000001 differ.
 *                   At most NUMBER_DIGITS digits without zeros at either end
 *  time             the instant of an RFC 3339 text, to the nanosecond
 *  text             its UTF-8; beyond TEXT_BYTES, the first TEXT_BYTES and a digest of all.
 *                   So equality is exact, and the order uses the first TEXT_BYTES
 *  array, object    a digest of its compact text
 *
 * The first byte of a key tells the kind. `owner` owns the key. */
#ifndef VITRINE_CELL_H
#define VITRINE_CELL_H
#include "base/json.h"
#include "db/db.h"

enum { NUMBER_DIGITS = 60, NUMBER_EXPONENT = 400, TEXT_BYTES = 128, KEY_BYTES = 161 };

/* Types of columns, in the order of COLUMN_TYPES. */
#define COLUMN_TYPES "text|number|integer|boolean|timestamp|json|date|choice|link"
#define COLUMN_TYPES_LISTED "text, number, integer, boolean, timestamp, json, date, choice or link"
/* X(word, title): the types in the same order, with their titles for people. */
#define COLUMN_TYPE_TITLES(X) \
	X("text", "Text") \
	X("number", "Number") \
	X("integer", "Whole number") \
	X("boolean", "True or false") \
	X("timestamp", "Date and time") \
	X("json", "JSON") \
	X("date", "Date") \
	X("choice", "Choice") \
	X("link", "Link to a row")
enum cell_type {
	CELL_TEXT,
	CELL_NUMBER,
	CELL_INTEGER,
	CELL_BOOLEAN,
	CELL_TIMESTAMP,
	CELL_JSON,
	CELL_DATE,   /* a time at 00:00Z */
	CELL_CHOICE, /* one of the column's texts */
	CELL_LINK    /* the id of a row of another table */
};
/* Types whose keys are short, so that an index entry can carry them (data/carried.h). */
#define COLUMN_TYPES_SHORT "number|integer|boolean|timestamp|date"

const char *cell_type_word(enum cell_type);
enum cell_type cell_type_of(const char *word); /* word: one of COLUMN_TYPES */
const char *cell_type_title(const char *word); /* for people: "Whole number" */

/* The columns of a table by slot: v[3] is stored in data_row.c3. A free slot has no name. */
enum { CELL_SLOTS = 64 };
struct cell_columns {
	struct cell_column {
		const char *name;
		enum cell_type type;
		const struct strs *choices; /* of CELL_CHOICE */
	} v[CELL_SLOTS];
};
#define CELL_EACH(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) \
	X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) \
	X(29) X(30) X(31) X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) \
	X(43) X(44) X(45) X(46) X(47) X(48) X(49) X(50) X(51) X(52) X(53) X(54) X(55) X(56) \
	X(57) X(58) X(59) X(60) X(61) X(62) X(63)
/* "c0|c1|…", and the same with the table r, for sql_pick(). CELL_R_KEYS has '' for null, as
 * entries do. */
#define CELL_NAME_(n) "c" #n "|"
#define CELL_NAMES CELL_EACH(CELL_NAME_)
#define CELL_R_NAME_(n) "r.c" #n "|"
#define CELL_R_NAMES CELL_EACH(CELL_R_NAME_)
#define CELL_R_KEY_(n) "COALESCE(r.c" #n ", '')|"
#define CELL_R_KEYS CELL_EACH(CELL_R_KEY_)

/* The slot's bit in data_table.indexed, indexing, and dropped. */
int64_t slot_bit(int64_t slot);
/* Returns -1 if there is no such column. */
int cell_slot(const struct cell_columns *, const char *name);

struct bytes cell_bool(bool);
/* Makes the key of a JSON number's text. False if the digits or the exponent exceed what a key
 * holds. */
bool cell_number(void *owner, const char *text, struct bytes *out);
/* Returns a key's number, as near as a long double allows. False if the key is of another kind. */
bool cell_to_number(struct bytes key, long double *out);
/* A number's digits, two in each of v: 0.v0v1v2… times ten to the power of exponent. n is 0 for
 * zero. */
struct cell_pairs {
	uint8_t v[NUMBER_DIGITS / 2];
	size_t n;
	int exponent;
	bool minus;
};
bool cell_pairs(struct bytes key, struct cell_pairs *out); /* false: not a number */
/* Returns the text of a key, without its end if it has more than TEXT_BYTES; then *whole is false.
 * NULL if the key is of another kind. */
const char *cell_to_text(void *owner, struct bytes key, bool *whole);
bool cell_to_instant(struct bytes key, int64_t *unix_s, uint64_t *nanos); /* false: not a time */
bool cell_time(void *owner, const char *text, struct bytes *out); /* false: not a time */
struct bytes cell_instant(void *owner, int64_t unix_s, uint64_t nanos);
bool cell_date(void *owner, const char *text, struct bytes *out); /* false: not "2026-11-21" */
/* Reads a text of a rule that is compared with a column of that type. False: it stays a text. */
bool cell_literal(void *owner, enum cell_type, const char *text, struct bytes *out);
struct bytes cell_text(void *owner, const char *text);
/* Makes the key of a value for a column of that type. Returns NULL, or why the value doesn't fit
 * ("must be a whole number of 64 bits"). Null fits each type. */
const char *cell_of(void *owner, enum cell_type, const struct json *, struct bytes *out);
/* Like cell_of(), and checks that the text of a choice is one of the column's. */
const char *cell_of_column(
    void *owner, const struct cell_column *, const struct json *, struct bytes *out);

/* The keys of one kind are >= the first and < the second. */
struct bytes cell_kind_first(struct bytes key);
struct bytes cell_kind_end(void *owner, struct bytes key);
/* Keys of texts that begin with `text` (at most TEXT_BYTES) are >= its key and < this one. */
struct bytes cell_prefix_end(void *owner, struct bytes key);

bool cell_equal(struct bytes a, struct bytes b);
int cell_order(struct bytes a, struct bytes b);      /* < 0, 0, or > 0, as MariaDB sorts them */
bool cell_less(struct bytes a, struct bytes b);      /* false if the kinds differ or one is null */
bool cell_same_kind(struct bytes a, struct bytes b); /* false if one is null */

/* ---- names ---- */

enum { TABLE_NAME_CHARS = 64 };
/* Table names have letters, digits, _ and -, at most 64 characters. The first is a letter or _. */
bool table_name_valid(const char *name);
bool column_name_valid(const char *name); /* the same without - */
/* Names that new columns can't have: the id of each row, and parameters of row lists. A table
 * that has such an older column keeps it. */
#define COLUMN_NAMES_TAKEN "id|limit|cursor|order|format|all"
/* Returns the column or table name made from a text: "First name" gives First_name, "Größe"
 * gives Grosse. A valid name stays; others get at most 60 bytes. */
const char *column_name_of(void *owner, const char *head);
/* Returns the name that older releases made, without non-ASCII letters: "Größe" gave Gre. */
const char *column_name_before(void *owner, const char *head);
#endif
