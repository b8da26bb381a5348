/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/wake.h"
#include "base/zone.h"
#include "core/filename.h"
#include "core/follow.h"
#include "core/rights.h"
#include "core/token.h"
#include "data/cell.h"
#include "data/row.h"
#include "import/claim.h"
#include "store/object.h"
#include "store/rounds.h"

SHAPE_DEFINE(import_dialect, IMPORT_DIALECT);
SHAPE_DEFINE(import_column, IMPORT_COLUMN);
SHAPE_DEFINE(import_question, IMPORT_QUESTION);
SHAPE_DEFINE(import_misfit, IMPORT_MISFIT);
SHAPE_DEFINE(import, IMPORT);
SHAPE_DEFINE(import_found, IMPORT_FOUND);
SHAPE_DEFINE(import_file, IMPORT_FILE);
SHAPE_DEFINE(import_new, IMPORT_NEW);
SHAPE_DEFINE(import_column_edit, IMPORT_COLUMN_EDIT);
SHAPE_DEFINE(import_edit, IMPORT_EDIT);

const char *
import_format_of(const char *filename)
{
	const char *ending = str_ending(filename ? filename : "");

	if (!strcasecmp(ending, "csv") || !strcasecmp(ending, "txt"))
		return "csv";
	if (!strcasecmp(ending, "tsv") || !strcasecmp(ending, "tab"))
		return "tsv";
	if (!strcasecmp(ending, "ndjson") || !strcasecmp(ending, "jsonl"))
		return "ndjson";
	return !strcasecmp(ending, "json") ? "json" : !strcasecmp(ending, "xlsx") ? "xlsx" : NULL;
}

/* ---- rights ---- */

static bool
is_editor(const struct artifact *a)
{
	return role_rank(a->role) >= ROLE_EDITOR;
}

enum err
import_allowed(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *mode, const char *table)
{
	struct table_for tf;

	if (str_in(mode, "create|replace"))
		return is_editor(a)
		    ? E_OK
		    : fail(c, E_INVALID,
			  "mode: %s requires the editor role; with add you can add rows that the "
			  "access_policy lets you write", mode);
	if (!table)
		return fail(c, E_INVALID, "table: is required for %s", mode);
	TRY(table_get(c, a, who, table, &tf));
	if (str_eq(mode, "upsert") && tf.change.verdict != VERDICT_NO)
		return E_OK;
	return tf.add.verdict != VERDICT_NO ? E_OK : row_refused(c, &tf, &tf.add, "");
}

static enum err
target_check(struct ctx *c, const struct artifact *a, const char *mode, const char *table)
{
	bool there;

	if (!table_name_valid(table))
		return fail(c, E_INVALID,
		    "table: a table's name has letters, digits, _ and -, and starts with a letter "
		    "or _");
	TRY(table_is_there(c, a, table, &there));
	if (str_eq(mode, "create") && there)
		return fail(c, E_CONFLICT,
		    "table: a table named %s already exists; choose another name, or the mode add, "
		    "upsert or replace", table);
	return there || str_eq(mode, "create")
	    ? E_OK
	    : fail(c, E_INVALID, "table: there is no table %s; create is the mode for a new one",
		  table);
}

/* Returns a name that is free, made from the file's. */
static enum err
table_name_make(struct ctx *c, const struct artifact *a, const char *filename, const char **out)
{
	const char *base = filename
	    ? column_name_of(c->mem, mem_strndup(c->mem, filename, strcspn(filename, ".")))
	    : "table";
	bool there = true;

	*out = base;
	for (int n = 2; there; n++) {
		TRY(table_is_there(c, a, *out, &there));
		if (there)
			*out = mem_printf(c->mem, "%s_%d", base, n);
	}
	return E_OK;
}

/* ---- making ---- */

#define OPEN_COUNTED(F, T) F(T, INT, n)
SHAPE(imports_open, OPEN_COUNTED);

static enum err
key_check(struct ctx *c, const char *key)
{
	return !key || column_name_valid(key)
	    ? E_OK
	    : fail(c, E_INVALID,
		  "key: must be a column's name: letters, digits and _, not starting with a digit");
}

