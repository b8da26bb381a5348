/* SPDX-License-Identifier: Apache-2.0
 * Tables of an artifact's data. */
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/csv.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/list.h"
#include "cli/which.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { ROWS_A_REQUEST = 1000, BYTES_A_REQUEST = 900000 };
#define EXPORT_BYTES ((int64_t)4 << 30)

/* ---- addresses ---- */

static const char *
artifact_of(struct cli *cli, int *status)
{
	return which_artifact(cli, usage_option(&cli->with, "--artifact"), status);
}

static bool
is_table_name(const char *s)
{
	return (isalpha((unsigned char)*s) || *s == '_') && strlen(s) <= 64 &&
	    !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

/* The path of a table; NULL after saying what is wrong. */
static const char *
table_path(struct cli *cli, const char *table, int *status)
{
	const char *id;

	if (!is_table_name(table)) {
		cli_fail("%s can't be the name of a table: use up to 64 letters, digits, _ and -, "
			 "starting with a letter or _",
		    table);
		*status = EXIT_USAGE;
		return NULL;
	}
	id = artifact_of(cli, status);
	return id ? mem_printf(cli->c->mem, "/v1/data/%s/tables/%s", id, table) : NULL;
}

/* ---- list, create, delete ---- */

static void
row_table(struct cli *cli, const struct json *t)
{
	struct buf b = BUF(cli->c->mem);
	size_t n;
	const struct json *columns = json_list(t, "columns", &n);

	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, " %s:%s", json_member(json_at(columns, i), "name"),
		    json_member(json_at(columns, i), "type"));
	cli_line("%-24s %13s %s", json_member(t, "name"),
	    str_count(cli->c->mem, json_number(t, "row_count"), "row"), buf_done(&b));
}

static int
tables_list(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *id = artifact_of(cli, &status);

	return id ? list_all(cli, mem_printf(cli->c->mem, "/v1/data/%s/tables", id), "tables",
			row_table)
		  : status;
}

/* "age:integer"; a name alone is of text. */
static void
column_add(struct buf *b, const char *given)
{
	size_t n = strcspn(given, ":");

	buf_chr(b, b->s[b->n - 1] == '[' ? '{' : ',');
	if (b->s[b->n - 1] == ',')
		buf_chr(b, '{');
	json_add(b, "name", mem_strndup(b->owner, given, n));
	json_add(b, "type", given[n] ? given + n + 1 : "text");
	buf_chr(b, '}');
}

