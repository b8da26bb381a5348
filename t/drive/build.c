/* SPDX-License-Identifier: Apache-2.0
 * Statements for tests of db/: build CONF list [NAME=VALUE…] lists users by conditions that are chosen at run time, check prepares
 * this program's statements, some of which have columns that do not fit, values reads rows of every kind, trips counts round trips,
 * misuse runs what must not run, time N measures. */
#include "base/conf.h"
#include "base/str.h"
#include "db/build.h"

#define PERSON(F, T) \
	F(T, STR,      email) \
	F(T, STR,      name) \
	F(T, DATETIME, created_at) \
	F(T, TIME,     disabled_at, .flags = F_NUL)
SHAPE_DECLARE(person, PERSON);
SHAPE_DEFINE(person, PERSON);

#define CELL(F, T) \
	F(T, INT,      whole) \
	F(T, NUM,      num) \
	F(T, BOOL,     yes) \
	F(T, STR,      text) \
	F(T, STRS,     texts) \
	F(T, DATETIME, at) \
	F(T, JSON,     doc)
SHAPE_DECLARE(cell, CELL);
SHAPE_DEFINE(cell, CELL);

/* What was asked for on the command line; NULL when it was not. */
static const char *
asked(char **argv, const char *name)
{
	size_t n = strlen(name);

	for (; *argv; argv++)
		if (strncmp(*argv, name, n) == 0 && (*argv)[n] == '=')
			return *argv + n + 1;
	return NULL;
}

static int64_t
asked_int(char **argv, const char *name, int64_t otherwise)
{
	const char *text = asked(argv, name);
	int64_t v;

	return text && str_int(text, &v) ? v : otherwise;
}

static enum err
person_list(struct ctx *c, char **argv, struct person_list *out)
{
	struct sql q = SQL(c->mem);

	sql_add(&q, "SELECT email, name, created_at, disabled_at FROM user WHERE id > ?", ARGS(""));
	if (asked(argv, "email"))
		sql_add(&q, " AND email = ?", ARGS(asked(argv, "email")));
	if (asked(argv, "since"))
		sql_add(&q, " AND created_at >= ? AND created_at < ?", ARGS(asked_int(argv, "since", 0), asked_int(argv, "until", INT64_MAX)));
	if (asked(argv, "disabled"))
		sql_add(&q, " AND disabled_at IS NOT NULL", NOARGS);
	sql_add(&q, " ORDER BY ", NOARGS);
	sql_pick(&q, "id|name|created_at", (size_t)asked_int(argv, "order", 0));
	if (asked(argv, "down"))
		sql_add(&q, " DESC", NOARGS);
	sql_add(&q, " LIMIT ?", ARGS(asked_int(argv, "limit", 100)));
	return db_all(c, BUILT(person, &q), sql_args(&q), out);
}

static enum err
list(struct ctx *c, char **argv)
{
	struct person_list all;

	TRY(person_list(c, argv, &all));
	for (size_t i = 0; i < all.n; i++) {
		struct buf b = BUF(c->mem);

		shape_write(&b, &person_shape, &all.v[i]);
		puts(b.s);
	}
	return E_OK;
}

static enum err
check(struct ctx *c, char **argv)
{
	const struct cell_rows misfits[] = {
		ROWS(cell, "SELECT email AS whole FROM user"),
		ROWS(cell, "SELECT 1e0 AS whole"),
		ROWS(cell, "SELECT 1.5 AS whole"),
		ROWS(cell, "SELECT 1 AS text"),
		ROWS(cell, "SELECT 1.5 AS text"),
		ROWS(cell, "SELECT '1' AS num"),
		ROWS(cell, "SELECT 'x' AS yes"),
		ROWS(cell, "SELECT NOW() AS at"),
		ROWS(cell, "SELECT NOW() AS text"),
		ROWS(cell, "SELECT 'a' AS texts"),
		ROWS(cell, "SELECT 1 AS doc"),
		ROWS(cell, "SELECT 1 AS stray"),
		ROWS(cell, "DO 1"),
		ROWS(cell, "SELECT 1e0 AS yes"),
		{ .stmt = EXEC("SELECT 1 AS whole") },
	};

	(void)argv;
	printf("%zu of %d\n", sizeof misfits / sizeof *misfits, db_check(c));
	return E_OK;
}

static enum err
value_print(struct ctx *c, struct cell_rows rows, struct args args)
{
	struct buf b = BUF(c->mem);
	struct cell *cell;
	enum err e = db_one(c, rows, args, &cell);

	if (!e)
		shape_write(&b, &cell_shape, cell);
	puts(e ? c->internal : b.s);
	return E_OK;
}

static enum err
values(struct ctx *c, char **argv)
{
	(void)argv;
	value_print(c, ROWS(cell, "SELECT COUNT(*) AS whole, 0.7e0 AS num, EXISTS (SELECT 1) AS yes, 'é' AS text, 1767323045 AS at, '{\"a\":1.10}' AS doc"), NOARGS);
	value_print(c, ROWS(cell, "SELECT SUM(9007199254740993) AS whole, 1.5 AS num, 1 = 0 AS yes, x'c3a9' AS text, NULL AS at, NULL AS doc"), NOARGS);
	value_print(c, ROWS(cell, "SELECT -9223372036854775808 AS whole, 3 AS num, NULL AS yes, NULL AS text"), NOARGS);
	value_print(c, ROWS(cell, "SELECT 18446744073709551615 AS whole"), NOARGS);
	value_print(c, ROWS(cell, "SELECT SUM(9223372036854775807) AS whole FROM (SELECT 1 UNION ALL SELECT 2) t"), NOARGS);
	value_print(c, ROWS(cell, "SELECT CAST(? AS DOUBLE) AS num, ? AS text, ? AS whole, ? AS yes"), ARGS(0.1 + 0.2, "ü", 7, true));
	return E_OK;
}

