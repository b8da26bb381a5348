/* SPDX-License-Identifier: Apache-2.0 */
#include "import/check.h"

#include "base/str.h"
#include "data/tablekey.h"
#include "import/xlsx.h"

enum { RECORDS_A_TURN = 1000, VALUE_CHARS = 80, PREVIEW_BYTES = 64 << 10, FIRST_CHARS = 60 };

struct checking {
	struct ctx *c;
	const struct import *imp;
	const struct until *until;
	struct table_for tf;       /* t is NULL for a new table */
	struct data_table t;       /* where the rows will go */
	struct import_dialect dialect;
	struct import_question_list open;
	struct import_column_list columns;
	struct source source;
	struct look *look;
	struct plan plan;
	struct object rows_object; /* of a workbook */
	/* of the second reading */
	struct import_misfit misfits[IMPORT_MISFITS];
	size_t misfit_n;
	int64_t rows, misfit_rows, misfit_line;
	int key_slot;              /* of the column whose values differ; -1: none */
	struct different keys;
	struct buf preview;
	int preview_n;
	/* Rows of a turn that fit so far. */
	struct checked_row {
		const char *doc, *value; /* value: of the key, as the file has it */
		int64_t line;
		bool odd;                /* the line counts as one that doesn't fit */
	} *turn;
	struct bytes *turn_keys;
	size_t turn_n;
};

/* ---- the header ---- */

static bool
heads_are_columns(const struct checking *k)
{
	const struct look *l = k->look;

	for (size_t i = 0; i < l->first_n; i++)
		if (!table_column(k->tf.t, l->first[i].s) &&
		    !table_column(k->tf.t, column_name_of(k->c->mem, l->first[i].s)))
			return false;
	return l->first_n > 0;
}

static bool
has_answer(const struct checking *k, const char *id, const char **word)
{
	struct json *tree;

	if (json_parse(k->c, k->imp->asked, strlen(k->imp->asked), &tree))
		return false;
	*word = json_word(json_get(tree, "answers"), id);
	return *word != NULL;
}

/* Returns the first line's values, as the question about them shows them. */
static const char *
first_names(struct checking *k)
{
	struct buf b = BUF(k->c->mem);

	for (size_t i = 0; i < k->look->first_n && b.n < FIRST_CHARS; i++)
		buf_fmt(&b, "%s%s", i ? ", " : "", k->look->first[i].s ? k->look->first[i].s : "");
	return str_chars(buf_done(&b)) > FIRST_CHARS
	    ? mem_printf(k->c->mem, "%s…", str_cut(k->c->mem, b.s, FIRST_CHARS))
	    : b.s;
}

static enum err
header_find(struct checking *k)
{
	struct source *s = &k->source;
	struct strs choices = { 0 };
	enum head_line how;
	const char *word;

	if (s->format == READ_JSON || s->format == READ_NDJSON)
		return E_OK;
	if (k->look->first_wrong)
		return fail(k->c, E_INVALID, "Line %lld can't be read: %s",
		    (long long)k->look->first_line, k->look->first_wrong);
	if (!k->look->first_n)
		return fail(k->c, E_INVALID, "The file has no lines with values");
	how = k->tf.t && heads_are_columns(k) ? HEADER_YES : look_header(k->c, k->look);
	if (k->dialect.has.header == GIVEN)
		how = k->dialect.header ? HEADER_YES : HEADER_NO;
	else if (how == HEADER_EITHER && has_answer(k, "header", &word))
		how = str_eq(word, "no") ? HEADER_NO : HEADER_YES;
	else if (how == HEADER_EITHER) {
		strs_add(k->c->mem, &choices, "yes");
		strs_add(k->c->mem, &choices, "no");
		question_add(k->c, &k->open, "header", &choices, "yes",
		    mem_printf(k->c->mem, "Does line 1 have the names of the columns (%s)?",
			first_names(k)));
	}
	s->header = k->dialect.header = how != HEADER_NO;
	k->dialect.has.header = GIVEN;
	if (!s->header)
		look_first(k->c, k->look);
	return E_OK;
}

