/* SPDX-License-Identifier: Apache-2.0 */
#include "site/publish.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/mime.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/author.h"
#include "core/declare.h"
#include "core/event.h"
#include "core/find.h"
#include "core/learn_want.h"
#include "core/outside.h"
#include "core/place.h"
#include "core/slug.h"
#include "core/spread.h"
#include "core/storage.h"
#include "core/workspace.h"
#include "data/policy.h"
#include "data/tablepolicy.h"
#include "db/ids.h"
#include "site/approval.h"
#include "site/candidate.h"
#include "site/check.h"
#include "site/held.h"
#include "site/manifest.h"
#include "site/merge.h"
#include "site/publishrow.h"
#include "site/pwa.h"
#include "site/standing.h"
#include "site/version.h"
#include "team/folder.h"

enum { FILES_MANY = 2000, LARGE_BYTES = 1 << 20 };

#define SLUG_TAKEN_TEXT \
	"slug: the address \"%s\" is taken; " \
	"choose another, or leave slug out to have one made from the name"

/* ---- which artifact ---- */

static enum err
version_expected(struct publishing *w, int64_t live)
{
	struct ctx *c = w->c;

	if (w->in->has.expected_version != GIVEN || w->in->expected_version == live)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"current_version\":%lld}", (long long)live);
	return fail(c, E_VERSION_CONFLICT,
	    "expected_version: is %lld, but the live version is %lld; "
	    "fetch it, merge your changes and publish again",
	    (long long)w->in->expected_version, (long long)live);
}

/* Finds the artifact that has the slug. A former slug is free for people whom slug_take()
 * allows. */
static enum err
target_by_slug(struct publishing *w)
{
	struct artifact *a;

	TRY(artifact_find_by_slug(w->c, w->in->slug, w->who, true, &a));
	w->art = a && str_eq(a->slug, w->in->slug) ? a : NULL;
	if (w->art && !w->art->role && !w->art->can_view)
		return fail(w->c, E_SLUG_TAKEN, SLUG_TAKEN_TEXT, w->in->slug);
	return E_OK;
}

static enum err
target_absent(struct publishing *w)
{
	return fail(w->c, E_NOT_FOUND,
	    "artifact_id: there is no such artifact, or you don't have access to it");
}

static enum err
target_get(struct publishing *w, const char *id, bool lock)
{
	enum err e = artifact_get(w->c, id, w->who, lock, &w->art);

	return e == E_NOT_FOUND ? target_absent(w) : e;
}

/* True for an outsider with an edit grant. */
static bool
edits_outside(const struct artifact *a)
{
	return a->can_edit && role_rank(a->role) < ROLE_EDITOR;
}

/* Outsiders publish files only. The name, the rules for its data, and the agent's instructions are
 * for people in the workspace. */
static enum err
outside_check(struct publishing *w)
{
	const struct publish_new *in = w->in;
	const struct artifact *a = w->art;
	const char *field = in->has.access_policy && !str_eq(in->access_policy, a->access_policy)
	    ? "access_policy"
	    : in->has.agent ? "agent"
			    : NULL;

	if (!edits_outside(a))
		return E_OK;
	w->in = manifest_keep_name(w->c, in, a);
	return !field ? E_OK : fail(w->c, E_DENIED,
		  "%s: %s was shared with you to publish versions of it, which can't change "
		  "this; leave %s out, or ask the person who shared it",
		  field, a->slug, field);
}

/* An artifact that the caller may not know of looks absent by its id, and taken by its slug. A
 * pause also stops its owner: whoever ends the pause must decide about the present content. */
