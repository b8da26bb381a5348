/* SPDX-License-Identifier: Apache-2.0
 * Imports in the browser. A file is chosen, dropped or pasted; then the import's page shows what
 * each column will be, what doesn't fit and what is asked, starts it and follows it. Nothing here
 * needs a script. */
#include "base/str.h"
#include "core/artifact.h"
#include "core/artifact_top_page.h"
#include "data/celltext.h"
#include "http/multipart.h"
#include "http/quota.h"
#include "http/req.h"
#include "import/import.h"
#include "import/reader.h"
#include "store/object.h"

enum { PARTS = 8 };

/* ---- a file is sent ---- */

#define IMPORT_FORM(F, T) \
	F(T, STR,  files) \
	F(T, STR,  text,  .doc = "Pasted, in place of a file") \
	F(T, STR,  name,  .doc = "Of a new table") \
	F(T, WORD, mode,  .arg = IMPORT_MODES)
SHAPE(import_form, IMPORT_FORM);

#define IMPORT_NEW_PAGE(F, T) \
	F(T, STR,  table,  .doc = "That gets the rows; NULL: a new one") \
	F(T, STR,  key,    .doc = "Its key") \
	F(T, STR,  named,  .doc = "Typed name of a new one") \
	F(T, STR,  pasted) \
	F(T, WORD, mode,   .arg = IMPORT_MODES) \
	F(T, INT,  most,   .doc = "How large a file may be")
SHAPE(import_new_page, IMPORT_NEW_PAGE);

struct sent {
	struct import_new asked;
	const struct part *file;
	struct object object;
};

/* The table of the path; NULL: a new one is made. */
static const char *
path_table(const struct req *r)
{
	return route_has_param(r->route, "table") ? req_param(r, "table") : NULL;
}

static enum err
part_take(struct req *r, const struct part *p, struct sent *to)
{
	struct import_new *in = &to->asked;

	if (p->filename && *p->filename) {
		if (to->file)
			return fail(r->c, E_INVALID, "files: choose one file");
		to->file = p;
		in->filename = str_base(p->filename);
		return E_OK;
	}
	if (str_eq(p->name, "text") && p->bytes.n > IMPORT_TEXT_BYTES)
		return fail(r->c, E_BODY_TOO_LARGE, "text: can have 1 MiB; choose a file for more");
	if (str_eq(p->name, "name") && p->bytes.n > TABLE_NAME_CHARS)
		return fail(r->c, E_INVALID, "name: must have at most %d characters",
		    TABLE_NAME_CHARS);
	if (str_eq(p->name, "text") && p->bytes.n)
		return part_read(r->c, p, &in->text);
	if (str_eq(p->name, "name") && p->bytes.n)
		return part_read(r->c, p, &in->table);
	if (str_eq(p->name, "mode") && p->bytes.n < TABLE_NAME_CHARS)
		TRY(part_read(r->c, p, &in->mode));
	return !in->mode || str_in(in->mode, IMPORT_MODES)
	    ? E_OK
	    : fail(r->c, E_INVALID, "mode: must be %s", str_or(r->c->mem, IMPORT_MODES));
}

/* The table in the path has its key; a new one has none yet. */
static enum err
target_find(struct req *r, struct import_new *in)
{
	const char *table = path_table(r);
	struct table_for tf;

	if (!table) {
		in->mode = "create";
		return E_OK;
	}
	in->table = table;
	in->mode = in->mode ? in->mode : "add";
	TRY(table_get(r->c, r->art, r->who, table, &tf));
	if (str_eq(in->mode, "upsert"))
		in->key = tf.t->key;
	return in->key || !str_eq(in->mode, "upsert")
	    ? E_OK
	    : fail(r->c, E_INVALID, "mode: the table %s has no key, by which rows could be found",
		  table);
}

static enum err
bytes_store(struct req *r, struct sent *s)
{
	const struct import_new *in = &s->asked;
	struct batch *batch;

	if (!s->file && (!in->text || !*in->text))
		return fail(r->c, E_INVALID, "files: choose a file first, or paste rows");
	if (s->file && s->file->bytes.n > IMPORT_BYTES)
		return fail(r->c, E_BODY_TOO_LARGE,
		    "files: the file is larger than the limit of %s",
		    str_amount_1024(r->c->mem, IMPORT_BYTES));
	TRY(batch_begin(r->c, &batch));
	TRY(s->file ? batch_put_span(r->c, batch, &s->file->bytes, NULL, &s->object)
		    : batch_put(r->c, batch, in->text, strlen(in->text), &s->object));
	return batch_sync(r->c, batch);
}

/* Refuses people who may not import, before the body is read. */
static enum err
import_form_judge(struct req *r)
{
	const char *table = path_table(r);

	return import_allowed(r->c, r->art, r->who, table ? "add" : "create", table);
}