enum err
header_skip(struct ctx *c, const struct source *s, struct reader *r)
{
	struct record *rec = mem_new(c->mem, struct record);
	bool any = true;

	if (s->format != READ_CSV && s->format != READ_ROWS)
		return E_OK;
	do {
		TRY(reader_next(c, r, rec, &any));
	} while (any && !rec->n && !rec->wrong);
	r->fields = rec->n;
	return E_OK;
}

/* ---- the second reading ---- */

/* Adds a misfit in the order of lines. The first ones are kept. */
static void
misfit_add(struct checking *k, int64_t line, int column, const char *value, const char *why)
{
	struct import_column *col = column >= 0 ? &k->columns.v[column] : NULL;
	size_t at = k->misfit_n;

	if (col)
		col->misfits++;
	while (at > 0 && k->misfits[at - 1].line > line)
		at--;
	if (at == IMPORT_MISFITS)
		return;
	k->misfit_n += k->misfit_n < IMPORT_MISFITS;
	memmove(&k->misfits[at + 1], &k->misfits[at],
	    (k->misfit_n - at - 1) * sizeof *k->misfits);
	k->misfits[at] = (struct import_misfit){ .line = line,
		.column = col ? col->name : NULL,
		.value = value ? str_cut(k->c->mem, value, VALUE_CHARS) : NULL,
		.why = mem_strdup(k->c->mem, why) };
}

static bool
line_is_odd(const struct checking *k, int64_t line)
{
	return k->misfit_rows && k->misfit_line == line;
}

static void
misfit_take(void *arg, const struct record *rec, int column, const struct given *v,
    const char *why)
{
	struct checking *k = arg;

	k->misfit_rows += !line_is_odd(k, rec->line);
	k->misfit_line = rec->line;
	misfit_add(k, rec->line, column, v ? v->s : NULL, why);
}

/* Text that isn't UTF-8 or has a NUL is only in whole rows that don't fit, which show no value. */
static void
row_check(struct checking *k, struct ctx *piece, const struct record *rec)
{
	const struct misfit_sink sink = { misfit_take, k };
	const int place = k->key_slot >= 0 ? k->plan.place[k->key_slot] : -1;
	/* The text of the key in the file; NULL if it lacks the column. */
	const struct given *given =
	    place >= 0 && (size_t)place < rec->n ? &rec->v[place] : NULL;
	struct row_new row = { .doc = NULL };
	struct bytes key = { NULL, 0 };
	bool nulls = str_eq(k->imp->on_misfit, "null");

	k->rows++;
	if (!plan_row(piece, &k->plan, &k->t, rec, nulls, &sink, &row))
		return;
	if (k->key_slot >= 0)
		key = row.keys[k->key_slot];
	if (key.n && !different_new(k->c, &k->keys, key.p, key.n)) {
		misfit_take(k, rec, place, given, KEY_TWICE);
		return;
	}
	/* The rule of a row that is found by its key sees its other columns, too. */
	if (k->tf.t && str_eq(k->imp->mode, "add") &&
	    !row_rule_holds(&k->tf.add, &k->tf.columns, row.keys)) {
		misfit_take(k, rec, -1, NULL,
		    "the access_policy doesn’t let you add this row");
		return;
	}
	k->turn[k->turn_n] = (struct checked_row){ row.doc,
		key.n && given ? str_cut(piece->mem, given->s, VALUE_CHARS) : NULL, rec->line,
		line_is_odd(k, rec->line) };
	k->turn_keys[k->turn_n++] = key;
}

/* Checks the next records. Rows whose key the table has are found by one statement for all rows of
 * the turn. */
