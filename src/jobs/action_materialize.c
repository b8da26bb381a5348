/* SPDX-License-Identifier: Apache-2.0
 * Fills a table or the document from another server or a database, replacing it or adding rows. */
#include "base/str.h"
#include "data/document.h"
#include "ext/postgres.h"
#include "jobs/action_kind.h"
#include "jobs/run.h"

enum { MATERIALIZE_BYTES = 16 << 20 };

#define MATERIALIZE_SOURCE(F, T) \
	ACTION_SOURCE(F, T) \
	F(T, STR,  query,  .flags = F_LONG, .lo = 1, .hi = 20000) \
	F(T, WORD, format, .arg = FEED_FORMATS)
SHAPE(materialize_source, MATERIALIZE_SOURCE);

#define MATERIALIZE_CONFIG(F, T) \
	F(T, OBJ,  source, .flags = F_REQ, .sub = &materialize_source_shape) \
	F(T, JSON, target, .flags = F_REQ) \
	F(T, WORD, mode,   .arg = "replace|append")
SHAPE(materialize_config, MATERIALIZE_CONFIG);

/* The name of the target table; NULL: the document. */
static const char *
target_table(const struct json *target)
{
	const struct json *table = json_kind(target) == J_OBJ ? json_get(target, "table") : NULL;

	return table && json_kind(table) == J_STR ? json_str(table) : NULL;
}

static enum err
target_check(struct ctx *c, const struct materialize_config *cfg, const char **table)
{
	struct json *target;

	TRY(json_parse(c, cfg->target, strlen(cfg->target), &target));
	*table = target_table(target);
	if (*table)
		return table_name_valid(*table)
		    ? E_OK
		    : fail(c, E_INVALID,
			  "target.table: must have at most %d letters, digits, _, and -, "
			  "and start with a letter or _",
			  TABLE_NAME_CHARS);
	if (json_kind(target) != J_STR || !str_eq(json_str(target), "json"))
		return fail(c, E_INVALID, "target: must be \"json\" or {\"table\": \"<name>\"}");
	if (str_eq(cfg->mode, "append"))
		return fail(c, E_INVALID,
		    "mode: append works only with a table; the document is always replaced");
	return E_OK;
}

static enum err
materialize_config_check(struct ctx *c, const struct action_input *in, struct action_config *out)
{
	const struct materialize_source *sent;
	struct action_secrets s = { 0 };
	struct action_source source;
	struct materialize_config *cfg;
	struct buf b = BUF(c->mem);
	const char *table, *before;

	TRY(shape_read(c, &materialize_config_shape, in->sent, (void **)&cfg));
	sent = cfg->source;
	source = (struct action_source){
		sent->url, sent->headers, sent->connection_id, sent->path, sent->query
	};
	TRY(action_source_check(c, "source.", &source, true, out));
	if (sent->query && sent->format)
		return fail(c, E_INVALID, "source.format: doesn't apply to a query");
	TRY(target_check(c, cfg, &table));
	before = in->before ? target_table(json_get(in->before, "target")) : NULL;
	if (!source.connection_id)
		TRY(action_headers(c, "source.headers", source.headers, in,
		    &(struct action_use){ source.url,
			in->before ? json_word(json_get(in->before, "source"), "url") : NULL,
			table ? table : "", before ? before : "" },
		    &s));
	buf_str(&b, "{\"source\":{");
	action_source_write(c, &b, &source, s.headers);
	if (sent->format)
		buf_fmt(&b, ",\"format\":\"%s\"", sent->format);
	buf_str(&b, table ? "},\"target\":{\"table\":" : "},\"target\":");
	buf_json(&b, table ? table : "json");
	buf_fmt(&b, "%s,\"mode\":\"%s\"}", table ? "}" : "", cfg->mode ? cfg->mode : "replace");
	out->shown = buf_done(&b);
	out->fills = table ? table : "";
	out->secrets = action_secrets_text(c, &s);
	return E_OK;
}

/* ---- carrying out ---- */

static const char *
source_text(const struct action_run *r, const char *name)
{
	const struct json *value = json_get(json_get(r->config, "source"), name);

	return value ? json_str(value) : NULL;
}

static enum err
materialize_begin(struct ctx *c, const struct action_run *r, struct egress_req **req)
{
	if (r->used)
		return action_connection_fetch(c, r, json_get(r->config, "source"), req);
	return action_fetch(
	    c, source_text(r, "url"), r->secrets->headers, MATERIALIZE_BYTES, req);
}

static enum err
materialize_ask(struct ctx *c, const struct action_run *r, struct postgres_req **query)
{
	return action_connection_ask(c, r, json_get(r->config, "source"), query);
}

static enum err
format_find(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    enum read_format *out)
{
	const char *word = source_text(r, "format");

	if (!word)
		return feed_format_of(c->mem, res->type,
			   source_text(r, r->used ? "path" : "url"), out)
		    ? E_OK
		    : fail(c, E_INVALID,
			  "neither the Content-Type (%s) nor the address shows the format "
			  "of the response; set source.format to json, ndjson, or csv",
			  res->type ? str_cut(c->mem, res->type, 60) : "none");
	*out = str_eq(word, "csv")	? READ_CSV
	    : str_eq(word, "ndjson") ? READ_NDJSON
				     : READ_JSON;
	return E_OK;
}

/* Rows become the member "rows"; a JSON object is the document itself. */
static enum err
document_of(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    enum read_format format, const void **found)
{
	struct egress_res text;
	struct feed *f;
	const char *rows;
	struct json *tree;

	if (res && format == READ_JSON) {
		TRY(action_decoded(c, res, &text));
		if (text.body[strspn(text.body, " \t\r\n")] == '{')
			return action_document_read(c, res, found);
	}
	if (r->rows && r->rows->bytes > DOCUMENT_BYTES)
		return fail(c, E_BODY_TOO_LARGE,
		    "the rows are %lld bytes; the artifact's document can have %d",
		    (long long)r->rows->bytes, DOCUMENT_BYTES);
	TRY(res ? action_rows_read(c, r, res, format, &f) : action_query_rows(c, r, &f));
	TRY(feed_json(c, f, &rows));
	rows = mem_printf(c->mem, "{\"rows\":%s}", rows);
	TRY(json_parse(c, rows, strlen(rows), &tree));
	*found = tree;
	return E_OK;
}

static enum err
materialize_take(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    const void **found)
{
	const char *table = target_table(json_get(r->config, "target"));
	enum read_format format = READ_ARRAYS;

	if (res)
		TRY(format_find(c, r, res, &format));
	if (!table)
		return document_of(c, r, res, format, found);
	return action_table_take(c, r, res, format, table,
	    str_eq(json_str(json_get(r->config, "mode")), "replace"), found);
}

static enum err
materialize_end(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    const void *found, struct run_outcome *out)
{
	(void)res;
	TRY(target_table(json_get(r->config, "target"))
		? action_table_keep(c, r, found, out)
		: action_document_keep(c, r, found, out));
	if (r->rows && r->rows->odd)
		out->output = mem_printf(c->mem,
		    "%s; %s that a table can't hold, such as NaN or infinity, became null",
		    out->output, str_count(c->mem, r->rows->odd, "value"));
	return E_OK;
}

const struct action_kind action_materialize = { .name = "materialize",
	.config = materialize_config_check,
	.begin = materialize_begin,
	.ask = materialize_ask,
	.take = materialize_take,
	.end = materialize_end };