static enum err
p_import_form(struct req *r)
{
	struct part *parts = mem_array(r->c->mem, struct part, PARTS);
	struct sent *s = r->prepared = mem_new(r->c->mem, struct sent);
	size_t n;

	*s = (struct sent){ .file = NULL };
	TRY(import_form_judge(r));
	TRY(multipart_parse(r->c, req_env(r, "CONTENT_TYPE"), r->form, parts, PARTS, &n));
	for (size_t i = 0; i < n; i++)
		TRY(part_take(r, &parts[i], s));
	TRY(target_find(r, &s->asked));
	return bytes_store(r, s);
}

static enum err
import_go(struct req *r, const char *id, const char *done)
{
	return reply_redirect(r, mem_printf(r->c->mem, "/a/%s/data/imports/%s%s%s", r->art->id, id,
	    done ? "?done=" : "", done ? done : ""));
}

/* A refusal of the table's name stands beside the field for it. */
static enum err
h_import_form(struct req *r)
{
	const struct sent *s = r->prepared;
	struct import_new in = s->asked;
	struct import *imp;
	enum err e;

	in.text = NULL;
	e = import_make(r->c, r->art, r->who, &in, &s->object, &imp);
	if (e && r->c->message && str_starts(r->c->message, "table: "))
		r->c->message = mem_printf(
		    r->c->mem, "name: %s", r->c->message + strlen("table: "));
	return e ? e : import_go(r, imp->id, NULL);
}

static enum err
h_import_new_page(struct req *r)
{
	struct import_new_page page = { .most = IMPORT_BYTES, .table = path_table(r) };
	const struct sent *s = r->refused.row ? r->prepared : NULL;
	struct table_for tf;

	TRY(import_form_judge(r));
	if (page.table) {
		TRY(table_get(r->c, r->art, r->who, page.table, &tf));
		page.key = tf.t->key;
	}
	if (s) {
		page.named = s->asked.table;
		page.pasted = s->asked.text;
		page.mode = s->asked.mode;
	}
	return reply_page(r, 0, &page);
}

/* ---- the import's page ---- */

#define IMPORT_PAGE(F, T) \
	F(T, OBJ,  import,    .sub = &import_shape) \
	F(T, STRS, types,     .doc = "That columns can have; none: they keep theirs") \
	F(T, STRS, encodings) \
	F(T, LIST, lines,     .sub = &cell_line_shape, .doc = "The first rows")
SHAPE(import_page, IMPORT_PAGE);

static void
fact_add(struct buf *b, const char *fact)
{
	buf_fmt(b, "%s%s", b->n ? ", " : "", fact);
}

/* Returns a column's note, with what the file's values tell about it. */
static const char *
column_facts(struct ctx *c, const struct import *imp, const struct import_column *col)
{
	struct buf b = BUF(c->mem);

	if (col->misfits)
		fact_add(&b,
		    mem_printf(c->mem, "%s %s fit", str_count(c->mem, col->misfits, "value"),
			col->misfits == 1 ? "doesn’t" : "don’t"));
	if (col->has.distinct == GIVEN && col->distinct > 1 && col->distinct == imp->rows)
		fact_add(&b, "all different");
	else if (col->has.distinct == GIVEN && col->distinct)
		fact_add(&b, mem_printf(c->mem, "%s different", str_number(c->mem, col->distinct)));
	if (col->empty)
		fact_add(&b, mem_printf(c->mem, "%s empty", str_number(c->mem, col->empty)));
	if (!col->note)
		return buf_done(&b);
	return mem_printf(c->mem, "%s%s%s", col->note, b.n ? "; " : "", buf_done(&b));
}

static enum err
lines_show(struct ctx *c, const struct import *imp, struct list *out)
{
	const struct import_column *col = imp->columns.v;
	struct strs taken = { 0 };

	for (size_t i = 0; i < imp->columns.n; i++)
		if (col[i].take)
			strs_add(c->mem, &taken, col[i].name);
	return imp->preview ? cell_lines(c, &taken, imp->preview, out) : E_OK;
}

static enum err
h_import_page(struct req *r)
{
	struct import_page page = { .encodings = strs_split(r->c->mem, IMPORT_ENCODINGS, '|') };
	struct import_column *col;
	struct import *imp;

	TRY(import_get(r->c, r->art, r->who, req_param(r, "imp"), false, &imp));
	if (!imp->filename)
		imp->filename = "pasted rows";
	col = imp->columns.v;
	for (size_t i = 0; i < imp->columns.n; i++) {
		col[i].place = (int64_t)i;
		col[i].note = column_facts(r->c, imp, &col[i]);
	}
	/* Columns of a table that is there keep their types. */
	if (!str_in(imp->mode, "add|upsert"))
		page.types = strs_split(r->c->mem, IMPORT_TYPES, '|');
	page.import = imp;
	TRY(lines_show(r->c, imp, &page.lines));
	return reply_page(r, 0, &page);
}