static enum err
turn_check(struct checking *k, struct ctx *piece, struct reader *r, struct record *rec,
    bool *any)
{
	const bool keyed = k->key_slot >= 0 && str_eq(k->imp->mode, "add");
	bool *taken;

	*any = true;
	k->turn = mem_array(piece->mem, struct checked_row, RECORDS_A_TURN);
	k->turn_keys = mem_array(piece->mem, struct bytes, RECORDS_A_TURN);
	k->turn_n = 0;
	for (int i = 0; i < RECORDS_A_TURN && *any; i++) {
		TRY(reader_next(piece, r, rec, any));
		if (*any && (rec->n || rec->wrong))
			row_check(k, piece, rec);
	}
	taken = mem_array(piece->mem, bool, k->turn_n + 1);
	if (keyed)
		TRY(table_keys_taken(piece, k->tf.t->no, k->turn_keys, k->turn_n, NULL, NULL,
		    taken));
	for (size_t i = 0; i < k->turn_n; i++) {
		const struct checked_row *row = &k->turn[i];

		if (keyed && taken[i]) {
			k->misfit_rows += !row->odd;
			misfit_add(
			    k, row->line, k->plan.place[k->key_slot], row->value, KEY_TAKEN);
			continue;
		}
		if (k->preview_n == IMPORT_PREVIEW ||
		    k->preview.n + strlen(row->doc) > PREVIEW_BYTES)
			continue;
		buf_chr(&k->preview, k->preview_n++ ? ',' : '[');
		buf_str(&k->preview, row->doc);
	}
	return E_OK;
}

static enum err
file_check(struct checking *k, bool *whole)
{
	struct record *rec = mem_new(k->c->mem, struct record);
	struct reader *r = mem_new(k->c->mem, struct reader);
	bool any = true;

	*whole = false;
	TRY(source_reader(k->c, &k->source, r));
	if (k->source.header)
		TRY(header_skip(k->c, &k->source, r));
	r->fields = k->look->first_n;
	while (any) {
		struct ctx *piece;

		if (k->until->stop(k->until->arg))
			return E_OK;
		piece = ctx_begin(k->c->conf, k->c->db);
		TRY(ctx_join(k->c, piece, turn_check(k, piece, r, rec, &any)));
	}
	if (k->preview_n)
		buf_chr(&k->preview, ']');
	*whole = true;
	return E_OK;
}

/* ---- a workbook ---- */

/* Converts the chosen sheet to lines, which are kept with the import. */
static enum err
workbook_convert(struct checking *k, bool *whole)
{
	struct ctx *c = k->c;
	struct xlsx_made made;
	const char *sheet = k->dialect.sheet, *word;

	*whole = false;
	if (k->source.file.n > IMPORT_XLSX_BYTES)
		return fail(c, E_INVALID, "A workbook can have %s; save the sheet as CSV UTF-8",
		    str_amount_1024(c->mem, IMPORT_XLSX_BYTES));
	if (!sheet && has_answer(k, "sheet", &word))
		sheet = word;
	if (k->until->stop(k->until->arg))
		return E_OK;
	if (xlsx_convert(c, &k->source.file, sheet, k->until->stop, k->until->arg, &made))
		return c->err == E_LIMIT_REACHED
		    ? fail(c, E_INVALID,
			  "The workbook takes too much memory or time; save the sheet as CSV "
			  "UTF-8")
		    : c->err;
	k->dialect.sheet = made.used;
	k->dialect.sheets = made.sheets;
	if (!sheet && made.sheets.n > 1)
		question_add(c, &k->open, "sheet", &made.sheets, made.used,
		    "Several sheets have values. Which one is the table?");
	k->rows_object = made.rows;
	*whole = true;
	return source_rows(c, &made.rows, &k->source);
}

/* ---- all of it ---- */

/* Sets the columns that rows will have: the table's own, or those of a staged one. */
static void
target_make(struct checking *k, struct import *planned)
{
	struct data_table_new columns;
	struct data_column *col;

	k->key_slot = -1;
	if (k->tf.t && str_in(k->imp->mode, "add|upsert")) {
		k->t = *k->tf.t;
		k->key_slot = (int)k->t.key_slot;
		return;
	}
	plan_columns(k->c, planned, k->tf.t, &columns);
	col = columns.columns.v;
	for (size_t i = 0; i < columns.columns.n; i++) {
		col[i].slot = (int64_t)i;
		if (str_eq(columns.key, col[i].name))
			k->key_slot = (int)i;
	}
	k->t = (struct data_table){ .columns = columns.columns, .name = planned->table };
}

