/* SPDX-License-Identifier: Apache-2.0 */
#include "db/db.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/crypto.h"
#include "base/lease.h"
#include "base/str.h"
#include "base/told.h"
#include "base/wake.h"
#include "db/column.h"
#include "db/failure.h"
#include "db/room.h"
#include "db/schema.h"
#include "db/trace.h"

#include <errmsg.h>
#include <errno.h>
#include <mysql.h>
#include <mysqld_error.h>

/* KEPT limits the built statements of a connection that are found again by their text. A prepared
 * statement costs MariaDB some OPEN_LEAST bytes and OPEN_EACH more for each byte of its text;
 * OPEN_BYTES limits the sum of a connection. */
enum { COLUMNS = 80, KEPT = 32, OPEN_LEAST = 12 << 10, OPEN_EACH = 64, OPEN_BYTES = 3 << 19 };

/* A statement in a connection. It stays when the handle is closed, so that its uses are known. */
struct prepared {
	struct held held; /* the first member: db->open has pointers to it */
	struct db *db; /* the connection that prepared it: a process can have several */
	MYSQL_STMT *handle; /* NULL while it isn't prepared */
	unsigned params, columns;
	struct column {
		/* For a column "object.field": the field of the row that holds the object. */
		const struct field *object;
		const struct field *field;
		bool hex;
	} *column;
};

/* A built statement, found again by its text and shape. */
struct kept {
	const char *sql;
	const struct shape *shape;
	struct prepared prepared;
};

struct db {
	const struct conf *conf;
	MYSQL *my; /* NULL while not connected */
	int seconds;
	/* Statements that exceeded max_statement_time since db_too_long() was called. */
	int64_t too_long;
	bool any_schema, any_role, refused, quiet, traced;
	int64_t began_us; /* of the statement that runs, if traced */
	bool in_transaction, broken;
	bool executing; /* a statement was sent */
	bool unknown;   /* the last failure doesn't tell whether it was carried out */
	bool elsewhere; /* the last failure says that another machine may have to do it */
	bool changed; /* a row has changed, and wake_tell() hasn't been called yet */
	uint64_t commits; /* that changed rows, or may have */
	struct room open; /* the statements with a handle */
	/* The latest used first; NULL after the last. No owner: the connection closes before. */
	struct kept *kept[KEPT];
};

extern struct stmt *const __start_vitrine_stmts[] __attribute__((weak));
extern struct stmt *const __stop_vitrine_stmts[] __attribute__((weak));

/* ---- the connection ---- */

static void
prepared_close(struct prepared *p)
{
	if (!p->handle)
		return;
	room_leave(&p->db->open, &p->held);
	mysql_stmt_close(p->handle);
	mem_free(p->column);
	p->handle = NULL;
	p->column = NULL;
}

static void
db_drop(struct db *db)
{
	while (db->open.first)
		prepared_close((struct prepared *)db->open.first);
	if (db->my)
		mysql_close(db->my);
	db->my = NULL;
	db->in_transaction = db->broken = false;
}

static void
db_drop_at_end(void *arg)
{
	struct db *db = arg;

	db_drop(db);
	for (size_t i = 0; i < KEPT; i++)
		mem_free(db->kept[i]);
}

struct db *
db_new(void *owner, const struct conf *conf, int seconds)
{
	struct db *db = mem_new(owner, struct db);

	db->conf = conf;
	db->seconds = seconds;
	db->traced = trace_wanted();
	mem_defer(db, db_drop_at_end, db);
	return db;
}

void
db_any_schema(struct db *db)
{
	db->any_schema = true;
}

void
db_any_role(struct db *db)
{
	db->any_role = true;
}

uint64_t
db_commits(const struct db *db)
{
	return db ? db->commits : 0;
}

void
db_quiet(struct db *db)
{
	db->quiet = true;
}

bool
db_refused(const struct db *db)
{
	return db->refused;
}

int64_t
db_too_long(struct db *db)
{
	int64_t n = db->too_long;

	db->too_long = 0;
	return n;
}

