/* SPDX-License-Identifier: Apache-2.0
 * Tools that publish, change, delete and comment. Only the agent's person opens a thing further
 * than the agent's ceiling (agents/README.md). */
#include "agents/archive_url.h"
#include "agents/pagefile.h"
#include "agents/tool.h"
#include "assets/asset.h"
#include "base/conf.h"
#include "base/str.h"
#include "base/unicode.h"
#include "store/object.h"

enum { EDITS = 100, DELETES = 1000, KEY_CHARS = 200 };

/* True if only the agent's person may make things this visible. */
static bool
is_held(const struct call *k, const char *visibility)
{
	return k->r->who->grant_id && !principal_opens(k->r->who, visibility);
}

static bool
lets_in(const char *visibility)
{
	return visibility && !str_eq(visibility, "private");
}

/* Refuses to let strangers in until the risks for the artifact's data are accepted. A token that
 * can't read the data isn't warned. */
static enum err
exposure_check(struct call *k, const char *id, bool accepted)
{
	const struct artifact *art;
	const struct strs *warnings;
	struct shaped exposure;

	if (accepted || !principal_has_scope(k->r->who, DATA_READ))
		return E_OK;
	TRY(tool_slow(k));
	TRY(pagefile_artifact(k, id, &art));
	if (art->is_open)
		return E_OK;
	TRY(tool_look(k, &exposure, "/v1/artifacts/%s/exposure", id));
	warnings = shaped_strs(exposure, "warnings");
	return warnings->n ? fail(k->r->c, E_CONFLICT,
				 "visibility: nothing was changed. %s Ask your person, then call "
				 "update_artifact with accept_exposure, or change access_policy "
				 "first",
				 strs_join(k->r->c->mem, warnings, " "))
			   : E_OK;
}

/* Adds the artifact's present state and who can open it. */
static enum err
tell_now(struct call *k, const char *id)
{
	const struct artifact *art;

	TRY(pagefile_artifact(k, id, &art));
	tool_tell_text(k, "name", art->name);
	tool_tell_text(k, "slug", art->slug);
	tool_tell_text(k, "url", art->url);
	if (art->has.version_no != NULLED)
		tool_tell_int(k, "live_version", art->version_no);
	tool_tell_text(k, "visibility", art->visibility);
	tool_tell_text(k, "who_can_open", art->audience);
	tool_tell_links(k, id, art->slug);
	return E_OK;
}

/* ---- publish ---- */

#define EDIT_IN(F, T) \
	F(T, STR, old, .flags = F_REQ, .lo = 1, .doc = "Text that occurs once") \
	F(T, STR, new, .flags = F_REQ)
SHAPE(edit_in, EDIT_IN);

#define FILE_IN(F, T) \
	F(T, STR,  path,     .flags = F_REQ, .lo = 1) \
	F(T, STR,  content) \
	F(T, LIST, edits,    .sub = &edit_in_shape, .hi = EDITS, \
		.doc = "Instead of content, in mode patch") \
	F(T, STR,  sha256,   .lo = 64, .hi = 64, .doc = "Bytes published before") \
	F(T, WORD, encoding, .arg = "utf-8|base64")
SHAPE(file_in, FILE_IN);

