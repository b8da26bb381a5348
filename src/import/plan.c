/* SPDX-License-Identifier: Apache-2.0 */
#include "import/plan.h"

#include "base/str.h"
#include "data/tablekey.h"
#include "store/object.h"

/* ---- questions ---- */

/* Returns what was answered to a question; NULL: nothing, or none of the choices. */
static const char *
answer_of(struct ctx *c, const struct import *imp, const char *id, const struct strs *choices)
{
	const char *word;
	struct json *tree;

	if (json_parse(c, imp->asked, strlen(imp->asked), &tree)) {
		ctx_forgive(c);
		return NULL;
	}
	word = json_word(json_get(tree, "answers"), id);
	return word && strs_have(choices, word) ? word : NULL;
}

void
question_add(struct ctx *c, struct import_question_list *open, const char *id,
    const struct strs *choices, const char *proposed, const char *text)
{
	struct import_question *v =
	    mem_array(c->mem, struct import_question, open->n + 1);

	if (open->n)
		memcpy(v, open->v, open->n * sizeof *v);
	v[open->n] = (struct import_question){
		.id = id, .text = text, .choices = *choices, .proposed = proposed
	};
	open->v = v;
	open->n++;
}

static struct strs
words(struct ctx *c, const char *bar_list)
{
	char *rest = mem_strdup(c->mem, bar_list), *one;
	struct strs out = { 0 };

	while ((one = str_split(&rest, '|')))
		strs_add(c->mem, &out, one);
	return out;
}

/* Returns the answer, or else the proposal, and adds the question. */
static const char *
ask(struct ctx *c, const struct import *imp, struct import_question_list *open, const char *id,
    const char *choices, const char *proposed, const char *text)
{
	struct strs list = words(c, choices);
	const char *answer = answer_of(c, imp, id, &list);

	if (!answer)
		question_add(c, open, id, &list, proposed, text);
	return answer ? answer : proposed;
}

/* ---- the file ---- */

static enum err
bytes_open(struct ctx *c, const char *sha256_hex, struct span *out)
{
	uint8_t digest[SHA256_BYTES];
	int64_t size;

	*out = (struct span){ 0 };
	if (!sha256_hex)
		return fail(c, E_CONFLICT, "The import has no file");
	crypto_unhex(sha256_hex, digest, sizeof digest);
	TRY(object_bring(c, digest));
	TRY(object_open(c, digest, &out->fd, &size));
	out->n = size;
	return E_OK;
}

static enum err
foreign(struct ctx *c, const char *what)
{
	return fail(c, E_INVALID,
	    "The file is %s; open it in the program that made it, and save the sheet as CSV UTF-8 "
	    "or as .xlsx", what);
}

/* Chooses by the first bytes, which count more than the name. */
static enum err
format_find(struct ctx *c, const struct import *imp, const struct span *file, const char **word)
{
	enum { START = 4096 };
	size_t n = file->n < START ? (size_t)file->n : START, at = 0, next;
	char *s = mem_array(c->mem, char, START + 1);

	TRY(span_read(c, file, s, n));
	*word = imp->format;
	if (!file->n)
		return fail(c, E_INVALID, "The file is empty");
	if (n > 8 && !memcmp(s, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8))
		return foreign(c, "an old or an encrypted workbook");
	if (n > 4 && !memcmp(s, "PK\3\4", 4)) {
		if (memmem(s, n, "application/vnd.oasis", 21))
			return foreign(c, "an OpenDocument file");
		*word = "xlsx";
		return E_OK;
	}
	if (n > 4 && (!memcmp(s, "%PDF", 4) || !memcmp(s, "\x89PNG", 4)))
		return foreign(c, "no table");
	if (str_eq(*word, "xlsx"))
		return foreign(c, "no .xlsx, whatever its name says");
	if (n > 3 && !memcmp(s, "\xef\xbb\xbf", 3))
		at = 3;
	at += strspn(s + at, " \t\r\n");
	next = at + 1 < n ? at + 1 + strspn(s + at + 1, " \t\r\n") : at;
	if (str_eq(*word, "ndjson"))
		return E_OK;
	if (s[at] == '[' && s[next] && strchr("{]", s[next]))
		*word = "json";
	else if (s[at] == '{' && s[next] && strchr("\"}", s[next]))
		*word = str_eq(*word, "json") || !memchr(s + at, '\n', n - at) ||
			memmem(s + at, n - at, "\"rows\"", 6)
		    ? "json" : "ndjson";
	else if (str_eq(*word, "json"))
		return fail(c, E_INVALID, "The file isn't JSON, whatever its name says");
	*word = *word ? *word : "csv";
	return E_OK;
}

