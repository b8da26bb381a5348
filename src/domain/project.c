/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/project.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/id.h"
#include "base/json.h"
#include "base/mime.h"
#include "base/png.h"
#include "base/str.h"
#include "domain/derive.h"
#include "domain/pwa.h"
#include "domain/role.h"
#include "domain/rules.h"
#include "store/site.h"

SHAPE_DEFINE(version_row, VERSION_ROW);
SHAPE_DEFINE(file_row, FILE_ROW);

/* RULE_STEPS: rules times files, some tenth of a second. */
enum { PAGE_BYTES = 8 << 20, ICON_BYTES = 8 << 20, RULE_STEPS = 20 << 20 };

/* What a tree is made from, while it is being made. */
struct plan {
	struct ctx *c;
	const struct version_row *version;
	const struct page_facts *facts;
	const struct list *files;
	struct batch *batch; /* the caller's, or begun when something is derived */
	struct redirects *redirects;
	struct headers *headers;
	int64_t steps; /* of looking which files the rules concern */
	struct tree_file *out;
	size_t n;
	bool dry;   /* nothing is put into the store: what the tree should be is only asked */
	bool renew; /* what is derived is written anew: no row names it, so nobody may have seen
	               that it is damaged */
};

static const struct file_row *
file_find(const struct plan *p, const char *path)
{
	const struct file_row *f = p->files->v;

	for (size_t i = 0; i < p->files->n; i++)
		if (str_eq(f[i].path, path))
			return &f[i];
	return NULL;
}

static enum err
digest_read(struct ctx *c, const char *hex, uint8_t out[SHA256_BYTES])
{
	return crypto_unhex(hex, out, SHA256_BYTES) ? E_OK
						    : fail_here(c, "%s is not a digest", hex);
}

static enum err
object_text(struct ctx *c, const char *hex, size_t max, const char **bytes, size_t *n)
{
	uint8_t sha256[SHA256_BYTES];

	TRY(digest_read(c, hex, sha256));
	return object_read(c, sha256, max, bytes, n);
}

/* ---- which files nginx may serve by itself ---- */

static bool
rules_touch_url(struct plan *p, const char *url)
{
	return headers_touch(p->headers, url, &p->steps) ||
	    redirects_force_touch(p->redirects, url, &p->steps);
}

/* Under every address at which it can be asked for: itself, its clean address, its directory. */
static bool
rules_touch(struct plan *p, const char *path)
{
	const char *url = mem_printf(p->c->mem, "/%s", path);
	char *clean = mem_strdup(p->c->mem, url);
	size_t n = strlen(clean);

	if (rules_touch_url(p, url))
		return true;
	if (str_ends(clean, "/index.html"))
		clean[n - strlen("index.html")] = '\0';
	else if (str_ends(clean, ".html"))
		clean[n - strlen(".html")] = '\0';
	else
		return false;
	return rules_touch_url(p, clean);
}

static enum tree_area
area_of(struct plan *p, const struct file_row *f)
{
	if (str_eq(f->path, "_redirects") || str_eq(f->path, "_headers"))
		return TREE_META;
	return f->declared || tree_packed_name(f->path) || rules_touch(p, f->path) ? TREE_GATED
										   : TREE_PUB;
}

/* A worker finds out about each request what was not found out here, so a thousand rules for twenty
 * thousand files cost a publish no more than RULE_STEPS. Not for the entry, which entry_refresh()
 * must find again where it is. */
static enum tree_area
area_of_many(struct plan *p, const struct file_row *f)
{
	bool settled = str_eq(f->path, "_redirects") || str_eq(f->path, "_headers");

	return p->steps > RULE_STEPS && !settled ? TREE_GATED : area_of(p, f);
}

static void
plan_add(struct plan *p, const char *path, const uint8_t sha256[SHA256_BYTES], int64_t size,
    enum tree_area area)
{
	struct tree_file *t = &p->out[p->n++];

	*t = (struct tree_file){ .path = path, .size = size, .area = area };
	memcpy(t->sha256, sha256, SHA256_BYTES);
}

/* ---- what is derived ---- */