#define PUBLISH_IN(F, T) \
	F(T, STR,  name,             .lo = 1, .hi = 200, .doc = "Required for a new artifact") \
	F(T, STR,  artifact,         .lo = 1, .hi = 2000, \
		.doc = "Id, slug or address, to publish its next version") \
	F(T, LIST, files,            .sub = &file_in_shape) \
	F(T, ID,   upload,           .arg = "upl_", .doc = "Of start_upload, not files") \
	F(T, STR,  archive_url,      .lo = 1, .hi = 2000, \
		.doc = "Of a .zip or .tar.gz") \
	F(T, WORD, mode,             .arg = "replace|patch", \
		.doc = "patch: other files stay. Needs base_version") \
	F(T, STRS, delete,           .flags = F_ONE, .hi = DELETES, \
		.doc = "Paths, in mode patch or of a candidate") \
	F(T, INT,  base_version,     .lo = 1, .hi = INT32_MAX, \
		.doc = "The version you saw; later changes are merged") \
	F(T, INT,  expected_version, .lo = 0, .hi = INT32_MAX, \
		.doc = "Refuse unless it is live; instead of base_version") \
	F(T, ID,   candidate,        .arg = "cnd_", \
		.doc = "Of a conflict: files has each path in it as it should be") \
	F(T, WORD, views,            .arg = "auto|all|off") \
	F(T, WORD, visibility,       .arg = VISIBILITIES) \
	F(T, SLUG, slug,             .lo = 1, .hi = 63) \
	F(T, ID,   workspace,        .arg = "wsp_") \
	F(T, ID,   folder,           .arg = "fld_") \
	F(T, STR,  message,          .flags = F_LONG, .hi = 1000, .doc = "What changed") \
	F(T, BOOL, draft,            .doc = "Don't make it live") \
	F(T, BOOL, dry_run,          .doc = "Only tell what vitrine.yaml changes") \
	F(T, STRS, checks,           .flags = F_ONE, .item = K_WORD, .arg = CHECK_WORDS, .hi = 4, \
		.doc = "It goes live if a browser sees it pass them") \
	F(T, BOOL, wait, \
		.doc = "False: not for a browser") \
	F(T, STRS, resolves,         .flags = F_ONE, .hi = 50, .item = K_ID, .arg = "cmt_") \
	F(T, STR,  reply,            .flags = F_LONG, .lo = 1, .hi = 5000, .doc = "To each") \
	F(T, STR,  operation_key,    .lo = 1, .hi = KEY_CHARS, \
		.doc = "The same key publishes once")
SHAPE(publish_in, PUBLISH_IN);

static bool
has_archive(const struct publish_in *in)
{
	return in->upload || in->archive_url;
}

/* The parts of a request to POST /v1/publish. */
struct plan {
	struct call *k;
	const struct publish_in *in;
	const char *id; /* the artifact's; NULL: a new one */
	struct version_file_list old; /* the live ones */
	int64_t live, base;           /* base: the version that a patch changes */
	struct json *files;
	bool changes; /* the files differ from the live ones */
};

static void
plan_file(
    struct plan *p, const char *path, const char *content, const char *encoding, const char *sha256)
{
	json_push(p->files,
	    json_new(p->k->r->c, "path", path, "content", content, "encoding",
		content ? encoding : NULL, "sha256", sha256, NULL));
}

static void
plan_content(struct plan *p, const char *path, const char *content, const char *encoding)
{
	const struct version_file *old = pagefile_of(&p->old, path);
	uint8_t raw[SHA256_BYTES], live[SHA256_BYTES];

	crypto_sha256(content, strlen(content), raw);
	p->changes = p->changes || !old || str_eq(encoding, "base64") ||
	    !crypto_unhex(old->sha256, live, sizeof live) || memcmp(raw, live, sizeof raw) != 0;
	plan_file(p, path, content, encoding, NULL);
}

/* Applies an edit. Its old text must occur exactly once, or it is unclear which is meant. */
static enum err
edit_apply(struct plan *p, const struct file_in *f, size_t i, const struct edit_in *edit,
    const char **text)
{
	struct ctx *c = p->k->r->c;
	const char *at = strstr(*text, edit->old);
	size_t times = 0;

	for (const char *s = at; s; s = strstr(s + 1, edit->old))
		times++;
	if (times != 1)
		return fail(c, E_INVALID,
		    "files: edits[%zu].old occurs %zu times in %s, not once; "
		    "fetch its source, and send more of the text around it",
		    i, times, f->path);
	*text = mem_printf(
	    c->mem, "%.*s%s%s", (int)(at - *text), *text, edit->new, at + strlen(edit->old));
	return E_OK;
}

static enum err
plan_edits(struct plan *p, const struct file_in *f)
{
	struct ctx *c = p->k->r->c;
	const struct edit_in *edits = f->edits.v;
	const struct artifact *art;
	struct pagefile old;
	const char *text;

	if (!str_eq(p->in->mode, "patch"))
		return fail(c, E_INVALID, "files: edits need mode patch");
	TRY(pagefile_read(p->k, p->id, p->base, f->path, &art, &old));
	if (!old.text)
		return fail(c, E_INVALID, "files: %s isn't text; send its whole content", f->path);
	text = old.bytes;
	for (size_t i = 0; i < f->edits.n; i++)
		TRY(edit_apply(p, f, i, &edits[i], &text));
	plan_content(p, f->path, text, "utf-8");
	return E_OK;
}

