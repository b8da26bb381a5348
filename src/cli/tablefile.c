/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tablefile.h"

#include "base/csv.h"
#include "base/charset.h"
#include "base/id.h"
#include "base/str.h"
#include "data/csvcell.h"

enum { FILE_BYTES = 64 << 20, COLUMNS_MOST = 65 /* with the id */ };

/* ---- CSV ---- */

struct tablefile_reading {
	struct cli *cli;
	const char *path;
	struct csv_scan s;
};

static bool
tablefile_bad(const struct tablefile_reading *r, size_t line, const char *why)
{
	cli_fail("%s: line %zu: %s", r->path, line, why);
	return false;
}

static bool
head_read(struct tablefile_reading *r, struct tablefile *f)
{
	struct csv_field fields[COLUMNS_MOST];

	if (!csv_record(&r->s, fields, COLUMNS_MOST, &f->column_n))
		return tablefile_bad(r, r->s.line, r->s.why);
	if (!f->column_n)
		return tablefile_bad(r, 1, "the first line must name the columns");
	f->columns = mem_array(r->cli->c->mem, struct tablefile_column, f->column_n);
	for (size_t i = 0; i < f->column_n; i++)
		f->columns[i].head = fields[i].text ? fields[i].text : "";
	return true;
}

static bool
records_read(struct tablefile_reading *r, struct tablefile *f)
{
	struct csv_field fields[COLUMNS_MOST];
	struct tablefile_value *row;
	void *mem = r->cli->c->mem;
	size_t room = 0, n;

	if (!head_read(r, f))
		return false;
	while (r->s.p < r->s.end) {
		size_t line = r->s.line;

		if (!csv_record(&r->s, fields, COLUMNS_MOST, &n))
			return tablefile_bad(r, r->s.line, r->s.why);
		if (!n && f->column_n > 1)
			continue;
		if (n > f->column_n)
			return tablefile_bad(r, line,
			    mem_printf(r->cli->c->mem,
				"more values than the first line has columns; "
				"put quotes around values that have a %s",
				csv_separator_name(f->separator)));
		if (f->row_n == room) {
			room = room ? room * 2 : 1024;
			f->values = mem_grow(
			    mem, f->values, room * f->column_n * sizeof *f->values);
			f->lines = mem_grow(mem, f->lines, room * sizeof *f->lines);
		}
		row = f->values + f->row_n * f->column_n;
		for (size_t i = 0; i < n; i++)
			row[i] = (struct tablefile_value){ .text = fields[i].text,
				.quoted = fields[i].quoted };
		memset(row + n, 0, (f->column_n - n) * sizeof *row);
		f->lines[f->row_n++] = line;
	}
	return true;
}

static bool
tablefile_csv_read(struct cli *cli, const char *path, const char *text, size_t n,
    struct tablefile *f)
{
	struct tablefile_reading r = { .cli = cli, .path = path };
	const char *given, *charset, *wrong;
	size_t line;

	f->counts_lines = true;
	given = charset_text(cli->c->mem, text, &n, &charset);
	text = given ? given : text;
	if (charset)
		cli_note("the file is read as %s", charset);
	wrong = csv_text_wrong(text, n, true, &line);
	if (wrong && line == SIZE_MAX)
		return cli_fail("%s: it %s", path, wrong) == EXIT_FINE;
	if (wrong)
		return tablefile_bad(&r, line + 1, mem_printf(cli->c->mem, "it %s", wrong));
	r.s = csv_begin(mem_strndup(cli->c->mem, text, n), n);
	f->separator = r.s.separator;
	if (f->separator != ',')
		cli_note("the separator is a %s", csv_separator_name(f->separator));
	return records_read(&r, f);
}

/* ---- JSON ---- */

const char *
tablefile_unit(const struct tablefile *f)
{
	return f->counts_lines ? "line" : "row";
}

static int
head_add(void *arg, const char *name, const struct json *value)
{
	struct tablefile *f = arg;

	(void)value;
	for (size_t i = 0; i < f->column_n; i++)
		if (str_eq(f->columns[i].head, name))
			return 0;
	if (f->column_n == COLUMNS_MOST)
		return 1;
	f->columns[f->column_n++].head = name;
	return 0;
}

static bool
objects_take(struct cli *cli, const char *path, const struct json **rows, size_t n,
    struct tablefile *f)
{
	const char *what = tablefile_unit(f);

