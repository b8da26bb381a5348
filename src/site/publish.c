/* SPDX-License-Identifier: Apache-2.0 */
#include "site/publish.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/mime.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/author.h"
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
#include "site/manifest.h"
#include "site/picture.h"
#include "site/project.h"
#include "site/pwa.h"
#include "site/standing.h"
#include "site/version.h"
#include "site/versionsql.h"
#include "team/folder.h"

SHAPE_DEFINE(publish_file, PUBLISH_FILE);
SHAPE_DEFINE(publish_agent, PUBLISH_AGENT);
SHAPE_DEFINE(publish_new, PUBLISH_NEW);
SHAPE_DEFINE(published_artifact, PUBLISHED_ARTIFACT);
SHAPE_DEFINE(published_version, PUBLISHED_VERSION);
SHAPE_DEFINE(published_deployment, PUBLISHED_DEPLOYMENT);
SHAPE_DEFINE(published_pwa, PUBLISHED_PWA);
SHAPE_DEFINE(published, PUBLISHED);

enum {
	FILES_AT_ONCE = 100, /* a millisecond of the database per piece; then other requests have
			      * their turn */
	FILES_MANY = 2000,
	LARGE_BYTES = 1 << 20
};

/* publish_prepare() fills it; each try of the transaction works on a copy. */
struct publishing {
	struct ctx *c;
	const struct publish_new *in;
	const struct principal *who;
	struct artifact *art; /* NULL: a new one */
	const char *owner_id; /* of a new artifact */
	struct rights by;     /* an outsider's on the folder in which the new artifact is made */
	struct shared_with_list shown; /* to whom a new one's folder shows it */
	struct manifest m;
	struct pwa_made *pwa;
	struct project_made *made;
	struct item **files; /* those whose rows aren't copied, in the order of their rows */
	size_t files_n;
	/* Their values after the publish; an approval that is required keeps the former ones
	 * (site/approval.h). */
	bool draft;
	const char *visibility; /* NULL: as it is */
	bool approved;          /* by a standing approval (site/standing.h) */
	const char *held_for;   /* why it isn't as open as requested; NULL: it is */
	struct strs warnings;
};

#define SLUG_TAKEN_TEXT \
	"slug: the address \"%s\" is taken; " \
	"choose another, or leave slug out to have one made from the name"

/* ---- which artifact ---- */

static enum err
version_conflict(struct ctx *c, int64_t expected, int64_t live)
{
	c->details = mem_printf(c->mem, "{\"current_version\":%lld}", (long long)live);
	return fail(c, E_VERSION_CONFLICT,
	    "expected_version: is %lld, but the live version is %lld; "
	    "fetch it, merge your changes and publish again",
	    (long long)expected, (long long)live);
}

static enum err
version_expected(struct publishing *w, int64_t live)
{
	if (w->in->has.expected_version == GIVEN && w->in->expected_version != live)
		return version_conflict(w->c, w->in->expected_version, live);
	return E_OK;
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

/* They publish files only. The name, the rules for its data, and the agent's instructions are for
 * people in the workspace. */
static enum err
outside_judge(struct publishing *w)
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
target_judge(struct publishing *w)
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
	return outside_judge(w);
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

/* The folder of a new artifact; locked until the commit. */
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
		TRY(target_judge(w));
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
item_store(struct publishing *w, const struct item *it)
{
	struct object o = { .size = it->size };

	memcpy(o.sha256, it->sha256, SHA256_BYTES);
	if (it->by_digest && !it->was)
		batch_found(w->m.batch, it->sha256);
	return it->bytes ? batch_put_known(w->c, w->m.batch, it->bytes, &o) : E_OK;
}

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

/* Bytes for which there is no room shall not fill the disk until they are swept. version_record()
 * decides; a small publish is left to it, and saves the round trip. */
static enum err
bytes_judge(struct publishing *w)
{
	int64_t mobile = w->made->version->mobile_size;

	if (w->m.total + mobile < LARGE_BYTES)
		return E_OK;
	return storage_room(w->c, w->art ? w->art->id : NULL, w->owner_id, w->who, bytes_new(w));
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

		TRY(item_store(w, it));
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
	TRY(bytes_judge(w));
	TRY(batch_name(w->c, w->m.batch));
	return batch_elsewhere(w->c, w->m.batch);
}

static const char *
name_of(const struct publishing *w)
{
	return w->in->name ? w->in->name : w->art->name;
}

static enum err
tree_prepare(struct publishing *w)
{
	const struct artifact *a = w->art;
	struct project_made *made = w->made;

	made->facts = (struct page_facts){ .name = name_of(w),
		.slug = a ? a->slug : w->in->slug ? w->in->slug : "",
		.social_title = a ? a->social_title : NULL,
		.social_description = a ? a->social_description : NULL,
		.social_image_url = a ? a->social_image_url : NULL };
	return project_build(w->c, w->m.batch, made->version, &made->facts, &made->files,
	    &made->building);
}

/* ---- rows ---- */

/* Applies the requested visibility, unless that needs approval: then it stays `from` (NULL) for
 * now. For a connected agent, its person is asked; holders of other tokens learn that they must
 * ask. */
static enum err
visibility_judge(
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
		w->visibility = NULL;
	}
	return E_OK;
}

