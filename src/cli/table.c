/* SPDX-License-Identifier: Apache-2.0
 * Commands about the tables of an artifact's data. */
#include "base/str.h"
#include "cli/commands.h"
#include "cli/http.h"
#include "cli/retype.h"
#include "cli/row.h"
#include "cli/tablefile.h"
#include "cli/view.h"
#include "cli/which.h"
#include "data/cell.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { ROWS_A_REQUEST = 1000, BYTES_A_REQUEST = 900000 };
#define EXPORT_BYTES ((int64_t)4 << 30)

/* ---- addresses ---- */

static bool
is_table_name(const char *s)
{
	return (isalpha((unsigned char)*s) || *s == '_') && strlen(s) <= 64 &&
	    !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")];
}

static bool
table_name_check(const char *table)
{
	return is_table_name(table) ||
	    cli_fail("%s can't be the name of a table: use up to 64 letters, digits, _ and -, "
		     "starting with a letter or _",
		table) == EXIT_FINE;
}

static int
table_check(struct cli *cli)
{
	return table_name_check(row_given(cli, "TABLE")) ? EXIT_FINE : EXIT_USAGE;
}

/* Returns a table's path; NULL after saying what is wrong. */
static const char *
table_path(struct cli *cli, const char *table, int *status)
{
	const char *id;

	if (!table_name_check(table)) {
		*status = EXIT_USAGE;
		return NULL;
	}
	id = which_artifact(cli, cli_option(cli, "--artifact"), status);
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

/* Adds a column such as "age:integer"; a name alone is of type text. */
static void
column_add(struct buf *b, const char *given)
{
	size_t n = strcspn(given, ":");

	buf_chr(b, b->s[b->n - 1] == '[' ? '{' : ',');
	if (b->s[b->n - 1] == ',')
		buf_chr(b, '{');
	json_add(b, "name", mem_strndup(b->owner, given, n));
	retype_type_add(b, given[n] ? given + n + 1 : "text");
	buf_chr(b, '}');
}

static bool
columns_body(struct cli *cli, struct buf *body)
{
	buf_str(body, "{\"columns\":[");
	for (size_t i = 2; i < cli->with.n; i++)
		column_add(body, cli->with.args[i]);
	buf_str(body, "]}");
	return true;
}

/* ---- rows ---- */

/* Adds --where, which is written like a query ("age=gte.18"). Only characters that can't be in a
 * query are encoded. */
static bool
where_add(struct cli *cli, struct buf *b)
{
	const char *where = cli_option(cli, "--where");

	buf_str(b, where && b->n ? "&" : "");
	for (; where && *where; where++)
		if ((unsigned char)*where <= ' ' || (unsigned char)*where >= 0x7f ||
		    strchr("\"#+<>\\^`{|}", *where))
			buf_fmt(b, "%%%02x", (unsigned char)*where);
		else
			buf_chr(b, *where);
	return true;
}

/* The file gets its name when it is complete, and never replaces a file. */
int
table_save(struct cli *cli, const char *path, const char *file)
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
	const char *table = row_given(cli, "TABLE"), *file = row_given(cli, "FILE"), *path,
		   *order = cli_option(cli, "--order");
	struct buf b = BUF(cli->c->mem);
	int status = EXIT_FINE;
	bool csv;

	if (!file)
		file = mem_printf(cli->c->mem, "%s.csv", table);
	csv = str_ends(file, ".csv");
	if (!csv && !str_ends(file, ".ndjson") && !str_ends(file, ".jsonl"))
		return cli_misuse("%s: its name must end in .csv or .ndjson", file);
	if (!(path = table_path(cli, table, &status)))
		return status;
	buf_fmt(&b, "%s/export?format=%s%s", path, csv ? "csv" : "ndjson", order ? "&order=" : "");
	buf_form(&b, order ? order : "");
	if (cli_option(cli, "--view"))
		buf_fmt(&b, "&view=%s", form_encoded(cli->c->mem, cli_option(cli, "--view")));
	where_add(cli, &b);
	return table_save(cli, b.s, file);
}

/* ---- import ---- */

struct import {
	struct cli *cli;
	const char *file, *path, *table;
	struct tablefile data;
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
		const struct tablefile_column *col = &m->data.columns[i];

		if (col->left_out)
			continue;
		buf_fmt(&said, " %s:%s", col->name, col->type);
		column_add(&body, said.s + said.n - strlen(col->name) - strlen(col->type) - 1);
	}
	buf_str(&body, "]}");
	if ((status = http_json(cli, "PUT", m->path, &body, NULL, &res)))
		return status;
	if (!cli->quiet)
		cli_note("table %s is created, with types guessed from the values:%s", m->table,
		    buf_done(&said));
	return EXIT_FINE;
}