static enum err
target_check(struct publishing *w)
{
	const struct artifact *a = w->art;
	struct ctx *c = w->c;

	if (a->deleted_at || (!a->role && !a->is_open && !a->can_view))
		return target_absent(w);
	TRY(agent_changes(c, w->who, a->agent_bound));
	if (role_rank(a->role) < ROLE_EDITOR && !a->can_edit)
		return fail(
		    c, E_DENIED, "Only the owner and editors of %s can publish to it", a->slug);
	if (a->paused)
		return fail(c, E_PAUSED,
		    "%s is paused; you can publish to it again when the pause ends", a->slug);
	if (w->in->visibility && !str_eq(w->in->visibility, a->visibility) &&
	    role_rank(a->role) < ROLE_OWNER)
		return fail(c, E_DENIED, "visibility: only the owner can change it");
	if (w->in->visibility && !str_eq(w->in->visibility, a->visibility) && w->in->draft)
		return fail(c, E_INVALID,
		    "visibility: a draft changes nothing before it goes live, and who can open %s "
		    "is %s; leave visibility out, or change it with PATCH /v1/artifacts/%s",
		    a->slug, a->visibility, a->id);
	if (w->in->workspace_id && !str_eq(w->in->workspace_id, a->workspace_id))
		return fail(c, E_CONFLICT,
		    "workspace_id: %s isn't in that workspace; "
		    "move it with PATCH /v1/artifacts/%s first",
		    a->slug, a->id);
	if (w->in->folder_id && !str_eq(w->in->folder_id, a->folder_id))
		return fail(c, E_CONFLICT,
		    "folder_id: %s isn't in that folder; "
		    "move it with POST /v1/workspaces/{id}/artifacts/%s/move first",
		    a->slug, a->id);
	if (w->in->artifact_id && w->in->slug && !str_eq(w->in->slug, a->slug))
		return fail(c, E_INVALID,
		    "slug: the slug of artifact_id is %s; "
		    "to change it, use PATCH /v1/artifacts/{id}",
		    a->slug);
	return outside_check(w);
}

static enum err
place_reach(struct publishing *w)
{
	const char *folder = w->in->folder_id;

	w->by = (struct rights){ 0 };
	if (folder)
		TRY(reach_folder(w->c, w->who, folder, &w->by));
	if (!w->by.view || w->by.create)
		return E_OK;
	w->by = (struct rights){ 0 };
	return fail(w->c, E_DENIED,
	    "folder_id: you can open what is in this folder, but not publish in it; "
	    "ask the person who shared it with you");
}

/* A draft that somebody asked for is held only by the checks that they named with it. */
static enum err
checks_apply(struct publishing *w)
{
	w->checks = check_bits(&w->in->checks);
	if (w->art && !w->in->draft)
		w->checks |= w->art->check_bits;
	TRY(checks_possible(w->c, w->checks));
	if (!w->checks || w->draft)
		return E_OK;
	w->draft = true;
	w->held_for = "checks";
	return E_OK;
}

/* A grant can end while the workspace's row isn't locked, so we read it again under the lock. */
static enum err
place_outside(struct publishing *w, struct workspace_held *out)
{
	const char *workspace = w->in->workspace_id;

	TRY(place_reach(w));
	if (!w->by.create)
		return E_OK;
	TRY(workspace_of_folder(w->c, w->who, w->in->folder_id, out));
	TRY(place_reach(w));
	if (!w->by.create || (workspace && !str_eq(workspace, out->id)))
		return fail(w->c, E_NOT_FOUND,
		    "folder_id: there is no such folder, or you can't publish in it");
	w->owner_id = out->owner_id;
	return E_OK;
}

/* Finds the place of a new artifact, and locks it until the commit. */
static enum err
target_place(struct publishing *w, struct workspace_held *out)
{
	const char *folder = w->in->folder_id;

	w->owner_id = w->who->user_id;
	TRY(place_outside(w, out));
	if (w->by.create)
		return E_OK;
	TRY(workspace_for(w->c, w->who, w->in->workspace_id, out));
	if (!folder)
		return E_OK;
	if (!out->id && w->who->outside)
		return fail(w->c, E_NOT_FOUND,
		    "folder_id: there is no such folder, or you can't publish in it; "
		    "in a workspace that you are a member of, workspace_id is required with it");
	if (!out->id)
		return fail(w->c, E_INVALID, "folder_id: workspace_id is required with it");
	return w->in->visibility
	    ? place_exists(w->c, out->id, "folder_id", folder)
	    : place_default(w->c, out->id, "folder_id", folder, &out->default_visibility);
}

