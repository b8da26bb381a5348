/* SPDX-License-Identifier: Apache-2.0
 * The key of a value: bytes by which values of users' tables are compared, in C and by MariaDB
 * alike. Two keys are equal when their values are, and sort as these do: null, false, true,
 * numbers, times, texts, then arrays and objects, which have no order of their own.
 *
 *  null             no bytes
 *  false, true      a tag and one byte
 *  number           its decimal value, so 1, 1.0 and 1e0 are equal and 0.1 is not 0.1000000001; at
 *                   most NUMBER_DIGITS digits without the zeros at either end
 *  time             RFC 3339 with any offset: its instant, to the nanosecond
 *  text             its UTF-8; beyond TEXT_BYTES the first TEXT_BYTES and a digest of all, so
 *                   equality is exact, and the order is by the first TEXT_BYTES
 *  array, object    a digest of its compact text
 *
 * A value's kind is its key's first byte. Keys live in their owner's memory. */
#ifndef VITRINE_CELL_H
#define VITRINE_CELL_H
#include "base/json.h"
#include "db/db.h"

enum { NUMBER_DIGITS = 60, NUMBER_EXPONENT = 400, TEXT_BYTES = 128, KEY_BYTES = 161 };

/* What a column of a user's table holds; in the order of COLUMN_TYPES. */
#define COLUMN_TYPES "text|number|integer|boolean|timestamp|json"
enum cell_type { CELL_TEXT, CELL_NUMBER, CELL_INTEGER, CELL_BOOLEAN, CELL_TIMESTAMP, CELL_JSON };

const char *cell_type_word(enum cell_type);
enum cell_type cell_type_of(const char *word); /* of COLUMN_TYPES */

/* The columns of a table by their slots: v[3] is kept in data_row.c3. A slot that no column has
 * has no name. */
enum { CELL_SLOTS = 64 };
struct cell_columns {
	struct cell_column {
		const char *name;
		enum cell_type type;
	} v[CELL_SLOTS];
};
#define CELL_EACH(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) \
	X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) \
	X(29) X(30) X(31) X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) \
	X(43) X(44) X(45) X(46) X(47) X(48) X(49) X(50) X(51) X(52) X(53) X(54) X(55) X(56) \
	X(57) X(58) X(59) X(60) X(61) X(62) X(63)
/* "c0|c1|…", and the same of the table r: for sql_pick(). */
#define CELL_NAME_(n) "c" #n "|"
#define CELL_NAMES CELL_EACH(CELL_NAME_)
#define CELL_R_NAME_(n) "r.c" #n "|"
#define CELL_R_NAMES CELL_EACH(CELL_R_NAME_)

/* -1 when there is no such column. */
int cell_slot(const struct cell_columns *, const char *name);

struct bytes cell_bool(bool);
/* Of a JSON number's text; false when it has more digits, or a larger or smaller exponent, than a
 * key holds. */
bool cell_number(void *owner, const char *text, struct bytes *out);
/* The number of such a key, as near as a long double comes; false when it is of another kind. */
bool cell_to_number(struct bytes key, long double *out);
bool cell_time(void *owner, const char *text, struct bytes *out); /* false when it is no time */
struct bytes cell_text(void *owner, const char *text);
/* Of any value, as a column of that type keeps it. NULL when it fits, else why not ("must be a
 * whole number of 64 bits"). Null fits every column. */
const char *cell_of(void *owner, enum cell_type, const struct json *, struct bytes *out);

/* All keys of one kind lie between these two, the first included. */
struct bytes cell_kind_first(struct bytes key);
struct bytes cell_kind_end(void *owner, struct bytes key);
/* All keys of texts that begin as that of `text` does, of TEXT_BYTES at most, lie between it and
 * this, which is not one of them. */
struct bytes cell_prefix_end(void *owner, struct bytes key);

bool cell_equal(struct bytes a, struct bytes b);
bool cell_less(struct bytes a, struct bytes b);      /* false when the kinds differ, or of null */
bool cell_same_kind(struct bytes a, struct bytes b); /* false of null */

/* ---- names ---- */

enum { TABLE_NAME_CHARS = 64 };
/* A table's name has letters, digits, _ and -, 64 at most, the first a letter or _. */
bool table_name_valid(const char *name);
bool column_name_valid(const char *name); /* the same without - */
/* No column can be called so: the id that each row has, and the parameters of lists of rows, which
 * could be taken for one another. A table that had such a column before keeps it. */
#define COLUMN_NAMES_TAKEN "id|limit|cursor|order|format|all"
/* The name that a column or table gets of a text: "First name" gives First_name, "Größe" Grosse. A
 * name that it can have stays, others have at most 60 bytes. */
const char *column_name_of(void *owner, const char *head);
/* The name that it got before letters outside of ASCII were written out: "Größe" gave Gre. */
const char *column_name_before(void *owner, const char *head);
#endif
