/* SPDX-License-Identifier: Apache-2.0 */
#include "data/celltext.h"

#include "base/crypto.h"
#include "base/num.h"
#include "base/str.h"

SHAPE_DEFINE(cell_text, CELL_TEXT_SHOWN);
SHAPE_DEFINE(cell_line, CELL_LINE);

const char *
cell_shown(struct ctx *c, const struct json *v)
{
	if (!v || json_kind(v) == J_NULL)
		return NULL;
	return json_kind(v) == J_STR ? json_str(v) : json_text(c->mem, v);
}

enum err
cell_lines(struct ctx *c, const struct strs *columns, const char *rows, struct list *out)
{
	struct cell_line *line;
	struct json *tree;
	size_t n;

	TRY(json_parse(c, rows, strlen(rows), &tree));
	n = json_len(tree);
	line = mem_array(c->mem, struct cell_line, n + 1);
	for (size_t i = 0; i < n; i++) {
		struct cell_text *cell = mem_array(c->mem, struct cell_text, columns->n + 1);

		for (size_t k = 0; k < columns->n; k++) {
			const char *text =
			    cell_shown(c, json_get(json_at(tree, i), columns->v[k]));

			cell[k] = (struct cell_text){ .text = text ? text : "", .none = !text };
		}
		line[i].cells = (struct list){ cell, columns->n };
	}
	*out = (struct list){ line, n };
	return E_OK;
}

void
cell_typed(struct ctx *c, struct buf *b, const char *type, const char *text)
{
	size_t n = strlen(text);
	struct json *tree;
	bool as_is = (str_in(type, "integer|number") && num_span(text, n) == n) ||
	    (str_eq(type, "boolean") && str_in(text, "true|false")) ||
	    (str_eq(type, "json") && json_parse(c, text, n, &tree) == E_OK);

	ctx_forgive(c);
	if (!n)
		buf_str(b, "null");
	else if (as_is)
		buf_str(b, text);
	else
		buf_json(b, text);
}

const char *
row_digest(struct ctx *c, const struct data_table *t, const struct data_row *row)
{
	uint8_t digest[SHA256_BYTES];
	const char *text = row_text(c, t, row);

	crypto_sha256(text, strlen(text), digest);
	return crypto_hex(c->mem, digest, 8);
}

/* ---- a new table ---- */

bool
column_typed(struct ctx *c, const char *text, struct data_column *out)
{
	char *rest, *type = mem_strdup(c->mem, text + strspn(text, " ")), *part;
	size_t n = strlen(type);

	while (n && type[n - 1] == ' ')
		type[--n] = '\0';
	*out = (struct data_column){ .type = type };
	rest = n && type[n - 1] == ')' ? strchr(type, '(') : NULL;
	if (rest) {
		*rest++ = type[n - 1] = '\0';
		out->has.to = str_eq(type, "link") ? GIVEN : ABSENT;
		out->to = out->has.to ? rest : NULL;
		out->has.choices = out->to ? ABSENT : GIVEN;
	}
	while (rest && !out->to && (part = str_split(&rest, '|')))
		strs_add(c->mem, &out->choices, part);
	return str_in(type, COLUMN_TYPES);
}

enum err
columns_typed(struct ctx *c, const char *text, struct list *out)
{
	struct data_column *col = mem_array(c->mem, struct data_column, strlen(text) + 1);
	char *rest = mem_strdup(c->mem, text), *part;

	*out = (struct list){ col, 0 };
	while ((part = str_split(&rest, ','))) {
		char *type = part, *name = str_split(&type, ':');

		name += strspn(name, " ");
		name[strcspn(name, " ")] = '\0';
		if (!*name)
			continue;
		if (!column_typed(c, type ? type : "text", &col[out->n]))
			return fail(c, E_INVALID,
			    "columns: there is no type %s; use " COLUMN_TYPES_LISTED,
			    type + strspn(type, " "));
		col[out->n++].name = name;
	}
	if (!out->n || out->n > CELL_SLOTS)
		return fail(c, E_INVALID, "columns: a table must have 1 to %d columns", CELL_SLOTS);
	return E_OK;
}

enum err
columns_refused(struct ctx *c, enum err e)
{
	static const char before[] = "columns[";
	const char *text = c->message, *after;
	int64_t n;

	if (e != E_INVALID || !str_starts(text, before) || !(after = strstr(text, "].name: ")))
		return e;
	text += sizeof before - 1;
	if (str_int(mem_strndup(c->mem, text, (size_t)(after - text)), &n))
		c->message = mem_printf(c->mem, "columns: column %lld %s", (long long)n + 1,
		    after + sizeof "].name: " - 1);
	return e;
}

enum err
table_name_check(struct ctx *c, const struct artifact *a, const char *name)
{
	bool there;

	if (!table_name_valid(name))
		return fail(c, E_INVALID,
		    "name: a table's name can contain letters, digits, _ and -, "
		    "and must start with a letter or _");
	TRY(table_is_there(c, a, name, &there));
	return there ? fail(c, E_INVALID, "name: a table named %s already exists", name) : E_OK;
}
