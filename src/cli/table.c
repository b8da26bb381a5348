/* SPDX-License-Identifier: Apache-2.0
 * Commands about the tables of an artifact's data. */
#include "base/mime.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cli/commands.h"
#include "cli/http.h"
#include "cli/import.h"
#include "cli/retype.h"
#include "cli/row.h"
#include "cli/view.h"
#include "cli/which.h"
#include "data/cell.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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

/* Adds columns such as "age:integer"; a name alone is of type text. */
static bool
columns_body(struct cli *cli, struct buf *body)
{
	buf_str(body, "{\"columns\":[");
	for (size_t i = 2; i < cli->with.n; i++) {
		const char *given = cli->with.args[i];
		size_t n = strcspn(given, ":");

		buf_str(body, i > 2 ? ",{" : "{");
		json_add(body, "name", mem_strndup(body->owner, given, n));
		retype_type_add(body, given[n] ? given + n + 1 : "text");
		buf_chr(body, '}');
	}
	buf_str(body, "]}");
	return true;
}

/* ---- rows ---- */

/* Adds --where, which is JSON or written like a query ("age=gte.18"). Of such a query, only
 * characters that can't be in one are encoded. */
static bool
where_add(struct cli *cli, struct buf *b)
{
	const char *where = cli_option(cli, "--where");

	buf_str(b, where && b->n ? "&" : "");
	/* A column may be named where; with the $, the parameter is meant. */
	if (where && (*where == '[' || *where == '{')) {
		buf_str(b, "$where=");
		buf_form(b, where);
		return true;
	}
	for (; where && *where; where++)
		if ((unsigned char)*where <= ' ' || (unsigned char)*where >= 0x7f ||
		    strchr("\"#+<>\\^`{|}", *where))
			buf_fmt(b, "%%%02x", (unsigned char)*where);
		else
			buf_chr(b, *where);
	return true;
}