/* Takes name and type from a column of the existing table, if it is this one. An old table may have
 * a column whose name isn't allowed anymore, so the file's own name is compared, too. */
static bool
column_take(struct tablefile_column *col, const struct json *there)
{
	const char *name = json_member(there, "name");

	if (!str_eq(col->name, name) && !str_eq(col->head, name))
		return false;
	col->name = name;
	col->type = json_member(there, "type");
	return true;
}

/* Takes names and types from the existing table. Fails before any row is sent if the file has
 * columns that the table lacks, and names them all. */
static int
types_take(struct import *m, const struct json *reply)
{
	size_t n, missing = 0;
	const struct json *columns = json_list(reply, "table.columns", &n);
	struct buf names = BUF(m->cli->c->mem), there = BUF(m->cli->c->mem);

	for (size_t k = 0; k < n; k++)
		buf_fmt(&there, "%s%s", k ? ", " : "", json_member(json_at(columns, k), "name"));
	for (size_t i = 0; i < m->data.column_n; i++) {
		struct tablefile_column *col = &m->data.columns[i];
		bool known = false;

		for (size_t k = 0; k < n; k++)
			known |= column_take(col, json_at(columns, k));
		if (known || col->left_out || !tablefile_says(&m->data, i))
			continue;
		buf_fmt(&names, "%s%s", missing++ ? ", " : "", col->name);
	}
	return !missing ? EXIT_FINE
			: cli_fail("%s: the table %s has no column%s %s; its columns are %s",
			      m->file, m->table, missing == 1 ? "" : "s", buf_done(&names),
			      buf_done(&there));
}

static int
import_prepare(struct import *m)
{
	struct http_req req = { .method = "GET", .path = m->path, .save_fd = -1 };
	struct http_res res;
	int status = http_send(m->cli, &req, "NOT_FOUND", &res);

	if (status && res.status == 404)
		return import_create(m);
	return status ? status : types_take(m, res.json);
}

struct batch {
	const struct import *m;
	size_t first; /* number of its first row in the file */
};

/* The service numbers the rows of a request ("rows[2].age: …"); people look for a line. */
static const char *
line_reword(struct cli *cli, const char *error, const void *arg)
{
	static const char before[] = "rows[";
	const struct batch *b = arg;
	const struct tablefile *data = &b->m->data;
	size_t row;
	char *end;

	if (!str_starts(error, before))
		return NULL;
	row = b->first + strtoul(error + sizeof before - 1, &end, 10);
	if (*end != ']' || row >= data->row_n)
		return NULL;
	end += end[1] == '.' ? 2 : 1;
	return mem_printf(cli->c->mem, "%s: %s %zu%s%s", b->m->file,
	    tablefile_unit(data), data->lines[row], *end == ':' ? "" : ": ", end);
}

static int
import_send(struct import *m)
{
	size_t done = 0, n;

	while (done < m->data.row_n) {
		struct cli part = *m->cli;
		struct batch batch = { m, done };
		struct http_req req = {
			.method = "POST", .save_fd = -1, .reword = line_reword, .reword_arg = &batch
		};
		struct http_res res;
		int status;

		part.c = ctx_begin(NULL, NULL);
		req.body = tablefile_rows(
		    &part, &m->data, done, ROWS_A_REQUEST, BYTES_A_REQUEST, &n);
		req.body_n = strlen(req.body);
		req.path = mem_printf(part.c->mem, "%s/rows", m->path);
		status = http_send(&part, &req, NULL, &res);
		ctx_end(part.c);
		if (status && !m->cli->quiet)
			cli_note("%s of %s added before the error; the next one is %s %zu",
			    str_count(m->cli->c->mem, (int64_t)done, "row"), m->file,
			    tablefile_unit(&m->data), m->data.lines[done]);
		if (status)
			return status;
		done += n;
		cli_progress(m->cli, m->file, (int64_t)done, (int64_t)m->data.row_n);
	}
	if (!m->cli->quiet)
		cli_note("%s added to %s",
		    str_count(m->cli->c->mem, (int64_t)done, "row"), m->table);
	return EXIT_FINE;
}

static int
table_import(struct cli *cli)
{
	struct import m = {
		.cli = cli, .file = row_given(cli, "FILE"), .table = row_given(cli, "TABLE")
	};
	int status = EXIT_FINE;

	/* "data/First guests.csv" becomes First_guests. */
	if (!m.table) {
		m.table = mem_strndup(
		    cli->c->mem, str_base(m.file), strcspn(str_base(m.file), "."));
		if (!is_table_name(m.table))
			m.table = column_name_of(cli->c->mem, m.table);
	}
	if (!tablefile_read(cli, m.file, &m.data))
		return EXIT_REFUSED;
	if (!(m.path = table_path(cli, m.table, &status)) || (status = import_prepare(&m)))
		return status;
	return import_send(&m);
}