static int
table_create(struct cli *cli)
{
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int status = EXIT_FINE;
	const char *path;

	if (cli->with.n < 3)
		return help_usage(cli);
	if (!(path = table_path(cli, cli->with.args[1], &status)))
		return status;
	buf_str(&body, "{\"columns\":[");
	for (size_t i = 2; i < cli->with.n; i++)
		column_add(&body, cli->with.args[i]);
	buf_str(&body, "]}");
	if ((status = http_call(cli, "PUT", path, &body, &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else if (!cli->quiet)
		cli_note("table %s is saved", cli->with.args[1]);
	return EXIT_FINE;
}

static int
table_delete(struct cli *cli)
{
	int status = EXIT_FINE;
	struct http_res res;
	const char *path;

	if (cli->with.n != 2)
		return help_usage(cli);
	if (!(path = table_path(cli, cli->with.args[1], &status)))
		return status;
	if (!usage_option(&cli->with, "--yes") &&
	    !cli_ask("Delete table %s and all its rows? This can't be undone.",
		cli->with.args[1])) {
		return cli_fail("nothing was deleted; --yes deletes without asking");
	}
	status = http_call(cli, "DELETE", path, NULL, &res);
	if (!status && !cli->quiet)
		cli_note("table %s is deleted", cli->with.args[1]);
	return status;
}

/* ---- rows ---- */

static void
row_print(struct cli *cli, const struct json *row)
{
	cli_print(cli, row);
}

/* "?order=…" and the conditions, as a query. They are given as a query has them, "age=gte.18", so
 * only what can't stand in one is encoded. */
static const char *
rows_query(struct cli *cli, const char *first)
{
	const char *order = usage_option(&cli->with, "--order");
	const char *where = usage_option(&cli->with, "--where");
	struct buf b = BUF(cli->c->mem);

	buf_str(&b, first);
	if (order) {
		buf_str(&b, "&order=");
		buf_form(&b, order);
	}
	if (where)
		buf_chr(&b, '&');
	for (; where && *where; where++)
		if ((unsigned char)*where <= ' ' || (unsigned char)*where >= 0x7f ||
		    strchr("\"#+<>\\^`{|}", *where))
			buf_fmt(&b, "%%%02x", (unsigned char)*where);
		else
			buf_chr(&b, *where);
	return buf_done(&b);
}

static int
table_rows(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *path;

	if (cli->with.n != 2)
		return help_usage(cli);
	if (!(path = table_path(cli, cli->with.args[1], &status)))
		return status;
	return list_all(cli,
	    mem_printf(cli->c->mem, "%s/rows%s", path, rows_query(cli, "?")), "rows",
	    row_print);
}

/* It gets its name when it is whole, and takes nobody's. */
static int
export_save(struct cli *cli, const char *path, const char *file)
{
	const char *fresh = mem_printf(cli->c->mem, "%s.%d.new", file, (int)getpid());
	struct http_req req = { .method = "GET", .path = path, .save_bytes = EXPORT_BYTES };
	struct http_res res;
	int status;

	if (faccessat(AT_FDCWD, file, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return cli_fail("%s already exists: move it away, or choose another name", file);
	req.save_fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (req.save_fd < 0)
		return cli_fail("%s: %s", fresh, strerror(errno));
	status = http_send(cli, &req, NULL, &res);
	if (close(req.save_fd) && !status)
		status = cli_fail("%s: %s", fresh, strerror(errno));
	if (!status && renameat2(AT_FDCWD, fresh, AT_FDCWD, file, RENAME_NOREPLACE))
		status = cli_fail("%s: %s", file, strerror(errno));
	if (status)
		unlink(fresh);
	else if (!cli->quiet)
		cli_note("%s", file);
	return status;
}

static int
table_export(struct cli *cli)
{
	const char *table = cli->with.n > 1 ? cli->with.args[1] : "", *path, *file;
	int status = EXIT_FINE;
	bool csv;

	if (cli->with.n < 2 || cli->with.n > 3)
		return help_usage(cli);
	file = cli->with.n > 2 ? cli->with.args[2] : mem_printf(cli->c->mem, "%s.csv", table);
	csv = str_ends(file, ".csv");
	if (!csv && !str_ends(file, ".ndjson") && !str_ends(file, ".jsonl")) {
		cli_fail("%s: its name must end in .csv or .ndjson", file);
		return EXIT_USAGE;
	}
	if (!(path = table_path(cli, table, &status)))
		return status;
	path = mem_printf(cli->c->mem, "%s/export%s", path,
	    rows_query(cli, csv ? "?format=csv" : "?format=ndjson"));
	return export_save(cli, path, file);
}

/* ---- import ---- */

struct import {
	struct cli *cli;
	const char *file, *path, *table;
	struct csv_file data;
};

static int
import_create(struct import *m)
{
	struct cli *cli = m->cli;
	struct buf body = BUF(cli->c->mem), said = BUF(cli->c->mem);
	struct http_res res;
	int status;

	buf_str(&body, "{\"columns\":[");
	for (size_t i = 0; i < m->data.column_n; i++) {
		const struct csv_column *col = &m->data.columns[i];

		if (col->left_out)
			continue;
		buf_fmt(&said, " %s:%s", col->name, col->type);
		column_add(&body, said.s + said.n - strlen(col->name) - strlen(col->type) - 1);
	}
	buf_str(&body, "]}");
	if ((status = http_call(cli, "PUT", m->path, &body, &res)))
		return status;
	if (!cli->quiet)
		cli_note("table %s is created, with types guessed from the values:%s", m->table,
		    buf_done(&said));
	return EXIT_FINE;
}

/* A table may have a column that is called as none can be anymore. */
static void
column_take(struct csv_column *col, const struct json *there)
{
	const char *name = json_member(there, "name");

	if (!str_eq(col->name, name) && !str_eq(col->head, name))
		return;
	col->name = name;
	col->type = json_member(there, "type");
}

/* The types of the table that is there say what the file's values are. */
static void
types_take(struct import *m, const struct json *reply)
{
	size_t n;
	const struct json *columns = json_list(reply, "table.columns", &n);

	for (size_t i = 0; i < m->data.column_n; i++)
		for (size_t k = 0; k < n; k++)
			column_take(&m->data.columns[i], json_at(columns, k));
}

static int
import_prepare(struct import *m)
{
	struct http_req req = { .method = "GET", .path = m->path, .save_fd = -1 };
	struct http_res res;
	int status = http_send(m->cli, &req, "NOT_FOUND", &res);

	if (status && res.status == 404)
		return import_create(m);
	if (!status)
		types_take(m, res.json);
	return status;
}

struct batch {
	const struct import *m;
	size_t first; /* of its rows, in the file */
};

/* The service counts the rows of a request, "rows[2].age: …"; people look for a line. */
static const char *
line_told(struct cli *cli, const char *error, const void *arg)
{
	static const char before[] = "rows[";
	const struct batch *b = arg;
	const struct csv_file *data = &b->m->data;
	size_t row;
	char *end;

	if (!str_starts(error, before))
		return NULL;
	row = b->first + strtoul(error + sizeof before - 1, &end, 10);
	if (*end != ']' || row >= data->row_n)
		return NULL;
	end += end[1] == '.' ? 2 : 1;
	return mem_printf(cli->c->mem, "%s: %s %zu%s%s", b->m->file,
	    csv_unit(data), data->lines[row], *end == ':' ? "" : ": ", end);
}

static void
import_failed(const struct import *m, size_t done)
{
	m->cli->quiet ? (void)0
		      : cli_note("%s of %s added before the error; the next one is %s %zu",
			    str_count(m->cli->c->mem, (int64_t)done, "row"), m->file,
			    csv_unit(&m->data), m->data.lines[done]);
}

static int
import_send(struct import *m)
{
	size_t done = 0, n;

	while (done < m->data.row_n) {
		struct cli part = *m->cli;
		struct batch batch = { m, done };
		struct http_req req = {
			.method = "POST", .save_fd = -1, .told = line_told, .told_arg = &batch
		};
		struct http_res res;
		int status;

		part.c = ctx_begin(NULL, NULL);
		req.body = csv_rows_json(
		    &part, &m->data, done, ROWS_A_REQUEST, BYTES_A_REQUEST, &n);
		req.body_n = strlen(req.body);
		req.path = mem_printf(part.c->mem, "%s/rows", m->path);
		status = http_send(&part, &req, NULL, &res);
		ctx_end(part.c);
		if (status) {
			import_failed(m, done);
			return status;
		}
		done += n;
		cli_progress(m->cli, m->file, (int64_t)done, (int64_t)m->data.row_n);
	}
	if (!m->cli->quiet)
		cli_note("%s added to %s",
		    str_count(m->cli->c->mem, (int64_t)done, "row"), m->table);
	return EXIT_FINE;
}

/* "data/First guests.csv" makes the table First_guests. */
static const char *
table_of_file(struct cli *cli, const char *file)
{
	const char *base = str_base(file);
	char *name = mem_strndup(cli->c->mem, base, strcspn(base, "."));

	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '-')
			*p = '_';
	return isdigit((unsigned char)*name) || *name == '-'
	    ? mem_printf(cli->c->mem, "_%s", name)
	    : name;
}

static int
table_import(struct cli *cli)
{
	struct import m = { .cli = cli };
	int status = EXIT_FINE;

	if (cli->with.n < 2 || cli->with.n > 3)
		return help_usage(cli);
	m.file = cli->with.args[1];
	m.table = cli->with.n > 2 ? cli->with.args[2] : table_of_file(cli, m.file);
	if (!csv_read(cli, m.file, &m.data))
		return EXIT_REFUSED;
	if (!(m.path = table_path(cli, m.table, &status)) || (status = import_prepare(&m)))
		return status;
	return import_send(&m);
}

/* ---- the command ---- */

static int
run_table(struct cli *cli)
{
	static const struct {
		const char *name;
		int (*run)(struct cli *);
	} actions[] = { { "list", tables_list }, { "create", table_create },
		{ "import", table_import }, { "rows", table_rows }, { "export", table_export },
		{ "delete", table_delete } };

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (str_eq(cli->with.args[0], actions[i].name))
			return actions[i].run(cli);
	return help_usage(cli);
}

static const struct cli_option table_options[] = {
	{ "--artifact SLUG", "whose tables (default: what was published from here)" },
	{ "--where COND",
	    "for rows and export: filter as in the API: 'age=gte.18&name=prefix.An'" },
	{ "--order COLUMN", "for rows and export: sort by it; with - before it, descending" },
	{ "--yes", "delete without asking" },
	{ 0 },
};

const struct cli_cmd table_cli[] = {
	{ "table",
	    "list|create|import|rows|export|delete [TABLE|FILE] [ARG…] [--artifact SLUG] "
	    "[--where COND] [--order COLUMN] [--yes]",
	    "an artifact's tables: list; create TABLE NAME:TYPE…; import FILE [TABLE]; rows TABLE; "
	    "export TABLE [FILE]; delete TABLE",
	    run_table, NEEDS_TOKEN, table_options },
	{ 0 },
};