/* The file gets its name when it is complete, and never replaces a file; - is standard output. */
int
table_save(struct cli *cli, const char *path, const char *file)
{
	const char *fresh = mem_printf(cli->c->mem, "%s.%d.new", file, (int)getpid());
	struct http_req req = { .method = "GET", .path = path, .save_bytes = EXPORT_BYTES };
	struct http_res res;
	int status;

	if (str_eq(file, "-")) {
		req.save_fd = STDOUT_FILENO;
		return http_send(cli, &req, NULL, &res);
	}
	if (faccessat(AT_FDCWD, file, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return cli_fail("%s already exists: move it away, or choose another name", file);
	req.save_fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (req.save_fd < 0)
		return cli_fail("%s: %s", file, strerror(errno));
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
	const char *table = row_given(cli, "TABLE"), *file = row_given(cli, "FILE"), *id,
		   *order = cli_option(cli, "--order"), *ending, *format = NULL;
	static const char *const formats[] = { "csv", "xlsx", "json", "ndjson" };
	struct buf b = BUF(cli->c->mem);
	int status = EXIT_FINE;

	if (!file)
		file = mem_printf(cli->c->mem, "%s.csv", table);
	ending = str_eq(file, "-") ? "csv" : str_ending(file);
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (str_eq(ending, formats[i]))
			format = formats[i];
	if (str_eq(ending, "jsonl"))
		format = "ndjson";
	if (!format)
		return cli_misuse(
		    "%s: its name must end in .csv, .xlsx, .json or .ndjson; - is CSV on standard "
		    "output", file);
	if (!table_name_check(table))
		return EXIT_USAGE;
	id = which_artifact(cli, cli_option(cli, "--artifact"), &status);
	if (!id)
		return status;
	buf_fmt(&b, "/v1/data/%s/tables/%s/export?format=%s%s", id, table, format,
	    order ? "&order=" : "");
	buf_form(&b, order ? order : "");
	if (cli_option(cli, "--view"))
		buf_fmt(&b, "&view=%s", form_encoded(cli->c->mem, cli_option(cli, "--view")));
	where_add(cli, &b);
	return table_save(cli, b.s, file);
}

/* ---- import ---- */

/* True if the file's ending is known for something else than rows. JSON has many endings. */
static bool
is_foreign(const char *file)
{
	const char *ending = str_ending(file);
	const struct mime_row *row = mime_table;

	while (row->ext && strcasecmp(row->ext, ending) != 0)
		row++;
	return row->ext && !str_in(row->ext, "csv|tsv|txt|log|xlsx") && !strstr(row->mime, "json");
}

static int
table_import(struct cli *cli)
{
	const char *file = row_given(cli, "FILE"), *table = row_given(cli, "TABLE"), *id;
	int status = EXIT_FINE;

	if (str_starts(file, "https://") || str_starts(file, "http://"))
		return cli_misuse("%s: fetch it, and import the file; or let a job load it, also "
				  "again and again: vitrine jobs add --materialize URL --table "
				  "NAME --cron @daily", file);
	if (is_foreign(file))
		return cli_misuse("%s: a table is made from CSV, TSV, JSON, NDJSON, or Excel "
				  "(.xlsx); if this is one of these, rename it", file);
	if (str_eq(file, "-") && !table)
		return cli_misuse("-: name the table: vitrine table import - TABLE");
	/* "data/First guests.csv" becomes First_guests, "Gäste.csv" gaste. */
	if (!table) {
		table = mem_strndup(cli->c->mem, str_base(file), strcspn(str_base(file), "."));
		if (!str_is_ascii(table))
			table = unicode_unmarked(cli->c->mem, table);
		if (!is_table_name(table))
			table = column_name_before(cli->c->mem, table);
	}
	if (!table_name_check(table))
		return EXIT_USAGE;
	id = which_artifact(cli, cli_option(cli, "--artifact"), &status);
	return id ? import_file(cli, id, file, table) : status;
}

/* Saves the lines that an import left out. */
static int
table_left_out(struct cli *cli)
{
	const char *file = row_given(cli, "FILE"), *id = row_given(cli, "ID"), *artifact;
	int status = EXIT_FINE;

	artifact = which_artifact(cli, cli_option(cli, "--artifact"), &status);
	return !artifact ? status
			 : table_save(cli,
			       mem_printf(cli->c->mem, "/v1/data/%s/imports/%s/left-out", artifact,
				   id),
			       file ? file : "left-out.csv");
}

/* ---- the command ---- */

static const struct cli_option table_options[] = {
	{ "--artifact SLUG", "whose tables (default: what was published from here)" },
	{ "--where COND",
	    "for rows and export: filter as in the API: 'age=gte.18&name=prefix.An', or JSON" },
	{ "--order COLUMN", "for rows and export: sort by it; with - before it, descending" },
	RETYPE_OPTIONS
	{ "--row ROW", "for history: only changes of this row", .only = "history" },
	{ "--via HOW", "for history: api, page, agent, job, import, undo or app",
	    .only = "history" },
	{ "--name NAME", "for restore of a deleted table or column: its new name" },
	VIEW_OPTIONS
	IMPORT_OPTIONS
	{ "--yes", "delete without asking; for import: accept what is proposed" },
	{ 0 },
};

static const char *const retype_options[][2] = { { "misfits", "--null" },
	{ "read.decimal", "--decimal" }, { "read.date_order", "--date-order" },
	{ "read.zone", "--zone" }, { NULL } };
static const char *const create_members[][2] = { { "columns.name", "COLUMN" },
	{ "columns.type", "COLUMN" }, { "columns.choices", "COLUMN" }, { "columns.to", "COLUMN" },
	{ NULL } };
#define TABLES "/v1/data/{@artifact}/tables"
#define WENT_BACK_NOTE \
	"[the service does it now: operation {operation.id}]" \
	"{!operation?undone:count row}{!operation?' undone'}" \
	"{kept?', '}{kept?kept}{kept?' kept, which others have changed since'}"
static const struct cli_row table_rows[] = {
	{ "list", "[ARG…]", "GET " TABLES, .list = "tables", .prints = row_table },
	{ "create", "TABLE COLUMN…", "PUT " TABLES "/{TABLE}", .check = table_check,
	    .adds = columns_body, .options = create_members, .note = "table {TABLE} is saved" },
	{ "rename", "TABLE OLD NEW", .check = table_check, .run = retype_rename },
	{ "retype", "TABLE COLUMN TYPE", "POST " TABLES "/{TABLE}/retype", .check = table_check,
	    .adds = retype_body, .options = retype_options, .then = retype_told,
	    .reword = retype_reword },
	{ "key", "TABLE COLUMN", .run = retype_key },
	{ "import", "FILE [TABLE]", .run = table_import },
	{ "imports", NULL, "GET /v1/data/{@artifact}/imports", .list = "imports",
	    .line = "{id}  {-10 state}  {table}  {rows:count row}[  {filename}]" },
	{ "cancel", "ID", "DELETE /v1/data/{@artifact}/imports/{ID}",
	    .id = { "imp_", "the id of an import: vitrine table imports lists them" },
	    .note = "cancelled; rows that it has added are taken back" },
	{ "left-out", "ID [FILE]", .run = table_left_out,
	    .id = { "imp_", "the id of an import: vitrine table imports lists them" } },
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
	    "name=--name", 
	    .note = "restored: vitrine table rows {table.name} shows it" },
	{ "deleted", NULL, "GET /v1/data/{@artifact}/deleted", .list = "deleted",
	    .line = "{id}  {-6 kind}  {table}{column?'.'}{column}[  {row_count:count row}]"
		    "  until {until:time}" },
	{ "forget", "ID", "DELETE /v1/data/{@artifact}/deleted/{ID}",
	    .id = { "del_", "the id of what was deleted: vitrine table deleted lists it" },
	    .note = "deleted for good",
	    .asks = ASKS_DELETE("Delete {ID} for good?") },
	VIEW_ROWS
	{ "delete", "TABLE", "DELETE " TABLES "/{TABLE}", .check = table_check,
	    .note = "table {TABLE} is deleted; vitrine table deleted lists it for 30 days",
	    .asks = ASKS_DELETE("Delete table {TABLE} and all its rows?") },
	{ 0 },
};

const struct cli_cmd table_cli[] = {
	{ "table",
	    "list|create|rename|retype|key|import|imports|cancel|left-out|rows|export|history|undo|"
	    "restore|deleted|forget|view|chart|delete [TABLE|FILE] [ARG…]",
	    "an artifact's tables: list; create TABLE NAME:TYPE…; rename TABLE OLD NEW; "
	    "retype TABLE COLUMN TYPE; key TABLE COLUMN; import FILE [TABLE], imports, cancel ID, "
	    "left-out ID [FILE]; rows TABLE; "
	    "export TABLE [FILE]; history TABLE; undo TABLE BATCH; "
	    "restore TABLE TIME, or TABLE ROW BATCH, or the ID of a deleted table or column; "
	    "deleted; forget ID; "
	    "view list|add|remove TABLE; chart list|add|data|svg|remove; delete TABLE",
	    table_options, table_rows },
	{ 0 },
};