/* ---- changes, answers, and the start ---- */

#define IMPORT_CHANGE_FORM(F, T) \
	F(T, STR,  table,     .hi = TABLE_NAME_CHARS) \
	F(T, WORD, mode,      .arg = IMPORT_MODES) \
	F(T, STR,  key,       .hi = TABLE_NAME_CHARS) \
	F(T, BOOL, heads,     .doc = "The form has `header`") \
	F(T, BOOL, header) \
	F(T, STR,  encoding,  .hi = 40) \
	F(T, STR,  delimiter, .hi = 40) \
	F(T, STR,  sheet,     .hi = 200) \
	F(T, STR,  nulls,     .hi = 800) \
	F(T, WORD, on_misfit, .arg = "refuse|leave_out|null") \
	F(T, WORD, act,       .arg = "check|start")
SHAPE(import_change_form, IMPORT_CHANGE_FORM);

static const char *
typed_of(const struct req *r, const char *name)
{
	for (size_t i = 0; i < r->more_n; i++)
		if (str_eq(r->more[i].name, name))
			return r->more[i].value;
	return NULL;
}

/* Adds a member if what was typed differs. */
static void
typed_add(struct buf *b, const char *name, const char *typed, const char *now)
{
	if (typed && !str_eq(typed, now ? now : ""))
		json_add(b, name, typed);
}

static void
member_add(struct buf *b, const char *name, const struct buf *value)
{
	json_key(b, name);
	buf_str(b, value->s);
}

static void
dialect_typed(struct req *r, const struct import_dialect *d, struct buf *out)
{
	const struct import_change_form *in = r->in;
	struct buf b = BUF(r->c->mem);
	char *rest, *word;

	if (!d)
		return;
	buf_chr(&b, '{');
	if (in->heads && in->header != d->header) {
		json_key(&b, "header");
		buf_str(&b, in->header ? "true" : "false");
	}
	typed_add(&b, "encoding", in->encoding, d->encoding);
	typed_add(&b, "delimiter", in->delimiter, d->delimiter);
	typed_add(&b, "sheet", in->sheet, d->sheet);
	if (in->nulls && !str_eq(in->nulls, strs_join(r->c->mem, &d->nulls, ", "))) {
		rest = mem_strdup(r->c->mem, in->nulls);
		json_key(&b, "nulls");
		buf_chr(&b, '[');
		while ((word = str_split(&rest, ',')))
			if (*(word += strspn(word, " "))) {
				buf_str(&b, b.s[b.n - 1] == '[' ? "" : ",");
				buf_json(&b, word);
			}
		buf_chr(&b, ']');
	}
	if (b.n > 1) {
		buf_chr(&b, '}');
		member_add(out, "dialect", &b);
	}
}

/* Writes one column. Returns false if nothing about it was changed. */
static bool
column_typed_add(struct req *r, const struct import_column *col, size_t i, struct buf *b)
{
	const char *name = typed_of(r, mem_printf(r->c->mem, "name.%zu", i));
	const char *type = typed_of(r, mem_printf(r->c->mem, "type.%zu", i));
	size_t had;

	buf_str(b, "{\"source\":");
	if (col->source)
		buf_json(b, col->source);
	else
		buf_str(b, "null");
	had = b->n;
	typed_add(b, "name", name, col->name);
	if (type && *type)
		typed_add(b, "type", type, col->type);
	if (type && (*type != '\0') != col->take) {
		json_key(b, "take");
		buf_str(b, *type ? "true" : "false");
	}
	buf_chr(b, '}');
	return b->n > had + 1;
}

static void
columns_typed_add(struct req *r, const struct import *imp, struct buf *out)
{
	const struct import_column *col = imp->columns.v;
	struct buf b = BUF(r->c->mem);
	bool any = false;

	buf_chr(&b, '[');
	for (size_t i = 0; i < imp->columns.n; i++) {
		buf_str(&b, i ? "," : "");
		any |= column_typed_add(r, &col[i], i, &b);
	}
	buf_chr(&b, ']');
	if (any)
		member_add(out, "columns", &b);
}

/* Proposals that stay are accepted by the start. */
static void
answers_add(struct req *r, const struct import *imp, bool start, struct buf *out)
{
	const struct import_question *q = imp->questions.v;
	struct buf b = BUF(r->c->mem);

	buf_chr(&b, '{');
	for (size_t i = 0; i < imp->questions.n; i++) {
		const char *typed = typed_of(r, mem_printf(r->c->mem, "answer.%s", q[i].id));

		typed_add(&b, q[i].id, typed, start ? q[i].proposed : NULL);
	}
	if (b.n > 1) {
		buf_chr(&b, '}');
		member_add(out, "answers", &b);
	}
}