static enum err
plan_new_file(struct plan *p, const struct file_in *f)
{
	struct ctx *c = p->k->r->c;
	int ways = (f->content != NULL) + (f->edits.n != 0) + (f->sha256 != NULL);

	if (ways != 1)
		return fail(
		    c, E_INVALID, "files: %s needs one of content, edits, or sha256", f->path);
	if (f->content && strlen(f->content) > TOOL_INLINE_BYTES)
		return fail(c, E_INVALID,
		    "files: the content of %s is longer than %d bytes; "
		    "send an archive to the address of start_upload",
		    f->path, TOOL_INLINE_BYTES);
	if (f->edits.n)
		return plan_edits(p, f);
	if (f->content) {
		plan_content(p, f->path, f->content, f->encoding);
	} else {
		const struct version_file *old = pagefile_of(&p->old, f->path);

		p->changes = p->changes || !old || !str_eq(old->sha256, f->sha256);
		plan_file(p, f->path, NULL, NULL, f->sha256);
	}
	return E_OK;
}

static enum err
plan_files(struct plan *p)
{
	const struct publish_in *in = p->in;
	struct file_in *files = in->files.v;
	struct ctx *c = p->k->r->c;
	bool patch = str_eq(in->mode, "patch");

	/* Stored paths are composed, too. */
	for (size_t i = 0; i < in->files.n; i++)
		files[i].path = unicode_composed(c->mem, files[i].path);
	p->base = in->has.base_version ? in->base_version : in->expected_version;
	if (patch && (!p->id || !p->base))
		return fail(c, E_INVALID,
		    "mode: patch needs artifact, and the version you saw as base_version or "
		    "expected_version");
	if (p->id)
		TRY(pagefile_all(p->k, p->id, 0, &p->old, &p->live));
	for (size_t i = 0; i < in->files.n; i++)
		TRY(plan_new_file(p, &files[i]));
	p->changes = p->changes || in->delete.n || in->candidate || !p->live ||
	    (p->base && p->base != p->live) ||
	    (!patch && json_len(p->files) != p->old.n);
	return E_OK;
}

static const struct json *
texts_json(const struct plan *p, const struct strs *texts)
{
	struct ctx *c = p->k->r->c;
	struct json *all = json_new_list(c);

	for (size_t i = 0; i < texts->n; i++)
		json_push(all, json_get(json_new(c, "text", texts->v[i], NULL), "text"));
	return all;
}

static bool
waits(const struct publish_in *in)
{
	return !in->dry_run && (in->has.wait != GIVEN || in->wait);
}

/* True if the slug is meant for a new artifact: no argument tells of one that exists. */
static bool
slug_is_new(const struct plan *p)
{
	const struct publish_in *in = p->in;

	return !p->id && in->slug && !in->candidate && in->has.base_version != GIVEN &&
	    in->has.expected_version != GIVEN;
}

static const struct json *
plan_body(struct plan *p)
{
	const struct publish_in *in = p->in;
	struct json *body = json_new(p->k->r->c, "name", in->name, "artifact_id", p->id, "slug",
	    in->slug, "workspace_id", in->workspace, "folder_id", in->folder, "visibility",
	    in->visibility, "message", in->message, "mode", in->mode, "candidate", in->candidate,
	    "reply", in->reply, "views", in->views, NULL);

	if (in->has.expected_version)
		json_set_int(body, "expected_version", in->expected_version);
	else if (slug_is_new(p))
		json_set_int(body, "expected_version", 0);
	if (in->has.base_version)
		json_set_int(body, "base_version", in->base_version);
	if (in->delete.n)
		json_set(body, "delete", texts_json(p, &in->delete));
	json_set_bool(body, "draft", in->draft);
	json_set_bool(body, "dry_run", in->dry_run);
	if (waits(in))
		json_set(body, "wait",
		    json_get(json_new(p->k->r->c, "wait", "render", NULL), "wait"));
	if (in->checks.n)
		json_set(body, "checks", texts_json(p, &in->checks));
	if (in->resolves.n)
		json_set(body, "resolves", texts_json(p, &in->resolves));
	if (!has_archive(in))
		json_set(body, "files", p->files);
	return body;
}