/* One of as many texts as n has values. */
static enum err
person_find(struct ctx *c, int64_t n)
{
	struct sql q = SQL(c->mem);
	struct person *p;

	sql_add(&q, "SELECT email, name, created_at, disabled_at FROM user WHERE email = ?", ARGS("nobody"));
	while (n--)
		sql_add(&q, " AND TRUE", NOARGS);
	return db_find(c, BUILT(person, &q), sql_args(&q), &p);
}

static enum err
trips(struct ctx *c, char **argv)
{
	(void)argv;
	for (int i = 0; i < 70; i++) {
		/* 0 is used all the time, so it is kept; 1 to 32 push each other out. */
		unsigned before = c->round_trips;

		TRY(person_find(c, i % 2 ? 0 : 1 + i / 2));
		printf("%u%s", c->round_trips - before, i < 69 ? " " : "\n");
	}
	return E_OK;
}

/* MariaDB's bytes for this connection. */
static enum err
memory_used(struct ctx *c, int64_t *out)
{
	struct cell *used;

	TRY(db_one(c, ROWS(cell, "SELECT memory_used AS whole FROM information_schema.processlist WHERE id = CONNECTION_ID()"), NOARGS, &used));
	*out = used->whole;
	return E_OK;
}

/* Texts that together take much more than a connection keeps, beside one that is used all the time.
 * Prints how many gave the right value, the trips of that one, and what the texts, and then all
 * statements of the program, left in memory. */
static enum err
many(struct ctx *c, char **argv)
{
	unsigned right = 0, of_one = 0, before;
	int64_t first, then, last;
	struct cell *found;

	(void)argv;
	TRY(memory_used(c, &first));
	for (int i = 0; i < 200; i++) {
		struct sql q = SQL(c->mem);

		sql_add(&q, "SELECT u.n AS whole FROM (SELECT CAST(? AS SIGNED) AS n) u WHERE u.n >= 0", ARGS(i));
		for (int k = 0; k < 50 + i % 100; k++)
			sql_add(&q, " AND u.n + 1 > u.n", NOARGS);
		TRY(db_find(c, BUILT(cell, &q), sql_args(&q), &found));
		right += found && found->whole == i;
		before = c->round_trips;
		TRY(person_find(c, 0));
		of_one += c->round_trips - before;
	}
	TRY(memory_used(c, &then));
	db_check(c);
	TRY(memory_used(c, &last));
	printf("%u %u %lld %lld\n", right, of_one, (long long)(then - first), (long long)(last - first));
	return E_OK;
}

static enum err
misuse_run(struct ctx *c, struct sql *q)
{
	struct person *p;

	db_find(c, BUILT(person, q), sql_args(q), &p);
	puts(c->internal);
	return E_OK;
}

static enum err
misuse(struct ctx *c, char **argv)
{
	struct sql few = SQL(c->mem), many = SQL(c->mem), beyond = SQL(c->mem), none = SQL(c->mem), text = SQL(c->mem);

	(void)argv;
	sql_add(&few, "SELECT name FROM user WHERE id = ? AND email = ?", ARGS("a"));
	sql_add(&few, " AND name = 'x'", ARGS("b"));
	misuse_run(c, &few);
	sql_add(&many, "SELECT name FROM user WHERE TRUE", NOARGS);
	for (int i = 0; i <= DB_PARAMS; i++)
		sql_add(&many, " AND id <> ?", ARGS(i));
	misuse_run(c, &many);
	sql_pick(&beyond, "id|name", 2);
	misuse_run(c, &beyond);
	sql_add(&none, "SELECT nothing FROM user", NOARGS);
	misuse_run(c, &none);
	sql_add(&text, "SELECT created_at AS name FROM user", NOARGS);
	return misuse_run(c, &text);
}

static double
seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static enum err
measure(struct ctx *c, char **argv)
{
	int64_t n = asked_int(argv, "n", 1000);

	for (int texts = 1; texts <= 64; texts *= 8) {
		double from = seconds();

		for (int64_t i = 0; i < n; i++)
			TRY(person_find(c, i % texts));
		printf("%d texts: %.1f us\n", texts, (seconds() - from) * 1e6 / (double)n);
	}
	return E_OK;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		enum err (*run)(struct ctx *, char **);
	} commands[] = { { "list", list }, { "check", check }, { "values", values }, { "trips", trips }, { "many", many }, { "misuse", misuse }, { "time", measure } };
	void *mem = mem_root("drive");
	const struct conf *conf;
	const char *why;
	struct ctx *c;
	enum err e = E_INVALID;

	if (argc < 3 || !(conf = conf_load(mem, argv[1], &why)))
		return 64;
	c = ctx_begin(conf, db_new(mem, conf, DB_REQUEST_S));
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (str_eq(commands[i].name, argv[2]))
			e = commands[i].run(c, argv + 3);
	if (e)
		printf("%s %s\n", err_table[e].code, c->internal ? c->internal : c->message ? c->message : "");
	ctx_end(c);
	mem_free(mem);
	return e != E_OK;
}
