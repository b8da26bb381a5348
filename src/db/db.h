/* SPDX-License-Identifier: Apache-2.0
 * MariaDB. Only db.c includes mysql.h.
 *
 * A statement is a literal in the function that needs it. ROWS() and EXEC() register it at link
 * time, so that db_check() can prepare each statement of the program against a live schema. A
 * connection keeps statements prepared that are used again and again, and closes others.
 *
 *
 *	return db_one(c, ROWS(folder, "SELECT id, name FROM folder WHERE workspace_id = ?"),
 *	    ARGS(ws), out);
 *
 * The compiler checks the type of the result: a struct folder ** here, for db_all() a struct
 * folder_list *, or a struct list * if the rows are passed on as rows of any shape.
 *
 * Optional filter: (? IS NULL OR col = ?). Partial update: col = COALESCE(?, col). Each statement
 * on tenant data must name its tenant. A column fills the shape's field of the same name,
 * "object.field" a field of an OBJ; an OBJ with F_NUL becomes NULL if the first of its columns is
 * NULL. A BINARY column of a STR field arrives as lower-case hex. Preparing fails if a column's
 * type doesn't fit its field. A compound statement (BEGIN NOT ATOMIC) can fail with a code of
 * errors.def: SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'NOT_FOUND'; rolling the transaction back
 * then undoes its changes. Its number of rows is the sum over its statements. A deadlock, a lock
 * timeout or a lost connection sets c->replay: the transaction was rolled back and can run again.
 * If the connection is lost while a change or a COMMIT is carried out, nobody knows whether it was:
 * E_OUTCOME, and nothing is repeated. */
#ifndef VITRINE_DB_H
#define VITRINE_DB_H
#include "base/shape.h"

struct db;
struct stmt {
	const char *sql, *file;
	int line;
	const struct shape *shape; /* NULL if the statement returns no rows */
	struct prepared *prepared;
	bool built;        /* by db/build.h, so not in the program's list */
	const char *wrong; /* of a built statement: why it must not run */
};
enum { DB_PARAMS = 400 };

struct arg {
	enum { ARG_NULL, ARG_INT, ARG_NUM, ARG_STR, ARG_BYTES, ARG_NO_CURSOR } kind;
	int64_t i;
	double d;
	const void *p;
	size_t n;
};
struct bytes {
	const void *p;
	size_t n;
};
/* Returns the SHA-256 of a text. It lives in c->mem. */
struct bytes bytes_sha256(struct ctx *c, const char *text);
struct arg arg_int(int64_t i);
struct arg arg_num(double d);
struct arg arg_bool(bool b);
struct arg arg_str(const char *s);       /* NULL binds SQL NULL */
struct arg arg_bytes(struct bytes b);
/* The 32 bytes of a SHA-256, as they are or from hex. NULL, and hex of no digest, bind SQL NULL. */
struct arg arg_sha256(const uint8_t *digest);
struct arg arg_hex_sha256(struct ctx *c, const char *hex);
struct arg arg_as_is(struct arg a);
struct arg arg_null(void);
/* NULL unless has is GIVEN, for optional numbers in COALESCE(?, col). */
struct arg arg_opt(uint8_t has, int64_t i);
/* The id that the next page's ids must be above or below. cursor NULL begins at the start of the
 * list. A cursor that isn't an id with this prefix makes the statement fail with E_INVALID. */
struct arg arg_after(const char *cursor, const char *prefix);
struct arg arg_before(const char *cursor, const char *prefix);

#define ARG_(x) \
	_Generic((x), bool: arg_bool, int: arg_int, unsigned: arg_int, long: arg_int, \
	    unsigned long: arg_int, double: arg_num, char *: arg_str, \
	    const char *: arg_str, struct bytes: arg_bytes, struct arg: arg_as_is)(x)
/* A macro for each number of arguments, up to 38. */
#define ARG_N_( \
    _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, \
    _17, _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, \
    _33, _34, _35, _36, _37, _38, N, ...) N