static enum err
plan_batch(struct plan *p)
{
	if (p->batch)
		return E_OK;
	TRY(batch_begin(p->c, &p->batch));
	if (p->renew)
		batch_renew(p->batch);
	return E_OK;
}

static enum err
derived_put(struct plan *p, const char *path, const char *bytes, size_t n, enum tree_area area)
{
	struct object o = { .size = (int64_t)n };

	if (p->dry) {
		crypto_sha256(bytes, n, o.sha256);
	} else {
		TRY(plan_batch(p));
		TRY(batch_put(p->c, p->batch, bytes, n, &o));
	}
	plan_add(p, path, o.sha256, o.size, area);
	p->out[p->n - 1].derived = true;
	return E_OK;
}

static bool
wants_tags(const struct version_row *v, const struct page_facts *f)
{
	return v->pwa || f->social_title || f->social_description || f->social_image_url;
}

static struct page_tags
tags_of(const struct plan *p)
{
	const struct page_facts *f = p->facts;

	return (struct page_tags){
		.title = f->social_title ? f->social_title : f->name,
		.description = f->social_description,
		.image_url = f->social_image_url,
		.url = *f->slug
		    ? mem_printf(p->c->mem, "%s/", conf_site_origin(p->c->mem, p->c->conf, f->slug))
		    : NULL,
		.manifest_href = p->version->pwa ? "/_vitrine/manifest.webmanifest" : NULL,
		.sw = p->version->pwa != NULL,
	};
}

/* Where the page for "/" goes: its own name is what rules are asked for there. */
static enum tree_area
root_area(struct plan *p, enum tree_area page)
{
	return headers_touch(p->headers, "/", &p->steps) ||
		redirects_force_touch(p->redirects, "/", &p->steps)
	    ? TREE_GATED
	    : page;
}

/* The entry page as it is served: with link-preview tags and the manifest, where there are any. It
 * also stands at _vitrine/entry.html, which is what nginx gives for "/". An entry in a folder keeps
 * its own address, since its relative links need it. */
static enum err
entry_plan(struct plan *p, const struct file_row *entry, enum tree_area area)
{
	uint8_t sha256[SHA256_BYTES];
	const char *html, *page;
	size_t n, page_n;
	bool at_root = !strchr(entry->path, '/') && mime_is_html(entry->mime);

	TRY(digest_read(p->c, entry->sha256, sha256));
	if (!wants_tags(p->version, p->facts) || !mime_is_html(entry->mime) ||
	    entry->size_bytes > PAGE_BYTES) {
		plan_add(p, entry->path, sha256, entry->size_bytes, area);
		if (at_root)
			plan_add(p, "_vitrine/entry.html", sha256, entry->size_bytes,
			    root_area(p, area));
		return E_OK;
	}
	TRY(object_read(p->c, sha256, PAGE_BYTES, &html, &n));
	struct page_tags tags = tags_of(p);

	derive_entry(p->c->mem, html, n, &tags, &page, &page_n);
	TRY(derived_put(p, entry->path, page, page_n, area));
	if (at_root)
		plan_add(p, "_vitrine/entry.html", p->out[p->n - 1].sha256, (int64_t)page_n,
		    root_area(p, area));
	p->out[p->n - 1].derived = true;
	return E_OK;
}

static enum err
icons_plan(struct plan *p)
{
	const char *icon, *png;
	size_t n, png_n;

	if (!p->version->icon_sha256)
		return E_OK;
	TRY(object_text(p->c, p->version->icon_sha256, ICON_BYTES, &icon, &n));
	TRY(png_square(p->c, icon, n, 192, &png, &png_n));
	TRY(derived_put(p, "_vitrine/icon-192.png", png, png_n, TREE_PUB));
	TRY(png_square(p->c, icon, n, 512, &png, &png_n));
	return derived_put(p, "_vitrine/icon-512.png", png, png_n, TREE_PUB);
}

