/* SPDX-License-Identifier: Apache-2.0
 * POST /v1/publish, and the forms of our pages that publish. Source: interface, "Publish". */
#include "site/publish.h"

#include "base/conf.h"
#include "base/ignore.h"
#include "base/json.h"
#include "base/mime.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/unknown.h"
#include "core/artifact.h"
#include "core/workspace.h"
#include "http/await.h"
#include "http/multipart.h"
#include "http/quota.h"
#include "http/req.h"
#include "http/share.h"
#include "site/derive.h"
#include "site/files_page.h"

enum { PARTS = 4, NAME_CHARS = 200, ENTRY_BYTES = 1000 };

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
			*up = (struct upload){ .sent = true, .archive = parts[i].bytes };
		else
			return fail(r->c, E_INVALID,
			    "the form has an extra part, %s; send one manifest and one archive",
			    parts[i].name);
	}
	if (!manifest->name || !up->sent)
		return fail(r->c, E_INVALID,
		    "the form must have two parts, manifest (JSON) and archive (.zip or .tar.gz)");
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
		    "manifest: is %lld bytes; the limit is %lld",
		    (long long)manifest.bytes.n, (long long)r->c->conf->max_json_bytes);
	if (up->archive.n > r->c->conf->max_archive_bytes)
		return fail(r->c, E_BODY_TOO_LARGE,
		    "archive: is %lld bytes; the limit is %lld", (long long)up->archive.n,
		    (long long)r->c->conf->max_archive_bytes);
	TRY(part_read(r->c, &manifest, &text));
	TRY(json_parse(r->c, text, (size_t)manifest.bytes.n, &tree));
	unknown_members(r->c, &publish_new_shape, tree);
	TRY(shape_read(r->c, &publish_new_shape, tree, &into));
	*in = into;
	return E_OK;
}

/* Returns true if an archive must be unpacked (in NULL), or an icon's server be asked. */
static bool
takes_long(const struct publish_new *in)
{
	const char *icon = in && in->pwa ? ((const struct publish_pwa *)in->pwa)->icon : NULL;

	return !in || (icon && !str_starts(icon, "data:"));
}

static enum err
p_publish(struct req *r)
{
	struct publish_new *in = mem_dup(
	    r->c->mem, r->in ? r->in : &(struct publish_new){ 0 }, sizeof *in);
	/* an agent's files are in the message that called the tool */
	size_t sent = r->sent ? r->outer->body_n : r->body_n;
	const struct req *last = r->outer ? r->outer->looked : NULL;
	const struct artifact *known;
	struct publishing *prepared;
	struct upload up = { 0 };

	if (takes_long(r->in) || r->attached || share_waits_for_store(r->c->conf))
		TRY(share_slow(r));
	if (r->attached)
		up = (struct upload){ .sent = true, .archive = *r->attached };
	if (!r->in)
		TRY(form_read(r, &in, &up));
	else if ((int64_t)sent > r->c->conf->max_json_bytes)
		return fail(r->c, E_BODY_TOO_LARGE,
		    "the body is %zu bytes; the limit for JSON is %lld; send an archive instead",
		    sent, (long long)r->c->conf->max_json_bytes);
	TRY(expected_from_header(r, in));
	if (in->wait && !in->dry_run)
		r->wait_s = in->wait_s ? in->wait_s : SEEN_WAIT_S;
	/* An agent's tool may just have read the artifact. */
	known = last && last->art && str_eq(last->art->id, in->artifact_id) ? last->art : NULL;
	TRY(publish_prepare(r->c, r->who, in, &up, known, &prepared));
	/* A publish with an archive is here already; others have written nothing yet. */
	if (publish_draws(prepared))
		TRY(share_slow(r));
	r->prepared = prepared;
	return publish_store(prepared);
}

/* The reply has a member for warnings of its own, which those about the request join. */
static void
warnings_join(struct ctx *c, struct strs *to)
{
	struct strs all = { mem_array(c->mem, const char *, to->n + c->warning_n), 0 };

	for (size_t i = 0; i < to->n; i++)
		all.v[all.n++] = to->v[i];
	for (size_t i = 0; i < c->warning_n; i++)
		all.v[all.n++] = c->warnings[i];
	*to = all;
}