#define A1_(x) ARG_(x)
#define A2_(x, ...) ARG_(x), A1_(__VA_ARGS__)
#define A3_(x, ...) ARG_(x), A2_(__VA_ARGS__)
#define A4_(x, ...) ARG_(x), A3_(__VA_ARGS__)
#define A5_(x, ...) ARG_(x), A4_(__VA_ARGS__)
#define A6_(x, ...) ARG_(x), A5_(__VA_ARGS__)
#define A7_(x, ...) ARG_(x), A6_(__VA_ARGS__)
#define A8_(x, ...) ARG_(x), A7_(__VA_ARGS__)
#define A9_(x, ...) ARG_(x), A8_(__VA_ARGS__)
#define A10_(x, ...) ARG_(x), A9_(__VA_ARGS__)
#define A11_(x, ...) ARG_(x), A10_(__VA_ARGS__)
#define A12_(x, ...) ARG_(x), A11_(__VA_ARGS__)
#define A13_(x, ...) ARG_(x), A12_(__VA_ARGS__)
#define A14_(x, ...) ARG_(x), A13_(__VA_ARGS__)
#define A15_(x, ...) ARG_(x), A14_(__VA_ARGS__)
#define A16_(x, ...) ARG_(x), A15_(__VA_ARGS__)
#define A17_(x, ...) ARG_(x), A16_(__VA_ARGS__)
#define A18_(x, ...) ARG_(x), A17_(__VA_ARGS__)
#define A19_(x, ...) ARG_(x), A18_(__VA_ARGS__)
#define A20_(x, ...) ARG_(x), A19_(__VA_ARGS__)
#define A21_(x, ...) ARG_(x), A20_(__VA_ARGS__)
#define A22_(x, ...) ARG_(x), A21_(__VA_ARGS__)
#define A23_(x, ...) ARG_(x), A22_(__VA_ARGS__)
#define A24_(x, ...) ARG_(x), A23_(__VA_ARGS__)
#define A25_(x, ...) ARG_(x), A24_(__VA_ARGS__)
#define A26_(x, ...) ARG_(x), A25_(__VA_ARGS__)
#define A27_(x, ...) ARG_(x), A26_(__VA_ARGS__)
#define A28_(x, ...) ARG_(x), A27_(__VA_ARGS__)
#define A29_(x, ...) ARG_(x), A28_(__VA_ARGS__)
#define A30_(x, ...) ARG_(x), A29_(__VA_ARGS__)
#define A31_(x, ...) ARG_(x), A30_(__VA_ARGS__)
#define A32_(x, ...) ARG_(x), A31_(__VA_ARGS__)
#define A33_(x, ...) ARG_(x), A32_(__VA_ARGS__)
#define A34_(x, ...) ARG_(x), A33_(__VA_ARGS__)
#define A35_(x, ...) ARG_(x), A34_(__VA_ARGS__)
#define A36_(x, ...) ARG_(x), A35_(__VA_ARGS__)
#define A37_(x, ...) ARG_(x), A36_(__VA_ARGS__)
#define A38_(x, ...) ARG_(x), A37_(__VA_ARGS__)
#define ARG_MAP_(N, ...) ARG_MAP2_(N, __VA_ARGS__)
#define ARG_MAP2_(N, ...) A##N##_(__VA_ARGS__)
#define ARG_COUNT_(...) \
    ARG_N_(__VA_ARGS__, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, \
    20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
struct args {
	const struct arg *v;
	size_t n;
	size_t many; /* for db_exec_many(): the number of rows in v, else 0 */
};
#define ARGS(...) \
	((struct args){ (const struct arg[]){ ARG_MAP_(ARG_COUNT_(__VA_ARGS__), __VA_ARGS__) }, \
	    ARG_COUNT_(__VA_ARGS__), 0 })
#define NOARGS ((struct args){ NULL, 0, 0 })

#define STMT_(shape_, sql_) \
	({ \
		static struct stmt stmt_ = { .sql = sql_, .file = __FILE__, .line = __LINE__, \
			.shape = shape_ }; \
		static struct stmt *const reg_ \
		    __attribute__((used, section("vitrine_stmts"))) = &stmt_; \
		(void)reg_; \
		&stmt_; \
	})
#define ROWS(shape_, sql_) ((struct shape_##_rows){ .stmt = STMT_(&shape_##_shape, sql_) })
#define EXEC(sql_) STMT_(NULL, sql_)
/* Statements without rows, at file scope: STMTS(name, STMT("DELETE …"), …) makes an array of
 * pointers to them. The linker concatenates these arrays, so they must not have padding between
 * them. */
#define STMT(sql_) &(struct stmt){ .sql = sql_, .file = __FILE__, .line = __LINE__ }
#define STMTS_OF(name) \
	static struct stmt *const name[] __attribute__((used, section("vitrine_stmts"), \
	    aligned(sizeof(struct stmt *)))) =
#define STMTS(name, ...) STMTS_OF(name) { __VA_ARGS__ }

/* Connects on first use and after a connection was lost. Connecting fails with E_UNAVAILABLE unless
 * this program can run on the schema (db/schema.h), so after a migration has closed the open
 * connections, no older program writes. seconds limits each statement; 0 means no limit, for
 * operators' commands. */
struct db *db_new(void *owner, const struct conf *conf, int seconds);
void db_any_schema(struct db *); /* for commands that work on any schema */
/* For what a machine of a cluster does in any role, in rows that no other machine changes. Else a
 * statement outside of a transaction, and a commit, fail with E_NOT_ACTIVE unless this machine is
 * active (base/lease.h). */
void db_any_role(struct db *);
void db_quiet(struct db *);      /* its commits make no work for the runner, so wake no lane */
bool db_refused(const struct db *); /* the schema was why the last connection failed */
/* Counts commits that changed rows, or of which that isn't known. */
uint64_t db_commits(const struct db *);
/* Values for db_new()'s seconds. The runner uses runner_statement_s. */
enum { DB_REQUEST_S = 30, DB_ENDLESS = 0 };
/* Returns how many statements exceeded the limit since the last call. */
int64_t db_too_long(struct db *);
enum err db_connect(struct ctx *c); /* E_UNAVAILABLE, with the reason in c->internal */

/* Reads one row into *out (struct T ** or const struct T **). E_NOT_FOUND if there is none. */
#define db_one(c, rows, args, out) DB_ROW_(db_one_row, c, rows, args, out)
/* Like db_one(), but sets *out to NULL and returns E_OK if there is no row. */
#define db_find(c, rows, args, out) DB_ROW_(db_find_row, c, rows, args, out)
#define SAME_TYPE_(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#define DB_ROW_(fn, c, rows, args, out) \
	({ \
		const __auto_type rows_ = (rows); \
		_Static_assert(SAME_TYPE_(out, rows_.row) || \
			SAME_TYPE_(out, const __typeof__(**rows_.row) **), \
		    "rows of another shape"); \
		fn((c), rows_.stmt, (args), (out)); \
	})
/* Reads all rows into *out (struct T_list * or struct list *). */
#define db_all(c, rows, args, out) \
	({ \
		const __auto_type rows_ = (rows); \
		__auto_type out_ = (out); \
		struct list all_; \
		enum err all_err_ = db_all_rows((c), rows_.stmt, (args), &all_); \
		_Static_assert(SAME_TYPE_(out_, rows_.list) || SAME_TYPE_(out_, struct list *), \
		    "rows of another shape"); \
		out_->v = all_.v; \
		out_->n = all_.n; \
		all_err_; \
	})
/* Calls fn for each row as it arrives, with the bytes of its columns (at most 256 each), which live
 * until fn returns. NULL has no bytes. Ends with the first failure of fn. For many rows. */
#define db_each(c, rows, args, fn, arg) db_each_row((c), (rows).stmt, (args), (fn), (arg))
enum err db_each_row(struct ctx *c, struct stmt *, struct args,
    enum err (*fn)(void *arg, const struct bytes *columns), void *arg);
/* Cuts rows, which were read with a LIMIT of limit + 1, to limit. Returns the cursor of the next
 * page, or NULL if there is none; cursor is an expression of `last`, the page's last row. */
#define db_page(rows, limit, cursor) \
	({ \
		const __auto_type page_ = (rows); \
		const size_t limit_ = (size_t)(limit); \
		const __typeof__(page_->v) last = \
		    page_->n > limit_ ? &page_->v[(page_->n = limit_) - 1] : NULL; \
		last ? (cursor) : NULL; \
	})
/* Reads such a page into *out, and its cursor into *next. The statement's last parameter must be
 * the LIMIT, which args leaves out. */
#define db_part(c, rows, args, limit, out, next, cursor) \
	({ \
		const __auto_type part_rows_ = (rows); \
		const int64_t part_limit_ = (limit); \
		__auto_type part_out_ = (out); \
		__typeof__(*part_rows_.list) part_; \
		enum err part_err_ = db_all((c), part_rows_, \
		    args_with_limit((c), (args), part_limit_ + 1), &part_); \
		_Static_assert(SAME_TYPE_(part_out_, part_rows_.list) || \
			SAME_TYPE_(part_out_, struct list *), "rows of another shape"); \
		*(next) = db_page(&part_, part_limit_, cursor); \
		part_out_->v = part_.v; \
		part_out_->n = part_.n; \
		part_err_; \
	})
struct args args_with_limit(struct ctx *c, struct args, int64_t limit);
/* Used by the macros only; they check the type of out. */
enum err db_one_row(struct ctx *c, struct stmt *, struct args, void *out);
enum err db_find_row(struct ctx *c, struct stmt *, struct args, void *out);
enum err db_all_rows(struct ctx *c, struct stmt *, struct args, struct list *out);
/* *changed (changed may be NULL) counts the rows that matched. A duplicate key fails with
 * E_CONFLICT. */
enum err db_exec(struct ctx *c, struct stmt *, struct args, int64_t *changed);
enum err db_exec1(struct ctx *c, struct stmt *, struct args); /* E_NOT_FOUND if no row matched */
/* Inserts one row; *no is the value of its AUTO_INCREMENT column. */
enum err db_insert(struct ctx *c, struct stmt *, struct args, int64_t *no);

/* Runs a statement without a result (INSERT) once for each row, in one round trip. v has `each`
 * arguments per row, row by row; all rows must have the same kind, or NULL, in a column. Must run
 * in a transaction: if one row fails, earlier rows may have been written. All values together must
 * take less than DB_MANY_BYTES. */
enum err db_exec_many(
    struct ctx *c, struct stmt *, const struct arg *v, size_t each, size_t rows);
enum { DB_MANY_BYTES = 4 << 20 };

enum err db_begin(struct ctx *c);
/* Begins a transaction in which all reads see one snapshot. */
enum err db_begin_snapshot(struct ctx *c);
enum err db_commit(struct ctx *c);
/* Call after a transaction or single statement that ended with e. Rolls a failure back. Returns
 * true if it was lost to locks or to the connection and should run again, after a random time;
 * *tries must start at 0 and allows eight tries, or five for locks that others hold. */
bool db_again(struct ctx *c, enum err e, int *tries);
/* Can be called after an error. Closes the connection if rolling back fails. */
void db_rollback(struct ctx *c);
/* Ends a transaction whose work ended with e: commits it, or rolls it back. Returns the failure. */
enum err db_end(struct ctx *c, enum err e);
/* Runs one statement as text, DDL or a step of a script. For migrations only. */
enum err db_run(struct ctx *c, const char *sql, size_t n);
/* Reads n numbers from the first row of a statement without parameters, in one round trip on the
 * open connection. NULL counts as 0. */
enum err db_numbers(struct ctx *c, const char *sql, int64_t *out, unsigned n);

/* Prepares each statement of this program. Prints "file:line: why" for each that fails, or that has
 * a column without a field or of a wrong type. Returns how many. Built statements (db/build.h)
 * aren't included. */
int db_check(struct ctx *c);
#endif
