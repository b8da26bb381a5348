/* SPDX-License-Identifier: Apache-2.0
 * Makes a table, or the document, of what another server has, anew with each run or by adding. */
#include "base/str.h"
#include "data/intake.h"
#include "jobs/action_kind.h"
#include "jobs/run.h"

enum { MATERIALIZE_BYTES = 16 << 20 };

#define MATERIALIZE_SOURCE(F, T) \
	F(T, URL,  url,     .flags = F_REQ) \
	F(T, JSON, headers, .arg = "object") \
	F(T, WORD, format,  .arg = INTAKE_FORMATS)
SHAPE_DECLARE(materialize_source, MATERIALIZE_SOURCE);
SHAPE_DEFINE(materialize_source, MATERIALIZE_SOURCE);

#define MATERIALIZE_CONFIG(F, T) \
	F(T, OBJ,  source, .flags = F_REQ, .sub = &materialize_source_shape) \
	F(T, JSON, target, .flags = F_REQ) \
	F(T, WORD, mode,   .arg = "replace|append")
SHAPE_DECLARE(materialize_config, MATERIALIZE_CONFIG);
SHAPE_DEFINE(materialize_config, MATERIALIZE_CONFIG);

/* The table's name; NULL of the document. */
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

static const char *
source_before(const struct action_input *in)
{
	const struct json *source = in->before ? json_get(in->before, "source") : NULL;

	return source ? json_str(json_get(source, "url")) : NULL;
}

static enum err
materialize_config_check(struct ctx *c, const struct action_input *in, struct action_config *out)
{
	const struct materialize_source *source;
	struct action_secrets s = { 0 };
	struct materialize_config *cfg;
	struct buf b = BUF(c->mem);
	const char *table;

	TRY(shape_read(c, &materialize_config_shape, in->sent, (void **)&cfg));
	source = cfg->source;
	TRY(action_url_check(c, "source.url", source->url));
	TRY(target_check(c, cfg, &table));
	TRY(action_headers(c, "source.headers", source->headers, in, source->url,
	    source_before(in), &s.headers));
	buf_str(&b, "{\"source\":{\"url\":");
	buf_json(&b, source->url);
	buf_chr(&b, ',');
	action_header_names(c, &b, s.headers);
	if (source->format)
		buf_fmt(&b, ",\"format\":\"%s\"", source->format);
	buf_str(&b, table ? "},\"target\":{\"table\":" : "},\"target\":");
	buf_json(&b, table ? table : "json");
	buf_fmt(&b, "%s,\"mode\":\"%s\"}", table ? "}" : "", cfg->mode ? cfg->mode : "replace");
	out->shown = buf_done(&b);
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
	return action_fetch(
	    c, source_text(r, "url"), r->secrets->headers, MATERIALIZE_BYTES, req);
}

static enum err
format_find(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    enum intake_format *out)
{
	const char *word = source_text(r, "format");

	if (!word)
		return intake_format_of(c->mem, res->type, source_text(r, "url"), out)
		    ? E_OK
		    : fail(c, E_INVALID,
			  "neither the Content-Type (%s) nor the address shows the format "
			  "of the response; set source.format to json, ndjson, or csv",
			  res->type ? str_cut(c->mem, res->type, 60) : "none");
	*out = str_eq(word, "csv")	? INTAKE_CSV
	    : str_eq(word, "ndjson") ? INTAKE_NDJSON
				     : INTAKE_JSON;
	return E_OK;
}

/* Rows become the member rows, an object is the document as it is. */
static enum err
document_of(struct ctx *c, const struct egress_res *res, enum intake_format format,
    const void **found)
{
	struct intake *in;
	const char *rows;
	struct json *tree;

	if (format == INTAKE_JSON && res->body[strspn(res->body, " \t\r\n")] == '{')
		return action_document_read(c, res, found);
	TRY(action_rows_read(c, res, format, &in));
	TRY(intake_json(c, in, &rows));
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
	enum intake_format format;

	TRY(format_find(c, r, res, &format));
	if (!table)
		return document_of(c, res, format, found);
	return action_table_take(c, r, res, format, table,
	    str_eq(json_str(json_get(r->config, "mode")), "replace"), found);
}

static enum err
materialize_end(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    const void *found, struct run_outcome *out)
{
	(void)res;
	return target_table(json_get(r->config, "target"))
	    ? action_table_keep(c, r, found, out)
	    : action_document_keep(c, r, found, out);
}

const struct action_kind action_materialize = { "materialize", materialize_config_check,
	materialize_begin, materialize_take, materialize_end };
