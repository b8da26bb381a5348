/* SPDX-License-Identifier: Apache-2.0
 * Fetches an address into the artifact's data. */
#include "base/charset.h"
#include "base/host.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/filename.h"
#include "data/blob.h"
#include "data/document.h"
#include "jobs/action.h"
#include "jobs/action_kind.h"
#include "jobs/run.h"

enum { FETCH_SECONDS = 30, FETCH_BYTES = 5 << 20, FETCH_REDIRECTS = 5 };

#define HTTP_CONFIG(F, T) \
	ACTION_SOURCE(F, T) \
	F(T, STR,  save_to, .flags = F_NUL)
SHAPE(http_config, HTTP_CONFIG);

static enum err
http_save_check(struct ctx *c, const char *save_to)
{
	if (!save_to || str_eq(save_to, "json"))
		return E_OK;
	if (str_starts(save_to, "table:"))
		return table_name_valid(save_to + strlen("table:"))
		    ? E_OK
		    : fail(c, E_INVALID,
			  "save_to: a table name must have at most %d letters, digits, _, and -, "
			  "and start with a letter or _",
			  TABLE_NAME_CHARS);
	if (str_starts(save_to, "blob:"))
		return filename_check(c, "save_to", save_to + strlen("blob:"));
	return fail(c, E_INVALID, "save_to: must be json, table:<name>, blob:<filename> or null");
}

static enum err
http_config_check(struct ctx *c, const struct action_input *in, struct action_config *out)
{
	struct action_secrets s = { 0 };
	struct action_source source;
	struct http_config *cfg;
	struct buf b = BUF(c->mem);

	TRY(shape_read(c, &http_config_shape, in->sent, (void **)&cfg));
	source = (struct action_source){
		cfg->url, cfg->headers, cfg->connection_id, cfg->path, NULL
	};
	TRY(action_source_check(c, "", &source, false, out));
	TRY(http_save_check(c, cfg->save_to));
	if (!source.connection_id)
		TRY(action_headers(c, "headers", cfg->headers, in,
		    &(struct action_use){ cfg->url, json_word(in->before, "url"), cfg->save_to,
			json_word(in->before, "save_to") },
		    &s));
	buf_chr(&b, '{');
	action_source_write(c, &b, &source, s.headers);
	buf_str(&b, ",\"save_to\":");
	buf_json(&b, cfg->save_to);
	buf_chr(&b, '}');
	out->shown = buf_done(&b);
	out->fills = str_eq(cfg->save_to, "json") ? ""
	    : cfg->save_to && str_starts(cfg->save_to, "table:")
	    ? cfg->save_to + strlen("table:")
	    : NULL;
	out->secrets = action_secrets_text(c, &s);
	return E_OK;
}

/* ---- asking ---- */

static bool
host_others(void *conf, const char *host)
{
	return !host_is_ours(conf, host);
}

enum err
action_fetch(struct ctx *c, const char *url, const char *headers, size_t max_bytes,
    struct egress_req **req)
{
	*req = mem_new(c->mem, struct egress_req);
	(*req)->url = url;
	(*req)->max_bytes = max_bytes;
	(*req)->timeout_s = FETCH_SECONDS;
	(*req)->patient = true;
	(*req)->host_may = host_others;
	(*req)->arg = (void *)(uintptr_t)c->conf;
	TRY(action_header_lines(c, headers, NULL, &(*req)->headers));
	/* Headers must not reach another server than the one they were given for. */
	(*req)->max_redirects = (*req)->headers ? 0 : FETCH_REDIRECTS;
	return E_OK;
}

static enum err
http_begin(struct ctx *c, const struct action_run *r, struct egress_req **req)
{
	return r->used ? action_connection_fetch(c, r, r->config, req)
		       : action_fetch(c, json_word(r->config, "url"), r->secrets->headers,
			     FETCH_BYTES, req);
}

/* ---- keeping ---- */

static const char *
http_save_to(const struct action_run *r)
{
	const struct json *save_to = json_get(r->config, "save_to");

	return save_to && json_kind(save_to) == J_STR ? json_str(save_to) : "";
}

/* No request asks for compression, and unpacking has no bound. */
static enum err
answer_is_plain(struct ctx *c, const struct egress_res *res)
{
	return res->encoded
	    ? fail(c, E_INVALID,
		  "the response was compressed, although compression wasn't requested")
	    : E_OK;
}

enum err
action_decoded(struct ctx *c, const struct egress_res *res, struct egress_res *out)
{
	const char *charset = charset_declared(c->mem, res->type);

	*out = *res;
	TRY(answer_is_plain(c, res));
	if (!charset || str_in(charset, "utf-8|utf8|us-ascii")) {
		out->body = unicode_text(c->mem, out->body, &out->body_n);
		return E_OK;
	}
	/* Browsers read this charset the same way. */
	if (str_eq(charset, "iso-8859-1"))
		charset = "windows-1252";
	out->body = unicode_from(c->mem, charset, res->body, res->body_n, &out->body_n);
	return out->body ? E_OK
			 : fail(c, E_INVALID,
			       "the response says charset=%s, which isn't known; send UTF-8",
			       str_cut(c->mem, charset, 40));
}