static enum err
target_find(struct publishing *w)
{
	struct workspace_held workspace;

	if (w->in->slug)
		TRY(slug_check(w->c, w->in->slug));
	if (w->in->artifact_id && !w->art)
		TRY(target_get(w, w->in->artifact_id, false));
	else if (w->in->slug && !w->art)
		TRY(target_by_slug(w));
	if (w->art)
		TRY(target_check(w));
	else if (!w->in->name)
		return fail(w->c, E_INVALID, "name: is required for a new artifact");
	else if (w->who->grants_only)
		return fail(w->c, E_DENIED,
		    "This token acts only through grants; "
		    "specify an artifact_id that was granted to it");
	else
		TRY(target_place(w, &workspace));
	return version_expected(w, w->art ? w->art->version_no : 0);
}

/* ---- bytes into the store ---- */

static enum err
extra_store(struct publishing *w, const char *bytes, size_t n, const char **hex, int64_t *size)
{
	struct object o;

	if (!bytes)
		return E_OK;
	TRY(batch_put(w->c, w->m.batch, bytes, n, &o));
	*hex = crypto_hex(w->c->mem, o.sha256, SHA256_BYTES);
	*size = o.size;
	return E_OK;
}

static bool
has_bytes(const struct manifest *m, const struct item *it)
{
	(void)m;
	return !it->by_digest;
}

/* Counts the bytes of objects that the store doesn’t have, so that no version can have them. */
static int64_t
bytes_new(struct publishing *w)
{
	size_t n;
	struct item **sorted = manifest_sorted(&w->m, has_bytes, &n);
	const struct version_row *v = w->made->version;
	const uint8_t *before = NULL;
	uint8_t mobile[SHA256_BYTES];
	int64_t sum = 0;

	for (size_t i = 0; i < n; before = sorted[i++]->sha256)
		if ((!before || memcmp(before, sorted[i]->sha256, SHA256_BYTES) != 0) &&
		    !batch_has(w->m.batch, sorted[i]->sha256, sorted[i]->size))
			sum += sorted[i]->size;
	if (v->mobile_sha256 && crypto_unhex(v->mobile_sha256, mobile, sizeof mobile) &&
	    !batch_has(w->m.batch, mobile, v->mobile_size))
		sum += v->mobile_size;
	return sum;
}

/* The objects have names afterwards, which become durable with the tree. */
static enum err
bytes_store(struct publishing *w)
{
	const char *mobile = w->in->mobile_html, *icon = w->pwa ? w->pwa->icon : NULL;
	struct version_row *v = w->made->version;
	struct file_row *row = mem_array(w->c->mem, struct file_row, w->m.n);

	w->made->files = (struct list){ row, w->m.n };
	for (size_t i = 0; i < w->m.n; i++, row++) {
		const struct item *it = &w->m.items[i];
		struct object o = { .size = it->size };

		memcpy(o.sha256, it->sha256, SHA256_BYTES);
		if (it->by_digest && !it->was)
			batch_found(w->m.batch, it->sha256);
		if (it->bytes)
			TRY(batch_put_known(w->c, w->m.batch, it->bytes, &o));
		row->path = it->path;
		row->sha256 = it->was ? it->was->sha256
				      : crypto_hex(w->c->mem, it->sha256, SHA256_BYTES);
		row->size_bytes = it->size;
		row->mime = it->mime;
		row->declared = it->declared;
	}
	TRY(extra_store(
	    w, mobile, mobile ? strlen(mobile) : 0, &v->mobile_sha256, &v->mobile_size));
	TRY(extra_store(w, icon, icon ? w->pwa->icon_n : 0, &v->icon_sha256, &v->icon_size));
	/* Bytes for which there is no room shall not fill the disk until they are swept.
	 * version_record() decides; a small publish is left to it, and saves the round trip. */
	if (w->m.total + v->mobile_size >= LARGE_BYTES)
		TRY(storage_room(
		    w->c, w->art ? w->art->id : NULL, w->owner_id, w->who, bytes_new(w)));
	TRY(batch_name(w->c, w->m.batch));
	return batch_elsewhere(w->c, w->m.batch);
}