/* Makes an outside author an editor, without the other rights of an owner. */
static enum err
made_outside(struct publishing *w)
{
	const struct artifact *a = w->art;

	TRY(author_grant(w->c, a, w->who));
	return outside_did(w->c, w->who, a->workspace_id, "create", "artifact", a->id, a->name);
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
		TRY(visibility_judge(w, "private",
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
	if (w->by.create)
		TRY(made_outside(w));
	else if (workspace.shares)
		TRY(shown_in(w->c, a->folder_id, &w->shown));
	return audit_artifact(w->c, a, "artifact.created", NULL,
	    audit_facts(w->c, "visibility", visibility));
}

/* Whether it changes nothing but the files of its artifact. */
static bool
files_alone(const struct publishing *w)
{
	const struct publish_new *in = w->in;
	const struct artifact *a = w->art;

	return !in->has.agent && (!in->name || str_eq(in->name, a->name)) &&
	    (!in->visibility || str_eq(in->visibility, a->visibility)) &&
	    (!in->has.access_policy || str_eq(in->access_policy, a->access_policy));
}

/* A new version of an open artifact must not be visible before it is approved; closing needs no
 * approval. */
static enum err
version_judge(struct publishing *w)
{
	const struct artifact *a = w->art;
	const char *becomes;
	bool above;

	TRY(visibility_judge(w, a->visibility, w->in->visibility, a->needs_approval));
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

/* A grant can end while the workspace's row isn't locked, so we read it again under the lock. */
static enum err
outside_hold(struct publishing *w)
{
	TRY(workspace_hold(w->c, w->art->workspace_id));
	TRY(target_get(w, w->art->id, false));
	return edits_outside(w->art)
	    ? outside_did(w->c, w->who, w->art->workspace_id, "edit", "artifact", w->art->id,
		  w->art->name)
	    : E_OK;
}

/* The row is locked from here to the commit, so version numbers are in order and the check of
 * expected_version holds. */
static enum err
artifact_lock(struct publishing *w)
{
	TRY(target_get(w, w->art->id, true));
	if (edits_outside(w->art))
		TRY(outside_hold(w));
	TRY(target_judge(w));
	TRY(version_judge(w));
	if (w->art->workspace_id)
		TRY(approval_supersede(w->c, w->art->id, w->who));
	return version_expected(w, w->art->version_no);
}

/* A concurrent publish may have taken the slug since target_find(): then that artifact gets it. */
static enum err
artifact_take(struct publishing *w)
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

static struct bytes
digest_of(struct ctx *c, const char *hex)
{
	uint8_t *raw = mem_zalloc(c->mem, SHA256_BYTES);

	return crypto_unhex(hex, raw, SHA256_BYTES) ? (struct bytes){ raw, SHA256_BYTES }
						    : (struct bytes){ 0 };
}

static struct bytes
item_digest(const struct item *it)
{
	return (struct bytes){ it->sha256, SHA256_BYTES };
}

static struct arg
arg_digest(struct ctx *c, const char *hex)
{
	return hex ? arg_bytes(digest_of(c, hex)) : arg_null();
}

static const char *
agent_text(struct publishing *w)
{
	return w->in->agent ? shape_text(w->c->mem, &publish_agent_shape, w->in->agent) : NULL;
}

/* True if going live now changes these fields of the artifact. */
static bool
changes_now(const struct publishing *w, uint8_t has)
{
	return !w->draft && has != ABSENT;
}

#define ADDED(F, T) \
	F(T, INT, bytes) \
	F(T, STR, last)
SHAPE(added, ADDED);

/* After a statement with STORAGE_ADD_MORE. */
static enum err
record_judge(struct publishing *w, enum err e)
{
	const struct version_row *v = w->made->version;
	struct added *row;

	if (e != E_STORAGE_FULL)
		return e;
	TRY(db_one(w->c,
	    ROWS(added,
		"SELECT " VERSION_ADDS("''") " AS bytes FROM version v"
		" WHERE v.artifact_id = ? AND v.version_no = ?"),
	    ARGS(v->artifact_id, v->version_no), &row));
	return storage_refuse(w->c, v->artifact_id, w->who, row->bytes);
}

/* A new version alone doesn't change how search finds the artifact. */
static bool
words_change(const struct publishing *w)
{
	return !w->art->last_no ||
	    (changes_now(w, w->in->name != NULL) && !str_eq(w->in->name, w->art->name));
}

/* Writes a version with one file in one statement, which saves six round trips with the row locked.
 * live_no and live_mobile change together, as in version_show(). */
static enum err
version_record(struct publishing *w, const char *outbox_id)
{
	const struct version_row *v = w->made->version;
	const struct publish_new *in = w->in;
	const struct item *first = w->files[0];
	struct ctx *c = w->c;
	enum err e = db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC"
		" DECLARE art " RECORD_ID " DECLARE author " RECORD_ID
		" DECLARE via " RECORD_ID " DECLARE no INT UNSIGNED DEFAULT ?;"
		" DECLARE at BIGINT DEFAULT ?;"
		" DECLARE mobile BINARY(32) DEFAULT ?;"
		" DECLARE shown BOOL DEFAULT ?;"
		" DECLARE digest BINARY(32) DEFAULT ?;"
		" DECLARE size BIGINT DEFAULT ?;"
		" DECLARE files INT DEFAULT ?;"
		" DECLARE icon BINARY(32) DEFAULT ?; DECLARE renamed BOOL DEFAULT ?;"
		STORAGE_DECLARE "0; DECLARE named VARCHAR(100) DEFAULT NULL;"
		" IF via IS NOT NULL THEN"
		" SET named = (SELECT g.name FROM agent_grant g WHERE g.id = via); END IF;"
		" INSERT INTO version (artifact_id, version_no, id, created_at, created_by,"
		" grant_id, agent_name, approved, first_live_at, is_open, message, entrypoint,"
		" routing, mobile_sha256, mobile_size, pwa, icon_sha256, icon_size, file_count,"
		" size_bytes, utf8) VALUES (art, no, ?, at, author, via, named, ?,"
		" IF(shown, at, NULL), ?, ?, ?, ?, mobile, ?, ?, icon, ?, files, ?, ?);"
		" UPDATE artifact SET name = COALESCE(?, name),"
		" visibility = COALESCE(?, visibility), last_no = no,"
		" access_policy = IF(?, ?, access_policy), agent = IF(?, ?, agent),"
		" live_no = IF(shown, no, live_no), updated_at = at,"
		" live_mobile = IF(shown, mobile IS NOT NULL, live_mobile)"
		" WHERE id = art; "
		FILE_INSERT " VALUES (art, no, ?, digest, size, ?, ?); "
		OWNED_INSERT " VALUES (author, digest, size);"
		PROJECT_WANT
		" IF shown THEN"
		EVENT_UPDATED("art", "'" EVENT_PAYLOAD_UPDATED("version") "'", "at")
		CHECK_FRESH("art", "no", "at")
		" IF space IS NOT NULL THEN" LEARN_WANT("art", "at") " END IF; END IF;"
		PICTURE_WANT("art", "at")
		" IF renamed THEN " FIND_CHANGED("art", "author") " END IF;"
		" IF files = 1 THEN"
		" SET more = IF(" HAS_HAD("version_file", "sha256", "version_file_sha256", "digest",
		    "art", "o.version_no < no") " IS NULL, size, 0);"
		" IF mobile IS NOT NULL OR icon IS NOT NULL THEN"
		MORE_OF_VERSION("more + " EXTRAS_ADD) " END IF;" STORAGE_ADD_MORE
		" END IF; END"),
	    ARGS(v->artifact_id, w->who->user_id, w->who->grant_id, v->version_no, c->now,
		arg_digest(c, v->mobile_sha256), !w->draft, item_digest(first), first->size,
		(int64_t)w->m.n, arg_digest(c, v->icon_sha256),
		words_change(w) && find_is_wanted(c), w->art->workspace_id, w->art->owner_id,
		c->conf->storage_per_user, v->id, w->approved, v->is_open,
		in->message, v->entrypoint, v->routing, v->mobile_size, v->pwa, v->icon_size,
		w->m.total, !w->m.unclear, w->draft ? NULL : in->name,
		w->visibility, changes_now(w, in->has.access_policy), in->access_policy,
		changes_now(w, in->has.agent), agent_text(w), first->path, first->mime,
		first->declared, outbox_id),
	    NULL);
	return record_judge(w, e);
}

static enum err
draft_record(struct publishing *w)
{
	const struct publish_new *in = w->in;
	const char *policy = in->access_policy, *agent = agent_text(w);

	if (!w->draft)
		return E_OK;
	return version_draft(w->c, w->made->version->artifact_id, w->made->version->version_no,
	    str_eq(in->name, w->art->name) ? NULL : in->name,
	    in->has.access_policy ? (policy ? policy : "") : NULL,
	    in->has.agent ? (agent ? agent : "") : NULL);
}

static enum err
files_record(struct publishing *w, size_t from, size_t n)
{
	const struct version_row *v = w->made->version;
	struct arg *of_version = mem_array(w->c->mem, struct arg, n * 7), *a = of_version;
	struct arg *of_owner = mem_array(w->c->mem, struct arg, n * 3), *o = of_owner;

	for (size_t i = from; i < from + n; i++) {
		const struct item *it = w->files[i];

		*a++ = arg_str(v->artifact_id);
		*a++ = arg_int(v->version_no);
		*a++ = arg_str(it->path);
		*a++ = arg_bytes(item_digest(it));
		*a++ = arg_int(it->size);
		*a++ = arg_str(it->mime);
		*a++ = arg_bool(it->declared);
		*o++ = arg_str(w->who->user_id);
		*o++ = arg_bytes(item_digest(it));
		*o++ = arg_int(it->size);
	}
	TRY(db_exec_many(
	    w->c, EXEC(FILE_INSERT " VALUES (?, ?, ?, ?, ?, ?, ?)"), of_version, 7, n));
	return db_exec_many(w->c, EXEC(OWNED_INSERT " VALUES (?, ?, ?)"), of_owner, 3, n);
}

/* The part of version_record() for a version of one file. Files that stay add nothing, so they are
 * copied after the others were summed. */
static enum err
storage_record(struct publishing *w)
{
	const struct version_row *v = w->made->version;
	const char *after = "";
	const struct former *former = &w->m.former;
	int64_t more = 0;
	struct added *row;

	for (size_t left = w->files_n; left > FILES_AT_ONCE; left -= FILES_AT_ONCE) {
		TRY(db_one(w->c,
		    ROWS(added,
			"SELECT COALESCE(SUM(IF(" FILE_IS_NEW ", f.size_bytes, 0)), 0) AS bytes,"
			" MAX(f.path) AS last"
			" FROM (SELECT artifact_id, version_no, path, sha256, size_bytes"
			" FROM version_file WHERE artifact_id = ? AND version_no = ? AND path > ?"
			" ORDER BY path LIMIT ?) f"),
		    ARGS(v->artifact_id, v->version_no, after, FILES_AT_ONCE), &row));
		more += row->bytes;
		after = row->last;
	}
	return record_judge(w,
	    db_exec(w->c,
		EXEC("BEGIN NOT ATOMIC DECLARE art " RECORD_ID " DECLARE no INT UNSIGNED DEFAULT ?;"
		     STORAGE_DECLARE "?; DECLARE after VARBINARY(1024) DEFAULT ?;" FORMER_DECLARE
		    MORE_OF_VERSION("more + " VERSION_ADDS("after")) FORMER_COPY
		    STORAGE_ADD_MORE " END"),
		ARGS(v->artifact_id, v->version_no, w->art->workspace_id, w->art->owner_id,
		    w->c->conf->storage_per_user, more, after, former->no,
		    (int64_t)former->n, former->runs, former_newcomer(former, w->who->user_id)),
		NULL));
}

/* becomes: the new visibility; NULL if it stays. */
static bool
is_private(const struct publishing *w, const char *becomes)
{
	return str_eq(becomes ? becomes : w->art->visibility, "private");
}

static enum err
rows_record(struct publishing *w)
{
	const char *outbox_id = id_new(w->c->mem, "out_");
	struct version_row *v = w->made->version;
	bool closes;

	TRY(artifact_take(w));
	closes = w->visibility && !is_private(w, NULL) &&
	    !str_eq(w->visibility, w->art->visibility);
	v->artifact_id = w->art->id;
	v->version_no = w->art->last_no + 1;
	v->is_open = !w->draft && !is_private(w, w->visibility);
	w->made->former_no = !w->draft && is_private(w, NULL) ? w->art->version_no : 0;
	TRY(audit_visibility(w->c, w->art, w->visibility));
	if (changes_now(w, w->in->has.access_policy))
		TRY(policy_changed(
		    w->c, w->art, w->art->access_policy, w->in->access_policy, NULL));
	TRY(version_record(w, outbox_id));
	TRY(draft_record(w));
	for (size_t i = 1, n; i < w->files_n; i += n) {
		n = w->files_n - i < FILES_AT_ONCE ? w->files_n - i : FILES_AT_ONCE;
		TRY(files_record(w, i, n));
	}
	if (w->m.n > 1)
		TRY(storage_record(w));
	/* Does what artifact_touch() does, with the version that was made. */
	effect_add(w->c,
	    &(struct effect){
		.artifact_id = w->art->id, .outbox_id = outbox_id, .made = w->made });
	return spread_one(w->c, outbox_id, closes);
}

/* ---- the reply ---- */

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
	TRY(manifest_wrap(&w->m));
	TRY(manifest_entry(&w->m, &v->entrypoint));
	return pwa_make(w->c, name_of(w), w->in->pwa, v->entrypoint, &w->pwa, &v->pwa);
}