static enum err
h_publish(struct req *r)
{
	struct published *out;

	if (publish_is_dry(r->prepared)) {
		TRY(publish_plan(r->prepared, &out));
		warnings_join(r->c, &out->warnings);
		TRY(reply_flat(r, out));
		reply_status(r, 200);
		return E_OK;
	}
	TRY(publish_record(r->prepared, &out));
	r->art = out->was;
	warnings_join(r->c, &out->warnings);
	reply_header(
	    r, "Location", "/v1/artifacts/%s", ((struct published_artifact *)out->artifact)->id);
	return reply_flat(r, out);
}

/* Writes the checks into the reply as they are now: they may have passed meanwhile. */
static enum err
checks_update(struct req *r, struct json *reply, const char *id, int64_t no)
{
	const struct artifact a = { .id = id, .slug = "", .role = "editor" };
	struct json *checks, *version;
	struct version *v;
	const char *text;

	TRY(version_get(r->c, &a, no, &v));
	if (!v->checks)
		return E_OK;
	text = shape_text(r->c->mem, &version_checks_shape, v->checks);
	TRY(json_parse(r->c, text, strlen(text), &checks));
	version = (struct json *)(uintptr_t)json_get(reply, "version");
	json_set(version, "checks", checks);
	json_set_bool(version, "is_draft", v->is_draft);
	return E_OK;
}

/* Puts what was seen by now into a reply that has it, also into one that was stored. */
static enum err
a_publish(struct req *r)
{
	struct artifact a = { 0 };
	struct json *reply, *report;
	struct awaited wait;
	const char *text;
	struct seen *seen;
	int64_t no;

	if (!r->out.n || !strstr(r->out.s, "\"seen\":"))
		return E_OK;
	TRY(json_parse(r->c, r->out.s, r->out.n, &reply));
	if (!json_get(reply, "seen"))
		return E_OK;
	a.id = json_word(json_get(reply, "artifact"), "id");
	no = json_int(json_get(json_get(reply, "version"), "version_no"));
	await_begin(r, seen_subject(r->c->mem, a.id, no), &wait);
	TRY(seen_get(r->c, &a, no, &seen));
	if (str_eq(seen->status, "waiting") && (r->claim.key || wait.back))
		TRY(await(r, &wait, r->wait_s, r->claim.key ? r->claim.key : await_key(r)));
	text = shape_text(r->c->mem, &seen_shape, seen);
	TRY(json_parse(r->c, text, strlen(text), &report));
	json_set(reply, "seen", report);
	if (str_eq(json_word(reply, "held_for"), "checks"))
		TRY(checks_update(r, reply, a.id, no));
	text = json_text(r->c->mem, reply);
	r->out = BUF(r->c->mem);
	buf_str(&r->out, text);
	return E_OK;
}

/* ---- from a browser ---- */