static char
delimiter_of(const char *word)
{
	return str_eq(word, "semicolon") ? ';'
	    : str_eq(word, "tab")	 ? '\t'
	    : str_eq(word, "vertical bar") ? '|'
					   : ',';
}

static enum err
delimiter_find(struct ctx *c, const struct import *imp, const struct import_dialect *asked,
    struct import_question_list *open, struct source *s)
{
	struct csv_look look;
	struct text text;
	const char *choices;

	s->quote = asked->quote ? *asked->quote : '"';
	if (asked->delimiter) {
		s->delimiter = delimiter_of(asked->delimiter);
		return E_OK;
	}
	TRY(text_begin(c, &s->file, s->encoding, &text));
	TRY(text_more(c, &text));
	csv_look(text.buf, text.n, text.end, s->quote, &look);
	s->delimiter = look.delimiter;
	if (str_eq(s->word, "tsv") && !look.told)
		s->delimiter = '\t';
	else if (look.alike) {
		choices = mem_printf(c->mem, "%s|%s", delimiter_word(look.alike[0]),
		    delimiter_word(look.alike[1]));
		/* Bars separate the choices, so a bar is offered as the words "vertical bar". */
		s->delimiter = delimiter_of(ask(c, imp, open, "delimiter", choices,
		    delimiter_word(look.delimiter),
		    "Two characters could separate the values. Which one does?"));
	}
	return E_OK;
}

static enum read_format
format_of(const char *word)
{
	return str_eq(word, "json")   ? READ_JSON
	    : str_eq(word, "ndjson") ? READ_NDJSON
	    : str_eq(word, "xlsx")   ? READ_ROWS
				     : READ_CSV;
}

enum err
source_open(struct ctx *c, const struct import *imp, struct import_dialect *d,
    struct import_question_list *open, struct source *out)
{
	struct import_dialect *asked;
	const struct json *given;
	bool sure = true;
	struct json *tree;

	*out = (struct source){ .quote = '"', .delimiter = ',', .header = true };
	TRY(json_parse(c, imp->asked, strlen(imp->asked), &tree));
	given = json_get_as(tree, "dialect", J_OBJ);
	TRY(shape_read(c, &import_dialect_shape, given ? given : json_new(c, NULL, NULL),
	    (void **)&asked));
	*d = *asked;
	TRY(bytes_open(c, imp->sha256, &out->file));
	TRY(format_find(c, imp, &out->file, &out->word));
	out->format = format_of(out->word);
	out->encoding = "utf-8";
	if (out->format == READ_ROWS)
		return E_OK;
	if (asked->encoding)
		out->encoding = asked->encoding;
	else
		TRY(text_encoding(c, &out->file, &out->encoding, &sure));
	if (!sure)
		out->encoding = ask(c, imp, open, "encoding", TEXT_ENCODINGS, "windows-1252",
		    "The file isn't UTF-8. In which encoding was it saved?");
	d->encoding = out->encoding;
	if (out->format != READ_CSV)
		return E_OK;
	TRY(delimiter_find(c, imp, asked, open, out));
	d->delimiter = delimiter_word(out->delimiter);
	d->quote = mem_strndup(c->mem, &out->quote, out->quote != '\0');
	return E_OK;
}

enum err
source_rows(struct ctx *c, const struct object *rows, struct source *out)
{
	int64_t size;

	out->file = (struct span){ .n = rows->size };
	return object_open(c, rows->sha256, &out->file.fd, &size);
}

enum err
source_open_as(struct ctx *c, const struct import *imp, struct source *out)
{
	const struct import_dialect *d = imp->dialect;

	*out = (struct source){ .word = imp->format, .encoding = d->encoding,
		.delimiter = delimiter_of(d->delimiter), .quote = d->quote ? *d->quote : '"',
		.header = d->header, .format = format_of(imp->format) };
	if (out->format == READ_ROWS)
		out->encoding = "utf-8";
	return bytes_open(
	    c, out->format == READ_ROWS ? imp->rows_sha256 : imp->sha256, &out->file);
}