enum err
action_document_read(struct ctx *c, const struct egress_res *res, const void **found)
{
	struct egress_res text;
	struct json *tree;

	TRY(action_decoded(c, res, &text));
	if (json_parse(c, text.body, text.body_n, &tree))
		return fail(
		    c, E_INVALID, "the response isn't JSON that can be stored: %s", ctx_why(c));
	if (json_kind(tree) != J_OBJ)
		return fail(c, E_INVALID,
		    "the response must be a JSON object to be stored as the artifact's document");
	*found = tree;
	return E_OK;
}

enum err
action_document_keep(struct ctx *c, const struct action_run *r, const struct json *tree,
    struct run_outcome *out)
{
	const struct principal who = { .user_id = r->held->created_by };
	struct document *old, now;
	struct artifact *a;

	TRY(action_artifact(c, r->held, &a));
	TRY(document_lock(c, a, &who, false, &old));
	TRY(document_put(c, a, old, tree, &now));
	out->output = mem_printf(c->mem, "%lld bytes of JSON", (long long)now.size_bytes);
	return E_OK;
}

/* Passes e on. Says of what the reader's message is. */
static enum err
rows_blame(struct ctx *c, const struct action_run *r, enum err e)
{
	const char *why = c->message, *what = r->rows ? "the query's answer" : "the response";

	if (!e || !why)
		return e;
	if (str_starts(why, "the file ") || str_starts(why, "The file "))
		c->message = mem_printf(c->mem, "%s %s", what, why + strlen("the file "));
	else if (str_starts(why, "row ") || str_starts(why, "line "))
		c->message = mem_printf(c->mem, "%s can't be stored: %s", what, why);
	else if (str_starts(why, "has ") || str_starts(why, "isn't ") || str_starts(why, "would "))
		c->message = mem_printf(c->mem, "%s %s", what, why);
	return e;
}

enum err
action_rows_read(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    enum read_format format, struct feed **out)
{
	struct egress_res text;

	TRY(action_decoded(c, res, &text));
	return rows_blame(c, r, feed_read(c, text.body, text.body_n, format, out));
}

enum err
action_table_take(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    enum read_format format, const char *table, bool replace, const void **found)
{
	struct feed *f;
	struct artifact *a;

	TRY(r->rows ? action_query_rows(c, r, &f) : action_rows_read(c, r, res, format, &f));
	TRY(action_artifact(c, r->held, &a));
	f->between = r->asked->between;
	f->arg = r->asked->arg;
	TRY(rows_blame(c, r, feed_stage(c, a, table, replace, f)));
	*found = f;
	return E_OK;
}

enum err
action_table_keep(struct ctx *c, const struct action_run *r, const void *found,
    struct run_outcome *out)
{
	/* The transaction may run again, with the same feed. */
	struct feed f = *(const struct feed *)found;
	const char *renamed = f.old ? NULL : feed_renamed(c, &f);
	struct artifact *a;

	TRY(action_artifact(c, r->held, &a));
	TRY(rows_blame(c, r, feed_keep(c, a, &f)));
	out->output = mem_printf(c->mem, "%s%s%s%s%s", str_count(c->mem, f.rows, "row"),
	    f.changed ? "; " : "", f.changed ? f.changed : "",
	    renamed ? "; column names changed: " : "", renamed ? renamed : "");
	return E_OK;
}

static enum err
http_take(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    const void **found)
{
	const struct principal who = { .user_id = r->held->created_by };
	const char *save_to = http_save_to(r);
	struct blob *blob;

	if (str_eq(save_to, "json"))
		return action_document_read(c, res, found);
	if (str_starts(save_to, "table:"))
		return action_table_take(
		    c, r, res, READ_JSON, save_to + strlen("table:"), false, found);
	if (!str_starts(save_to, "blob:"))
		return E_OK;
	TRY(answer_is_plain(c, res));
	TRY(blob_store(c, &who,
	    &(struct blob_new){ .filename = save_to + strlen("blob:"),
		.memory = res->body,
		.bytes.n = (int64_t)res->body_n },
	    &blob));
	*found = blob;
	return E_OK;
}

static enum err
http_end(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    const void *found, struct run_outcome *out)
{
	const char *save_to = http_save_to(r);
	struct artifact *a;

	(void)res;
	if (str_eq(save_to, "json"))
		return action_document_keep(c, r, found, out);
	if (str_starts(save_to, "table:"))
		return action_table_keep(c, r, found, out);
	if (!str_starts(save_to, "blob:"))
		return E_OK;
	TRY(action_artifact(c, r->held, &a));
	TRY(blob_replace(c, a, mem_dup(c->mem, found, sizeof(struct blob))));
	out->output = mem_printf(c->mem, "%zu bytes as %s", res->body_n, save_to + strlen("blob:"));
	return E_OK;
}

const struct action_kind action_http_get = { .name = "http_get",
	.config = http_config_check,
	.begin = http_begin,
	.take = http_take,
	.end = http_end };