static enum err
pwa_plan(struct plan *p)
{
	struct json *tree;
	struct pwa_kept *kept;
	const char *text;

	if (!p->version->pwa)
		return E_OK;
	TRY(json_parse(p->c, p->version->pwa, strlen(p->version->pwa), &tree));
	TRY(shape_read(p->c, &pwa_kept_shape, tree, (void **)&kept));
	text = derive_manifest(p->c->mem,
	    &(struct manifest_in){ .name = kept->name,
		.short_name = kept->short_name,
		.icons = p->version->icon_sha256 != NULL });
	TRY(derived_put(p, "_vitrine/manifest.webmanifest", text, strlen(text), TREE_PUB));
	text = derive_service_worker(p->c->mem, p->version->id);
	TRY(derived_put(p, "_vitrine/sw.js", text, strlen(text), TREE_PUB));
	text = derive_register();
	TRY(derived_put(p, "_vitrine/register.js", text, strlen(text), TREE_PUB));
	return icons_plan(p);
}

static enum err
mobile_plan(struct plan *p)
{
	uint8_t sha256[SHA256_BYTES];

	if (!p->version->mobile_sha256)
		return E_OK;
	TRY(digest_read(p->c, p->version->mobile_sha256, sha256));
	plan_add(p, "_m/index.html", sha256, p->version->mobile_size,
	    headers_touch(p->headers, "/_m/", &p->steps) ? TREE_GATED : TREE_PUB);
	return E_OK;
}

static enum err
rules_plan(struct plan *p)
{
	const struct file_row *redirects = file_find(p, "_redirects"),
			      *headers = file_find(p, "_headers");
	const char *text = "";
	size_t n = 0;

	if (redirects && redirects->size_bytes <= RULES_BYTES)
		TRY(object_text(p->c, redirects->sha256, RULES_BYTES, &text, &n));
	TRY(rules_redirects_parse(p->c, text, n, &p->redirects));
	text = "";
	n = 0;
	if (headers && headers->size_bytes <= RULES_BYTES)
		TRY(object_text(p->c, headers->sha256, RULES_BYTES, &text, &n));
	return rules_headers_parse(p->c, text, n, &p->headers);
}

static enum err
plan_make(struct plan *p)
{
	const struct file_row *f = p->files->v;

	p->out = mem_array(p->c->mem, struct tree_file, p->files->n + 16);
	TRY(rules_plan(p));
	for (size_t i = 0; i < p->files->n; i++, f++) {
		uint8_t sha256[SHA256_BYTES];

		if (str_eq(f->path, p->version->entrypoint)) {
			TRY(entry_plan(p, f, area_of(p, f)));
			continue;
		}
		TRY(digest_read(p->c, f->sha256, sha256));
		plan_add(p, f->path, sha256, f->size_bytes, area_of_many(p, f));
	}
	TRY(pwa_plan(p));
	TRY(mobile_plan(p));
	return p->batch ? batch_name(p->c, p->batch) : E_OK;
}

static enum err
plan_build(struct plan *p, const char **building)
{
	TRY(plan_make(p));
	return tree_build(p->c, p->batch, p->out, p->n, building);
}

enum err
project_build(struct ctx *c, struct batch *batch, const struct version_row *v,
    const struct page_facts *facts, const struct list *files, const char **building)
{
	return plan_build(&(struct plan){ .c = c, .version = v, .facts = facts, .files = files,
			      .batch = batch },
	    building);
}

/* ---- rows to disk ---- */

#define PROJECTED(F, T) \
	F(T, ID,   id, .arg = "art_") \
	F(T, STR,  name) \
	F(T, SLUG, slug) \
	F(T, INT,  live_no) \
	F(T, BOOL, shown) \
	F(T, STR,  social_title) \
	F(T, STR,  social_description) \
	F(T, STR,  social_image_url)
SHAPE_DECLARE(projected, PROJECTED);
SHAPE_DEFINE(projected, PROJECTED);

#define SLUG_HELD(F, T) F(T, SLUG, slug)
SHAPE_DECLARE(slug_held, SLUG_HELD);
SHAPE_DEFINE(slug_held, SLUG_HELD);

#define VERSION_COLUMNS "artifact_id, version_no, id, first_live_at, entrypoint, routing, mobile_sha256, mobile_size, pwa, icon_sha256, icon_size"