static enum err
result_store(struct checking *k)
{
	struct import_found found = { .dialect = &k->dialect,
		.columns = { k->columns.v, k->columns.n },
		.misfits = { k->misfits, k->misfit_n },
		.questions = { k->open.v, k->open.n } };
	struct arg table_no = k->tf.t ? arg_int(k->tf.t->no) : arg_null();
	const bool book = k->source.format == READ_ROWS;

	found.has.dialect = GIVEN;
	return db_exec1(k->c,
	    EXEC("UPDATE import SET state = 'ready', due = 0, format = ?, found = ?, preview = ?,"
		 " rows_sha256 = ?, rows_size = ?, row_n = ?, misfit_rows = ?, table_no = ?,"
		 " shape_no = ?, expires_at = ?"
		 " WHERE id = ? AND fence = ? AND state = 'checking'"),
	    ARGS(k->source.delimiter == '\t' && k->source.format == READ_CSV ? "tsv"
									      : k->source.word,
		shape_text(k->c->mem, &import_found_shape, &found),
		k->preview_n ? buf_done(&k->preview) : "[]",
		arg_sha256(book ? k->rows_object.sha256 : NULL),
		book ? arg_int(k->rows_object.size) : arg_null(), k->rows, k->misfit_rows, table_no,
		k->tf.t ? k->tf.t->shape_no : 0, k->c->now + IMPORT_LIVES_S, k->imp->id,
		k->imp->fence));
}

static enum err
table_find(struct checking *k, const struct artifact *a, const struct principal *who)
{
	const struct data_column *key;

	if (str_eq(k->imp->mode, "create"))
		return E_OK;
	TRY(table_get(k->c, a, who, k->imp->table, &k->tf));
	if (!str_eq(k->imp->mode, "upsert"))
		return E_OK;
	key = table_key_column(k->tf.t);
	return key && str_eq(key->name, k->imp->key)
	    ? E_OK
	    : fail(k->c, E_INVALID,
		  "key: %s isn't the key of the table %s; an editor can make it the key with "
		  "PUT /v1/data/%s/tables/%s", k->imp->key, k->imp->table, a->id, k->imp->table);
}

enum err
check_run(struct ctx *c, const struct import *imp, const struct until *until, bool *whole)
{
	struct checking *k = mem_new(c->mem, struct checking);
	struct import planned = *imp;
	struct principal who;
	struct reader *r = mem_new(c->mem, struct reader);
	struct artifact *a;
	bool waits;

	*whole = false;
	*k = (struct checking){ .c = c, .imp = imp, .until = until, .preview = BUF(c->mem) };
	TRY(claim_maker(c, imp, &who, &a, &waits));
	if (waits)
		return claim_rest(c, imp, c->now + CLAIM_WAIT_S);
	TRY(table_find(k, a, &who));
	TRY(source_open(c, imp, &k->dialect, &k->open, &k->source));
	if (k->source.format == READ_ROWS)
		TRY(workbook_convert(k, whole));
	else
		*whole = true;
	if (!*whole)
		return E_OK;
	TRY(source_reader(c, &k->source, r));
	k->look = mem_new(c->mem, struct look);
	TRY(look_file(c, r, k->source.format == READ_CSV || k->source.format == READ_ROWS, until,
	    k->look, whole));
	if (!*whole)
		return E_OK;
	TRY(header_find(k));
	TRY(plan_make(c, imp, k->tf.t, &k->source, k->look, &k->dialect, &k->open, &k->columns));
	planned.columns = (struct list){ k->columns.v, k->columns.n };
	planned.dialect = &k->dialect;
	target_make(k, &planned);
	TRY(plan_read(c, &planned, &k->t, &k->plan));
	TRY(file_check(k, whole));
	return *whole ? result_store(k) : E_OK;
}