enum err
source_reader(struct ctx *c, const struct source *s, struct reader *out)
{
	return reader_begin(c, &s->file, s->format, s->encoding, s->delimiter, s->quote, out);
}

/* ---- columns ---- */

struct planning {
	struct ctx *c;
	const struct import *imp;
	const struct data_table *table;
	const struct source *source;
	const struct look *look;
	const struct import_dialect *asked;
	const struct json *columns; /* as set by the maker, by place */
	struct import_question_list *open;
	struct import_column *out;
	char hint; /* the decimal mark that is proposed */
};

static bool
name_is_free(const struct planning *p, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(p->out[i].name, name))
			return false;
	return true;
}

static void
note_add(struct ctx *c, struct import_column *col, const char *note)
{
	if (note)
		col->note = col->note ? mem_printf(c->mem, "%s. %s", col->note, note) : note;
}

/* A column "id" with the ids of an export isn't taken. Names of the table stay as they are, and so
 * do names that differ only by what column_name_of() changes. */
static void
column_name(const struct planning *p, size_t i, const char *head)
{
	struct import_column *col = &p->out[i];
	const char *made = column_name_of(p->c->mem, head), *name = made;
	const struct column_seen *s = &p->look->v[i];

	if (p->table && table_column(p->table, head))
		name = made = head;
	else if (p->table && !table_column(p->table, made) &&
	    table_column(p->table, column_name_before(p->c->mem, head)))
		name = made = column_name_before(p->c->mem, head);
	for (int n = 2; !name_is_free(p, i, name); n++)
		name = mem_printf(p->c->mem, "%s_%d", made, n);
	col->name = name;
	if (str_eq(head, "id") && s->values && look_count(s, IS_ROW) == s->values) {
		col->take = false;
		note_add(p->c, col, "IDs of an export; new rows get new ones");
	} else if (*head && !str_eq(head, name)) {
		note_add(p->c, col, mem_printf(p->c->mem, "“%s” is named %s",
		    str_cut(p->c->mem, head, 40), name));
	} else if (!*head) {
		note_add(p->c, col, "It has no name in the file");
	}
}

static const char *const order_words[] = { "ymd", "dmy", "mdy" };

/* Sets how values are read, and asks what they don't tell. */
static void
column_reading(const struct planning *p, struct import_column *col, struct guess *g)
{
	struct ctx *c = p->c;
	const struct import_dialect *d = p->asked;
	const char *name = col->name, *word;

	if (str_in(col->type, "number|integer")) {
		word = mem_strndup(c->mem, &g->decimal, 1);
		if (g->ask_decimal && !d->decimal)
			word = ask(c, p->imp, p->open, mem_printf(c->mem, "decimal.%s", name),
			    ".|,", word,
			    mem_printf(c->mem, "Which is the decimal mark in %s, such as %s?",
			    name, col->samples.n ? col->samples.v[0] : "1,234"));
		else if (g->ask_decimal)
			word = d->decimal;
		col->decimal = word;
	}
	if (!str_in(col->type, "date|timestamp"))
		return;
	word = order_words[g->order];
	if (g->ask_order && d->date_order)
		word = d->date_order;
	else if (g->ask_order)
		word = ask(c, p->imp, p->open, mem_printf(c->mem, "date_order.%s", name), "dmy|mdy",
		    word, mem_printf(c->mem, "Does the day or the month come first in %s, "
		    "such as %s?", name, col->samples.n ? col->samples.v[0] : "03/04/2026"));
	col->date_order = word;
	if (!g->ask_zone)
		return;
	col->zone = d->zone ? d->zone
	    : ask(c, p->imp, p->open, mem_printf(c->mem, "zone.%s", name),
		  "UTC|Europe/London|Europe/Berlin|Europe/Helsinki|America/New_York|"
		  "America/Chicago|America/Denver|America/Los_Angeles|America/Sao_Paulo|"
		  "Asia/Kolkata|Asia/Shanghai|Asia/Tokyo|Australia/Sydney", "UTC",
		  mem_printf(c->mem, "In which time zone are the times of %s? "
		  "(dialect.zone takes any other)", name));
}

