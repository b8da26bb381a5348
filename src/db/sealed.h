/* SPDX-License-Identifier: Apache-2.0
 * Columns whose values are sealed (base/seal.h). SEALS() declares each once, in the file that owns
 * its rows; noun.def of its folder names it. These declarations open and close values, change the
 * key of all values (vitrinectl rekey), and let fsck find values that can't be opened. */
#ifndef VITRINE_SEALED_H
#define VITRINE_SEALED_H
#include "base/seal.h"
#include "db/db.h"

#define SEALED_ROW(F, T) \
	F(T, STR,  id) \
	F(T, STR,  part) \
	F(T, STR,  text) \
	F(T, BOOL, ended)
SHAPE_DECLARE(sealed_row, SEALED_ROW);

struct sealed {
	const char *column; /* "table.column" */
	/* The seal's purpose: text before the id, and before the part of the key. */
	const char *purpose[2];
	/* The message for a value that can't be opened: "<noun> <id>: key_file can't decrypt
	 * <what>; <who> <mend>". A part that isn't empty replaces who. mend NULL: no advice. */
	const char *noun, *what, *who, *mend;
	/* Instead of that message, for rows that soon expire: what they are, in the plural. */
	const char *passing;
	struct stmt *next, *put; /* made by SEALS() */
};

/* SEALS(noun, table, column, id, id_arg, part, ended, .purpose = …, …) makes noun_sealed. The
 * primary key is id, or id and part; part is a column, or "''" if there is none. id_arg converts an
 * id as it is read into a value: SEALED_TEXT or SEALED_DIGEST. ended is a condition for rows that
 * are no longer needed. */
#define SEALED_TEXT "?"
#define SEALED_DIGEST "UNHEX(?)"
#define SEALS(noun_, table_, column_, id_, arg_, part_, ended_, ...) \
	static struct stmt noun_##_sealed_next = { .file = __FILE__, \
		.line = __LINE__, \
		.shape = &sealed_row_shape, \
		.sql = "SELECT " id_ " AS id, " part_ " AS part, " column_ " AS `text`, " ended_ \
		       " AS ended FROM " table_ " WHERE " id_ " >= " arg_ " AND (" id_ \
		       " > " arg_ " OR " part_ " > ?) AND " column_ " > '' AND " column_ \
		       " NOT LIKE ? ORDER BY " id_ ", " part_ " LIMIT ?" }; \
	static struct stmt noun_##_sealed_put = { .file = __FILE__, \
		.line = __LINE__, \
		.sql = "UPDATE " table_ " SET " column_ " = ? WHERE " id_ " = " arg_ " AND " part_ \
		       " = ? AND " column_ " = ?" }; \
	static struct stmt *const noun_##_sealed_stmts[] __attribute__((used, \
	    section("vitrine_stmts"), aligned(sizeof(struct stmt *)))) = { \
		&noun_##_sealed_next, &noun_##_sealed_put \
	}; \
	extern const struct sealed noun_##_sealed; \
	const struct sealed noun_##_sealed = { .column = table_ "." column_, \
		.next = &noun_##_sealed_next, \
		.put = &noun_##_sealed_put, \
		__VA_ARGS__ }
extern const struct sealed *const sealed_columns[]; /* in app/nouns.c; NULL ends it */

/* Close and open the value of a row with this key; part NULL means "". sealed_open() returns NULL
 * as seal_open() does. */
const char *sealed_close(void *owner, const struct sealed *, const char *id, const char *part,
    const char *text);
const char *sealed_open(void *owner, const struct sealed *, const char *id, const char *part,
    const char *sealed);

/* Walks through a column's values in key order, a batch at a time. */
enum sealed_walk {
	SEALED_ALL,
	SEALED_LEFT, /* values that don't name key_file's key */
	/* SEALED_LEFT, and seal them again with key_file's key. Each batch is a transaction,
	 * which doesn't overwrite a value that somebody writes meanwhile. */
	SEALED_RENEW
};
struct sealed_calls {
	/* Called for each value, with the key that opened it before. Memory in `one` is freed after
	 * the batch. */
	void (*one)(void *arg, struct ctx *one, const struct sealed_row *, enum seal_key by);
	/* Called after each batch, with how many it sealed again; or NULL. */
	void (*piece)(void *arg, int64_t renewed);
	void *arg;
};
enum err sealed_each(struct ctx *c, const struct sealed *, enum sealed_walk how,
    const struct sealed_calls *calls);

/* Returns the message for a value that can't be opened. */
const char *sealed_lost(void *owner, const struct sealed *, const struct sealed_row *);

/* The values of all columns that aren't under key_file's key. */
struct sealed_left {
	int64_t other; /* under other_key_file's key */
	int64_t lost;  /* under neither key, without rows that have ended */
	struct strs keys; /* ids of the keys that these values name, each once */
};
enum err sealed_count(struct ctx *c, const struct sealed *, struct sealed_left *more);
enum err sealed_count_all(struct ctx *c, struct sealed_left *out);
/* Returns this in words, with advice; NULL if there are none. */
const char *sealed_left_say(struct ctx *c, const struct sealed_left *left);
#endif
