/* SPDX-License-Identifier: Apache-2.0
 * POST /v1/publish. Source: interface, "Publish". */
#include "domain/publish.h"

#include "api/tables.h"
#include "base/conf.h"
#include "base/json.h"
#include "base/str.h"
#include "http/multipart.h"

enum { PARTS = 4 };

/* If-Match: "v3" says the same as expected_version: 3, for clients that speak HTTP. */
static enum err
expected_from_header(struct req *r, struct publish_new *in)
{
	const char *header = req_header(r, "HTTP_IF_MATCH");
	int64_t no;
	char *tag;

	if (!header || in->has.expected_version)
		return E_OK;
	tag = mem_strdup(r->c->mem, header);
	if (!str_starts(tag, "\"v") || !str_ends(tag, "\"") || strlen(tag) < 4)
		return fail(r->c, E_INVALID, "If-Match: must be a version such as \"v3\"");
	tag[strlen(tag) - 1] = '\0';
	if (!str_int(tag + 2, &no) || no < 0)
		return fail(r->c, E_INVALID, "If-Match: must be a version such as \"v3\"");
	in->expected_version = no;
	in->has.expected_version = GIVEN;
	return E_OK;
}

static enum err
form_split(struct req *r, struct part *manifest, struct upload *up)
{
	struct part parts[PARTS];
	size_t n;

	TRY(multipart_parse(r->c, req_env(r, "CONTENT_TYPE"), r->form, parts, PARTS, &n));
	for (size_t i = 0; i < n; i++) {
		if (str_eq(parts[i].name, "manifest") && !manifest->name)
			*manifest = parts[i];
		else if (str_eq(parts[i].name, "archive") && !up->sent)
			*up = (struct upload){ true, parts[i].bytes };
		else
			return fail(r->c, E_INVALID,
			    "the form has a part %s; one manifest and one archive are expected",
			    parts[i].name);
	}
	if (!manifest->name || !up->sent)
		return fail(r->c, E_INVALID,
		    "the form must have a part manifest (JSON) and a part archive (.zip or .tar.gz)");
	return E_OK;
}

static enum err
form_read(struct req *r, struct publish_new **in, struct upload *up)
{
	struct part manifest = { 0 };
	const char *text;
	struct json *tree;
	void *into;

	TRY(form_split(r, &manifest, up));
	if (manifest.bytes.n > r->c->conf->max_json_bytes)
		return fail(r->c, E_BODY_TOO_LARGE,
		    "manifest: has %lld bytes; at most %lld are allowed",
		    (long long)manifest.bytes.n, (long long)r->c->conf->max_json_bytes);
	if (up->archive.n > r->c->conf->max_archive_bytes)
		return fail(r->c, E_BODY_TOO_LARGE,
		    "archive: has %lld bytes; at most %lld are allowed", (long long)up->archive.n,
		    (long long)r->c->conf->max_archive_bytes);
	TRY(part_read(r->c, &manifest, &text));
	TRY(json_parse(r->c, text, (size_t)manifest.bytes.n, &tree));
	TRY(shape_read(r->c, &publish_new_shape, tree, &into));
	*in = into;
	return E_OK;
}

static enum err
p_publish(struct req *r)
{
	struct publish_new *in = mem_dup(
	    r->c->mem, r->in ? r->in : &(struct publish_new){ 0 }, sizeof *in);
	struct publishing *prepared;
	struct upload up = { 0 };

	if (!r->in)
		TRY(form_read(r, &in, &up));
	else if ((int64_t)r->body_n > r->c->conf->max_json_bytes)
		return fail(r->c, E_BODY_TOO_LARGE,
		    "the body has %zu bytes; at most %lld are allowed as JSON; send an archive instead",
		    r->body_n, (long long)r->c->conf->max_json_bytes);
	TRY(expected_from_header(r, in));
	TRY(publish_prepare(r->c, r->who, in, &up, &prepared));
	r->prepared = prepared;
	return E_OK;
}

static enum err
h_publish(struct req *r)
{
	struct published *out;

	TRY(publish_record(r->prepared, &out));
	reply_header(
	    r, "Location", "/v1/artifacts/%s", ((struct published_artifact *)out->artifact)->id);
	return reply_flat(r, out);
}

static const struct route publish_routes[] = {
/*  method path           who        body                           reply                  handler */
  { POST, "/v1/publish", SIGNED_IN, TAKES_OR_ARCHIVE(publish_new), GIVES_FLAT(published), h_publish,
    .slow = true, .scope = ARTIFACTS_PUBLISH, .limit = LIM_PUBLISH, .failures = LIM_PUBLISH_FAILED, .success = 201, .max_body = BODY_PUBLISH, .prepare = p_publish, .doc = "Publish a new artifact, or a new version of one" },
};
const struct route_list publish_routes_list = ROUTES("Publish", publish_routes);