static enum err
column_type(const struct planning *p, size_t i, const struct json *set)
{
	struct import_column *col = &p->out[i];
	const struct column_seen *s = &p->look->v[i];
	const struct data_column *old = p->table ? table_column(p->table, col->name) : NULL;
	const char *type = json_word(set, "type");
	bool json = p->source->format == READ_JSON || p->source->format == READ_NDJSON;
	struct strs choices = words(p->c, ".|,");
	const char *answer = answer_of(
	    p->c, p->imp, mem_printf(p->c->mem, "decimal.%s", col->name), &choices);
	char hint = p->asked->decimal ? *p->asked->decimal : answer ? *answer : p->hint;
	struct guess g;

	look_guess(p->c, s, json, hint, &g);
	col->type = cell_type_word(g.type);
	if (old && type && !str_eq(type, old->type))
		return fail(p->c, E_INVALID,
		    "columns: %s is %s in the table; retype it there first", old->name, old->type);
	if (old)
		type = old->type;
	else if (type && !str_in(type, IMPORT_TYPES))
		return fail(p->c, E_INVALID,
		    "columns: a new column can't be made %s by an import; import it as text", type);
	if (type && !str_eq(type, col->type)) {
		g.note = NULL;
		col->type = type;
		look_reading(p->c, s, cell_type_of(type), hint, &g);
	}
	if (!old && p->table && str_in(p->imp->mode, "add|upsert")) {
		col->take = false;
		g.note = mem_printf(p->c->mem, "The table %s has no such column", p->table->name);
	}
	note_add(p->c, col, g.note);
	if (col->take)
		column_reading(p, col, &g);
	return E_OK;
}

static enum err
column_plan(const struct planning *p, size_t i)
{
	struct import_column *col = &p->out[i];
	const struct column_seen *s = &p->look->v[i];
	const struct json *set = json_get(p->columns, mem_printf(p->c->mem, "%zu", i));
	const struct json *take = json_get_as(set, "take", J_BOOL);
	const char *head = p->source->header ? s->head : "", *name = json_word(set, "name");
	int64_t distinct = look_different(s);

	*col = (struct import_column){ .source = p->source->header ? s->head : NULL, .take = true,
		.samples = { mem_dup(p->c->mem, s->samples, sizeof s->samples), s->sample_n },
		.empty = s->empty + s->blanks, .distinct = distinct };
	col->has.distinct = distinct < 0 ? NULLED : GIVEN;
	if (!p->source->header)
		head = mem_printf(p->c->mem, "column_%zu", i + 1);
	column_name(p, i, head);
	if (name && *name) {
		if (!name_is_free(p, i, name))
			return fail(p->c, E_INVALID, "columns: two columns are named %s", name);
		if (str_in(name, COLUMN_NAMES_TAKEN) && !(p->table && table_column(p->table, name)))
			return fail(p->c, E_INVALID, "columns: the name %s is reserved", name);
		col->name = name;
	}
	/* A set take counts more than what the name proposed, but no column can be added. */
	if (take)
		col->take = json_true(take);
	return column_type(p, i, set);
}

enum err
plan_make(struct ctx *c, const struct import *imp, const struct data_table *table,
    const struct source *s, const struct look *l, struct import_dialect *d,
    struct import_question_list *open, struct import_column_list *out)
{
	struct json *tree;
	struct planning p = { .c = c, .imp = imp, .table = table, .source = s, .look = l,
		.asked = d, .open = open, .hint = s->delimiter == ';' ? ',' : '.' };
	bool key_taken = false;
	size_t taken = 0;