static enum err
new_check(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct import_new *in, const char *mode, const char **filename, const char **table)
{
	const struct import_file *file = in->from_file;
	const char *name = in->filename || !file ? in->filename : str_base(file->path);
	struct imports_open *row;

	*filename = NULL;
	if (file && in->text)
		return fail(c, E_INVALID, "from_file: can't be given with text");
	if (name) {
		*filename = unicode_nfc(c->mem, name);
		TRY(filename_check(c, "filename", *filename));
	}
	if (in->text && strlen(in->text) > IMPORT_TEXT_BYTES)
		return fail(c, E_BODY_TOO_LARGE, "text: can have 1 MiB; upload a longer file");
	if (in->text && !*in->text)
		return fail(c, E_INVALID, "text: is empty");
	*table = in->table;
	TRY(import_allowed(c, a, who, mode, *table));
	if (*table)
		TRY(target_check(c, a, mode, *table));
	else if (str_eq(mode, "create"))
		TRY(table_name_make(c, a, *filename, table));
	if (str_eq(mode, "replace") && !*table)
		return fail(c, E_INVALID, "table: is required for replace");
	TRY(key_check(c, in->key));
	if (str_eq(mode, "upsert") && !in->key)
		return fail(c, E_INVALID,
		    "key: is required for upsert: the column by which rows are found");
	TRY(db_one(c,
	    ROWS(imports_open,
		"SELECT COUNT(*) AS n FROM import"
		" WHERE created_by = ? AND artifact_id = ? AND is_open"),
	    ARGS(who->user_id, a->id), &row));
	return row->n < IMPORTS_OPEN
	    ? E_OK
	    : fail(c, E_LIMIT_REACHED,
		  "You have %d imports in this artifact that haven't ended; that's the maximum. "
		  "Start one, or cancel it", IMPORTS_OPEN);
}

enum err
import_make(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct import_new *in, const struct object *bytes, struct import **out)
{
	const char *mode = in->mode ? in->mode : "create", *filename, *table = NULL, *secret = NULL;
	const char *id = id_new(c->mem, "imp_");
	struct arg hash = arg_null(), sha256 = arg_null(), size = arg_null();
	uint8_t digest[SHA256_BYTES];
	struct object found;

	TRY(new_check(c, a, who, in, mode, &filename, &table));
	if (in->from_file) {
		TRY(import_file_find(c, a, in->from_file, &found));
		bytes = &found;
	}
	if (bytes) {
		sha256 = arg_bytes((struct bytes){ bytes->sha256, SHA256_BYTES });
		size = arg_int(bytes->size);
	} else {
		secret = token_new(c->mem, IMPORT_SECRET);
		token_hash(secret, digest);
		hash = arg_bytes((struct bytes){ digest, sizeof digest });
	}
	TRY(db_exec(c,
	    EXEC("INSERT INTO import (id, artifact_id, created_by, state, hash, filename,"
		 " announced, sha256, size_bytes, received, format, table_name, mode, key_column,"
		 " due, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,"
		 " COALESCE(?, 0), ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id, a->id, who->user_id, bytes ? "checking" : "uploading", hash, filename,
		arg_opt(in->has.size, in->size), sha256, size, size, import_format_of(filename),
		table, mode, in->key, bytes != NULL, c->now, c->now + IMPORT_LIVES_S),
	    NULL));
	TRY(import_get(c, a, who, id, false, out));
	if (secret)
		(*out)->upload_url = mem_printf(c->mem, "%s/v1/data/imports/%s",
		    c->conf->base_url, secret);
	return E_OK;
}

/* ---- reading ---- */

#define ONE_IMPORT "SELECT " IMPORT_COLUMNS " FROM import i"

enum err
import_found_read(struct ctx *c, struct import *imp)
{
	struct import_found *found;
	struct json *tree;

	if (!imp->found)
		return E_OK;
	TRY(json_parse(c, imp->found, strlen(imp->found), &tree));
	TRY(shape_read(c, &import_found_shape, tree, (void **)&found));
	imp->dialect = found->dialect;
	imp->columns = found->columns;
	imp->misfits = found->misfits;
	imp->questions = found->questions;
	return E_OK;
}

enum err
import_get(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    bool lock, struct import **out)
{
	TRY(db_find(c,
	    lock ? ROWS(import, ONE_IMPORT " WHERE i.id = ? AND i.artifact_id = ? FOR UPDATE")
		 : ROWS(import, ONE_IMPORT " WHERE i.id = ? AND i.artifact_id = ?"),
	    ARGS(id, a->id), out));
	if (!*out || !who || (!is_editor(a) && !str_eq((*out)->created_by, who->user_id)))
		return fail(c, E_NOT_FOUND, "There is no import %s, or you don't have access to it",
		    id);
	return import_found_read(c, *out);
}