/* Writes what differs from the import as the body of a PATCH; "{" if nothing does. */
static void
change_typed(struct req *r, const struct import *imp, bool start, struct buf *b)
{
	const struct import_change_form *in = r->in;
	bool later = start && str_eq(in->on_misfit, "leave_out");

	buf_chr(b, '{');
	typed_add(b, "table", in->table, imp->table);
	typed_add(b, "mode", in->mode, imp->mode);
	if (in->key && *in->key)
		typed_add(b, "key", in->key, imp->key);
	else if (in->key && imp->key) {
		json_key(b, "key");
		buf_str(b, "null");
	}
	if (!later)
		typed_add(b, "on_misfit", in->on_misfit, imp->on_misfit);
	dialect_typed(r, imp->dialect, b);
	columns_typed_add(r, imp, b);
	answers_add(r, imp, start, b);
}

/* The API's "columns[2].name" is the form's "name.2", and "dialect.nulls" is "nulls". */
static enum err
change_blame(struct req *r, enum err e)
{
	const char *why = r->c->message;
	char field[8];
	int at, used = 0;

	if (!e || !why)
		return e;
	if (sscanf(why, "columns[%3d].%7[a-z]%n", &at, field, &used) == 2 && used)
		r->c->message = mem_printf(r->c->mem, "%s.%d%s", field, at, why + used);
	else if (str_starts(why, "dialect."))
		r->c->message = why + strlen("dialect.");
	return e;
}

/* Changes are checked first, also if the start was asked for. */
static enum err
h_import_change_form(struct req *r)
{
	const struct import_change_form *in = r->in;
	bool start = str_eq(in->act, "start");
	struct buf b = BUF(r->c->mem);
	struct import *imp;
	struct json *body;
	void *edit;

	TRY(import_get(r->c, r->art, r->who, req_param(r, "imp"), true, &imp));
	change_typed(r, imp, start, &b);
	if (b.n == 1 && start && imp->misfit_rows && str_eq(in->on_misfit, "refuse"))
		return fail(r->c, E_CONFLICT,
		    "on_misfit: choose what becomes of the lines that don’t fit");
	if (b.n == 1 && start)
		TRY(import_start(r->c, r->art, r->who, imp, true,
		    str_eq(in->on_misfit, "leave_out")));
	if (b.n == 1)
		return import_go(r, imp->id, NULL);
	buf_chr(&b, '}');
	TRY(json_parse(r->c, b.s, b.n, &body));
	TRY(shape_read(r->c, &import_edit_shape, body, &edit));
	TRY(change_blame(r, import_change(r->c, r->art, r->who, imp, edit, body)));
	return import_go(r, imp->id, start ? "import_changed" : NULL);
}

#define IMPORTED "/a/{art}/data/imports/{imp}"
/* The form and its page, of one path. */
#define IMPORT_SENDS(path_, who_, doc_) \
	{ POST, path_, who_, TAKES_FILES_AND(import_form), GIVES_REDIRECT, h_import_form, \
	    .again = path_, .slow = true, .limit = LIM_DATA, .max_body = BODY_IMPORT, \
	    .judge = import_form_judge, .prepare = p_import_form, .doc = "Send the file" }, \
	{ PAGE(path_, who_, import_new, h_import_new_page), .query = &tab_query_shape, \
	    .shows = SHOWS({ "imports", SHOW_MAY "GET /v1/data/{art}/imports?limit=20" }), \
	    .title = "Import", .doc = doc_ }
static const struct route import_page_routes[] = {
  IMPORT_SENDS("/a/{art}/data/import", ART_EDIT, "Choose a file that becomes a table"),
  IMPORT_SENDS("/a/{art}/data/tables/{table}/import", ART_VIEW,
    "Choose a file whose rows come into a table"),
  { PAGE(IMPORTED, ART_VIEW, import, h_import_page), .query = &tab_query_shape, .title = "Import",
    .doc = "An import: what each column will be, what doesn't fit, how far it is" },
  { FORM(IMPORTED, ART_VIEW, import_change_form, h_import_change_form), .again = IMPORTED,
    .limit = LIM_DATA, .open_query = true, .doc = "Change an import, or start it" },
  { POST, IMPORTED "/cancel", DOES("DELETE /v1/data/{art}/imports/{imp}"),
    .ask = ASK("Cancel this import?", "Rows that it has added are taken back.", "Cancel import",
	IMPORTED, .who = ART_VIEW),
    .then = "/a/{art}/data/tables?done=import_cancelled", .doc = "Cancel an import" },
};
ROUTES(import_page, "Pages: import",
    "Files that people import into an artifact's tables in the browser.");
