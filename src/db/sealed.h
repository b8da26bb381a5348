/* SPDX-License-Identifier: Apache-2.0
 * Columns whose values are sealed (base/seal.h). Each is declared once, in the file that has its
 * rows, by SEALS(); app/nouns.c has their names. From that its values are closed and opened, the
 * key is changed under all of them (vitrinectl rekey), and fsck tells which can't be opened. */
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
	const char *purpose[2]; /* what stands before the id, and before the part of the key */
	/* What a person is told of one that can't be opened: "<noun> <id>: key_file can't decrypt
	 * <what>; <who> <mend>". A part that is not empty is who. mend NULL: nothing. */
	const char *noun, *what, *who, *mend;
	const char *passing; /* in place of these, of rows that soon go by themselves: what they
			      * are, in the plural */
	struct stmt *next, *put; /* of SEALS() */
};

/* SEALS(noun, table, column, id, id_arg, part, ended, .purpose = …, …) makes noun_sealed. The
 * primary key is id, or id and part; a column, or "''" for part where there is none. id_arg is what
 * turns an id, as it is read, into a value: SEALED_TEXT, SEALED_DIGEST. ended is a condition of
 * rows that nobody needs any more. */
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
extern const struct sealed *const sealed_columns[]; /* app/nouns.c; ends with NULL */

/* A value of the row with that key; part NULL is "". sealed_open() is NULL as seal_open() is. */
const char *sealed_close(void *owner, const struct sealed *, const char *id, const char *part,
    const char *text);
const char *sealed_open(void *owner, const struct sealed *, const char *id, const char *part,
    const char *sealed);

/* Goes through a column's values in the order of their keys, a piece at a time. */
enum sealed_walk {
	SEALED_ALL,
	SEALED_LEFT, /* those that don't say that they are under key_file's key */
	SEALED_RENEW /* the same, and seals them anew under that. A piece is a transaction; who
		      * writes a value meanwhile is not overwritten */
};
struct sealed_told {
	/* Each, with whose key it is under, or was; its memory goes with `one`. */
	void (*one)(void *arg, struct ctx *one, const struct sealed_row *, enum seal_key by);
	void (*piece)(void *arg, int64_t renewed); /* after each; or NULL */
	void *arg;
};
enum err sealed_each(struct ctx *c, const struct sealed *, enum sealed_walk how,
    const struct sealed_told *tell);

/* What is to be said of one that can't be opened. */
const char *sealed_lost(void *owner, const struct sealed *, const struct sealed_row *);

/* What of all columns is not under key_file's key. */
struct sealed_left {
	int64_t other; /* under other_key_file's */
	int64_t lost;  /* under neither; but for what has ended */
	struct strs keys; /* ids that those name, each once */
};
enum err sealed_count(struct ctx *c, const struct sealed *, struct sealed_left *more);
enum err sealed_count_all(struct ctx *c, struct sealed_left *out);
/* That in words, with what to do; NULL when nothing is. */
const char *sealed_left_say(struct ctx *c, const struct sealed_left *left);
#endif