enum err
import_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct page_query *q, struct import_list *out, const char **next)
{
	const char *of = is_editor(a) ? NULL : who ? who->user_id : "";

	return db_part(c,
	    ROWS(import,
		ONE_IMPORT " WHERE i.artifact_id = ? AND (? IS NULL OR i.created_by = ?)"
			   " AND i.id < COALESCE(?, 'j') ORDER BY i.id DESC LIMIT ?"),
	    ARGS(a->id, of, of, arg_before(q->cursor, "imp_")), q->limit, out, next, last->id);
}

/* ---- changing ---- */

static enum err
state_wrong(struct ctx *c, const struct import *imp, const char *what)
{
	return fail(c, E_CONFLICT, "This import is %s, so it can't be %s", imp->state, what);
}

/* Finds the place of a column by its source; the same source again means the next such column. */
static enum err
column_place(struct ctx *c, const struct import *imp, const struct import_edit *in, size_t i,
    size_t *out)
{
	const struct import_column *col = imp->columns.v;
	const struct import_column_edit *edit = in->columns.v;
	size_t again = 0;

	for (size_t k = 0; k < i; k++)
		again += str_eq(edit[k].source, edit[i].source);
	for (*out = 0; *out < imp->columns.n; ++*out)
		if (str_eq(col[*out].source, edit[i].source) && !again--)
			return E_OK;
	return fail(c, E_INVALID, "columns[%zu].source: the file has no column %s", i,
	    edit[i].source ? edit[i].source : "without a name");
}

/* Refuses a name or a type that the next check would fail for. names: of the columns by then. */
static enum err
edit_check(struct ctx *c, const struct import *imp, const struct data_table *t,
    const struct import_column_edit *edit, size_t i, size_t at, const char *const *names)
{
	const struct data_column *old = t ? table_column(t, names[at]) : NULL;
	const char *name = edit[i].name, *type = edit[i].type;

	if (name && *name && !column_name_valid(name))
		return fail(c, E_INVALID,
		    "columns[%zu].name: must contain only letters, digits and _, "
		    "and must not start with a digit", i);
	if (!old && name && str_in(name, COLUMN_NAMES_TAKEN))
		return fail(c, E_INVALID, "columns[%zu].name: the name %s is reserved", i, name);
	for (size_t k = 0; name && *name && k < imp->columns.n; k++)
		if (k != at && str_eq(names[k], name))
			return fail(c, E_INVALID,
			    "columns[%zu].name: two columns would be named %s", i, name);
	if (old && type && !str_eq(type, old->type))
		return fail(c, E_INVALID,
		    "columns[%zu].type: %s is %s in the table; retype it there first", i, old->name,
		    old->type);
	return old || !type || str_in(type, IMPORT_TYPES)
	    ? E_OK
	    : fail(c, E_INVALID,
		  "columns[%zu].type: a new column can't be made %s by an import; import it as "
		  "text", i, type);
}

/* Finds the places of the columns that are set, and checks these. */
static enum err
edits_check(struct ctx *c, const struct import *imp, const struct data_table *t,
    const struct import_edit *in, size_t *place)
{
	const struct import_column_edit *edit = in->columns.v;
	const struct import_column *col = imp->columns.v;
	const char **names = mem_array(c->mem, const char *, imp->columns.n + 1);

	for (size_t i = 0; i < imp->columns.n; i++)
		names[i] = col[i].name;
	for (size_t i = 0; i < in->columns.n; i++) {
		TRY(column_place(c, imp, in, i, &place[i]));
		if (edit[i].name && *edit[i].name)
			names[place[i]] = edit[i].name;
	}
	for (size_t i = 0; i < in->columns.n; i++)
		TRY(edit_check(c, imp, t, edit, i, place[i], names));
	return E_OK;
}

static void
member_set(struct ctx *c, struct json *tree, const char *name, const struct json *patch)
{
	const struct json *had = json_get_as(tree, name, J_OBJ);
	struct json *now;

	if (json_kind(patch) != J_OBJ)
		return;
	now = json_new(c, NULL, NULL);
	if (had)
		json_merge(now, had);
	json_merge(now, patch);
	json_set(tree, name, now);
}

