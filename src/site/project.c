/* SPDX-License-Identifier: Apache-2.0 */
#include "site/project.h"

#include "base/id.h"
#include "base/lease.h"
#include "base/mime.h"
#include "base/str.h"
#include "core/follow.h"
#include "core/role.h"
#include "core/slug.h"
#include "core/spread.h"
#include "db/ids.h"
#include "site/derive.h"
#include "site/fileview.h"
#include "site/treeplan.h"
#include "store/site.h"

enum err
project_build(struct ctx *c, struct batch *batch, const struct version_row *v,
    const struct page_facts *facts, const struct list *files, const char **building)
{
	struct treeplan plan = { .c = c, .version = v, .facts = facts, .files = files,
		.batch = batch, .later = true };

	return treeplan_build(&plan, building);
}

/* ---- rows to disk ---- */

#define PROJECTED(F, T) \
	F(T, ID,   id, .arg = "art_") \
	F(T, STR,  name) \
	F(T, SLUG, slug) \
	F(T, INT,  live_no) \
	F(T, BOOL, shown) \
	F(T, BOOL, unlisted) \
	F(T, STR,  subdomain) \
	F(T, STR,  domains) \
	F(T, STR,  moved_to) \
	F(T, STR,  social_title) \
	F(T, STR,  social_description) \
	F(T, STR,  social_image_url)
SHAPE(projected, PROJECTED);

#define SLUG_HELD(F, T) F(T, SLUG, slug)
SHAPE(slug_held, SLUG_HELD);

#define VERSION_COLUMNS \
	"artifact_id, version_no, id, is_open, entrypoint, routing, mobile_sha256, mobile_size," \
	" pwa, icon_sha256, icon_size"