/* ---- vitrine.yaml ---- */

/* Rights and what was applied last can change before the artifact's row is locked. */
static enum err
declared_check_rights(struct publishing *w)
{
	const struct artifact *a = w->art;

	if (!w->yaml)
		return E_OK;
	w->declared = w->yaml;
	TRY(declare_is_last(w->c, a ? a->id : NULL, w->yaml, &w->declared_last));
	if (a && edits_outside(a)) {
		w->declared = NULL;
		return w->declared_last
		    ? E_OK
		    : fail(w->c, E_DENIED,
			  DECLARE_FILE
			  ": %s was shared with you to publish versions of it, which can't "
			  "change this; publish it as it was, or ask the person who shared it",
			  a->slug);
	}
	return principal_has_scope(w->who, DATA_WRITE)
	    ? E_OK
	    : fail(w->c, E_SCOPE,
		  DECLARE_FILE ": this token lacks the scope %s, which it requires",
		  scope_name(DATA_WRITE));
}

/* Names the version in the message: the caller has never seen the lines of a merged text. */
static enum err
merged_explain(struct publishing *w, enum err e)
{
	if ((e == E_INVALID || e == E_CONFLICT) && w->merged &&
	    strs_have(&w->merged->lines, DECLARE_FILE))
		w->c->message = mem_printf(w->c->mem, "After the merge with version %lld: %s",
		    (long long)w->merged->with, w->c->message);
	return e;
}

/* becomes: the new visibility; NULL if it stays. */
static bool
is_private(const struct publishing *w, const char *becomes)
{
	return str_eq(becomes ? becomes : w->art->visibility, "private");
}

/* A draft keeps the text until it goes live, but not reset, since people may change more by hand
 * until then. */
static enum err
declared_apply(struct publishing *w, bool dry)
{
	struct declaring d = { .c = w->c, .who = w->who, .dry = dry, .reset = w->in->reset,
		.top = w->yaml_top, .opens = !dry && !is_private(w, w->visibility) };

	if (w->declared && w->draft && w->in->reset)
		warn(w->c,
		    "reset: isn't kept with a draft; when it goes live, what was changed by hand "
		    "stays");
	if (!w->declared || w->draft)
		return E_OK;
	TRY(merged_explain(w, declare_apply(&d, w->art, w->declared)));
	w->plan = d.plan;
	return E_OK;
}

/* ---- rows ---- */

/* Applies the requested visibility, unless that needs approval: then it stays `from` (NULL) for
 * now. For a connected agent, its person is asked; holders of other tokens learn that they must
 * ask. */
static enum err
visibility_apply(
    struct publishing *w, const char *from, const char *asked, bool needs_approval)
{
	w->visibility = asked;
	w->held_for = NULL;
	if (!visibility_opens(from, asked))
		return E_OK;
	if (!w->who->grant_id && w->in->visibility)
		TRY(ceiling_check(w->c, w->who, asked, "visibility",
		    w->art->id ? mem_printf(w->c->mem, "/a/%s/sharing", w->art->id) : "/"));
	if (needs_approval || !principal_opens(w->who, asked)) {
		w->held_for = needs_approval ? "approval" : "ceiling";
		w->asked = asked;
		w->visibility = NULL;
	}
	return E_OK;
}