enum err
db_connect(struct ctx *c)
{
	const char *session = mem_printf(c->mem,
	    "SET SESSION time_zone = '+00:00', tx_isolation = 'READ-COMMITTED',"
	    " sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,"
	    "ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',"
	    /* By default, a prepared statement takes 32 KiB at least, of which most use 8. */
	    " query_prealloc_size = 8192, query_alloc_block_size = 4096,"
	    " innodb_lock_wait_timeout = 5, max_statement_time = %d",
	    c->db->seconds);
	const unsigned off = 0, seconds = 10, patience = 2 * (unsigned)c->db->seconds;
	const struct conf *conf = c->db->conf;
	bool local = !conf_has(conf->db_host);
	const char *password = conf->db_password;
	MYSQL *my;
	enum err e;

	if (c->db->broken && !c->db->in_transaction)
		db_drop(c->db);
	if (c->db->my)
		return E_OK;
	if (!password && conf_has(conf->db_password_file) &&
	    !(password = conf_secret(c->mem, conf->db_password_file)))
		return fail_here(c, "db_password_file %s can't be read", conf->db_password_file);
	my = mysql_init(NULL);
	mysql_options(my, MYSQL_OPT_LOCAL_INFILE, &off);
	mysql_options(my, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
	mysql_options(my, MYSQL_OPT_READ_TIMEOUT, &patience);
	mysql_options(my, MYSQL_OPT_WRITE_TIMEOUT, &patience);
	mysql_options(my, MYSQL_SET_CHARSET_NAME, "utf8mb4");
	mysql_options(my, MYSQL_INIT_COMMAND, session);
	mysql_optionsv(
	    my, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", program_invocation_short_name);
	if (!mysql_real_connect(my, local ? NULL : conf->db_host, conf->db_user, password,
		conf->db_name, local ? 0 : (unsigned)conf->db_port, local ? conf->db_socket : NULL,
		CLIENT_FOUND_ROWS)) {
		errno = 0;
		fail_here(c, "database: %s", mysql_error(my));
		mysql_close(my);
		return c->err = E_UNAVAILABLE;
	}
	c->db->my = my;
	e = c->db->any_schema ? E_OK : schema_look(c);
	/* A machine that is cut off from its cluster hasn't been refused. */
	c->db->refused = e && !c->db->broken && !c->replay;
	if (e)
		db_drop(c->db);
	return e;
}

/* ---- errors ---- */

/* Nobody may run it again: it may have been carried out. */
static enum err
outcome_unknown(struct ctx *c)
{
	c->replay = false;
	c->db->commits++;
	return fail(c, E_OUTCOME, "%s", err_table[E_OUTCOME].text);
}

static enum err
db_failed(struct ctx *c, const struct stmt *s, unsigned code, const char *text)
{
	if (code == ER_DUP_ENTRY)
		return fail(c, E_CONFLICT, "That already exists");
	if (code == ER_SIGNAL_EXCEPTION && failure_signalled(text))
		return fail(
		    c, failure_signalled(text), "%s", err_table[failure_signalled(text)].text);
	c->db->unknown =
	    code == ER_ERROR_DURING_COMMIT || (c->db->executing && code == CR_SERVER_LOST);
	c->db->elsewhere = failure_is_elsewhere(code);
	if (failure_is_lost(code) || failure_is_undone(code)) {
		c->busy = code == ER_LOCK_WAIT_TIMEOUT;
		c->replay = true;
		c->db->broken |= failure_is_lost(code);
	}
	c->db->too_long += code == ER_STATEMENT_TIMEOUT;
	errno = 0;
	fail_internal(c, s ? s->file : "db", s ? s->line : 0, "database error %u: %s", code, text);
	if (code == ER_RECORD_FILE_FULL || code == ER_DISK_FULL)
		return c->err = E_DISK_FULL;
	return c->err = c->replay || code == ER_STATEMENT_TIMEOUT ? E_UNAVAILABLE : E_INTERNAL;
}

static enum err
stmt_failed(struct ctx *c, const struct stmt *s)
{
	MYSQL_STMT *handle = s->prepared->handle;

	if (mysql_stmt_errno(handle))
		return db_failed(c, s, mysql_stmt_errno(handle), mysql_stmt_error(handle));
	/* An error in place of a row, such as a deadlock, is reported on the connection only. */
	return db_failed(c, s, mysql_errno(c->db->my), mysql_error(c->db->my));
}

/* ---- statements ---- */

static const struct field *
field_named(const struct shape *shape, const char *name, size_t n)
{
	for (size_t i = 0; shape && i < shape->n; i++)
		if (strlen(shape->fields[i].name) == n &&
		    memcmp(shape->fields[i].name, name, n) == 0)
			return &shape->fields[i];
	return NULL;
}

static const char *
type_name(const MYSQL_FIELD *col)
{
	switch (col->type) {
	case MYSQL_TYPE_TINY:
	case MYSQL_TYPE_SHORT:
	case MYSQL_TYPE_INT24:
	case MYSQL_TYPE_LONG:
	case MYSQL_TYPE_LONGLONG: return "a whole number";
	case MYSQL_TYPE_DECIMAL:
	case MYSQL_TYPE_NEWDECIMAL: return col->decimals ? "a decimal" : "a whole number";
	case MYSQL_TYPE_FLOAT:
	case MYSQL_TYPE_DOUBLE: return "a double";
	case MYSQL_TYPE_VARCHAR:
	case MYSQL_TYPE_VAR_STRING:
	case MYSQL_TYPE_STRING:
	case MYSQL_TYPE_ENUM:
	case MYSQL_TYPE_SET:
	case MYSQL_TYPE_TINY_BLOB:
	case MYSQL_TYPE_MEDIUM_BLOB:
	case MYSQL_TYPE_LONG_BLOB:
	case MYSQL_TYPE_BLOB: return "text";
	case MYSQL_TYPE_NULL: return "null";
	default: return "of a type that no field holds";
	}
}

static enum err
column_map(struct ctx *c, const struct stmt *s, struct prepared *p)
{
	MYSQL_RES *meta = mysql_stmt_result_metadata(p->handle);
	const char *wrong = NULL;

	for (unsigned i = 0; meta && i < p->columns && !wrong; i++) {
		const MYSQL_FIELD *col = mysql_fetch_field_direct(meta, i);
		struct column *to = &p->column[i];
		const char *dot = strchr(col->name, '.'), *name = dot ? dot + 1 : col->name;

		to->object = dot ? field_named(s->shape, col->name, (size_t)(dot - col->name))
				 : NULL;
		to->field = field_named(
		    dot ? to->object ? to->object->sub : NULL : s->shape, name, strlen(name));
		to->hex = col->type == MYSQL_TYPE_STRING && col->charsetnr == 63;
		if (!to->field)
			wrong = mem_printf(c->mem, "column %s has no field in shape %s", col->name,
			    s->shape->name);
		else if (!str_in(type_name(col), column_types(to->field->kind)))
			wrong = mem_printf(c->mem,
			    "column %s is %s, which does not fit field %s of shape %s", col->name,
			    type_name(col), to->field->name, s->shape->name);
	}
	mysql_free_result(meta);
	errno = 0;
	return wrong ? fail_internal(c, s->file, s->line, "%s", wrong) : E_OK;
}

/* Compares the statement's parameters and columns with its declaration. */
static enum err
prepared_check(struct ctx *c, const struct stmt *s, struct prepared *p)
{
	p->params = (unsigned)mysql_stmt_param_count(p->handle);
	p->columns = mysql_stmt_field_count(p->handle);
	errno = 0;
	if (p->params > DB_PARAMS)
		return fail_internal(
		    c, s->file, s->line, "the statement has %u parameters", p->params);
	if (!s->shape == !p->columns && p->columns <= COLUMNS) {
		p->column = mem_array(NULL, struct column, p->columns);
		return s->shape ? column_map(c, s, p) : E_OK;
	}
	return fail_internal(c, s->file, s->line, "the statement gives %u columns", p->columns);
}

static enum err
stmt_prepare(struct ctx *c, struct stmt *s)
{
	struct prepared *p = s->prepared;
	struct held *out;
	size_t bytes;
	enum err e;

	if (!p)
		p = s->prepared = mem_new(NULL, struct prepared);
	if (p->db != c->db)
		prepared_close(p);
	room_used(&c->db->open, &p->held);
	if (p->handle)
		return E_OK;
	p->db = c->db;
	bytes = OPEN_LEAST + OPEN_EACH * strlen(s->sql);
	while ((out = room_over(&c->db->open, bytes, OPEN_BYTES)))
		prepared_close((struct prepared *)out);
	room_keep(&c->db->open, &p->held, bytes);
	p->handle = mysql_stmt_init(c->db->my);
	ctx_round_trip(c);
	e = mysql_stmt_prepare(p->handle, s->sql, strlen(s->sql)) ? stmt_failed(c, s)
								  : prepared_check(c, s, p);
	if (e)
		prepared_close(p);
	return e;
}

/* Finds or makes the handle for this text, because preparing costs a round trip. */
static struct prepared *
prepared_kept(struct db *db, const struct stmt *s)
{
	struct kept *k = NULL;
	size_t i = 0;

	for (; i < KEPT && db->kept[i] && !k; i++)
		if (db->kept[i]->shape == s->shape && str_eq(db->kept[i]->sql, s->sql))
			k = db->kept[i];
	if (k) {
		i--;
	} else {
		if (i == KEPT) {
			prepared_close(&db->kept[--i]->prepared);
			mem_free(db->kept[i]);
		}
		k = mem_new(NULL, struct kept);
		*k = (struct kept){ .sql = mem_strdup(k, s->sql), .shape = s->shape };
	}
	memmove(db->kept + 1, db->kept, i * sizeof *db->kept);
	db->kept[0] = k;
	return &k->prepared;
}

static const enum enum_field_types arg_type[] = { [ARG_NULL] = MYSQL_TYPE_NULL,
	[ARG_INT] = MYSQL_TYPE_LONGLONG,
	[ARG_NUM] = MYSQL_TYPE_DOUBLE,
	[ARG_STR] = MYSQL_TYPE_STRING,
	[ARG_BYTES] = MYSQL_TYPE_BLOB };

static MYSQL_BIND
arg_bind(const struct arg *a)
{
	const void *at = a->p;

	if (a->kind == ARG_INT)
		at = &a->i;
	if (a->kind == ARG_NUM)
		at = &a->d;
	return (MYSQL_BIND){ .buffer_type = arg_type[a->kind],
		.buffer = (void *)(uintptr_t)at,
		.buffer_length = a->n };
}

/* Binds one parameter of many rows as the library expects it: an array of values or of pointers. */
static MYSQL_BIND
column_bind(struct ctx *c, const struct args *rows, size_t i)
{
	size_t n = rows->many, each = rows->n / n;
	char *null = mem_zalloc(c->mem, n);
	unsigned long *length = mem_array(c->mem, unsigned long, n);
	int64_t *values = mem_array(c->mem, int64_t, n);
	MYSQL_BIND out = { .buffer_type = MYSQL_TYPE_NULL,
		.buffer = values,
		.length = length,
		.u.indicator = null };

	_Static_assert(sizeof *values == sizeof(void *) && sizeof *values == sizeof(double),
	    "whatever the kind, a value takes as much");
	for (size_t row = 0; row < n; row++) {
		const struct arg *a = &rows->v[row * each + i];

		null[row] = a->kind == ARG_NULL ? STMT_INDICATOR_NULL : STMT_INDICATOR_NONE;
		length[row] = a->n;
		if (a->kind == ARG_INT)
			values[row] = a->i;
		else if (a->kind == ARG_NUM)
			memcpy(&values[row], &a->d, sizeof a->d);
		else
			memcpy(&values[row], &a->p, sizeof(void *));
		if (a->kind != ARG_NULL)
			out.buffer_type = arg_type[a->kind];
	}
	return out;
}

/* MariaDB refuses to compare non-ASCII text with an ASCII column such as an id. No row has such an
 * id, so this becomes E_NOT_FOUND. */
static enum err
execute_failed(struct ctx *c, const struct stmt *s, const struct args *args)
{
	unsigned code = mysql_stmt_errno(s->prepared->handle);
	size_t i = 0;

	while (i < args->n && (args->v[i].kind != ARG_STR || str_is_ascii(args->v[i].p)))
		i++;
	if (i == args->n ||
	    (code != ER_CANT_AGGREGATE_2COLLATIONS && code != ER_CANT_AGGREGATE_3COLLATIONS &&
		code != ER_CANT_AGGREGATE_NCOLLATIONS))
		return stmt_failed(c, s);
	return fail(c, E_NOT_FOUND, "%s: nothing has this id or name, which can only be ASCII",
	    str_cut(c->mem, args->v[i].p, 80));
}

static enum err
stmt_execute(struct ctx *c, struct stmt *s, struct args args)
{
	MYSQL_BIND bind[DB_PARAMS];
	unsigned many = (unsigned)args.many;
	size_t each = many ? args.n / many : args.n;
	enum err e = E_OK;

	TRY(stmt_prepare(c, s));
	if (each != s->prepared->params)
		return fail_internal(c, s->file, s->line, "%zu arguments for %u parameters", each,
		    s->prepared->params);
	for (size_t i = 0; i < each; i++) {
		if (args.v[i].kind == ARG_NO_CURSOR)
			return fail_cursor(c);
		bind[i] = many ? column_bind(c, &args, i) : arg_bind(&args.v[i]);
	}
	ctx_round_trip(c);
	c->db->executing = true;
	if (mysql_stmt_attr_set(s->prepared->handle, STMT_ATTR_ARRAY_SIZE, &many) ||
	    (each && mysql_stmt_bind_param(s->prepared->handle, bind)) ||
	    mysql_stmt_execute(s->prepared->handle))
		e = execute_failed(c, s, &args);
	c->db->executing = false;
	return e;
}

/* Another machine may have changed what is read here, and may refuse what is changed. */
static enum err
active_check(struct ctx *c)
{
	if (c->db->any_role || lease_active())
		return E_OK;
	return fail(c, E_NOT_ACTIVE, "%s", err_table[E_NOT_ACTIVE].text);
}

/* Runs a statement. If the connection died while idle, connects again and repeats it, unless a
 * transaction was open, or it is a change that may have been carried out. */
static enum err
stmt_run(struct ctx *c, struct stmt *s, struct args args)
{
	bool was_idle = c->db->my && !c->db->in_transaction;
	enum err e;

	if (s->wrong)
		return fail_internal(c, s->file, s->line, "%s", s->wrong);
	if (!c->db->in_transaction)
		TRY(active_check(c));
	if (c->db->traced)
		c->db->began_us = clock_us();
	if (s->built)
		s->prepared = prepared_kept(c->db, s);
	TRY(db_connect(c));
	e = stmt_execute(c, s, args);
	if (!e || !c->db->broken || !was_idle)
		return e;
	if (c->db->unknown && !s->shape && !str_starts(s->sql, "START ") &&
	    !str_starts(s->sql, "SET "))
		return outcome_unknown(c);
	db_drop(c->db);
	c->replay = false;
	TRY(db_connect(c));
	return stmt_execute(c, s, args);
}

static void
stmt_done(struct ctx *c, struct stmt *s, int64_t rows)
{
	if (s->shape)
		mysql_stmt_free_result(s->prepared->handle);
	if (c->db->traced)
		trace_statement((struct traced){ c->request_id, s->file, s->line, s->sql,
		    clock_us() - c->db->began_us, rows });
}

/* ---- rows ---- */

/* Returns the bytes for a text in its row's block. For hex, the raw bytes follow the digits. */
static size_t
text_room(const struct column *col, unsigned long n)
{
	return (col->hex ? 3 * n : n) + 1;
}

/* The places of one row's columns. */
struct cells {
	MYSQL_BIND bind[COLUMNS];
	void *in[COLUMNS]; /* the struct that has the field */
	int64_t number[COLUMNS];
	unsigned long length[COLUMNS];
	my_bool null[COLUMNS], cut[COLUMNS];
};

static void
cell_bind(struct ctx *c, struct cells *to, unsigned i, const struct column *col, void *row)
{
	enum kind k = col->field->kind;

	to->in[i] = row;
	if (col->object) {
		void **at = (void **)((char *)row + col->object->off);

		if (!*at)
			*at = mem_zalloc(c->mem, col->object->sub->size);
		to->in[i] = *at;
	}
	to->bind[i] = (MYSQL_BIND){ .length = &to->length[i],
		.is_null = &to->null[i],
		.error = &to->cut[i],
		.buffer_type = MYSQL_TYPE_STRING };
	if (!column_is_number(k))
		return;
	to->bind[i].buffer_type = k == K_NUM ? MYSQL_TYPE_DOUBLE : MYSQL_TYPE_LONGLONG;
	to->bind[i].buffer =
	    k == K_BOOL ? (void *)&to->number[i] : (char *)to->in[i] + col->field->off;
}

static bool
is_text(const struct prepared *p, const struct cells *from, unsigned i)
{
	return !from->null[i] && !column_is_number(p->column[i].field->kind);
}

static enum err
cell_read(struct ctx *c, const struct stmt *s, struct cells *from, unsigned i, char **text)
{
	const struct column *col = &s->prepared->column[i];
	const struct field *f = col->field;
	unsigned long n = from->length[i];
	bool null = from->null[i];
	MYSQL_BIND bind;
	char *bytes;

	*((uint8_t *)from->in[i] + f->has) = null ? NULLED : GIVEN;
	if (from->cut[i] && from->bind[i].buffer_type == MYSQL_TYPE_LONGLONG)
		return fail_internal(
		    c, s->file, s->line, "a value of %s does not fit 64 bits", f->name);
	if (f->kind == K_BOOL)
		*(bool *)((char *)from->in[i] + f->off) = !null && from->number[i];
	if (!is_text(s->prepared, from, i))
		return E_OK;
	bytes = col->hex ? *text + 2 * n + 1 : *text;
	bind = (MYSQL_BIND){
		.buffer_type = MYSQL_TYPE_STRING, .buffer = bytes, .buffer_length = n
	};
	if (n && mysql_stmt_fetch_column(s->prepared->handle, &bind, i, 0))
		return stmt_failed(c, s);
	if (col->hex)
		crypto_hex_into(*text, bytes, n);
	*(const char **)((char *)from->in[i] + f->off) = *text;
	*text += text_room(col, n);
	return E_OK;
}

/* Returns E_NOT_FOUND after the last row. */
static enum err
row_fetch(struct ctx *c, const struct stmt *s, void *row)
{
	struct prepared *p = s->prepared;
	struct cells cells = { 0 };
	char *text;
	size_t room = 0;
	int got;

	for (unsigned i = 0; i < p->columns; i++)
		cell_bind(c, &cells, i, &p->column[i], row);
	if (mysql_stmt_bind_result(p->handle, cells.bind))
		return stmt_failed(c, s);
	got = mysql_stmt_fetch(p->handle);
	if (got == MYSQL_NO_DATA)
		return E_NOT_FOUND;
	if (got == 1)
		return stmt_failed(c, s);
	/* All texts of a row share a block, because lists consist mainly of texts. */
	for (unsigned i = 0; i < p->columns; i++)
		room += is_text(p, &cells, i) ? text_room(&p->column[i], cells.length[i]) : 0;
	text = mem_array(c->mem, char, room);
	for (unsigned i = 0; i < p->columns; i++)
		TRY(cell_read(c, s, &cells, i, &text));
	/* An optional object is NULL if its first column is NULL: the outer join found no row. */
	for (unsigned i = 0; i < p->columns; i++) {
		const struct field *object = p->column[i].object;

		if (object && (!i || object != p->column[i - 1].object) && object->flags & F_NUL &&
		    cells.null[i])
			*(void **)((char *)row + object->off) = NULL;
	}
	return E_OK;
}

enum err
db_find_row(struct ctx *c, struct stmt *s, struct args args, void *out)
{
	void *row = mem_zalloc(c->mem, s->shape->size);
	enum err e;

	*(void **)out = NULL;
	TRY(stmt_run(c, s, args));
	e = row_fetch(c, s, row);
	stmt_done(c, s, e == E_OK);
	if (e == E_OK)
		*(void **)out = row;
	return e == E_NOT_FOUND ? E_OK : e;
}

enum { ROWS_FIRST = 16 };

/* Reads rows as they arrive, so MariaDB finds the next ones meanwhile. */
enum err
db_all_rows(struct ctx *c, struct stmt *s, struct args args, struct list *out)
{
	size_t size = s->shape->size, room = ROWS_FIRST;
	enum err e;

	*out = (struct list){ .v = mem_zalloc(c->mem, room * size) };
	TRY(stmt_run(c, s, args));
	while (!(e = row_fetch(c, s, (char *)out->v + out->n * size))) {
		if (++out->n < room)
			continue;
		out->v = mem_grow(c->mem, out->v, 2 * room * size);
		memset((char *)out->v + room * size, 0, room * size);
		room *= 2;
	}
	stmt_done(c, s, (int64_t)out->n);
	return e == E_NOT_FOUND ? E_OK : e;
}

enum err
db_each_row(struct ctx *c, struct stmt *s, struct args args,
    enum err (*fn)(void *arg, const struct bytes *columns), void *arg)
{
	enum { EACH_BYTES = 256 };
	struct cells *to = mem_new(c->mem, struct cells);
	char *bytes = mem_array(to, char, EACH_BYTES * COLUMNS);
	struct bytes out[COLUMNS];
	int64_t rows = 0;
	enum err e = E_OK;
	int got;

	TRY(stmt_run(c, s, args));
	for (unsigned i = 0; i < s->prepared->columns; i++)
		to->bind[i] = (MYSQL_BIND){ .buffer_type = MYSQL_TYPE_BLOB,
			.buffer = bytes + EACH_BYTES * i, .buffer_length = EACH_BYTES,
			.length = &to->length[i], .is_null = &to->null[i], .error = &to->cut[i] };
	if (mysql_stmt_bind_result(s->prepared->handle, to->bind))
		e = stmt_failed(c, s);
	while (!e && (got = mysql_stmt_fetch(s->prepared->handle)) != MYSQL_NO_DATA) {
		for (unsigned i = 0; i < s->prepared->columns; i++)
			out[i] = (struct bytes){ bytes + EACH_BYTES * i,
				to->null[i] ? 0 : to->length[i] };
		e = got == 1			 ? stmt_failed(c, s)
		    : got == MYSQL_DATA_TRUNCATED ? fail_here(c, "a column is too long")
						 : fn(arg, out);
		rows++;
	}
	stmt_done(c, s, rows);
	mem_free(to);
	return e;
}

static void
changes_announce(struct ctx *c)
{
	if (c->db->in_transaction)
		return;
	c->db->commits += c->db->changed;
	if (c->db->changed && !c->db->quiet)
		wake_tell(c->conf);
	c->db->changed = false;
	told_send(c);
}

enum err
db_exec(struct ctx *c, struct stmt *s, struct args args, int64_t *changed)
{
	int64_t n;

	TRY(stmt_run(c, s, args));
	n = (int64_t)mysql_stmt_affected_rows(s->prepared->handle);
	if (changed)
		*changed = n;
	c->db->changed |= n > 0;
	stmt_done(c, s, n);
	changes_announce(c);
	return E_OK;
}

enum err
db_insert(struct ctx *c, struct stmt *s, struct args args, int64_t *no)
{
	TRY(db_exec(c, s, args, NULL));
	*no = (int64_t)mysql_stmt_insert_id(s->prepared->handle);
	return E_OK;
}

enum err
db_exec_many(struct ctx *c, struct stmt *s, const struct arg *v, size_t each, size_t rows)
{
	if (!rows)
		return E_OK;
	TRY(stmt_run(c, s, (struct args){ v, each * rows, rows }));
	stmt_done(c, s, (int64_t)rows);
	c->db->changed = true;
	changes_announce(c);
	return E_OK;
}

/* ---- transactions ---- */

enum err
db_begin(struct ctx *c)
{
	TRY(db_exec(c, EXEC("START TRANSACTION"), NOARGS, NULL));
	c->db->in_transaction = true;
	return E_OK;
}

enum err
db_begin_snapshot(struct ctx *c)
{
	TRY(db_exec(
	    c, EXEC("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"), NOARGS, NULL));
	return db_begin(c);
}

enum err
db_commit(struct ctx *c)
{
	struct stmt *commit = EXEC("COMMIT");
	enum err e;

	TRY(active_check(c));
	if (c->db->traced)
		c->db->began_us = clock_us();
	e = stmt_execute(c, commit, NOARGS);
	/* A conflict (Galera) was rolled back. */
	if (e)
		return c->db->broken || c->db->unknown ? outcome_unknown(c) : e;
	stmt_done(c, commit, 0);
	c->db->in_transaction = false;
	changes_announce(c);
	return E_OK;
}

void
db_rollback(struct ctx *c)
{
	if (!c->db->my || !c->db->in_transaction)
		return;
	if (c->db->broken || mysql_rollback(c->db->my))
		db_drop(c->db);
	c->db->in_transaction = c->db->changed = false;
}

bool
db_again(struct ctx *c, enum err e, int *tries)
{
	/* Each wait for a lock takes seconds. */
	enum { TRIES = 8, BUSY_TRIES = 5 };

	if (!e)
		return false;
	db_rollback(c);
	if (!c->replay || ++*tries == (c->busy ? BUSY_TRIES : TRIES))
		return false;
	failure_pause(c->db->elsewhere, *tries);
	ctx_again(c);
	return true;
}

enum err
db_run(struct ctx *c, const char *sql, size_t n)
{
	TRY(db_connect(c));
	if (mysql_real_query(c->db->my, sql, n))
		return db_failed(c, NULL, mysql_errno(c->db->my), mysql_error(c->db->my));
	mysql_free_result(mysql_store_result(c->db->my));
	return E_OK;
}

enum err
db_numbers(struct ctx *c, const char *sql, int64_t *out, unsigned n)
{
	MYSQL_RES *rows = NULL;
	MYSQL_ROW row;

	if (mysql_real_query(c->db->my, sql, strlen(sql)) ||
	    !(rows = mysql_store_result(c->db->my)))
		return db_failed(c, NULL, mysql_errno(c->db->my), mysql_error(c->db->my));
	row = mysql_fetch_row(rows);
	for (unsigned i = 0; i < n; i++)
		out[i] = row && row[i] ? strtoll(row[i], NULL, 10) : 0;
	mysql_free_result(rows);
	return E_OK;
}

int
db_check(struct ctx *c)
{
	int wrong = 0;

	if (db_connect(c)) {
		fprintf(stderr, "%s\n", c->internal);
		return 1;
	}
	for (struct stmt *const *s = __start_vitrine_stmts; s < __stop_vitrine_stmts; s++) {
		if (stmt_prepare(c, *s)) {
			printf("%s\n", ctx_why(c));
			wrong++;
		}
	}
	return wrong;
}