static enum err
asked_make(struct ctx *c, const struct import *imp, const struct data_table *t,
    const struct import_edit *in, const struct json *body, const char **out)
{
	const struct json *columns = json_get_as(body, "columns", J_ARR);
	struct json *tree, *by_place = json_new(c, NULL, NULL);
	size_t *place = mem_array(c->mem, size_t, in->columns.n + 1);
	const struct import_dialect *d = in->dialect;

	TRY(json_parse(c, imp->asked, strlen(imp->asked), &tree));
	if (d && d->zone && !zone_find(d->zone))
		return fail(
		    c, E_INVALID, "dialect.zone: there is no time zone %s", d->zone);
	if (d && d->encoding && !str_in(d->encoding, IMPORT_ENCODINGS))
		return fail(
		    c, E_INVALID, "dialect.encoding: must be %s", str_or(c->mem, IMPORT_ENCODINGS));
	TRY(edits_check(c, imp, t, in, place));
	for (size_t i = 0; i < in->columns.n; i++)
		json_set(by_place, mem_printf(c->mem, "%zu", place[i]), json_at(columns, i));
	member_set(c, tree, "dialect", json_get(body, "dialect"));
	member_set(c, tree, "answers", json_get(body, "answers"));
	member_set(c, tree, "columns", by_place);
	*out = json_text(c->mem, tree);
	return E_OK;
}

enum err
import_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct import *imp, const struct import_edit *in, const struct json *body)
{
	const char *table = in->table ? in->table : imp->table;
	const char *mode = in->mode ? in->mode : imp->mode;
	const char *key = in->has.key ? in->key : imp->key, *asked;
	bool there = imp->sha256 != NULL;
	struct table_for tf = { .t = NULL };

	if (!str_in(imp->state, "uploading|checking|ready"))
		return state_wrong(c, imp, "changed");
	TRY(import_allowed(c, a, who, mode, table));
	if (in->table || in->mode)
		TRY(target_check(c, a, mode, table));
	TRY(key_check(c, key));
	if (str_eq(mode, "upsert") && !key)
		return fail(c, E_INVALID, "key: is required for upsert");
	if (!str_eq(mode, "create"))
		TRY(table_get(c, a, who, table, &tf));
	TRY(asked_make(c, imp, tf.t, in, body, &asked));
	return db_exec1(c,
	    EXEC("UPDATE import SET state = ?, due = ?, due_at = 0, fence = fence + 1,"
		 " table_name = ?, mode = ?, key_column = ?, on_misfit = ?, asked = ?,"
		 " error = NULL, rows_sha256 = NULL, rows_size = NULL, expires_at = ?"
		 " WHERE id = ?"),
	    ARGS(there ? "checking" : "uploading", there, table, mode, key,
		in->on_misfit ? in->on_misfit : imp->on_misfit, asked, c->now + IMPORT_LIVES_S,
		imp->id));
}

static enum err
questions_open(struct ctx *c, const struct import *imp)
{
	struct import_found open = { .questions = imp->questions };
	struct buf b = BUF(c->mem);

	buf_str(&b, "{\"questions\":");
	shaped_write_field(
	    &b, (struct shaped){ &import_found_shape, &open, 1, false }, "questions");
	buf_chr(&b, '}');
	c->details = buf_done(&b);
	return fail(c, E_CONFLICT,
	    "%s open; answer %s with PATCH, or send accept_proposals",
	    imp->questions.n == 1 ? "A question is" : "Some questions are",
	    imp->questions.n == 1 ? "it" : "them");
}

/* A file with more rows than a person may add in an hour would be taken back half way. */
static enum err
pace_check(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct import *imp)
{
	struct table_for tf;

	if (!str_eq(imp->mode, "add"))
		return E_OK;
	TRY(table_get(c, a, who, imp->table, &tf));
	return !tf.limits.add_per_hour || imp->rows <= tf.limits.add_per_hour
	    ? E_OK
	    : fail(c, E_RATE_LIMITED,
		  "access_policy.tables.%s.add_per_hour: a person can add at most %s an hour; the "
		  "file has %s",
		  imp->table, str_count(c->mem, tf.limits.add_per_hour, "row"),
		  str_number(c->mem, imp->rows));
}