/* Opens the archive that an upload has received. */
static enum err
upload_open(struct call *k, const char *id, struct span *out)
{
	struct ctx *c = k->r->c;
	uint8_t sha256[SHA256_BYTES];
	struct asset_blob *b;

	if (asset_uploaded(c, k->r->who, id, &b)) {
		ctx_forgive(c);
		return fail(c, E_NOT_FOUND,
		    "upload: you have none of this id that has its bytes; "
		    "send them to the address of start_upload first");
	}
	if (!crypto_unhex(b->sha256, sha256, sizeof sha256))
		return fail_here(c, "a digest");
	*out = (struct span){ 0 };
	return object_open(c, sha256, &out->fd, &out->n);
}

/* Changes the state of the comment's thread; shown: answers with the comment. E_NOT_FOUND names
 * the argument. */
static enum err
state_ask(struct call *k, const char *argument, const char *artifact, const char *id,
    const char *state, bool shown)
{
	const struct serving *asks = ASKS(PATCH,
	    tool_uri(k, "/v1/artifacts/%s/comments/%s", artifact, id),
	    .body = json_new(k->r->c, "state", state, NULL));
	enum err e = shown ? tool_ask_all(k, asks) : tool_ask(k, asks, NULL);

	return e != E_NOT_FOUND ? e
				: fail(k->r->c, e,
				      "%s: there is no comment %s on this artifact, or you don't "
				      "have access to it; list_comments shows them",
				      argument, id);
}

/* The live version resolves the threads, since there is no new one. */
static enum err
answers_ask(const struct plan *p)
{
	const struct publish_in *in = p->in;
	struct call *k = p->k;

	for (size_t i = 0; i < in->resolves.n; i++) {
		if (in->reply)
			TRY(tool_ask(k,
			    ASKS(POST, tool_uri(k, "/v1/artifacts/%s/comments", p->id),
				.body = json_new(k->r->c, "text", in->reply, "reply_to",
				    in->resolves.v[i], NULL)),
			    NULL));
		TRY(state_ask(k, "resolves", p->id, in->resolves.v[i], "resolved", false));
	}
	return E_OK;
}

/* Says that less was done than asked for, and where a person can do the rest. */
static void
tell_held(struct plan *p, const struct json *reply)
{
	const char *held = json_word(reply, "held_for");
	const struct json *version = json_get(reply, "version"),
			  *no = json_get(version, "version_no");
	bool draft = json_true(json_get(version, "is_draft"));

	if (!held || (str_eq(held, "checks") && !draft))
		return;
	tool_tell_text(p->k, "held_back",
	    str_eq(held, "checks")
		? "It is a draft until a browser sees that it passes its checks. A version that is "
		  "mended goes live by itself; only a person makes this one live otherwise."
		: str_eq(held, "approval")
		? "Its workspace approves what others see; your person asks for that at review_url."
		: str_eq(held, "pin")
		? "Another version is pinned, so this one is a draft until your person unpins that."
		: draft ? "Others can open the page, so this version waits as a draft until your "
			  "person makes it live at review_url."
			: "Only your person opens pages that far, at review_url.");
	tool_tell_text(p->k, "review_url",
	    tool_review_url(p->k, p->id,
		draft && no && str_eq(held, "ceiling") ? json_int(no) : 0,
		str_eq(held, "ceiling") ? p->in->visibility : NULL));
}

/* Finds what is to be published. *none: it is live already. */
static enum err
plan_make(struct plan *p, struct span *archive, bool *none)
{
	const struct publish_in *in = p->in;
	struct call *k = p->k;

	if ((in->upload != NULL) + (in->archive_url != NULL) + (in->files.n != 0) > 1)
		return fail(k->r->c, E_INVALID,
		    "files: send one of files, upload, and archive_url");
	TRY(tool_slow(k));
	if (in->artifact)
		TRY(tool_artifact(k, "artifact", in->artifact, &p->id, NULL, NULL));
	if (in->upload)
		TRY(upload_open(k, in->upload, archive));
	else if (in->archive_url)
		TRY(archive_url_fetch(k, in->archive_url, archive));
	else
		TRY(plan_files(p));
	*none = p->id && !has_archive(in) && !p->changes && !in->name && !in->visibility &&
	    !in->slug && !in->dry_run;
	if (!*none && p->id && !in->dry_run && lets_in(in->visibility) &&
	    !is_held(k, in->visibility))
		TRY(exposure_check(k, p->id, false));
	return E_OK;
}

