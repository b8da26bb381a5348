/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/data/{art}/imports. Source: import/README.md. */
#include "base/str.h"
#include "core/artifact.h"
#include "http/quota.h"
#include "http/req.h"
#include "import/import.h"
#include "import/leftout.h"
#include "store/object.h"
#include "store/pieces.h"

#define IMPORT_PATH "/v1/data/{art}/imports/{imp}"

#define IMPORT_BRIEF(F, T) \
	F(T, ID,   id,          .arg = "imp_") \
	F(T, WORD, state,       .arg = IMPORT_STATES) \
	F(T, STR,  filename,    .flags = F_NUL) \
	F(T, INT,  size_bytes,  .flags = F_NUL) \
	F(T, STR,  table,       .flags = F_NUL) \
	F(T, WORD, mode,        .arg = IMPORT_MODES) \
	F(T, INT,  rows,        .flags = F_NUL) \
	F(T, INT,  rows_done) \
	F(T, INT,  misfit_rows) \
	F(T, STR,  error,       .flags = F_NUL) \
	F(T, ID,   created_by,  .flags = F_NUL, .arg = "usr_") \
	F(T, TIME, created_at) \
	F(T, TIME, ended_at,    .flags = F_NUL)
SHAPE(import_brief, IMPORT_BRIEF);

#define IMPORT_START(F, T) \
	F(T, BOOL, accept_proposals, .doc = "Open questions are answered as proposed") \
	F(T, WORD, on_misfit, .arg = "leave_out", .doc = "Leave out lines that don't fit")
SHAPE(import_start, IMPORT_START);

#define IMPORT_SENT(F, T) \
	F(T, ID,   id,       .arg = "imp_") \
	F(T, INT,  received, .doc = "Bytes; where the next piece begins, if there is one") \
	F(T, INT,  total,    .flags = F_NUL) \
	F(T, WORD, state,    .arg = IMPORT_STATES)
SHAPE(import_sent, IMPORT_SENT);

/* ---- the record ---- */

static enum err
imported_find(struct req *r, bool lock, struct import **out)
{
	return import_get(r->c, r->art, r->who, req_param(r, "imp"), lock, out);
}

static enum err
import_reply(struct req *r, const char *id)
{
	struct import *imp;

	TRY(import_get(r->c, r->art, r->who, id, false, &imp));
	return reply_noun(r, imp);
}

/* Stores text that came in the body. */
static enum err
p_import_make(struct req *r)
{
	const struct import_new *in = r->in;
	struct object *o = mem_new(r->c->mem, struct object);
	struct batch *batch;

	r->prepared = NULL;
	if (!in->text || !*in->text || strlen(in->text) > IMPORT_TEXT_BYTES)
		return E_OK;
	TRY(batch_begin(r->c, &batch));
	TRY(batch_put(r->c, batch, in->text, strlen(in->text), o));
	TRY(batch_sync(r->c, batch));
	r->prepared = o;
	return E_OK;
}

static enum err
h_import_make(struct req *r)
{
	const struct import_new *in = r->in;
	struct import *imp;

	if (in->from_file && r->who && !principal_has_scope(r->who, ARTIFACTS_READ))
		return fail(r->c, E_SCOPE, "from_file: the token lacks the scope %s",
		    scope_name(ARTIFACTS_READ));
	TRY(import_make(r->c, r->art, r->who, in, r->prepared, &imp));
	return reply_noun(r, imp);
}

static enum err
h_import_list(struct req *r)
{
	struct import_list rows;
	const char *next;
	struct list out;

	TRY(import_list(r->c, r->art, r->who, r->query, &rows, &next));
	out = list_made(r->c->mem, &rows, i,
	    ((struct import_brief){ .id = i->id, .state = i->state, .filename = i->filename,
		.size_bytes = i->size_bytes, .table = i->table, .mode = i->mode, .rows = i->rows,
		.rows_done = i->rows_done, .misfit_rows = i->misfit_rows, .error = i->error,
		.created_by = i->created_by, .created_at = i->created_at, .ended_at = i->ended_at,
		.has = { .size_bytes = i->has.size_bytes, .rows = i->has.rows,
		    .ended_at = i->has.ended_at } }));
	return reply_list(r, &out, next);
}