static enum err
artifact_add(struct publishing *w, const char *slug)
{
	struct artifact *a = w->art = mem_new(w->c->mem, struct artifact);
	const char *visibility = w->in->visibility;
	struct workspace_held workspace;

	TRY(target_place(w, &workspace));
	w->draft = w->in->draft;
	if (!w->by.create)
		TRY(visibility_apply(w, "private",
		    visibility ? visibility : workspace.default_visibility,
		    workspace.needs_approval));
	visibility = w->visibility = w->visibility ? w->visibility : "private";
	a->id = id_new(w->c->mem, "art_");
	a->owner_id = w->owner_id;
	a->slug = slug;
	a->name = w->in->name;
	a->workspace_id = workspace.id;
	a->folder_id = w->in->folder_id;
	a->visibility = visibility;
	if (workspace.id)
		TRY(workspace_subdomain(w->c, workspace.id, &a->subdomain));
	TRY(artifact_insert(w->c, w->who, a));
	if (w->by.create) {
		/* An outside author becomes an editor, without the other rights of an owner. */
		TRY(author_grant(w->c, a, w->who));
		TRY(outside_did(
		    w->c, w->who, a->workspace_id, "create", "artifact", a->id, a->name));
	} else if (workspace.shares) {
		TRY(shown_in(w->c, a->folder_id, &w->shown));
	}
	return audit_artifact(w->c, a, "artifact.created", NULL,
	    audit_facts(w->c, "visibility", visibility));
}

/* Returns true if the publish changes nothing but the files of its artifact. */
static bool
files_alone(const struct publishing *w)
{
	const struct publish_new *in = w->in;
	const struct artifact *a = w->art;

	return !in->has.agent && (!in->name || str_eq(in->name, a->name)) &&
	    (!in->visibility || str_eq(in->visibility, a->visibility)) &&
	    (!in->has.access_policy || str_eq(in->access_policy, a->access_policy)) &&
	    (!w->declared || (w->declared_last && !in->reset));
}

/* A new version of an open artifact must not be visible before it is approved; closing needs no
 * approval. */
static enum err
draft_decide(struct publishing *w)
{
	const struct artifact *a = w->art;
	const char *becomes;
	bool above;

	TRY(visibility_apply(w, a->visibility, w->in->visibility, a->needs_approval));
	becomes = w->visibility ? w->visibility : a->visibility;
	above = !principal_opens(w->who, becomes);
	w->draft = w->in->draft;
	w->approved = false;
	if (w->draft || str_eq(becomes, "private") || !(above || a->needs_approval))
		return E_OK;
	if (files_alone(w))
		TRY(standing_covers(w->c, a, w->who, &w->approved));
	if (w->approved)
		return E_OK;
	if (above && !w->who->grant_id)
		return fail(w->c, E_ABOVE_CEILING,
		    "draft: must be true, since %s is %s and the ceiling of this token (opens_to) "
		    "is %s; a person can then make the version live at %s/a/%s/versions",
		    a->slug, becomes, w->who->opens_to, w->c->conf->base_url, a->id);
	w->draft = true;
	w->held_for = a->needs_approval ? "approval" : "ceiling";
	return E_OK;
}

/* The row is locked from here to the commit, so version numbers are in order and the check of
 * expected_version holds. */
static enum err
artifact_lock(struct publishing *w)
{
	TRY(target_get(w, w->art->id, true));
	if (edits_outside(w->art)) {
		/* A grant can end while the workspace's row isn't locked, so we read it again. */
		TRY(workspace_hold(w->c, w->art->workspace_id));
		TRY(target_get(w, w->art->id, false));
		if (edits_outside(w->art))
			TRY(outside_did(w->c, w->who, w->art->workspace_id, "edit", "artifact",
			    w->art->id, w->art->name));
	}
	TRY(target_check(w));
	TRY(declared_check_rights(w));
	TRY(draft_decide(w));
	/* While a version is pinned, others become drafts. */
	if (w->art->pinned_version && !w->draft) {
		w->draft = true;
		w->held_for = "pin";
	}
	if (w->art->workspace_id)
		TRY(approval_supersede(w->c, w->art->id, w->who));
	return version_expected(w, w->art->version_no);
}