static enum err
files_of(struct ctx *c, const struct version_row *v, struct list *files)
{
	return db_all(c,
	    ROWS(file_row,
		"SELECT path, sha256, size_bytes, mime, declared FROM version_file WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(v->artifact_id, v->version_no), files);
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

	TRY(files_of(c, v, &files));
	TRY(plan_build(&(struct plan){ .c = c, .version = v, .facts = &facts, .files = &files,
			   .renew = true },
	    &building));
	return tree_place(c, building, v->artifact_id, v->version_no, !v->first_live_at);
}

/* An earlier release may have put it into pub/, where nginx would go on serving it. */
static enum err
entry_put(struct ctx *c, const struct projected *a, const struct version_row *v,
    const struct tree_file *f)
{
	TRY(tree_put(c, a->id, v->version_no, f));
	return f->area == TREE_GATED ? tree_remove_file(c, a->id, v->version_no, TREE_PUB, f->path)
				     : E_OK;
}

/* Link previews belong to the artifact, so the live version's entry follows them. files: those of
 * entry_files(), or all. */
static enum err
entry_refresh(struct ctx *c, const struct projected *a, const struct version_row *v,
    const struct list *files)
{
	struct page_facts facts = facts_of(a);
	struct plan p = { .c = c, .version = v, .facts = &facts, .files = files };
	const struct file_row *entry = file_find(&p, v->entrypoint);

	if (!entry)
		return fail_here(c, "%s is not among the files", v->entrypoint);
	p.out = mem_array(c->mem, struct tree_file, 2);
	TRY(rules_plan(&p));
	TRY(entry_plan(&p, entry, area_of(&p, entry)));
	if (p.batch) {
		TRY(batch_name(c, p.batch));
		TRY(batch_sync(c, p.batch));
	}
	for (size_t i = 0; i < p.n; i++)
		TRY(entry_put(c, a, v, &p.out[i]));
	return E_OK;
}

/* The entry, and what says where it lies. */
static enum err
entry_files(struct ctx *c, const struct version_row *v, struct list *files)
{
	return db_all(c,
	    ROWS(file_row,
		"SELECT path, sha256, size_bytes, mime, declared FROM version_file WHERE artifact_id = ? AND version_no = ?"
		" AND path IN (?, '_redirects', '_headers')"),
	    ARGS(v->artifact_id, v->version_no, v->entrypoint), files);
}

static enum err
version_project(struct ctx *c, const struct projected *a, const struct version_row *v)
{
	struct list files;

	TRY(tree_settle(c, a->id, v->version_no, !v->first_live_at));
	if (!tree_exists(c, a->id, v->version_no, !v->first_live_at))
		return tree_from_rows(c, a, v);
	if (v->version_no != a->live_no)
		return E_OK;
	TRY(entry_files(c, v, &files));
	return entry_refresh(c, a, v, &files);
}

/* Of one version, or of all. */
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

#define PACKED_NAME(F, T) \
	F(T, INT, version_no) \
	F(T, STR, path) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE_DECLARE(packed_name, PACKED_NAME);
SHAPE_DEFINE(packed_name, PACKED_NAME);

static enum err
packed_name_move(struct ctx *c, const char *id, const struct packed_name *row)
{
	struct tree_file f = {
		.path = row->path, .size = row->size_bytes, .area = TREE_GATED
	};
	enum err e;
	struct stat st;
	int fd;

	e = tree_open(c, id, row->version_no, TREE_GATED, row->path, &fd, &st);
	if (e != E_NOT_FOUND)
		return e;
	TRY(digest_read(c, row->sha256, f.sha256));
	TRY(tree_put(c, id, row->version_no, &f));
	return tree_remove_file(c, id, row->version_no, TREE_PUB, row->path);
}

/* Trees that an earlier release built have P.gz in pub/ when there is no P. */
static enum err
packed_names_move(struct ctx *c, const char *id)
{
	const struct packed_name *row;
	struct list rows;

	TRY(db_all(c,
	    ROWS(packed_name,
		"SELECT version_no, path, sha256, size_bytes FROM version_file WHERE artifact_id = ?"
		" AND (path LIKE '%.gz' OR path LIKE '%.br')"),
	    ARGS(id), &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++)
		TRY(packed_name_move(c, id, &row[i]));
	return E_OK;
}

/* ---- what a publish has at hand ---- */

/* Whether the entry that was built with then is what it would be now. */
static bool
facts_hold(const struct project_made *made, const struct page_facts *now)
{
	const struct page_facts *then = &made->facts;

	if (!wants_tags(made->version, then) && !wants_tags(made->version, now))
		return true;
	return str_eq(then->name, now->name) && str_eq(then->slug, now->slug) &&
	    str_eq(then->social_title, now->social_title) &&
	    str_eq(then->social_description, now->social_description) &&
	    str_eq(then->social_image_url, now->social_image_url);
}

/* A draft may have been made live since its transaction. */
static enum err
made_is_draft(struct ctx *c, const struct projected *a, const struct project_made *made, bool *yes)
{
	const struct version_row *v = made->version;
	struct list rows = { 0 };

	if (!v->first_live_at)
		TRY(versions_of(c, a->id, v->version_no, &rows));
	if (rows.n)
		v = rows.v;
	*yes = !v->first_live_at;
	return E_OK;
}

static enum err
made_project(struct ctx *c, const struct projected *a, const struct project_made *made)
{
	struct page_facts now = facts_of(a);
	bool draft;

	TRY(made_is_draft(c, a, made, &draft));
	TRY(tree_place(c, made->building, a->id, made->version->version_no, draft));
	if (made->version->version_no == a->live_no)
		return facts_hold(made, &now) ? E_OK
					      : entry_refresh(c, a, made->version, &made->files);
	/* A draft, or somebody has made another version live since. */
	return !a->live_no || tree_exists(c, a->id, a->live_no, false)
	    ? E_OK
	    : versions_project(c, a, a->live_no);
}

static enum err
former_slugs(struct ctx *c, const char *id, const char *slug, struct site *site)
{
	struct slug_held *row;
	const char **names;
	struct list rows;

	TRY(db_all(c, ROWS(slug_held, "SELECT slug FROM slug WHERE artifact_id = ? AND slug <> ?"),
	    ARGS(id, slug), &rows));
	row = rows.v;
	names = mem_array(c->mem, const char *, rows.n);
	for (size_t i = 0; i < rows.n; i++)
		names[i] = row[i].slug;
	site->former = names;
	site->former_n = rows.n;
	return E_OK;
}

static enum err
projected_read(struct ctx *c, const char *id, struct projected **a)
{
	return db_find(c,
	    ROWS(projected,
		"SELECT a.id, a.name, a.slug, a.live_no, " ARTIFACT_IS_SHOWN " AS shown,"
		" a.social_title, a.social_description, a.social_image_url FROM artifact a WHERE a.id = ? AND a.owner_id IS NOT NULL"),
	    ARGS(id), a);
}

static enum err
trees_project(struct ctx *c, const struct projected *a, const struct project_made *made, bool whole)
{
	if (made)
		TRY(made_project(c, a, made));
	if (whole) {
		TRY(versions_project(c, a, 0));
		return packed_names_move(c, a->id);
	}
	return made || !a->live_no ? E_OK : versions_project(c, a, a->live_no);
}

/* A publish changes no address but its own, so it need not look for former ones. */
static enum err
project_locked(struct ctx *c, const char *id, const struct project_made *made, bool whole)
{
	struct site site = {
		.artifact_id = id, .all = whole || (made && made->version->version_no == 1)
	};
	struct projected *a;

	TRY(projected_read(c, id, &a));
	if (a) {
		site.slug = a->slug;
		site.live_no = a->live_no;
		site.open = a->shown;
	}
	if (!a || !made)
		TRY(former_slugs(c, id, a ? a->slug : "", &site));
	/* Closing comes first: nothing that follows may keep a page open that should not be, and no
	 * new bytes may come under an address that is still open. */
	TRY(site_close(c, &site));
	if (a)
		TRY(trees_project(c, a, made, whole));
	TRY(site_show(c, &site));
	return a ? E_OK : tree_drop_all(c, id);
}

static enum err
project_under_lock(struct ctx *c, const char *id, const struct project_made *made, bool whole)
{
	enum err e;
	int lock;

	TRY(site_lock(c, id, &lock));
	e = project_locked(c, id, made, whole);
	site_unlock(lock);
	return e;
}

enum err
project_artifact(struct ctx *c, const char *artifact_id)
{
	return project_under_lock(c, artifact_id, NULL, true);
}

enum err
project_effect(struct ctx *c, const struct effect *e)
{
	return project_under_lock(c, e->artifact_id, e->made, false);
}

/* ---- whether it is so ---- */

/* The entry of a version that is not live has the tags of the time when it was. */
static bool
entry_of_then(void *arg, const struct tree_file *f, const char *bytes, size_t n)
{
	const struct plan *p = arg;
	const struct file_row *entry = file_find(p, p->version->entrypoint);
	const char *html;
	size_t html_n;

	return entry && (str_eq(f->path, entry->path) || str_eq(f->path, "_vitrine/entry.html")) &&
	    mime_is_html(entry->mime) && entry->size_bytes <= PAGE_BYTES &&
	    object_text(p->c, entry->sha256, PAGE_BYTES, &html, &html_n) == E_OK &&
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
	struct plan p = { .c = c, .version = v, .facts = &facts, .files = &files, .dry = true };

	if (plan_make(&p)) {
		k->wrong(k->arg, "",
		    mem_printf(c->mem, "can't be held against its rows: %s", ctx_why(c)));
		return E_OK;
	}
	if (version_no != a->live_no) {
		k->other = entry_of_then;
		k->other_arg = &p;
	}
	return tree_check(c, artifact_id, version_no, p.out, p.n, k);
}

/* Those that the store has lost and the tree still has. */
static enum err
objects_give_back(struct ctx *c, const struct version_row *v)
{
	const struct file_row *f;
	struct list files;

	TRY(files_of(c, v, &files));
	f = files.v;
	for (size_t i = 0; i < files.n; i++, f++) {
		struct object o = { .size = f->size_bytes };

		TRY(digest_read(c, f->sha256, o.sha256));
		if (!object_exists(c, o.sha256, o.size))
			TRY(tree_give_back(c, v->artifact_id, v->version_no, f->path, &o));
	}
	return E_OK;
}

static enum err
rebuild_locked(struct ctx *c, const char *id, int64_t no)
{
	const struct version_row *v;
	struct projected *a;

	TRY(version_find(c, id, no, &a, &v));
	if (v)
		TRY(objects_give_back(c, v));
	if (v)
		TRY(tree_from_rows(c, a, v));
	TRY(db_exec(c,
	    EXEC("INSERT INTO outbox (id, kind, subject, due_at) VALUES (?, 'project', ?, ?)"),
	    ARGS(id_new(c->mem, "out_"), id, c->now), NULL));
	return project_locked(c, id, NULL, true);
}

enum err
project_rebuild(struct ctx *c, const char *artifact_id, int64_t version_no)
{
	enum err e;
	int lock;

	TRY(site_lock(c, artifact_id, &lock));
	e = rebuild_locked(c, artifact_id, version_no);
	site_unlock(lock);
	return e;
}

enum err
project_pack(struct ctx *c, const char *artifact_id, int64_t budget_ms, bool *finished)
{
	struct projected *a;

	*finished = true;
	TRY(db_find(c, ROWS(projected, "SELECT live_no FROM artifact WHERE id = ? AND owner_id IS NOT NULL"),
	    ARGS(artifact_id), &a));
	if (!a || !a->live_no)
		return E_OK;
	return tree_pack(c, artifact_id, a->live_no, mime_compressible, budget_ms, finished);
}

enum err
project_done(struct ctx *c, const char *outbox_id)
{
	return db_exec(c, EXEC("DELETE FROM outbox WHERE id = ?"), ARGS(outbox_id), NULL);
}