	if (!f->lines)
		f->lines = mem_array(cli->c->mem, size_t, n + 1);
	for (size_t i = 0; !f->counts_lines && i < n; i++)
		f->lines[i] = i + 1;
	f->columns = mem_array(cli->c->mem, struct tablefile_column, COLUMNS_MOST);
	f->row_n = n;
	for (size_t i = 0; i < n; i++) {
		if (json_kind(rows[i]) != J_OBJ) {
			cli_fail("%s: %s %zu isn't an object", path, what, f->lines[i]);
			return false;
		}
		if (json_each(rows[i], head_add, f)) {
			cli_fail("%s: %s %zu brings more columns than a table can have", path, what,
			    f->lines[i]);
			return false;
		}
	}
	f->values = mem_array(cli->c->mem, struct tablefile_value, n * f->column_n + 1);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < f->column_n; k++)
			f->values[i * f->column_n + k].json =
			    json_get(rows[i], f->columns[k].head);
	return true;
}

static bool
tablefile_json_read(struct cli *cli, const char *path, size_t line, const char *text, size_t n,
    const struct json **out)
{
	struct json *tree;

	if (json_parse(cli->c, text, n, &tree) == E_OK) {
		*out = tree;
		return true;
	}
	if (line)
		cli_fail("%s: line %zu: %s", path, line, ctx_why(cli->c));
	else
		cli_fail("%s: %s", path, ctx_why(cli->c));
	return false;
}

static bool
array_parse(struct cli *cli, const char *path, const char *text, size_t n, struct tablefile *f)
{
	const struct json *tree, **rows;
	size_t count;

	if (!tablefile_json_read(cli, path, 0, text, n, &tree))
		return false;
	if (json_kind(tree) == J_OBJ)
		tree = json_get(tree, "rows");
	if (!tree || json_kind(tree) != J_ARR) {
		cli_fail("%s: must be an array of rows, "
			 "or an object with such an array in \"rows\"", path);
		return false;
	}
	count = json_len(tree);
	rows = mem_array(cli->c->mem, const struct json *, count + 1);
	for (size_t i = 0; i < count; i++)
		rows[i] = json_at(tree, i);
	return objects_take(cli, path, rows, count, f);
}

static bool
lines_parse(struct cli *cli, const char *path, const char *text, size_t n, struct tablefile *f)
{
	const struct json **rows = NULL;
	size_t count = 0, line = 0, room = 0;

	f->counts_lines = true;
	for (const char *p = text, *end = text + n; p < end; line++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t length = stop ? (size_t)(stop - p) : (size_t)(end - p);

		if (count == room) {
			room = room ? room * 2 : 1024;
			rows = mem_grow(cli->c->mem, rows, room * sizeof *rows);
			f->lines = mem_grow(cli->c->mem, f->lines, room * sizeof *f->lines);
		}
		f->lines[count] = line + 1;
		if (strspn(p, " \t\r") < length &&
		    !tablefile_json_read(cli, path, line + 1, p, length, &rows[count++]))
			return false;
		p += length + 1;
	}
	return objects_take(cli, path, rows, count, f);
}

/* ---- names and types ---- */

static const struct tablefile_value *
value_at(const struct tablefile *f, size_t row, size_t column)
{
	return &f->values[row * f->column_n + column];
}

static bool
value_is_none(const struct tablefile_value *v)
{
	return v->json ? json_kind(v->json) == J_NULL : !v->text;
}

/* Returns the narrowest type of the value; NULL for no value. */
static const char *
value_type(struct cli *cli, const struct tablefile_value *v)
{
	struct bytes key;

	switch (v->json ? json_kind(v->json) : J_NULL) {
	case J_NULL: return NULL;
	case J_BOOL: return "boolean";
	case J_INT: return "integer";
	case J_NUM: return "number";
	case J_STR: return cell_time(cli->c->mem, json_str(v->json), &key) ? "timestamp" : "text";
	default: return "json";
	}
}

/* Returns a type that holds values of both types. */
static const char *
types_join(const char *a, const char *b)
{
	if (!a || !b)
		return a ? a : b;
	if (str_eq(a, b))
		return a;
	if (str_in(a, "integer|number") && str_in(b, "integer|number"))
		return "number";
	return str_in(a, "text|timestamp") && str_in(b, "text|timestamp") ? "text" : "json";
}