static bool
is_changed(const struct manifest *m, const struct item *it)
{
	return !former_keeps(&m->former, it);
}

static enum err
version_store(struct publishing *w, const char *visibility)
{
	TRY(bytes_store(w));
	TRY(manifest_charsets(&w->m, w->made->files.v, &w->warnings));
	TRY(manifest_warnings(&w->m, &w->warnings));
	if (!w->pwa && str_eq(visibility, "private"))
		TRY(manifest_link_look(&w->m, w->made->version->entrypoint, &w->warnings));
	return tree_prepare(w);
}

enum err
publish_prepare(struct ctx *c, const struct principal *who, const struct publish_new *in,
    const struct upload *up, const struct artifact *known, struct publishing **out)
{
	struct publishing *w = *out = mem_new(c->mem, struct publishing);
	const char *visibility = in->visibility;

	*w = (struct publishing){ .c = c, .in = in, .who = who };
	w->art = known ? mem_dup(c->mem, known, sizeof *known) : NULL;
	w->made = mem_new(c->mem, struct project_made);
	TRY(target_find(w));
	if (!visibility)
		visibility = w->art ? w->art->visibility : "private";
	TRY(tablepolicy_check(c, w->art, in->access_policy, &w->warnings));
	w->m = (struct manifest){
		.c = c, .in = in, .user = w->who->user_id, .artifact_id = w->art ? w->art->id : NULL
	};
	if (w->art && edits_outside(w->art))
		w->m.seen_no = &w->art->version_no;
	TRY(batch_begin(c, &w->m.batch));
	TRY(manifest_read(&w->m, up));
	TRY(former_read(c, &w->m.former, w->art, who, w->m.items, w->m.n));
	TRY(version_prepare(w));
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
	return E_OK;
}