/* ---- the command ---- */

static const struct cli_option table_options[] = {
	{ "--artifact SLUG", "whose tables (default: what was published from here)" },
	{ "--where COND",
	    "for rows and export: filter as in the API: 'age=gte.18&name=prefix.An'" },
	{ "--order COLUMN", "for rows and export: sort by it; with - before it, descending" },
	RETYPE_OPTIONS
	{ "--row ROW", "for history: only changes of this row" },
	{ "--via HOW", "for history: api, page, agent, job, import, undo or app" },
	{ "--name NAME", "for restore of a deleted table: its new name" },
	VIEW_OPTIONS
	{ "--yes", "delete without asking" },
	{ 0 },
};

#define TABLES "/v1/data/{@artifact}/tables"
#define WENT_BACK_NOTE \
	"[the service does it now: operation {operation.id}]" \
	"{!operation?undone:count row}{!operation?' undone'}" \
	"{kept?', '}{kept?kept}{kept?' kept, which others have changed since'}"
static const struct cli_row table_rows[] = {
	{ "list", "[ARG…]", "GET " TABLES, .list = "tables", .prints = row_table },
	{ "create", "TABLE COLUMN…", "PUT " TABLES "/{TABLE}", .check = table_check,
	    .adds = columns_body, .note = "table {TABLE} is saved" },
	{ "rename", "TABLE OLD NEW", .check = table_check, .run = retype_rename },
	{ "retype", "TABLE COLUMN TYPE", "POST " TABLES "/{TABLE}/retype", .check = table_check,
	    .adds = retype_body, .then = retype_told },
	{ "import", "FILE [TABLE]", .run = table_import },
	{ "rows", "TABLE", "GET " TABLES "/{TABLE}/rows", "order=--order view=--view",
	    .check = table_check, .adds = where_add, .list = "rows", .line = "{:json}" },
	{ "export", "TABLE [FILE]", .run = table_export },
	{ "history", "TABLE", "GET " TABLES "/{TABLE}/history", "row=--row via=--via",
	    .check = table_check, .list = "batches",
	    .line = "{batch_id}  {at:time}  {-6 via} {by.name|by.user_id|'-'}:"
		    "{added?' '}{added?added:count row}{added?' added'}"
		    "{changed?' '}{changed?changed:count row}{changed?' changed'}"
		    "{deleted?' '}{deleted?deleted:count row}{deleted?' deleted'}" },
	{ "undo", "TABLE BATCH", "POST " TABLES "/{TABLE}/undo", "batch_id=BATCH",
	    .check = table_check, .note = WENT_BACK_NOTE, .line = "{batch_id}" },
	{ "restore", "TABLE TIME", "POST " TABLES "/{TABLE}/restore", "at=TIME",
	    .check = table_check, .note = WENT_BACK_NOTE, .line = "{batch_id}" },
	{ "restore", "TABLE ROW BATCH", "POST " TABLES "/{TABLE}/rows/{ROW}/restore",
	    "batch_id=BATCH", .check = table_check, .of = "row", .line = "{:json}" },
	{ "restore", "DELETED", "POST /v1/data/{@artifact}/deleted/{DELETED}/restore",
	    "name=--name", .note = "table {table.name} is back" },
	{ "deleted", NULL, "GET /v1/data/{@artifact}/deleted", .list = "deleted",
	    .line = "{id}  {table}  {row_count:count row}  until {until:time}" },
	VIEW_ROWS
	{ "delete", "TABLE", "DELETE " TABLES "/{TABLE}", .check = table_check,
	    .note = "table {TABLE} is deleted; vitrine table deleted lists it for 30 days",
	    .asks = ASKS_DELETE("Delete table {TABLE} and all its rows?") },
	{ 0 },
};

const struct cli_cmd table_cli[] = {
	{ "table",
	    "list|create|rename|retype|import|rows|export|history|undo|restore|deleted|view|chart|"
	    "delete [TABLE|FILE] [ARG…]",
	    "an artifact's tables: list; create TABLE NAME:TYPE…; rename TABLE OLD NEW; "
	    "retype TABLE COLUMN TYPE; import FILE [TABLE]; rows TABLE; "
	    "export TABLE [FILE]; history TABLE; undo TABLE BATCH; "
	    "restore TABLE TIME, or TABLE ROW BATCH, or the ID of a deleted table; deleted; "
	    "view list|add|remove TABLE; chart list|add|data|svg|remove; delete TABLE",
	    table_options, table_rows },
	{ 0 },
};
