/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/retype.h"

#include "base/str.h"
#include "cli/http.h"
#include "cli/row.h"
#include "cli/which.h"

void
retype_type_add(struct buf *b, const char *type)
{
	size_t n = strcspn(type, "("), end = strlen(type);
	char *rest, *part;

	json_add(b, "type", mem_strndup(b->owner, type, n));
	if (!type[n] || type[end - 1] != ')')
		return;
	rest = mem_strndup(b->owner, type + n + 1, end - n - 2);
	if (str_starts(type, "link")) {
		json_add(b, "to", rest);
		return;
	}
	json_key(b, "choices");
	for (buf_chr(b, '['); (part = str_split(&rest, '|'));) {
		buf_str(b, b->s[b->n - 1] == '[' ? "" : ",");
		buf_json(b, part);
	}
	buf_chr(b, ']');
}

/* ---- another type ---- */

bool
retype_body(struct cli *cli, struct buf *body)
{
	const char *const read[][2] = { { "decimal", cli_option(cli, "--decimal") },
		{ "date_order", cli_option(cli, "--date-order") },
		{ "zone", cli_option(cli, "--zone") } };
	size_t n = 0;

	buf_chr(body, '{');
	json_add(body, "column", row_given(cli, "COLUMN"));
	retype_type_add(body, row_given(cli, "TYPE"));
	if (cli_option(cli, "--null"))
		json_add(body, "misfits", "null");
	if (cli_option(cli, "--dry-run")) {
		json_key(body, "dry_run");
		buf_str(body, "true");
	}
	for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
		if (!read[i][1])
			continue;
		if (!n++) {
			json_key(body, "read");
			buf_chr(body, '{');
		}
		json_add(body, read[i][0], read[i][1]);
	}
	buf_str(body, n ? "}}" : "}");
	return true;
}

const char *
retype_reword(struct cli *cli, const char *error, const void *arg)
{
	(void)arg;
	return cli_text_replaced(cli, error, "with misfits: \"null\"", "with --null");
}

int
retype_told(struct cli *cli, const struct json *reply)
{
	size_t n;
	const struct json *first = json_list(reply, "first", &n);

	if (cli->json) {
		cli_line("%s", json_text(cli->c->mem, reply));
		return EXIT_FINE;
	}
	if (!cli->quiet)
		cli_note("%s fit, %s empty, %s",
		    str_number(cli->c->mem, json_number(reply, "fits")),
		    str_number(cli->c->mem, json_number(reply, "empty")),
		    json_number(reply, "misfits") == 1
			? "1 doesn't fit"
			: mem_printf(cli->c->mem, "%s don't fit",
			      str_number(cli->c->mem, json_number(reply, "misfits"))));
	for (size_t i = 0; i < n; i++)
		cli_line("%s %s", json_member(json_at(first, i), "row_id"),
		    json_text(cli->c->mem, json_get(json_at(first, i), "value")));
	if (!cli->quiet && *json_member(reply, "operation.id"))
		cli_note("the rows are being written; until then they can only be read (%s)",
		    json_member(reply, "operation.id"));
	return EXIT_FINE;
}

/* ---- another name ---- */

/* Finds a column's place. Returns the exit status, after naming the columns if none is it. */
static int
column_find(struct cli *cli, const struct json *table, const char *name, size_t *at)
{
	size_t n;
	const struct json *columns = json_list(table, "table.columns", &n);
	struct buf b = BUF(cli->c->mem);

	for (*at = 0; *at < n; ++*at) {
		const char *one = json_member(json_at(columns, *at), "name");

		if (str_eq(one, name))
			return EXIT_FINE;
		buf_fmt(&b, "%s%s", str_and(*at, n), one);
	}
	return cli_fail("the table %s has no column %s; its columns are %s",
	    row_given(cli, "TABLE"), name, buf_done(&b));
}

static void
columns_renamed(struct cli *cli, const struct json *table, const char *old, const char *name,
    struct buf *body)
{
	size_t n;
	const struct json *columns = json_list(table, "table.columns", &n);

	buf_str(body, "{\"columns\":[");
	for (size_t i = 0; i < n; i++) {
		const struct json *col = json_at(columns, i);
		struct json *now = json_new(cli->c, NULL, NULL);
		bool it = str_eq(json_member(col, "name"), old);

		json_merge(now, col);
		if (it)
			json_merge(now, json_new(cli->c, "name", name, NULL));
		buf_str(body, i ? "," : "");
		json_into(body, now);
	}
	buf_str(body, "],\"renames\":{");
	json_add(body, old, name);
	buf_str(body, cli_option(cli, "--rewrite") ? "},\"policy\":\"rewrite\"}" : "}}");
}

/* The new name was typed as NEW; member: where the request has it. */
static const char *
name_reword(struct cli *cli, const char *error, const void *member)
{
	return cli_text_replaced(cli, error, member, "NEW");
}

int
retype_rename(struct cli *cli)
{
	const char *table = row_given(cli, "TABLE"), *old = row_given(cli, "OLD");
	const char *name = row_given(cli, "NEW"), *id, *path;
	struct http_req req = { .method = "PUT", .save_fd = -1, .reword = name_reword };
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int status = EXIT_FINE;
	size_t at;

	if (!(id = which_artifact(cli, cli_option(cli, "--artifact"), &status)))
		return status;
	path = mem_printf(cli->c->mem, "/v1/data/%s/tables/%s", id, table);
	if ((status = http_do(cli, &res, "GET %s", path)) ||
	    (status = column_find(cli, res.json, old, &at)))
		return status;
	columns_renamed(cli, res.json, old, name, &body);
	req.path = path;
	req.body = buf_done(&body);
	req.body_n = body.n;
	req.reword_arg = mem_printf(cli->c->mem, "columns[%zu].name", at);
	if ((status = http_send(cli, &req, NULL, &res)))
		return status;
	if (!cli->quiet)
		cli_note("%s is %s now", old, name);
	return EXIT_FINE;
}

/* ---- the key ---- */

int
retype_key(struct cli *cli)
{
	const char *table = row_given(cli, "TABLE"), *column = row_given(cli, "COLUMN"), *id, *path;
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int status = EXIT_FINE;
	size_t at;

	if (!(id = which_artifact(cli, cli_option(cli, "--artifact"), &status)))
		return status;
	path = mem_printf(
	    cli->c->mem, "/v1/data/%s/tables/%s", id, url_encoded(cli->c->mem, table));
	if ((status = http_do(cli, &res, "GET %s", path)) ||
	    (status = column_find(cli, res.json, column, &at)))
		return status;
	buf_chr(&body, '{');
	json_add(&body, "key", column);
	json_key(&body, "columns");
	json_into(&body, json_find(res.json, "table.columns"));
	buf_chr(&body, '}');
	status = http_json(cli, "PUT", path, &body, NULL, &res);
	if (!status && !cli->quiet)
		cli_note("%s is the key of %s now", column, table);
	return status;
}