	TRY(json_parse(c, imp->asked, strlen(imp->asked), &tree));
	p.columns = json_get(tree, "columns");
	for (size_t i = 0; i < l->n; i++)
		if (look_decimal(&l->v[i]) == ',' &&
		    look_count(&l->v[i], MAY_COMMA) == l->v[i].values)
			p.hint = ',';
	p.out = out->v = mem_array(c->mem, struct import_column, l->n + 1);
	out->n = l->n;
	for (size_t i = 0; i < l->n; i++) {
		TRY(column_plan(&p, i));
		taken += out->v[i].take;
		key_taken |= out->v[i].take && str_eq(out->v[i].name, imp->key);
	}
	if (!taken)
		return table && str_in(imp->mode, "add|upsert")
		    ? fail(c, E_INVALID,
			  "No column of the file is one of the table %s, whose columns are %s",
			  table->name, table_column_names(c->mem, table))
		    : fail(c, E_INVALID, "The file has no columns");
	if (imp->key && !key_taken &&
	    (str_eq(imp->mode, "upsert") || !table || !table_column(table, imp->key)))
		return fail(c, E_INVALID, "key: the file has no column %s that is taken", imp->key);
	if (taken > CELL_SLOTS)
		return fail(c, E_INVALID, "The file has %zu columns; a table can have %d", taken,
		    CELL_SLOTS);
	return E_OK;
}

void
plan_columns(struct ctx *c, const struct import *imp, const struct data_table *was,
    struct data_table_new *out)
{
	size_t had = was ? was->columns.n : 0;
	struct data_column *col = mem_array(c->mem, struct data_column, had + imp->columns.n + 1);
	const struct import_column *in = imp->columns.v;

	*out = (struct data_table_new){ .columns = { col, had }, .key = imp->key };
	if (was && table_key_column(was))
		out->key = table_key_column(was)->name;
	if (had)
		memcpy(col, was->columns.v, had * sizeof *col);
	for (size_t i = 0; i < imp->columns.n; i++)
		if (in[i].take && !(was && table_column(was, in[i].name)))
			col[out->columns.n++] =
			    (struct data_column){ .name = in[i].name, .type = in[i].type };
}

enum err
plan_read(struct ctx *c, const struct import *imp, const struct data_table *table,
    struct plan *out)
{
	const struct import_column *in = imp->columns.v;
	const struct import_dialect *d = imp->dialect;

	*out = (struct plan){ .n = imp->columns.n };
	for (int i = 0; i < CELL_SLOTS; i++)
		out->place[i] = -1;
	for (size_t i = 0; i < out->n; i++) {
		const struct data_column *col = table_column(table, in[i].name);
		struct plan_column *to = &out->v[i];

		to->take = in[i].take;
		if (!to->take)
			continue;
		if (!col || !str_eq(col->type, in[i].type))
			return fail(c, E_CONFLICT,
			    "The column %s of the table has changed since the check", in[i].name);
		to->name = in[i].name;
		to->type = cell_type_of(in[i].type);
		to->slot = (int)col->slot;
		to->reading = (struct reading){ .decimal = in[i].decimal ? *in[i].decimal : '.',
			.order = typed_order(in[i].date_order),
			.zone = in[i].zone ? zone_find(in[i].zone) : NULL,
			.nulls = d->nulls,
			.choices = col->choices };
		out->place[to->slot] = (int)i;
	}
	return E_OK;
}

/* ---- rows ---- */

bool
plan_row(struct ctx *c, const struct plan *p, const struct data_table *t,
    const struct record *rec, bool nulls, const struct misfit_sink *sink, struct row_new *out)
{
	const struct data_column *col = t->columns.v;
	struct buf b = BUF(c->mem);
	bool fits = true;

	if (rec->wrong) {
		sink->take(sink->arg, rec, -1, NULL, rec->wrong);
		return false;
	}
	for (size_t i = 0; i < t->columns.n; i++) {
		int at = p->place[col[i].slot];
		struct value v = { .json = "null" };
		const char *why = NULL;

		if (at >= 0 && (size_t)at < rec->n)
			why = value_read(c, p->v[at].type, &p->v[at].reading, &rec->v[at], &v);
		if (why) {
			sink->take(sink->arg, rec, at, &rec->v[at], why);
			fits = fits && nulls;
			v = (struct value){ .json = "null" };
		}
		out->keys[col[i].slot] = v.key;
		buf_str(&b, i ? ",\"" : "{\"");
		buf_str(&b, col[i].name);
		buf_str(&b, "\":");
		buf_str(&b, v.json);
	}
	buf_chr(&b, '}');
	out->doc = b.s;
	if (fits && b.n > ROW_BYTES) {
		sink->take(sink->arg, rec, -1, NULL,
		    mem_printf(c->mem, "it is %zu bytes as JSON; a row can have %d", b.n,
			ROW_BYTES));
		return false;
	}
	return fits;
}