static enum err
h_import(struct req *r)
{
	return import_reply(r, req_param(r, "imp"));
}

static enum err
h_import_change(struct req *r)
{
	struct import *imp;

	TRY(imported_find(r, true, &imp));
	TRY(import_change(r->c, r->art, r->who, imp, r->in, r->json));
	return import_reply(r, imp->id);
}

static enum err
h_import_start(struct req *r)
{
	const struct import_start *in = r->in;
	struct import *imp;

	TRY(imported_find(r, true, &imp));
	TRY(import_start(r->c, r->art, r->who, imp, in->accept_proposals,
	    in->on_misfit != NULL));
	return import_reply(r, imp->id);
}

static enum err
h_import_cancel(struct req *r)
{
	struct import *imp;

	TRY(imported_find(r, true, &imp));
	TRY(import_cancel(r->c, imp));
	return reply_none(r);
}

static enum err
left_out_put(void *arg, const void *bytes, size_t n)
{
	return req_write(arg, bytes, n);
}

static enum err
left_out_write(struct req *r, void *arg)
{
	return leftout_write(r->c, r->art, arg, left_out_put, r);
}

static enum err
h_left_out(struct req *r)
{
	struct import *imp;

	TRY(imported_find(r, false, &imp));
	if (!imp->found || !imp->sha256)
		return fail(r->c, E_CONFLICT, "The file hasn't been checked yet");
	return reply_stream(r, "text/csv; charset=utf-8", "left-out.csv", left_out_write, imp);
}

/* ---- the bytes ---- */

static enum err
size_check(struct req *r, const struct import *imp, int64_t size)
{
	if (size > IMPORT_BYTES)
		return fail(r->c, E_FILE_TOO_LARGE, "A file can have %s",
		    str_amount_1024(r->c->mem, IMPORT_BYTES));
	return imp->has.announced != GIVEN || imp->announced == size
	    ? E_OK
	    : fail(r->c, E_INVALID, "size: %lld bytes were announced and %lld sent",
		  (long long)imp->announced, (long long)size);
}

static enum err
import_ask(struct req *r)
{
	struct import *imp;

	return import_by_secret(r->c, req_param(r, "import_upload"), r->who, &imp);
}

struct sent_bytes {
	struct piece_place place;
	bool whole;
	struct object object;
};

static enum err
whole_put(struct req *r, struct temp *t, int64_t size, struct sent_bytes *got)
{
	struct batch *batch;

	got->whole = true;
	TRY(batch_begin(r->c, &batch));
	TRY(t ? batch_put_temp(r->c, batch, t, size, &got->object)
	      : batch_put_span(r->c, batch, &r->form, r->body_path, &got->object));
	return batch_sync(r->c, batch);
}

static enum err
p_import_send(struct req *r)
{
	struct sent_bytes *got = r->prepared = mem_new(r->c->mem, struct sent_bytes);
	const char *range = req_header(r, "HTTP_CONTENT_RANGE");
	struct piece_place there;
	struct import *imp;
	struct temp *t;

	*got = (struct sent_bytes){ .place = { 0, r->form.n } };
	TRY(import_by_secret(r->c, req_param(r, "import_upload"), r->who, &imp));
	there = (struct piece_place){ imp->received, imp->has.total == GIVEN ? imp->total : -1 };
	if (!range) {
		TRY(size_check(r, imp, r->form.n));
		return there.total >= 0 ? piece_wrong(r->c, there.at, there.total)
					: whole_put(r, NULL, r->form.n, got);
	}
	TRY(piece_read(r->c, range, r->form.n, &got->place));
	TRY(size_check(r, imp, got->place.total));
	TRY(pieces_add(r->c, imp->id, &there, &got->place, &r->form, &t));
	return t ? whole_put(r, t, got->place.total, got) : E_OK;
}

static enum err
sent_reply(struct req *r, const struct import *imp, int64_t received, int64_t total,
    const char *state)
{
	struct import_sent out = { .id = imp->id, .received = received, .total = total,
		.state = state };

	out.has.total = total < 0 ? NULLED : GIVEN;
	return reply_flat(r, &out);
}