static void
csv_guess(struct cli *cli, struct tablefile *f, size_t k)
{
	struct tablefile_column *col = &f->columns[k];

	/* An export has the ids of its rows. New rows get new ids. */
	col->left_out = str_eq(col->head, "id");
	for (size_t i = 0; i < f->row_n; i++) {
		const struct tablefile_value *v = value_at(f, i, k);

		if (value_is_none(v))
			continue;
		col->seen |= csvcell_seen(cli->c->mem,
		    &(struct csv_field){ v->text, v->quoted }, f->separator);
		col->left_out = col->left_out && id_valid(v->text, "row_");
	}
	col->type = cell_type_word(csvcell_type(col->seen));
}

static void
json_guess(struct cli *cli, struct tablefile *f, size_t k)
{
	struct tablefile_column *col = &f->columns[k];

	col->left_out = str_eq(col->head, "id");
	for (size_t i = 0; i < f->row_n; i++) {
		const struct json *v = value_at(f, i, k)->json;

		col->type = types_join(col->type, value_type(cli, value_at(f, i, k)));
		if (v && json_kind(v) != J_NULL)
			col->left_out = col->left_out && json_kind(v) == J_STR &&
			    id_valid(json_str(v), "row_");
	}
	col->type = col->type ? col->type : "text";
}

static void
names_make(struct cli *cli, struct tablefile *f)
{
	for (size_t i = 0; i < f->column_n; i++) {
		struct tablefile_column *col = &f->columns[i];
		const char *name = column_name_of(cli->c->mem, col->head);

		/* The table's page uses this name, too. */
		if (str_eq(col->head, "id"))
			name = "id_2";
		col->name = name;
		for (size_t k = 0, again = 2; k < i; k++)
			if (str_eq(f->columns[k].name, col->name)) {
				col->name = mem_printf(cli->c->mem, "%s_%zu", name, again++);
				k = (size_t)-1;
			}
		if (col->left_out)
			cli_note("column id is left out: it has the ids of an export, "
				 "and new rows get new ids");
		else if (!str_eq(col->name, col->head))
			cli_note("column \"%s\" is renamed to %s", col->head, col->name);
	}
}

bool
tablefile_read(struct cli *cli, const char *path, struct tablefile *out)
{
	const char *text;
	struct stat st;
	size_t n;
	bool good;

	*out = (struct tablefile){ 0 };
	if (!cli_file_read(cli, path, FILE_BYTES, &st, &text, &n))
		return false;
	if (!text) {
		cli_fail("%s: no such file", path);
		return false;
	}
	if (str_ends(path, ".csv") || str_ends(path, ".tsv") || str_ends(path, ".tab") ||
	    str_ends(path, ".txt"))
		good = tablefile_csv_read(cli, path, text, n, out);
	else if (str_ends(path, ".json"))
		good = array_parse(cli, path, text, n, out);
	else if (str_ends(path, ".ndjson") || str_ends(path, ".jsonl"))
		good = lines_parse(cli, path, text, n, out);
	else
		good = cli_fail("%s: its name must end in .csv, .tsv, .json, or .ndjson; "
				"save a workbook's sheet as CSV UTF-8",
			   path) == EXIT_FINE;
	if (!good)
		return false;
	for (size_t k = 0; k < out->column_n; k++)
		if (out->separator)
			csv_guess(cli, out, k);
		else
			json_guess(cli, out, k);
	names_make(cli, out);
	return true;
}

/* ---- rows as the service takes them ---- */

bool
tablefile_says(const struct tablefile *f, size_t column)
{
	for (size_t i = 0; i < f->row_n; i++)
		if (!value_is_none(value_at(f, i, column)))
			return true;
	return false;
}

const char *
tablefile_rows(struct cli *cli, const struct tablefile *f, size_t from, size_t rows, size_t bytes,
    size_t *n)
{
	struct buf b = BUF(cli->c->mem);

	buf_str(&b, "{\"rows\":[");
	for (*n = 0; *n < rows && from + *n < f->row_n && b.n < bytes; ++*n) {
		buf_str(&b, *n ? ",{" : "{");
		for (size_t k = 0; k < f->column_n; k++) {
			const struct tablefile_value *v = value_at(f, from + *n, k);

			if (f->columns[k].left_out || value_is_none(v))
				continue;
			json_key(&b, f->columns[k].name);
			if (v->json)
				buf_str(&b, json_text(cli->c->mem, v->json));
			else
				csvcell_write(cli->c, &b, cell_type_of(f->columns[k].type),
				    f->columns[k].seen,
				    &(struct csv_field){ v->text, v->quoted });
		}
		buf_chr(&b, '}');
	}
	buf_str(&b, "]}");
	return b.s;
}
