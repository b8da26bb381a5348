/* SPDX-License-Identifier: Apache-2.0
 * Builds a statement at run time, for tables whose columns, conditions and order a user chooses.
 * Fragments must be string literals (anything else doesn't compile), values are parameters, and a
 * name is the i-th of a literal list, so no text from outside becomes SQL.
 *
 *
 *	struct sql q = SQL(c->mem);
 *
 *	sql_add(&q, "SELECT id, name FROM folder WHERE workspace_id = ?", ARGS(ws));
 *	if (in->has.since)
 *		sql_add(&q, " AND created_at >= ?", ARGS(in->since));
 *	sql_add(&q, " ORDER BY ", NOARGS);
 *	sql_pick(&q, "id|name|created_at", in->order);
 *	return db_all(c, BUILT(folder, &q), sql_args(&q), out);
 *
 * Running the statement fails with E_INTERNAL if a fragment's values don't match its question
 * marks, a name is beyond its list, or there are more than DB_PARAMS values. A connection knows the
 * last 32 texts, so repeating one that is still prepared costs one round trip instead of two.
 * db_check() doesn't know these statements: a test must run each form. */
#ifndef VITRINE_BUILD_H
#define VITRINE_BUILD_H
#include "db/db.h"

struct sql {
	struct buf text;
	struct arg args[DB_PARAMS];
	size_t n;
	struct stmt stmt;
};

#define SQL(owner_) ((struct sql){ .text = BUF(owner_) })
#define SQL_LITERAL_(name_, text_) static const char name_[] = "" text_ ""

/* The strings and bytes of args must live until the statement has run. */
#define sql_add(q, fragment, args) \
	({ \
		SQL_LITERAL_(fragment_, fragment); \
		sql_fragment((q), fragment_, (args)); \
	})
/* Adds the i-th name of "a|b|c", from 0. */
#define sql_pick(q, names, i) \
	({ \
		SQL_LITERAL_(names_, names); \
		sql_name((q), names_, (i)); \
	})
/* For db_one(), db_find() and db_all(). Lives as long as q. */
#define BUILT(shape_, q) \
	((struct shape_##_rows){ \
	    .stmt = sql_built((q), &shape_##_shape, __FILE__, __LINE__) })
/* For db_exec() and db_exec1(). */
#define BUILT_EXEC(q) sql_built((q), NULL, __FILE__, __LINE__)
struct args sql_args(const struct sql *q);

/* Used by the macros only, which make sure that text is a literal. */
void sql_fragment(struct sql *q, const char *text, struct args args);
void sql_name(struct sql *q, const char *names, size_t i);
struct stmt *sql_built(struct sql *q, const struct shape *shape, const char *file, int line);
#endif