static enum err
h_import_send(struct req *r)
{
	const struct sent_bytes *got = r->prepared;
	int64_t received = got->place.at + r->form.n;
	struct import *imp;

	TRY(import_by_secret(r->c, req_param(r, "import_upload"), r->who, &imp));
	if (got->whole) {
		TRY(import_received(r->c, imp, got->object.sha256, got->object.size));
		return sent_reply(r, imp, received, received, "checking");
	}
	TRY(import_receive(r->c, imp, got->place.total, received));
	TRY(sent_reply(r, imp, received, got->place.total, imp->state));
	reply_status(r, 202);
	return E_OK;
}

static enum err
h_import_sent(struct req *r)
{
	struct import *imp;

	TRY(import_by_secret(r->c, req_param(r, "import_upload"), r->who, &imp));
	return sent_reply(
	    r, imp, imp->received, imp->has.total == GIVEN ? imp->total : -1, imp->state);
}

static const struct route import_routes[] = {
/* method  path                               who body                   reply
 * handler */
  { GET,    "/v1/data/{art}/imports",          DATA_FOLLOW,
    TAKES_NOTHING,        GIVES_LIST("imports", import_brief), h_import_list,
    .scope = DATA_READ, .limit = LIM_DATA, .query = &page_query_shape,
    .doc = "List the imports that you made, or as an editor all, newest first" },
  { POST,   "/v1/data/{art}/imports",          DATA_CHANGE,
    TAKES(import_new),    GIVES("import", import), h_import_make,
    .scope = DATA_WRITE, .limit = LIM_DATA, .success = 201, .slow = true, .max_body = BODY_ROWS,
    .prepare = p_import_make,
    .doc = "Begin an import of a file into a table; send its bytes to upload_url, "
	   "then every line is checked before any is stored",
    .did = "Began an import into" },
  { GET,    IMPORT_PATH,                       DATA_FOLLOW,
    TAKES_NOTHING,        GIVES("import", import), h_import,
    .scope = DATA_READ, .limit = LIM_DATA,
    .doc = "Get an import: what each column will be, what doesn't fit, what is asked, how far "
	   "it is" },
  { PATCH,  IMPORT_PATH,                       DATA_CHANGE,
    TAKES(import_edit),   GIVES("import", import), h_import_change,
    .scope = DATA_WRITE, .limit = LIM_DATA, .success = 202,
    .doc = "Answer an import's questions, or change how the file is read; it is checked again",
    .did = "Changed an import into" },
  { POST,   IMPORT_PATH "/start",              DATA_CHANGE,
    TAKES(import_start),  GIVES("import", import), h_import_start,
    .scope = DATA_WRITE, .limit = LIM_DATA, .success = 202,
    .doc = "Store the rows of an import that is ready", .did = "Imported a file into" },
  { DELETE, IMPORT_PATH,                       DATA_CHANGE,
    TAKES_NOTHING,        GIVES_NOTHING,           h_import_cancel,
    .scope = DATA_WRITE, .limit = LIM_DATA,
    .doc = "Cancel an import; rows that it has added are taken back",
    .did = "Cancelled an import into" },
  { GET,    IMPORT_PATH "/left-out",           DATA_FOLLOW,
    TAKES_NOTHING,        GIVES_STREAM,            h_left_out,
    .slow = true, .scope = DATA_READ, .limit = LIM_DATA,
    .doc = "Download the lines that don't fit as CSV, with their numbers and why" },
  { PUT,    "/v1/data/imports/{import_upload}", PUBLIC,
    TAKES_BYTES,          GIVES_FLAT(import_sent), h_import_send,
    .success = 201, .slow = true, .max_body = BODY_IMPORT, .judge = import_ask,
    .prepare = p_import_send, .goes_on = true,
    .doc = "Send the bytes of an import's file, once; or in pieces, with Content-Range" },
  { GET,    "/v1/data/imports/{import_upload}", PUBLIC,
    TAKES_NOTHING,        GIVES_FLAT(import_sent), h_import_sent,
    .doc = "Get how much of an import's file is there, to go on with it" },
};
ROUTES(import, "Imports",
    "Files that become rows of a table: CSV, TSV, JSON, NDJSON or XLSX, up to 300 MB. Every line "
    "is read before one is stored, and what the service can't know it asks.");