/* Names the artifact that has the slug, if a new one was meant. Otherwise returns e. */
static enum err
slug_refuse(const struct plan *p, enum err e)
{
	struct ctx *c = p->k->r->c;
	const char *slug = p->in->slug, *id;

	if (e != E_VERSION_CONFLICT || !slug_is_new(p))
		return e;
	ctx_forgive(c);
	TRY(tool_artifact(p->k, "slug", slug, &id, NULL, NULL));
	return fail(c, E_SLUG_TAKEN,
	    "slug: %s is the address of your person's artifact %s; to publish its next version, "
	    "send that as artifact",
	    slug, id);
}

/* A call that has waited for the browser has published: the route answers again what it did. */
static enum err
t_publish(struct call *k, const void *arg)
{
	const struct publish_in *in = arg;
	struct plan p = { .k = k, .in = in, .files = json_new_list(k->r->c) };
	bool done = tool_waited(k), none = false;
	const struct json *reply;
	const struct req *served;
	struct span archive;
	int64_t no;

	if (!done)
		TRY(plan_make(&p, &archive, &none));
	if (none) {
		TRY(answers_ask(&p));
		buf_fmt(&k->out,
		    "\"artifact\":{\"id\":\"%s\"},\"version\":{\"version_no\":%lld},"
		    "\"unchanged\":true",
		    p.id, (long long)p.live);
		TRY(tool_tell_seen(k, p.id, p.live));
		return tell_now(k, p.id);
	}
	TRY(slug_refuse(&p,
	    tool_serve(k,
		ASKS(POST, "/v1/publish",
		    .body = done ? json_new(k->r->c, "message", NULL, NULL) : plan_body(&p),
		    .key = in->dry_run ? NULL : in->operation_key,
		    .attached = has_archive(in) && !done ? &archive : NULL),
		&served)));
	TRY(tool_tell_all(k, served, &reply));
	if (in->dry_run)
		return E_OK;
	p.id = json_word(json_get(reply, "artifact"), "id");
	no = json_int(json_get(json_get(reply, "version"), "version_no"));
	tell_held(&p, reply);
	if (waits(in))
		TRY(tool_tell_seen(k, p.id, no));
	return tell_now(k, p.id);
}

/* ---- start_upload ---- */

#define UPLOAD_IN(F, T) \
	F(T, STR, filename,  .lo = 1, .hi = 200) \
	F(T, ID,  workspace, .arg = "wsp_", .doc = "If its library is to take the bytes")
SHAPE(upload_in, UPLOAD_IN);

static enum err
t_start_upload(struct call *k, const void *arg)
{
	const struct upload_in *in = arg;
	struct ctx *c = k->r->c;
	const char *workspace = tool_workspace(k, in->workspace), *url;
	struct shaped made;

	TRY(tool_ask(k,
	    ASKS(POST,
		tool_uri(k, "/v1/%s%s%sassets/upload", workspace ? "workspaces/" : "",
		    workspace ? workspace : "", workspace ? "/" : ""),
		.body = json_new(
		    c, "filename", in->filename ? in->filename : "site.zip", NULL)),
	    &made));
	url = shaped_text(made, "uploadUrl");
	tool_tell_text(k, "upload", shaped_text(made, "tokenId"));
	tool_tell_text(k, "url", url);
	tool_tell_text(k, "curl", tool_uri(k, "curl -T site.zip '%s'", url));
	tool_tell_int(k, "max_bytes", c->conf->max_archive_bytes);
	json_key(&k->out, "expires_at");
	shaped_write_field(&k->out, made, "expiresAt");
	return E_OK;
}

/* ---- update_artifact, delete_artifact ---- */

#define UPDATE_IN(F, T) \
	F(T, STR,  artifact,           .flags = F_REQ, .lo = 1, .hi = 2000) \
	F(T, STR,  name,               .lo = 1, .hi = 200) \
	F(T, SLUG, slug,               .lo = 1, .hi = 63) \
	F(T, WORD, visibility,         .arg = VISIBILITIES) \
	F(T, STR,  social_title,       .hi = 300) \
	F(T, STR,  social_description, .flags = F_LONG, .hi = 1000) \
	F(T, BOOL, comments_open) \
	F(T, INT,  live_version,       .lo = 1, .hi = INT32_MAX, \
		.doc = "Make live: an earlier version or a draft") \
	F(T, BOOL, accept_exposure, \
		.doc = "Your person knows what strangers can then do with its data")