/* A concurrent publish may have taken the slug since target_find(): then that artifact gets it. */
static enum err
artifact_lock_or_add(struct publishing *w)
{
	enum err e;

	if (w->art)
		return artifact_lock(w);
	e = artifact_add(w, w->in->slug);
	if (e != E_SLUG_TAKEN || !w->in->slug)
		return e;
	TRY(target_by_slug(w));
	return w->art ? artifact_lock(w)
		      : fail(w->c, E_SLUG_TAKEN, SLUG_TAKEN_TEXT, w->in->slug);
}

static bool
is_changed(const struct manifest *m, const struct item *it)
{
	return !former_keeps(&m->former, it);
}

/* Keeps the entry page of the version that the files come from, if it is still there. */
static enum err
entry_choose(struct publishing *w)
{
	struct version_row *v = w->made->version;

	if (w->views.entry && !w->in->entrypoint) {
		v->entrypoint = w->views.entry;
		return E_OK;
	}
	return manifest_entry(&w->m, &v->entrypoint);
}

/* Unites the files again if another version went live since then. The row is locked now. */
static enum err
live_unite(struct publishing *w)
{
	if (!w->merging || w->merging->live_no == w->art->version_no)
		return E_OK;
	TRY(merge_hold(&w->m, w->merging, w->art, w->who, &w->merged));
	w->made->building = NULL;
	w->files = manifest_sorted(&w->m, is_changed, &w->files_n);
	/* Views are drawn outside of a transaction. */
	if (!w->views.n)
		TRY(publish_views_plan(w));
	return w->views.n ? merge_stale(w->c, w->merging, w->art->version_no) : entry_choose(w);
}

static enum err
rows_record(struct publishing *w)
{
	const char *outbox_id = id_new(w->c->mem, "out_");
	struct version_row *v = w->made->version;
	bool closes;

	TRY(artifact_lock_or_add(w));
	TRY(checks_apply(w));
	closes = w->visibility && !is_private(w, NULL) &&
	    !str_eq(w->visibility, w->art->visibility);
	TRY(live_unite(w));
	v->artifact_id = w->art->id;
	v->version_no = w->art->last_no + 1;
	v->is_open = !w->draft && !is_private(w, w->visibility);
	w->made->former_no = !w->draft && is_private(w, NULL) ? w->art->version_no : 0;
	TRY(audit_visibility(w->c, w->art, w->visibility));
	if (publishing_changes(w, w->in->has.access_policy))
		TRY(policy_changed(
		    w->c, w->art, w->art->access_policy, w->in->access_policy, NULL));
	TRY(publishrow_version(w, outbox_id));
	TRY(fileviews_insert(&w->views, v->artifact_id, v->version_no));
	if (w->art->review_id || w->art->anchored)
		TRY(follow(w->c, VERSION_MADE,
		    &(struct happened){ .art = w->art,
			.version_no = v->version_no,
			.digest = crypto_hex(w->c->mem, w->digest, SHA256_BYTES) }));
	if (str_eq(w->held_for, "ceiling"))
		TRY(held_tell(w->c, w->art, w->who, w->draft ? NULL : w->asked));
	else if (!w->draft && w->art->last_no > w->art->version_no)
		TRY(held_end(w->c, w->art->id));
	if (w->checks)
		TRY(checks_begin(w->c, w->art, w->who, v->version_no, w->checks,
		    str_eq(w->held_for, "checks")));
	/* Rows and documents count as stored, so the counter of a new artifact must be there. */
	TRY(declared_apply(w, false));
	/* Does what artifact_touch() does, with the version that was made. */
	effect_add(w->c,
	    &(struct effect){
		.artifact_id = w->art->id, .outbox_id = outbox_id, .made = w->made });
	if (w->candidate)
		TRY(candidate_use(w->c, w->candidate));
	return spread_one(w->c, outbox_id, closes);
}