static enum err
files_of(struct ctx *c, const struct version_row *v, struct list *files)
{
	return db_all(c,
	    ROWS(file_row,
		"SELECT path, sha256, size_bytes, mime, declared, FALSE AS view"
		" FROM version_file WHERE artifact_id = ? AND version_no = ?"
		" UNION ALL SELECT path, sha256, size_bytes, 'text/html; charset=utf-8', FALSE,"
		" TRUE FROM view WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(v->artifact_id, v->version_no, v->artifact_id, v->version_no), files);
}

/* Returns true if only people with a role may see the version: then its tree has a name that nginx
 * doesn't look for. */
static bool
is_hidden(const struct projected *a, const struct version_row *v)
{
	return !v->is_open && v->version_no != a->live_no;
}

static struct page_facts
facts_of(const struct projected *a)
{
	return (struct page_facts){ a->name, a->slug, a->social_title, a->social_description,
		a->social_image_url };
}

static enum err
tree_from_rows(struct ctx *c, const struct projected *a, const struct version_row *v)
{
	struct page_facts facts = facts_of(a);
	const char *building;
	struct list files;
	struct treeplan plan = { .c = c, .version = v, .facts = &facts, .files = &files,
		.renew = true };

	TRY(files_of(c, v, &files));
	TRY(fileviews_mend(c, v, &files));
	TRY(treeplan_build(&plan, &building));
	return tree_place(c, building, v->artifact_id, v->version_no, is_hidden(a, v));
}

/* Link previews show the artifact's name, so the live version's entry changes with it. files: those
 * of entry_files(), or all. */
static enum err
entry_refresh(struct ctx *c, const struct projected *a, const struct version_row *v,
    const struct list *files)
{
	struct page_facts facts = facts_of(a);
	struct treeplan p = { .c = c, .version = v, .facts = &facts, .files = files };
	const struct file_row *entry = treeplan_file(&p, v->entrypoint);

	if (!entry)
		return fail_here(c, "%s is not among the files", v->entrypoint);
	p.out = mem_array(c->mem, struct tree_file, 2);
	TRY(treeplan_rules(&p));
	TRY(treeplan_entry(&p, entry, treeplan_area(&p, entry)));
	if (p.batch) {
		TRY(batch_name(c, p.batch));
		TRY(batch_sync_dirs(c, p.batch));
	}
	for (size_t i = 0; i < p.n; i++) {
		TRY(tree_put(c, a->id, v->version_no, &p.out[i]));
		/* An earlier release may have put it into pub/, from where nginx would serve it. */
		if (p.out[i].area == TREE_GATED)
			TRY(tree_remove_file(c, a->id, v->version_no, TREE_PUB, p.out[i].path));
	}
	return E_OK;
}

/* Lists the entry page, the rules, and if the page is a view, the file that it shows. */
static enum err
entry_files(struct ctx *c, const struct version_row *v, struct list *files)
{
	size_t n = strlen(v->entrypoint);
	const char *shown = str_ends(v->entrypoint, ".html")
	    ? mem_strndup(c->mem, v->entrypoint, n - strlen(".html"))
	    : v->entrypoint;

	return db_all(c,
	    ROWS(file_row,
		"SELECT path, sha256, size_bytes, mime, declared, FALSE AS view"
		" FROM version_file WHERE artifact_id = ? AND version_no = ?"
		" AND path IN (?, ?, '_redirects', '_headers')"
		" UNION ALL SELECT path, sha256, size_bytes, 'text/html; charset=utf-8', FALSE,"
		" TRUE FROM view WHERE artifact_id = ? AND version_no = ? AND path = ?"),
	    ARGS(v->artifact_id, v->version_no, v->entrypoint, shown, v->artifact_id,
		v->version_no, v->entrypoint),
	    files);
}

static enum err
version_project(struct ctx *c, const struct projected *a, const struct version_row *v)
{
	struct list files;

	TRY(tree_settle(c, a->id, v->version_no, is_hidden(a, v)));
	if (!tree_exists(c, a->id, v->version_no, is_hidden(a, v)))
		return tree_from_rows(c, a, v);
	if (v->version_no != a->live_no)
		return E_OK;
	TRY(entry_files(c, v, &files));
	TRY(fileviews_mend(c, v, &files));
	return entry_refresh(c, a, v, &files);
}

/* Lists one version, or all (no 0). */
static enum err
versions_of(struct ctx *c, const char *id, int64_t no, struct list *versions)
{
	struct version_row_rows one = ROWS(version_row,
	    "SELECT " VERSION_COLUMNS " FROM version WHERE artifact_id = ? AND version_no = ?");
	struct version_row_rows all = ROWS(version_row,
	    "SELECT " VERSION_COLUMNS
	    " FROM version WHERE artifact_id = ? ORDER BY version_no");

	return no ? db_all(c, one, ARGS(id, no), versions) : db_all(c, all, ARGS(id), versions);
}

enum err
project_version(
    struct ctx *c, const char *artifact_id, int64_t version_no, struct version_row **out)
{
	struct list rows;

	TRY(versions_of(c, artifact_id, version_no, &rows));
	*out = rows.n ? rows.v : NULL;
	return E_OK;
}

static enum err
versions_project(struct ctx *c, const struct projected *a, int64_t no)
{
	const struct version_row *v;
	struct list versions;

	TRY(versions_of(c, a->id, no, &versions));
	v = versions.v;
	for (size_t i = 0; i < versions.n; i++)
		TRY(version_project(c, a, &v[i]));
	return E_OK;
}

/* Removes the trees of versions that have been removed. They are listed first, because a tree comes
 * after its row. */
static enum err
gone_drop(struct ctx *c, const char *id)
{
	const struct version_row *v;
	struct tree_numbers trees;
	struct list versions;

	TRY(tree_numbers(c, id, &trees));
	TRY(versions_of(c, id, 0, &versions));
	v = versions.v;
	for (size_t i = 0; i < trees.n; i++) {
		size_t k = 0;

		while (k < versions.n && v[k].version_no != trees.v[i])
			k++;
		if (k == versions.n)
			TRY(tree_drop(c, id, trees.v[i]));
	}
	return E_OK;
}

static void
unsound_note(void *arg, const char *path, const char *why)
{
	bool *unsound = arg;

	(void)path;
	(void)why;
	*unsound = true;
}

/* Rebuilds incomplete trees, whose objects are durable. If the power failed, a tree whose publish
 * is still in the outbox may be incomplete. We check as many of the latest trees as there are such
 * rows, and those whose views were made anew. */
static enum err
unsound_rebuild(struct ctx *c, const struct projected *a)
{
	const struct version_row *v;
	struct list versions;

	TRY(db_all(c,
	    ROWS(version_row,
		"SELECT " VERSION_COLUMNS " FROM version WHERE artifact_id = ? AND (version_no >"
		" (SELECT CAST(last_no AS SIGNED) FROM artifact WHERE id = ?) -"
		" (SELECT COUNT(*) FROM outbox WHERE subject = ? AND kind = 'project') -"
		" (SELECT COUNT(*) FROM node_outbox"
		" WHERE node = ? AND subject = ? AND kind = 'project')"
		" OR version_no IN (SELECT w.version_no FROM view w JOIN version m"
		" ON m.artifact_id = w.artifact_id AND m.version_no = w.version_no"
		" WHERE w.artifact_id = ? AND w.made_at > m.created_at))"),
	    ARGS(a->id, a->id, a->id, node_name(c), a->id, a->id), &versions));
	v = versions.v;
	for (size_t i = 0; i < versions.n; i++) {
		bool unsound = false;
		struct tree_check k = { .quick = true, .wrong = unsound_note, .arg = &unsound };

		TRY(project_check(c, a->id, v[i].version_no, &k));
		if (unsound)
			TRY(tree_from_rows(c, a, &v[i]));
	}
	return E_OK;
}

#define PACKED_NAME(F, T) \
	F(T, INT, version_no) \
	F(T, STR, path) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE(packed_name, PACKED_NAME);

/* Moves P.gz to gated/: trees that an earlier release built have it in pub/ when there is no P. */
static enum err
packed_names_move(struct ctx *c, const char *id)
{
	const struct packed_name *row;
	struct list rows;

	TRY(db_all(c,
	    ROWS(packed_name,
		"SELECT version_no, path, sha256, size_bytes FROM version_file"
		" WHERE artifact_id = ? AND (path LIKE '%.gz' OR path LIKE '%.br')"),
	    ARGS(id), &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		struct tree_file f = {
			.path = row->path, .size = row->size_bytes, .area = TREE_GATED
		};
		struct stat st;
		int fd;
		enum err e = tree_open(c, id, row->version_no, TREE_GATED, row->path, &fd, &st);

		if (!e)
			continue;
		if (e != E_NOT_FOUND)
			return e;
		TRY(treeplan_digest(c, row->sha256, f.sha256));
		TRY(tree_put(c, id, row->version_no, &f));
		TRY(tree_remove_file(c, id, row->version_no, TREE_PUB, row->path));
	}
	return E_OK;
}

/* ---- a tree that a publish has built ---- */

/* True if the entry page that was built is the one that we would build now. */
static bool
facts_hold(const struct project_made *made, const struct page_facts *now)
{
	const struct page_facts *then = &made->facts;

	if (!treeplan_wants_tags(made->version, then) && !treeplan_wants_tags(made->version, now))
		return true;
	return str_eq(then->name, now->name) && str_eq(then->slug, now->slug) &&
	    str_eq(then->social_title, now->social_title) &&
	    str_eq(then->social_description, now->social_description) &&
	    str_eq(then->social_image_url, now->social_image_url);
}

static enum err
made_project(struct ctx *c, const struct projected *a, const struct project_made *made)
{
	const struct version_row *v = made->version;
	struct page_facts now = facts_of(a);
	struct list rows = { 0 };

	if (made->former_no && made->former_no != a->live_no)
		TRY(versions_project(c, a, made->former_no));
	if (!made->building) {
		/* The version was united with another one after its tree had been built. */
		TRY(versions_project(c, a, v->version_no));
		return !a->live_no || a->live_no == v->version_no
		    ? E_OK
		    : versions_project(c, a, a->live_no);
	}
	/* The version may have become live, or the artifact opened or closed, since the
	 * transaction. */
	if (v->version_no != a->live_no)
		TRY(versions_of(c, a->id, v->version_no, &rows));
	TRY(tree_place(
	    c, made->building, a->id, v->version_no, is_hidden(a, rows.n ? rows.v : v)));
	if (v->version_no == a->live_no)
		return facts_hold(made, &now) ? E_OK : entry_refresh(c, a, v, &made->files);
	/* The version is a draft, or another one has become live since. */
	return !a->live_no || tree_exists(c, a->id, a->live_no, false)
	    ? E_OK
	    : versions_project(c, a, a->live_no);
}

static bool
is_address(const struct site *site, const char *name)
{
	bool yes = str_eq(name, site->slug) || str_eq(name, site->second);

	for (size_t i = 0; !yes && i < site->host_n; i++)
		yes = str_eq(name, site->hosts[i]);
	return yes;
}

/* Lists former slugs, subdomain hosts, and domains of the artifact, whose links must go. */
static enum err
former_names(struct ctx *c, const char *id, struct site *site)
{
	struct slug_held_list slugs, links;
	const char **names;
	size_t n = 0;

	TRY(db_all(c, ROWS(slug_held, "SELECT slug FROM slug WHERE artifact_id = ? AND slug <> ?"),
	    ARGS(id, site->slug ? site->slug : ""), &slugs));
	TRY(db_all(c,
	    ROWS(slug_held,
		"SELECT name AS slug FROM site_link WHERE artifact_id = ? AND node = ?"),
	    ARGS(id, node_name(c)), &links));
	names = mem_array(c->mem, const char *, slugs.n + links.n);
	for (size_t i = 0; i < slugs.n; i++)
		names[n++] = slugs.v[i].slug;
	for (size_t i = 0; i < links.n; i++)
		if (!is_address(site, links.v[i].slug))
			names[n++] = links.v[i].slug;
	site->former = names;
	site->former_n = n;
	return E_OK;
}

static bool
is_shown(const struct site *site)
{
	return site->open && site->live_no;
}

static enum err
name_record(struct ctx *c, const struct site *site, const char *name)
{
	return db_exec(c,
	    EXEC("INSERT IGNORE INTO site_link (artifact_id, node, name) VALUES (?, ?, ?)"),
	    ARGS(site->artifact_id, node_name(c), name), NULL);
}

/* Recorded before the link is made, so that a kill in between leaves a known link. When a machine
 * that isn't active comes to a change, the slug may be another artifact's already. */
static enum err
names_record(struct ctx *c, const struct site *site)
{
	if (!is_shown(site))
		return E_OK;
	if (site->second)
		TRY(name_record(c, site, site->second));
	for (size_t i = 0; i < site->host_n; i++)
		TRY(name_record(c, site, site->hosts[i]));
	return lease_active() ? E_OK : name_record(c, site, site->slug);
}

/* Deletes the rows of links that are gone by now: of former ones, or all. */
static enum err
former_forget(struct ctx *c, const struct site *site)
{
	if (!is_shown(site))
		return site->former_n || site->second || site->host_n || !lease_active()
		    ? db_exec(c,
			  EXEC("DELETE FROM site_link WHERE artifact_id = ? AND node = ?"),
			  ARGS(site->artifact_id, node_name(c)), NULL)
		    : E_OK;
	for (size_t i = 0; i < site->former_n; i++)
		TRY(db_exec(c,
		    EXEC("DELETE FROM site_link"
			 " WHERE artifact_id = ? AND node = ? AND name = ?"),
		    ARGS(site->artifact_id, node_name(c), site->former[i]), NULL));
	return E_OK;
}

static enum err
projected_read(struct ctx *c, const char *id, struct projected **a)
{
	return db_find(c,
	    ROWS(projected,
		"SELECT a.id, a.name, a.slug, a.live_no, " ARTIFACT_IS_SHOWN " AS shown,"
		" a.visibility = 'unlisted' AS unlisted, " "wk.subdomain AS subdomain,"
		" a.domains, a.moved_to,"
		" a.social_title, a.social_description, a.social_image_url"
		" FROM artifact a" WORKSPACE_TABLE " WHERE a.id = ? AND a.owner_id IS NOT NULL"),
	    ARGS(id), a);
}

/* How much to project: the live and the new version; all versions; or these and trees that may be
 * incomplete. */
enum extent { LIVE, WHOLE, LEFT_OVER };

static enum err
trees_project(struct ctx *c, const struct projected *a, const struct project_made *made,
    enum extent extent)
{
	if (made)
		TRY(made_project(c, a, made));
	if (extent == LEFT_OVER)
		TRY(unsound_rebuild(c, a));
	if (extent) {
		TRY(gone_drop(c, a->id));
		TRY(versions_project(c, a, 0));
		return packed_names_move(c, a->id);
	}
	return made || !a->live_no ? E_OK : versions_project(c, a, a->live_no);
}

static void
site_fill(struct ctx *c, const struct projected *a, struct site *site)
{
	const char *second = a->subdomain ? slug_host(c->mem, a->slug, a->subdomain) : NULL;
	struct strs hosts = strs_split(c->mem, a->domains, ' ');

	site->slug = a->slug;
	site->second = str_eq(second, a->slug) ? NULL : second;
	site->live_no = a->live_no;
	site->open = a->shown;
	site->unlisted = a->unlisted;
	site->moved = a->moved_to != NULL;
	site->hosts = hosts.v;
	site->host_n = hosts.n;
}

/* A publish changes no other address, so we don't look for former ones. Its tree need not be
 * durable at the reply, because the outbox row rebuilds it until the packer has synced it. */
static enum err
project_locked(struct ctx *c, const char *id, const struct project_made *made, enum extent extent)
{
	struct site site = { .artifact_id = id,
		.all = extent != LIVE,
		.later = made && !made->former_no };
	struct projected *a;

	TRY(projected_read(c, id, &a));
	if (a)
		site_fill(c, a, &site);
	if (!a || !made)
		TRY(former_names(c, id, &site));
	TRY(names_record(c, &site));
	/* Closes first: an error below must not leave a page open that should be closed, and no new
	 * bytes may appear at an address that is still open. */
	TRY(site_close(c, &site));
	if (a)
		TRY(trees_project(c, a, made, extent));
	TRY(site_show(c, &site));
	TRY(former_forget(c, &site));
	return a ? E_OK : tree_drop_all(c, id);
}

enum err
project_artifact(struct ctx *c, const char *artifact_id)
{
	enum err e;
	int lock;

	TRY(site_lock(c, artifact_id, &lock));
	e = project_locked(c, artifact_id, NULL, LEFT_OVER);
	site_unlock(lock);
	return e;
}

enum err
project_artifact_held(struct ctx *c, const char *artifact_id)
{
	return project_locked(c, artifact_id, NULL, LEFT_OVER);
}

/* Builds the tree of a version anew, because other files belong to it now. */
static enum err
rebuild_locked(struct ctx *c, const char *id, int64_t no)
{
	struct version_row *v;
	struct projected *a;

	TRY(projected_read(c, id, &a));
	TRY(project_version(c, id, no, &v));
	if (a && v)
		TRY(tree_from_rows(c, a, v));
	return project_locked(c, id, NULL, LIVE);
}

enum err
project_effect(struct ctx *c, const struct effect *effect)
{
	const char *id = effect->artifact_id;
	enum err e;
	int lock;

	TRY(site_lock(c, id, &lock));
	e = effect->rebuild_no
	    ? rebuild_locked(c, id, effect->rebuild_no)
	    : project_locked(c, id, effect->made, effect->whole ? WHOLE : LIVE);
	site_unlock(lock);
	return e;
}

void
project_effects(struct ctx *c)
{
	for (size_t i = 0; i < c->effect_n; i++)
		if (!c->effects[i].links && project_effect(c, &c->effects[i]))
			ctx_forgive(c);
	c->effect_n = 0;
}

/* ---- another machine's part ---- */

static enum err
withdraw_locked(struct ctx *c, const char *id)
{
	struct site site = { .artifact_id = id };
	const struct version_row *v;
	struct list versions;
	struct projected *a;

	TRY(projected_read(c, id, &a));
	if (a)
		site_fill(c, a, &site);
	TRY(former_names(c, id, &site));
	TRY(site_withdraw(c, &site));
	if (!a)
		return tree_drop_all(c, id);
	TRY(gone_drop(c, id));
	TRY(versions_of(c, id, 0, &versions));
	v = versions.v;
	for (size_t i = 0; i < versions.n; i++)
		TRY(tree_settle(c, id, v[i].version_no, is_hidden(a, &v[i])));
	return E_OK;
}

enum err
project_withdraw(struct ctx *c, const char *artifact_id)
{
	enum err e;
	int lock;

	TRY(site_lock(c, artifact_id, &lock));
	e = withdraw_locked(c, artifact_id);
	site_unlock(lock);
	return e;
}

static enum err
digest_bring(struct ctx *c, const char *hex)
{
	uint8_t sha256[SHA256_BYTES];

	if (!hex)
		return E_OK;
	TRY(treeplan_digest(c, hex, sha256));
	return object_bring(c, sha256);
}

static enum err
version_fetch(struct ctx *c, const struct version_row *v)
{
	const struct file_row *f;
	struct list files;

	TRY(files_of(c, v, &files));
	f = files.v;
	for (size_t i = 0; i < files.n; i++)
		TRY(digest_bring(c, f[i].sha256));
	TRY(digest_bring(c, v->mobile_sha256));
	return digest_bring(c, v->icon_sha256);
}

enum err
project_fetch(struct ctx *c, const char *artifact_id)
{
	const struct version_row *v;
	struct list versions;

	TRY(versions_of(c, artifact_id, 0, &versions));
	v = versions.v;
	for (size_t i = 0; i < versions.n; i++)
		if (!tree_exists(c, artifact_id, v[i].version_no, false) &&
		    !tree_exists(c, artifact_id, v[i].version_no, true))
			TRY(version_fetch(c, &v[i]));
	return E_OK;
}

/* ---- whether it is so ---- */

/* The entry of a version that is not live has the tags of the time when it was. */
static bool
entry_of_then(void *arg, const struct tree_file *f, const char *bytes, size_t n)
{
	const struct treeplan *p = arg;
	const struct file_row *entry = treeplan_file(p, p->version->entrypoint);
	const char *html;
	size_t html_n;

	return entry && (str_eq(f->path, entry->path) || str_eq(f->path, "_vitrine/entry.html")) &&
	    mime_is_html(entry->mime) && entry->size_bytes <= TREEPLAN_PAGE_BYTES &&
	    treeplan_text(p->c, entry->sha256, TREEPLAN_PAGE_BYTES, &html, &html_n) == E_OK &&
	    derive_entry_is(html, html_n, bytes, n);
}

static enum err
version_find(struct ctx *c, const char *id, int64_t no, struct projected **a,
    const struct version_row **v)
{
	struct list versions = { 0 };

	*v = NULL;
	TRY(projected_read(c, id, a));
	if (*a)
		TRY(versions_of(c, id, no, &versions));
	if (versions.n)
		*v = versions.v;
	return E_OK;
}

enum err
project_check(struct ctx *c, const char *artifact_id, int64_t version_no, struct tree_check *k)
{
	const struct version_row *v;
	struct page_facts facts;
	struct projected *a;
	struct list files;

	TRY(version_find(c, artifact_id, version_no, &a, &v));
	if (!v)
		return E_OK;
	TRY(files_of(c, v, &files));
	facts = facts_of(a);
	struct treeplan p = { .c = c, .version = v, .facts = &facts, .files = &files, .dry = true };

	if (treeplan_make(&p)) {
		k->wrong(k->arg, "",
		    mem_printf(c->mem, "can't be compared with its rows: %s", ctx_why(c)));
		return E_OK;
	}
	if (version_no != a->live_no) {
		k->other = entry_of_then;
		k->other_arg = &p;
	}
	k->draft = is_hidden(a, v);
	if (tree_exists(c, artifact_id, version_no, !k->draft))
		k->wrong(k->arg, "",
		    k->draft ? "is OPEN and should not be" : "is also among the drafts");
	return tree_check(c, artifact_id, version_no, p.out, p.n, k);
}

/* Restores objects that the store lost from the tree, which still has them. */
static enum err
objects_give_back(struct ctx *c, const struct version_row *v)
{
	const struct file_row *f;
	struct list files;

	TRY(files_of(c, v, &files));
	f = files.v;
	for (size_t i = 0; i < files.n; i++, f++) {
		struct object o = { .size = f->size_bytes };

		TRY(treeplan_digest(c, f->sha256, o.sha256));
		if (!object_exists(c, o.sha256, o.size))
			TRY(tree_give_back(c, v->artifact_id, v->version_no, f->path, &o));
	}
	return E_OK;
}

enum err
project_rebuild(struct ctx *c, const char *artifact_id, int64_t version_no)
{
	const struct version_row *v;
	struct projected *a;

	TRY(version_find(c, artifact_id, version_no, &a, &v));
	if (v)
		TRY(objects_give_back(c, v));
	if (v)
		TRY(tree_from_rows(c, a, v));
	/* The other machines have whole trees. */
	TRY(*node_name(c)
	    ? spread_again(c, artifact_id)
	    : db_exec(c,
		  EXEC(
		      "INSERT INTO outbox (id, kind, subject, due_at)"
		      " VALUES (?, 'project', ?, ?)"),
		  ARGS(id_new(c->mem, "out_"), artifact_id, c->now), NULL));
	return project_locked(c, artifact_id, NULL, WHOLE);
}

#define PACKED(F, T) \
	F(T, INT, live_no) \
	F(T, INT, former_no)
SHAPE(packed, PACKED);

enum err
project_pack(struct ctx *c, struct packs *packs, const char *artifact_id, int64_t budget_ms,
    bool *finished)
{
	struct packed *a;

	*finished = true;
	TRY(db_find(c,
	    ROWS(packed,
		"SELECT a.live_no, (SELECT v.version_no FROM version v WHERE v.artifact_id = a.id"
		" AND v.version_no < a.live_no AND v.first_live_at IS NOT NULL"
		" ORDER BY v.version_no DESC LIMIT 1) AS former_no"
		" FROM artifact a WHERE a.id = ? AND a.owner_id IS NOT NULL"),
	    ARGS(artifact_id), &a));
	if (!a || !a->live_no)
		return E_OK;
	return tree_pack(c, packs, artifact_id, a->live_no, a->former_no, mime_compressible,
	    budget_ms, finished);
}

enum err
project_done_all(struct ctx *c, const struct strs *outbox_ids)
{
	TRY(tree_sync(c));
	return db_exec(c,
	    EXEC("DELETE o FROM " ID_TABLE " STRAIGHT_JOIN outbox o ON o.id = t.id"),
	    ARGS(ids_json(c, outbox_ids->v, outbox_ids->n)), NULL);
}

enum err
project_done(struct ctx *c, const char *outbox_id)
{
	return db_exec(c, EXEC("DELETE FROM outbox WHERE id = ?"), ARGS(outbox_id), NULL);
}

PURGES(project, ROWS_OF(site_link));
