/* SPDX-License-Identifier: Apache-2.0
 * A statement that is put together at run time, for tables whose columns, conditions and order a
 * user chooses. What it is made of is the program's own: fragments are string literals (anything
 * else does not compile), values are parameters, and a name is the i-th of a literal list.
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
 * A fragment with more or fewer ? than values, a name beyond its list and more than DB_PARAMS
 * values make the statement E_INTERNAL when it is run. A connection keeps the 32 texts that it
 * prepared last, so a text that comes again costs one round trip, not two. db_check() does not see
 * these statements: a test runs each form. */
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

/* Strings and bytes of args must live until the statement has run. */
#define sql_add(q, fragment, args) \
	({ \
		SQL_LITERAL_(fragment_, fragment); \
		sql_fragment((q), fragment_, (args)); \
	})
/* The i-th name of "a|b|c", from 0. */
#define sql_pick(q, names, i) \
	({ \
		SQL_LITERAL_(names_, names); \
		sql_name((q), names_, (i)); \
	})
/* For db_one(), db_find() and db_all(); lives as long as q. */
#define BUILT(shape_, q) \
	((struct shape_##_rows){ \
	    .stmt = sql_built((q), &shape_##_shape, __FILE__, __LINE__) })
/* For db_exec() and db_exec1(). */
#define BUILT_EXEC(q) sql_built((q), NULL, __FILE__, __LINE__)
struct args sql_args(const struct sql *q);

/* Behind the macros, which see to it that text is a literal. */
void sql_fragment(struct sql *q, const char *text, struct args args);
void sql_name(struct sql *q, const char *names, size_t i);
struct stmt *sql_built(struct sql *q, const struct shape *shape, const char *file, int line);
#endif
