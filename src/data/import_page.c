/* SPDX-License-Identifier: Apache-2.0
 * CSV in the browser: chosen, dropped or pasted, added to a table, or made a table of. All of its
 * rows are stored, or none. */
#include "base/seal.h"
#include "base/str.h"
#include "data/celltext.h"
#include "data/intake.h"
#include "data/row_api.h"
#include "data/table_page.h"
#include "http/multipart.h"
#include "http/quota.h"
#include "http/req.h"

enum { PARTS = 8, SHOWN_BYTES = 1 << 20 };

#define IMPORT_FORM(F, T) \
	F(T, STR, files) \
	F(T, STR, csv,  .doc = "Pasted, in place of a file") \
	F(T, STR, name, .doc = "Of a new table")
SHAPE(import_form, IMPORT_FORM);

struct sent {
	struct span bytes;
	const char *field;      /* the field that they came in */
	const char *filename;   /* NULL: they were pasted */
	const char *name;       /* that was typed, or "" */
	struct intake *in;
	const struct part *pasted;
};

/* ---- sent rows ---- */

static enum err
part_take(struct req *r, const struct part *p, struct sent *to)
{
	if (p->filename && *p->filename) {
		if (to->filename)
			return fail(r->c, E_INVALID, "files: choose one file");
		to->filename = str_base(p->filename);
		to->field = "files";
		to->bytes = p->bytes;
	} else if (str_eq(p->name, "csv") && p->bytes.n) {
		to->pasted = p;
	} else if (str_eq(p->name, "name")) {
		if (p->bytes.n > TABLE_NAME_CHARS)
			return fail(r->c, E_INVALID, "name: must have at most %d characters",
			    TABLE_NAME_CHARS);
		TRY(part_read(r->c, p, &to->name));
	}
	return E_OK;
}

static enum err
parts_take(struct req *r, struct sent *to)
{
	struct part *parts = mem_array(r->c->mem, struct part, PARTS);
	size_t n;

	TRY(multipart_parse(r->c, req_env(r, "CONTENT_TYPE"), r->form, parts, PARTS, &n));
	for (size_t i = 0; i < n; i++)
		TRY(part_take(r, &parts[i], to));
	if (!to->filename && to->pasted) {
		to->field = "csv";
		to->bytes = to->pasted->bytes;
	}
	if (!to->field)
		return fail(r->c, E_INVALID, "files: choose a CSV file first");
	return to->bytes.n <= INTAKE_FILE_BYTES
	    ? E_OK
	    : fail(r->c, E_BODY_TOO_LARGE, "%s: the file is larger than the limit of %s", to->field,
		  str_amount_1024(r->c->mem, INTAKE_FILE_BYTES));
}

/* Shows an error of the rows beside the field that they came in. */
static enum err
sent_blame(struct req *r, const struct sent *s, enum err e)
{
	const char *why = r->c->message;

	if (e && why && (e == E_INVALID || e == E_DENIED || e == E_BODY_TOO_LARGE ||
	    e == E_STORAGE_FULL || e == E_CONFLICT))
		r->c->message = mem_printf(r->c->mem, "%s: %s%s", s->field,
		    str_starts(why, "has ") || str_starts(why, "isn't ") ||
			    str_starts(why, "would ")
			? "it "
			: "",
		    why);
	return e;
}

static enum err
rows_read(struct req *r, struct sent **out)
{
	struct sent *s = mem_new(r->c->mem, struct sent);

	*s = (struct sent){ .name = "" };
	*out = r->prepared = s;
	TRY(parts_take(r, s));
	return sent_blame(r, s, intake_read_file(r->c, r->who, &s->bytes, &s->in));
}

/* The notice on the next page is sealed in its address, so that no link can show other words
 * there. */
static const char *
told_purpose(const struct req *r)
{
	return mem_printf(r->c->mem, "imported into %s", r->art->id);
}

const char *
import_page_told(struct req *r, const char *told)
{
	return told ? seal_open(r->c->mem, told_purpose(r), told) : NULL;
}

static enum err
h_import(struct req *r)
{
	const struct sent *s = r->prepared;

	struct buf to = BUF(r->c->mem);

	TRY(sent_blame(r, s, intake_keep(r->c, r->art, s->in)));
	buf_fmt(&to, "%s?done=imported&told=", table_page_path(r, s->in->table));
	buf_form(&to, seal_close(r->c->mem, told_purpose(r), intake_told(r->c, s->in)));
	return reply_redirect(r, buf_done(&to));
}

/* ---- added to a table ---- */

static enum err
import_table_get(struct req *r, struct table_for *tf)
{
	TRY(table_for_get(r, tf));
	return tf->add.verdict != VERDICT_NO
	    ? E_OK
	    : fail(r->c, E_DENIED, "You can't write rows of %s", tf->t->name);
}

static enum err
rows_ask(struct req *r)
{
	struct table_for tf;

	return import_table_get(r, &tf);
}

static enum err
p_rows_import(struct req *r)
{
	struct table_for tf;
	struct sent *s;

	TRY(import_table_get(r, &tf));
	TRY(rows_read(r, &s));
	if (!s->in->rows)
		return fail(r->c, E_INVALID, "%s: it has no rows", s->field);
	return sent_blame(r, s, intake_into(r->c, &tf, s->in));
}

/* ---- made a table of ---- */

static enum err
p_table_import(struct req *r)
{
	const char *name;
	struct sent *s;

	TRY(rows_read(r, &s));
	name = s->name;
	if (!*name && s->filename)
		name = column_name_of(
		    r->c->mem, mem_strndup(r->c->mem, s->filename, strcspn(s->filename, ".")));
	TRY(table_name_check(r->c, r->art, name));
	return sent_blame(r, s, intake_stage(r->c, r->art, name, false, s->in));
}

bool
import_page_refused(struct req *r, const char **typed)
{
	const struct route *form = r->refused.row;
	const struct sent *s = r->prepared;

	*typed = NULL;
	if (!form || form->body.shape != &import_form_shape)
		return false;
	if (s && form->prepare == p_table_import)
		*typed = s->name;
	else if (s && s->pasted && s->pasted->bytes.n <= SHOWN_BYTES)
		(void)part_read(r->c, s->pasted, typed);
	return true;
}

static const struct route import_page_routes[] = {
  { POST, "/a/{art}/data/tables/{table}/import", ART_VIEW,
    TAKES_FILES_AND(import_form), GIVES_REDIRECT, h_import,
    .again = "/a/{art}/data/tables/{table}", .slow = true, .limit = LIM_DATA, .max_body = BODY_CSV,
    .judge = rows_ask, .prepare = p_rows_import, .doc = "Add the rows of a CSV file" },
  { POST, "/a/{art}/data/import",                ART_EDIT,
    TAKES_FILES_AND(import_form), GIVES_REDIRECT, h_import,
    .again = "/a/{art}/data/tables", .slow = true, .limit = LIM_DATA, .max_body = BODY_CSV,
    .prepare = p_table_import, .doc = "Create a table from a CSV file" },
};
ROUTES(import_page, "Pages: import",
    "CSV files that people add to an artifact's tables in the browser.");