SHAPE(update_in, UPDATE_IN);

static const struct json *
update_body(struct call *k, const struct update_in *in, bool held)
{
	struct json *body = json_new(k->r->c, "name", in->name, "slug", in->slug, "visibility",
	    held ? NULL : in->visibility, "social_title", in->social_title, "social_description",
	    in->social_description, NULL);

	if (in->has.comments_open)
		json_set_bool(body, "comments_open", in->comments_open);
	return body;
}

static enum err
t_update(struct call *k, const void *arg)
{
	const struct update_in *in = arg;
	bool held = false, held_version = false;
	const struct artifact *art;
	const struct json *body;
	const char *id;

	TRY(tool_artifact(k, "artifact", in->artifact, &id, NULL, NULL));
	/* tool_slow() may pass the message on to the slow pool, which begins anew, so nothing
	 * is changed before. */
	if (in->has.live_version)
		TRY(tool_slow(k));
	if ((lets_in(in->visibility) || in->has.live_version) && is_held(k, "public")) {
		TRY(pagefile_artifact(k, id, &art));
		held = is_held(k, in->visibility) &&
		    visibility_opens(art->visibility, in->visibility);
		held_version = in->has.live_version && is_held(k, art->visibility);
	}
	if (lets_in(in->visibility) && !held)
		TRY(exposure_check(k, id, in->accept_exposure));
	body = update_body(k, in, held);
	if (json_len(body))
		TRY(tool_ask(
		    k, ASKS(PATCH, tool_uri(k, "/v1/artifacts/%s", id), .body = body), NULL));
	if (in->has.live_version && !held_version)
		TRY(tool_ask(k,
		    ASKS(POST,
			tool_uri(k, "/v1/artifacts/%s/versions/%lld/restore", id,
			    (long long)in->live_version)),
		    NULL));
	tool_tell_text(k, "id", id);
	if (held || held_version) {
		tool_tell_text(
		    k, "held_back", "Only your person changes what others see, at review_url.");
		tool_tell_text(k, "review_url", tool_review_url(k, id,
		held_version ? in->live_version : 0, held ? in->visibility : NULL));
	}
	return tell_now(k, id);
}

#define DELETE_IN(F, T) \
	F(T, STR,  artifact, .flags = F_REQ, .lo = 1, .hi = 2000) \
	F(T, BOOL, undo,     .doc = "Take it out of the trash; artifact is its id")
SHAPE(delete_in, DELETE_IN);

static enum err
t_delete(struct call *k, const void *arg)
{
	const struct delete_in *in = arg;
	const char *id;

	TRY(tool_artifact(k, "artifact", in->artifact, &id, NULL, NULL));
	tool_tell_text(k, "id", id);
	if (in->undo) {
		TRY(tool_ask(
		    k, ASKS(POST, tool_uri(k, "/v1/artifacts/%s/restore", id)), NULL));
		return tell_now(k, id);
	}
	TRY(tool_ask(k, ASKS(DELETE, tool_uri(k, "/v1/artifacts/%s", id)), NULL));
	tool_tell_text(k, "who_can_open", "nobody; it is in the trash");
	tool_tell_text(k, "undo", "delete_artifact with undo true brings it back, for a while");
	return E_OK;
}

/* ---- comment ---- */

#define COMMENT_IN(F, T) \
	F(T, STR, artifact, .flags = F_REQ, .lo = 1, .hi = 2000) \
	F(T, STR, text,     .flags = F_LONG, .lo = 1, .hi = 5000) \
	F(T, STR, path,     .lo = 1, .hi = 1024, .doc = "Of its page: /report.html") \
	F(T, STR, quote,    .flags = F_LONG, .lo = 1, .hi = 1000) \
	F(T, ID,  reply_to, .arg = "cmt_") \
	F(T, ID,  resolve,  .arg = "cmt_") \
	F(T, ID,  reopen,   .arg = "cmt_")
SHAPE(comment_in, COMMENT_IN);

static const struct json *
comment_body(struct call *k, const struct comment_in *in)
{
	struct ctx *c = k->r->c;
	struct json *body = json_new(c, "text", in->text, "path", in->path, "reply_to",
	    in->reply_to ? in->reply_to : in->resolve ? in->resolve : in->reopen, NULL);
	struct json *anchor;

	if (!in->quote)
		return body;
	anchor = json_new(c, "kind", "text", NULL);
	json_set(anchor, "quote", json_new(c, "exact", in->quote, NULL));
	json_set(body, "anchor", anchor);
	return body;
}