enum err
import_start(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct import *imp, bool accept, bool leave_out)
{
	struct data_table *now = NULL;

	if (!str_eq(imp->state, "ready"))
		return state_wrong(c, imp, "started");
	TRY(import_allowed(c, a, who, imp->mode, imp->table));
	TRY(pace_check(c, a, who, imp));
	if (imp->questions.n && !accept)
		return questions_open(c, imp);
	if (imp->misfit_rows && str_eq(imp->on_misfit, "refuse") && !leave_out)
		return fail(c, E_CONFLICT,
		    "%s fit; choose on_misfit leave_out or null, or other types, or send the "
		    "corrected file", imp->misfit_rows == 1 ? "One line doesn't"
			: mem_printf(c->mem, "%s lines don't",
			      str_number(c->mem, imp->misfit_rows)));
	if (imp->rows > ROWS_MAX)
		return fail(c, E_STORAGE_FULL, "The file has %s rows; a table can have %s",
		    str_number(c->mem, imp->rows), str_number(c->mem, ROWS_MAX));
	if (imp->has.table_no == GIVEN) {
		TRY(table_of_no(c, imp->table_no, false, &now));
		if (!now || now->shape_no != imp->shape_no)
			return claim_check_again(c, imp);
		if (str_eq(imp->mode, "add") && now->row_count + imp->rows > ROWS_MAX)
			return fail(c, E_STORAGE_FULL,
			    "The table has %s; %s more would exceed the maximum of %s",
			    str_count(c->mem, now->row_count, "row"),
			    str_number(c->mem, imp->rows), str_number(c->mem, ROWS_MAX));
	}
	return db_exec1(c,
	    EXEC("UPDATE import SET state = 'storing', due = 1, due_at = 0, fence = fence + 1,"
		 " records_done = 0, rows_done = 0, batch_id = ?, on_misfit = ?, error = NULL,"
		 " expires_at = ? WHERE id = ?"),
	    ARGS(str_in(imp->mode, "add|upsert") ? id_new(c->mem, "bat_") : NULL,
		leave_out ? "leave_out" : imp->on_misfit, c->now + IMPORT_STAYS_S, imp->id));
}

enum err
import_cancel(struct ctx *c, const struct import *imp)
{
	if (str_in(imp->state, "done|failed|cancelled"))
		return state_wrong(c, imp, "cancelled");
	return db_exec1(c,
	    EXEC("UPDATE import SET due = (state = 'storing'), due_at = 0, state = 'cancelled',"
		 " fence = fence + 1, ended_at = ?, expires_at = ? WHERE id = ?"),
	    ARGS(c->now, c->now + IMPORT_STAYS_S, imp->id));
}

/* ---- the bytes ---- */

enum err
import_by_secret(struct ctx *c, const char *secret, const struct principal *who,
    struct import **out)
{
	const char *user_id = who ? who->user_id : NULL;
	uint8_t hash[SHA256_BYTES];

	token_hash(secret, hash);
	TRY(db_one(c,
	    ROWS(import,
		ONE_IMPORT " WHERE i.hash = ? AND i.expires_at > ?"
			   " AND (? IS NULL OR i.created_by = ?)"),
	    ARGS(((struct bytes){ hash, sizeof hash }), c->now, user_id, user_id), out));
	return str_eq((*out)->state, "uploading")
	    ? E_OK
	    : fail(c, E_CONFLICT, "This import has its bytes, or was cancelled");
}

enum err
import_receive(struct ctx *c, const struct import *imp, int64_t total, int64_t received)
{
	return db_exec1(c,
	    EXEC("UPDATE import SET total = ?, received = ?, expires_at = ?"
		 " WHERE id = ? AND state = 'uploading' AND COALESCE(total, ?) = ?"),
	    ARGS(total, received, c->now + IMPORT_LIVES_S, imp->id, total, total));
}

enum err
import_received(struct ctx *c, const struct import *imp, const uint8_t *sha256, int64_t size)
{
	int64_t mine;

	TRY(db_exec(c,
	    EXEC("UPDATE import SET state = 'checking', due = 1, sha256 = ?, size_bytes = ?,"
		 " received = ?, expires_at = ? WHERE id = ? AND state = 'uploading'"),
	    ARGS(((struct bytes){ sha256, SHA256_BYTES }), size, size, c->now + IMPORT_LIVES_S,
		imp->id), &mine));
	return mine ? E_OK
		    : fail(c, E_CONFLICT, "Somebody else has just sent the bytes of this import");
}

/* ---- when other things change ---- */

static enum err
import_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c,
	    EXEC("DELETE FROM import WHERE expires_at <= ? AND NOT due LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

USERS(USER_ENDS(import, created_by))
FOLLOWS(import, USERS_FOLLOW);
PURGES(import, ROWS_OF(import));
ROUNDS(import, { "imports", .rows = import_reap });