/* ---- the reply ---- */

static enum err
answers_check(const struct publishing *w)
{
	const struct publish_new *in = w->in;

	if (in->reply && !in->resolves.n)
		return fail(w->c, E_INVALID, "reply: needs resolves, the threads that it answers");
	return w->art || !in->resolves.n
	    ? E_OK
	    : fail(w->c, E_INVALID, "resolves: a new artifact has no comments");
}

static enum err
answers_record(struct publishing *w, struct published *out)
{
	struct publish_answers answers = { .who = w->who,
		.resolves = &w->in->resolves,
		.reply = w->in->reply,
		.draft = w->draft };

	if (!answers.resolves->n)
		return E_OK;
	TRY(answers_check(w));
	TRY(follow(w->c, VERSION_ANSWERS,
	    &(struct happened){ .art = w->art,
		.version_no = w->made->version->version_no,
		.answers = &answers }));
	out->has.resolved = out->has.pending = GIVEN;
	*(w->draft ? &out->pending : &out->resolved) = answers.threads;
	return E_OK;
}

static struct published *
published_answer(struct publishing *w)
{
	struct ctx *c = w->c;
	const char *origin = artifact_origin(c, w->art);
	struct published *out = mem_new(c->mem, struct published);
	struct published_artifact *a = out->artifact = mem_new(c->mem, struct published_artifact);
	struct published_version *v = out->version = mem_new(c->mem, struct published_version);
	struct published_deployment *d = out->deployment = mem_new(
	    c->mem, struct published_deployment);
	struct published_pwa *p;

	a->id = w->art->id;
	a->workspace_id = w->art->workspace_id;
	out->was = w->art->last_no ? w->art : NULL;
	SHOWN_SET(out, w->shown);
	a->visibility = w->visibility ? w->visibility : w->art->visibility;
	out->approval_required = str_eq(w->held_for, "approval");
	out->held_for = w->held_for;
	out->merged = w->merged;
	v->id = w->made->version->id;
	v->version_no = w->made->version->version_no;
	v->is_draft = w->draft;
	d->slug = w->art->slug;
	d->url = mem_printf(c->mem, "%s/", origin);
	if (w->made->version->mobile_sha256)
		d->mobile_url = mem_printf(c->mem, "%s/_m/", origin);
	d->version_url = version_address(c, w->art->slug, v->version_no);
	if (w->pwa) {
		p = out->pwa = mem_new(c->mem, struct published_pwa);
		p->manifest_url = mem_printf(c->mem, "%s/_vitrine/manifest.webmanifest", origin);
		p->installable = !w->pwa->reasons.n;
		p->reasons = w->pwa->reasons;
	}
	return out;
}

static enum err
version_prepare(struct publishing *w)
{
	struct version_row *v = w->made->version = mem_new(w->c->mem, struct version_row);

	v->id = id_new(w->c->mem, "ver_");
	v->routing = w->in->routing ? w->in->routing : "static";
	TRY(manifest_resolve(&w->m));
	if (w->merging)
		TRY(merge_unite(&w->m, w->merging, w->who));
	w->merged = w->merging ? w->merging->told : NULL;
	TRY(publish_views_plan(w));
	TRY(entry_choose(w));
	return w->in->has.pwa == ABSENT
	    ? E_OK
	    : pwa_make(w->c, publishing_name(w), w->in->pwa, v->entrypoint, &w->pwa, &v->pwa);
}