static enum err
t_comment(struct call *k, const void *arg)
{
	const struct comment_in *in = arg;
	const char *id, *settled = in->resolve ? in->resolve : in->reopen;

	if ((!in->text && !settled) || (in->resolve && in->reopen))
		return fail(k->r->c, E_INVALID, "text: give a text, or one of resolve and reopen");
	TRY(tool_artifact(k, "artifact", in->artifact, &id, NULL, NULL));
	if (in->text)
		TRY(tool_ask_all(k,
		    ASKS(POST, tool_uri(k, "/v1/artifacts/%s/comments", id),
			.body = comment_body(k, in))));
	return !settled ? E_OK
	    : in->resolve
	    ? state_ask(k, "resolve", id, settled, "resolved", !in->text)
	    : state_ask(k, "reopen", id, settled, "open", !in->text);
}

/* ---- list_comments ---- */

#define COMMENTS_IN(F, T) \
	F(T, STR,  artifact, .flags = F_REQ, .lo = 1, .hi = 2000) \
	F(T, WORD, state,    .arg = "open|resolved|all") \
	F(T, STR,  path,     .lo = 1, .hi = 1024) \
	F(T, INT,  version,  .doc = "For place") \
	F(T, INT,  since,    .doc = "0, then the last change_no") \
	F(T, INT,  wait,     .doc = "Seconds") \
	F(T, STR,  cursor,   .hi = 200)
SHAPE(comments_in, COMMENTS_IN);

/* Comments are others' words, so they are quoted. */
static enum err
t_comments(struct call *k, const void *arg)
{
	const struct comments_in *in = arg;
	const char *wait = in->has.wait == GIVEN ? tool_digits(k, in->wait) : NULL;
	const char *since = in->has.since == GIVEN ? tool_digits(k, in->since) : NULL, *id;
	const char *version = in->has.version == GIVEN ? tool_digits(k, in->version) : NULL;
	struct shaped all;

	TRY(tool_artifact(k, "artifact", in->artifact, &id, NULL, NULL));
	TRY(tool_ask(k,
	    ASKS(GET, tool_uri(k, "/v1/artifacts/%s/comments", id),
		QUERY({ "state", in->state ? in->state : "open" }, { "path", in->path },
		    { "version", version }, { "since", since }, { "wait", wait },
		    { "cursor", in->cursor })),
	    &all));
	tool_tell_text(k, "comments", tool_quote(k, "people who comment", tool_lean(k, all)));
	return E_OK;
}

const struct tool tools_site[] = {
	{ "publish", "Publish",
	    "Publishes files as a page and answers its address, who can open it, and what a "
	    "browser saw; with artifact, a next version. To change little: mode patch with "
	    "edits of exact text. "
	    "Big sites: start_upload first.",
	    &publish_in_shape, ARTIFACTS_PUBLISH, ARTIFACTS_READ, .card = true, .call = t_publish },
	{ "start_upload", "Upload an archive",
	    "Answers an address for one .zip or .tar.gz by PUT without a token; then call "
	    "publish with upload. For files too long to write out.",
	    &upload_in_shape, DATA_WRITE, ARTIFACTS_PUBLISH, .call = t_start_upload },
	{ "update_artifact", "Change an artifact",
	    "Changes an artifact's name, address, visibility or link preview, or makes another "
	    "version live.",
	    &update_in_shape, ARTIFACTS_PUBLISH, ARTIFACTS_READ, .again = true, .call = t_update },
	{ "delete_artifact", "Delete an artifact",
	    "Moves an artifact to the trash; undo takes it back. Only your person deletes for "
	    "good.",
	    &delete_in_shape, ARTIFACTS_PUBLISH, .destroys = true, .again = true,
	    .call = t_delete },
	{ "comment", "Comment",
	    "Comments on an artifact, answers a comment, or resolves its thread.",
	    &comment_in_shape, DATA_WRITE, .call = t_comment },
	{ "list_comments", "List comments",
	    "Lists comments, by default open ones, or waits.",
	    &comments_in_shape, ARTIFACTS_READ, .reads = true, .call = t_comments },
	{ NULL },
};