/* A browser sends a file of a folder with the folder's name before its path. */
static const char *
path_in_folder(const char *path)
{
	const char *slash = strchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Reads the ignore rules that lie in the folders that were sent. */
static enum err
rules_read(struct req *r, const struct part *parts, size_t n, const struct ignore **out)
{
	struct buf text = BUF(r->c->mem);
	size_t n_rules;

	for (size_t i = 0; i < n; i++) {
		const char *path = parts[i].filename, *rules;

		if (!path || !str_eq(path_in_folder(path), IGNORE_FILE))
			continue;
		if (parts[i].bytes.n > IGNORE_FILE_BYTES)
			return fail(r->c, E_INVALID, IGNORE_FILE " has more than %d bytes",
			    IGNORE_FILE_BYTES);
		TRY(part_read(r->c, &parts[i], &rules));
		n_rules = (size_t)parts[i].bytes.n;
		buf_fmt(&text, "%s\n", unicode_text(r->c->mem, rules, &n_rules));
	}
	*out = ignore_new(r->c->mem, buf_done(&text));
	return *out ? E_OK
		    : fail(r->c, E_INVALID, IGNORE_FILE " has more than %d patterns",
			  IGNORE_RULES);
}

/* Returns the name of the file’s folder, else of the file without its extension, unless that says
 * nothing. */
static const char *
name_of_path(struct ctx *c, const char *path)
{
	const char *slash = strchr(path, '/'), *dot = strrchr(path, '.');
	size_t n = slash ? (size_t)(slash - path)
	    : dot && dot > path ? (size_t)(dot - path)
				: strlen(path);

	if (!slash && str_starts(path, "index."))
		return "Untitled page";
	return str_cut(c->mem, mem_strndup(c->mem, path, n), NAME_CHARS);
}

/* Names a single page by its title. */
static enum err
name_of_page(struct req *r, const struct upload *up, const char **name)
{
	enum { HEAD_BYTES = 64 << 10 };
	struct part head = { .bytes = up->loose[0].bytes };
	const char *path = up->loose[0].path, *mime = mime_of(path), *html, *title;

	if (up->loose_n != 1 || strchr(path, '/') || !str_starts(mime, "text/html"))
		return E_OK;
	head.bytes.n = head.bytes.n < HEAD_BYTES ? head.bytes.n : HEAD_BYTES;
	TRY(part_read(r->c, &head, &html));
	title = derive_title(r->c->mem, html);
	if (title)
		*name = str_cut(r->c->mem, title, NAME_CHARS);
	return E_OK;
}

/* The other fields of our forms; the page shows them when they are needed. */
#define UPLOAD_FORM(F, T) F(T, STR, entrypoint, .hi = ENTRY_BYTES)
SHAPE(upload_form, UPLOAD_FORM);

static enum err
upload_field(struct req *r, const struct part *p, struct publish_new *in)
{
	const char *text;

	if (!str_eq(p->name, "entrypoint") || !p->bytes.n)
		return E_OK;
	if (p->bytes.n > ENTRY_BYTES)
		return fail(r->c, E_INVALID, "entrypoint: must have at most %d bytes", ENTRY_BYTES);
	TRY(part_read(r->c, p, &text));
	if (!str_utf8_valid(text, (size_t)p->bytes.n))
		return fail(r->c, E_INVALID, "entrypoint: must be text in UTF-8");
	in->entrypoint = text;
	return E_OK;
}

/* Reads the files of a form; a single archive is unpacked. A browser sends a part without a name
 * for a file field that was left empty. */
static enum err
upload_read(struct req *r, struct publish_new *in, struct upload *up)
{
	size_t max = (size_t)r->c->conf->max_files + 1, n;
	struct part *parts = mem_array(r->c->mem, struct part, max);
	struct loose *loose = mem_array(r->c->mem, struct loose, max), one;
	const struct ignore *rules;

	TRY(multipart_parse(r->c, req_env(r, "CONTENT_TYPE"), r->form, parts, max, &n));
	TRY(rules_read(r, parts, n, &rules));
	for (size_t i = 0; i < n; i++) {
		const char *path = parts[i].filename;

		if (!path)
			TRY(upload_field(r, &parts[i], in));
		if (!path || !*path || ignore_leaves_out_within(rules, path_in_folder(path), false))
			continue;
		if (!in->name)
			in->name = name_of_path(r->c, path);
		loose[up->loose_n++] = (struct loose){ path, parts[i].bytes };
	}
	up->loose = loose;
	up->unwrap = true;
	if (!up->loose_n)
		return fail(r->c, E_INVALID,
		    "No files were chosen, or only hidden ones. Choose a folder, a .zip or a file");
	one = loose[0];
	if (up->loose_n == 1 &&
	    (str_ends(one.path, ".zip") || str_ends(one.path, ".tar.gz") ||
		str_ends(one.path, ".tgz"))) {
		up->archive = one.bytes;
		up->sent = true;
		up->loose_n = 0;
	}
	return name_of_page(r, up, &in->name);
}

static enum err
p_upload(struct req *r)
{
	struct publish_new *in = mem_new(r->c->mem, struct publish_new);
	struct publishing *prepared;
	struct upload up = { 0 };

	TRY(upload_read(r, in, &up));
	if (r->ws)
		in->workspace_id = r->ws->id;
	if (strstr(r->route->path, "{shared_fld}"))
		in->folder_id = req_param(r, "shared_fld");
	else if (strstr(r->route->path, "{fld}"))
		in->folder_id = req_param(r, "fld");
	if (r->art) {
		in->artifact_id = r->art->id;
		in->name = NULL;
	}
	TRY(publish_prepare(r->c, r->who, in, &up, NULL, &prepared));
	r->prepared = prepared;
	return publish_store(prepared);
}

static enum err
h_upload(struct req *r)
{
	bool shared = str_starts(r->route->path, "/shared/");
	struct published *out;

	TRY(publish_record(r->prepared, &out));
	return reply_redirect(r,
	    mem_printf(r->c->mem, "%s/%s?done=%s", shared ? "/shared/artifacts" : "/a",
		((struct published_artifact *)out->artifact)->id,
		out->approval_required     ? "drafted"
		    : r->art || shared ? "published"
				       : "published_first"));
}

LIMIT(LIM_PUBLISH, "publish", OF_USER, SUCCESSES, publish_per_hour, "publishes");
LIMIT(LIM_PUBLISH_FAILED, "publish_failed", OF_USER, FAILURES, publish_failures_per_hour,
    "failed publishes");

static const struct route publish_routes[] = {
/*  method path                            who
    body                           reply                  handler */
  { POST, "/v1/publish",                   SIGNED_IN,
    TAKES_OR_ARCHIVE(publish_new), GIVES_FLAT(published), h_publish,
    .slow = true, .quick_when_small = true, .scope = ARTIFACTS_PUBLISH, .limit = LIM_PUBLISH,
    .failures = LIM_PUBLISH_FAILED, .success = 201, .plans = true, .max_body = BODY_PUBLISH,
    .prepare = p_publish, .after = a_publish,
    .doc = "Publish a new artifact, or a new version of one",
    .did = "Published", .undo = true },
  { POST, "/publish",                      SESSION,
    TAKES_FILES_AND(upload_form),  GIVES_REDIRECT,        h_upload,
    .again = "/", .slow = true, .limit = LIM_PUBLISH, .failures = LIM_PUBLISH_FAILED,
    .max_body = BODY_PUBLISH, .prepare = p_upload, .doc = "Publish the files dropped on the page" },
  { POST, "/w/{ws}/publish",               WS_MEMBER,
    TAKES_FILES_AND(upload_form),  GIVES_REDIRECT,        h_upload,
    .again = "/w/{ws}", .slow = true, .limit = LIM_PUBLISH,
    .failures = LIM_PUBLISH_FAILED, .max_body = BODY_PUBLISH, .prepare = p_upload,
    .doc = "Publish the files dropped on a workspace's page, in that workspace" },
  { POST, "/w/{ws}/folders/{fld}/publish", WS_MEMBER,
    TAKES_FILES_AND(upload_form),  GIVES_REDIRECT,        h_upload,
    .again = "/w/{ws}/folders/{fld}", .slow = true, .limit = LIM_PUBLISH,
    .failures = LIM_PUBLISH_FAILED, .max_body = BODY_PUBLISH, .prepare = p_upload,
    .doc = "Publish the files dropped on a folder's page, in that folder" },
  { POST, "/a/{art}/publish",              ART_EDIT,
    TAKES_FILES_AND(upload_form),  GIVES_REDIRECT,        h_upload,
    .again = "/a/{art}", .slow = true, .limit = LIM_PUBLISH,
    .failures = LIM_PUBLISH_FAILED, .max_body = BODY_PUBLISH, .prepare = p_upload,
    .doc = "Publish the files dropped on an artifact's page as a new version" },
  { POST, "/shared/folders/{shared_fld}/publish", SESSION,
    TAKES_FILES_AND(upload_form),  GIVES_REDIRECT,        h_upload,
    .again = "/shared/folders/{shared_fld}", .slow = true, .limit = LIM_PUBLISH,
    .failures = LIM_PUBLISH_FAILED, .max_body = BODY_PUBLISH, .prepare = p_upload,
    .doc = "Publish the files dropped on the page of a folder that is shared with you, in it" },
  { POST, "/shared/artifacts/{art}/publish", ART_GIVEN,
    TAKES_FILES_AND(upload_form),  GIVES_REDIRECT,        h_upload,
    .again = "/shared/artifacts/{art}", .slow = true, .limit = LIM_PUBLISH,
    .failures = LIM_PUBLISH_FAILED, .max_body = BODY_PUBLISH, .prepare = p_upload,
    .doc = "Publish the files dropped on the page of an artifact that is shared with you" },
};
ROUTES(publish, "Publish",
    "Publish files as a new artifact, or as a new version of one.");