static enum err
version_store(struct publishing *w, const char *visibility)
{
	TRY(bytes_store(w));
	TRY(manifest_charsets(&w->m, w->made->files.v, &w->warnings));
	TRY(manifest_warnings(&w->m, &w->warnings));
	/* The file as it will be published, so after a merge. */
	TRY(manifest_declared(&w->m, &w->yaml));
	if (w->yaml) {
		TRY(merged_explain(w, declare_check(w->c, w->yaml, &w->yaml_top)));
		if (w->in->has.access_policy && fm_get(w->yaml_top, "policy"))
			return fail(w->c, E_INVALID,
			    "access_policy: " DECLARE_FILE
			    " has a policy, too; send only one of them");
		TRY(declared_check_rights(w));
	}
	if (w->in->dry_run)
		return E_OK;
	TRY(publish_views_make(w));
	if (!w->pwa && str_eq(visibility, "private"))
		TRY(manifest_link_look(&w->m, w->made->version->entrypoint, &w->warnings));
	return publish_tree(w);
}

enum err
publish_prepare(struct ctx *c, const struct principal *who, const struct publish_new *in,
    const struct upload *up, const struct artifact *known, struct publishing **out)
{
	struct publishing *w = *out = mem_new(c->mem, struct publishing);

	*w = (struct publishing){ .c = c, .in = in, .who = who };
	TRY(candidate_read(c, who, &w->in, &w->candidate));
	in = w->in;
	w->art = known ? mem_dup(c->mem, known, sizeof *known) : NULL;
	w->made = mem_new(c->mem, struct project_made);
	TRY(target_find(w));
	TRY(answers_check(w));
	/* Before a byte is stored. */
	TRY(checks_possible(c,
	    check_bits(&in->checks) | (w->art && !in->draft ? w->art->check_bits : 0)));
	TRY(tablepolicy_check(c, w->art, in->access_policy, &w->warnings));
	w->m = (struct manifest){
		.c = c, .in = in, .user = w->who->user_id, .artifact_id = w->art ? w->art->id : NULL
	};
	if (w->art && edits_outside(w->art))
		w->m.seen_no = &w->art->version_no;
	TRY(batch_begin(c, &w->m.batch));
	TRY(manifest_read(&w->m, up));
	TRY(merge_read(&w->m, w->art, who, w->candidate, &w->merging));
	if (!w->merging)
		TRY(former_read(c, &w->m.former, w->art, who, w->m.items, w->m.n));
	return version_prepare(w);
}

bool
publish_draws(const struct publishing *w)
{
	return w->views.n > 0;
}

enum err
publish_store(struct publishing *w)
{
	struct ctx *c = w->c;
	const char *visibility = w->in->visibility;

	if (!visibility)
		visibility = w->art ? w->art->visibility : "private";
	TRY(manifest_lost(&w->m, version_store(w, visibility)));
	former_keep(c, &w->m.former, w->m.items, w->m.n);
	w->files = manifest_sorted(&w->m, is_changed, &w->files_n);
	return w->m.n > FILES_MANY ? store_turn(c, c->mem) : E_OK;
}

enum err
publish_record(const struct publishing *prepared, struct published **out)
{
	struct publishing w = *prepared;

	TRY(rows_record(&w));
	*out = published_answer(&w);
	(*out)->warnings = w.warnings;
	(*out)->plan = (struct list){ w.plan.v, w.plan.n };
	(*out)->has.plan = w.plan.n ? GIVEN : ABSENT;
	if (w.in->wait) {
		struct seen *seen;

		TRY(seen_again(w.c, w.art, w.made->version->version_no, &seen));
		(*out)->seen = seen;
	}
	return answers_record(&w, *out);
}

bool
publish_is_dry(const struct publishing *w)
{
	return w->in->dry_run;
}

enum err
publish_plan(const struct publishing *prepared, struct published **out)
{
	struct published *plan = *out = mem_new(prepared->c->mem, struct published);
	struct publishing w = *prepared;

	TRY(declared_apply(&w, true));
	plan->merged = w.merged;
	plan->warnings = w.warnings;
	plan->was = w.art;
	plan->plan = (struct list){ w.plan.v, w.plan.n };
	plan->has.plan = GIVEN;
	return E_OK;
}
