/* SPDX-License-Identifier: Apache-2.0 */
#include "site/treeplan.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/mime.h"
#include "base/png.h"
#include "base/str.h"
#include "core/declare.h"
#include "site/derive.h"
#include "site/pwa.h"
#include "site/rules.h"

/* RULE_STEPS: maximum of rules times files; they take about 0.1 s. */
enum { ICON_BYTES = 8 << 20, RULE_STEPS = 20 << 20 };

const struct file_row *
treeplan_file(const struct treeplan *p, const char *path)
{
	const struct file_row *f = p->files->v;

	for (size_t i = 0; i < p->files->n; i++)
		if (str_eq(f[i].path, path))
			return &f[i];
	return NULL;
}

enum err
treeplan_digest(struct ctx *c, const char *hex, uint8_t out[SHA256_BYTES])
{
	return crypto_unhex(hex, out, SHA256_BYTES) ? E_OK
						    : fail_here(c, "%s is not a digest", hex);
}

enum err
treeplan_text(struct ctx *c, const char *hex, size_t max, const char **bytes, size_t *n)
{
	uint8_t sha256[SHA256_BYTES];

	TRY(treeplan_digest(c, hex, sha256));
	return object_read(c, sha256, max, bytes, n);
}

/* ---- which files nginx may serve by itself ---- */

static bool
rules_touch_url(struct treeplan *p, const char *url)
{
	return headers_touch(p->headers, url, &p->steps) ||
	    redirects_force_touch(p->redirects, url, &p->steps);
}

/* True if a rule concerns the file at any of its addresses: its path, the path without .html, or
 * its directory if it is an index.html. */
static bool
rules_touch(struct treeplan *p, const char *path)
{
	const char *url;
	char *clean;
	size_t n;

	if (rules_none(p->redirects, p->headers))
		return false;
	url = mem_printf(p->c->mem, "/%s", path);
	clean = mem_strdup(p->c->mem, url);
	n = strlen(clean);
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

static int
file_by_path(const void *a, const void *b)
{
	return strcmp(((const struct file_row *)a)->path, ((const struct file_row *)b)->path);
}

/* Returns the file that a view shows, or NULL. */
static const struct file_row *
source_of(const struct treeplan *p, const struct file_row *view)
{
	struct file_row key = { .path = mem_strndup(p->c->mem, view->path,
				    strlen(view->path) - strlen(".html")) };

	return p->sorted ? bsearch(&key, p->sorted, p->files->n, sizeof key, file_by_path)
			 : treeplan_file(p, key.path);
}

enum tree_area
treeplan_area(struct treeplan *p, const struct file_row *f)
{
	const struct file_row *shown = f->view ? source_of(p, f) : NULL;

	if (file_is_settled(f->path))
		return TREE_META;
	/* Nginx takes P.html for P if P isn't beside it. */
	if (shown && !shown->view && treeplan_area(p, shown) != TREE_PUB)
		return TREE_GATED;
	return f->declared || tree_packed_name(f->path) || mime_ends(f->path, ".svgz") ||
		rules_touch(p, f->path)
	    ? TREE_GATED
	    : TREE_PUB;
}

/* A publish with a thousand rules for twenty thousand files must not take longer than RULE_STEPS.
 * For files that it didn't check, a worker checks the rules at each request. The entry page is
 * always checked, because entry_refresh() must find it at its place. */
static enum tree_area
area_of_many(struct treeplan *p, const struct file_row *f)
{
	return p->steps > RULE_STEPS && !file_is_settled(f->path) ? TREE_GATED
								  : treeplan_area(p, f);
}

static void
plan_add(struct treeplan *p, const char *path, const uint8_t sha256[SHA256_BYTES], int64_t size,
    enum tree_area area)
{
	struct tree_file *t = &p->out[p->n++];

	*t = (struct tree_file){ .path = path, .size = size, .area = area };
	memcpy(t->sha256, sha256, SHA256_BYTES);
}

/* ---- derived files ---- */

static enum err
derived_put(struct treeplan *p, const char *path, const char *bytes, size_t n, enum tree_area area)
{
	struct object o = { .size = (int64_t)n };

	if (!p->dry && !p->batch) {
		TRY(batch_begin(p->c, &p->batch));
		if (p->renew)
			batch_renew(p->batch);
	}
	if (p->dry)
		crypto_sha256(bytes, n, o.sha256);
	else
		TRY(batch_put(p->c, p->batch, bytes, n, &o));
	plan_add(p, path, o.sha256, o.size, area);
	p->out[p->n - 1].derived = true;
	return E_OK;
}

bool
treeplan_wants_tags(const struct version_row *v, const struct page_facts *f)
{
	return v->pwa || f->social_title || f->social_description || f->social_image_url;
}

static struct page_tags
tags_of(const struct treeplan *p, const char *mime)
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
		.other_charset = strstr(mime, "charset=") && !strstr(mime, "charset=utf-8"),
	};
}

/* Returns the area of the page for "/", which has a name of its own: rules for "/" concern it. */
static enum tree_area
root_area(struct treeplan *p, enum tree_area page)
{
	return rules_touch_url(p, "/") ? TREE_GATED : page;
}

/* Plans the entry page as it is served: with link-preview tags and the manifest, if it has them.
 * nginx sends its copy at _vitrine/entry.html for "/". An entry in a folder is served at its own
 * address, because its relative links need that. */
enum err
treeplan_entry(struct treeplan *p, const struct file_row *entry, enum tree_area area)
{
	uint8_t sha256[SHA256_BYTES];
	const char *html, *page;
	size_t n, page_n;
	bool at_root = !strchr(entry->path, '/') && mime_is_html(entry->mime);

	TRY(treeplan_digest(p->c, entry->sha256, sha256));
	if (!treeplan_wants_tags(p->version, p->facts) || !mime_is_html(entry->mime) ||
	    entry->size_bytes > TREEPLAN_PAGE_BYTES) {
		plan_add(p, entry->path, sha256, entry->size_bytes, area);
		if (at_root)
			plan_add(p, "_vitrine/entry.html", sha256, entry->size_bytes,
			    root_area(p, area));
		return E_OK;
	}
	TRY(object_read(p->c, sha256, TREEPLAN_PAGE_BYTES, &html, &n));
	struct page_tags tags = tags_of(p, entry->mime);

	derive_entry(p->c->mem, html, n, &tags, &page, &page_n);
	TRY(derived_put(p, entry->path, page, page_n, area));
	if (at_root)
		plan_add(p, "_vitrine/entry.html", p->out[p->n - 1].sha256, (int64_t)page_n,
		    root_area(p, area));
	p->out[p->n - 1].derived = true;
	return E_OK;
}

static enum err
pwa_plan(struct treeplan *p)
{
	struct json *tree;
	struct pwa_kept *kept;
	const char *text, *icon, *png;
	size_t n, png_n;

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
	if (!p->version->icon_sha256)
		return E_OK;
	TRY(treeplan_text(p->c, p->version->icon_sha256, ICON_BYTES, &icon, &n));
	TRY(png_square(p->c, icon, n, 192, &png, &png_n));
	TRY(derived_put(p, "_vitrine/icon-192.png", png, png_n, TREE_PUB));
	TRY(png_square(p->c, icon, n, 512, &png, &png_n));
	return derived_put(p, "_vitrine/icon-512.png", png, png_n, TREE_PUB);
}

static enum err
rules_text(struct treeplan *p, const char *path, const char **text, size_t *n)
{
	const struct file_row *f = treeplan_file(p, path);
	uint8_t sha256[SHA256_BYTES];

	*text = "";
	*n = 0;
	if (!f)
		return E_OK;
	TRY(treeplan_digest(p->c, f->sha256, sha256));
	return object_head(p->c, p->c->mem, sha256, RULES_BYTES + 1, text, n);
}

enum err
treeplan_rules(struct treeplan *p)
{
	const char *text;
	size_t n;

	TRY(rules_text(p, "_redirects", &text, &n));
	TRY(rules_redirects_parse(p->c, text, n, &p->redirects));
	TRY(rules_text(p, "_headers", &text, &n));
	return rules_headers_parse(p->c, text, n, NULL, &p->headers);
}

/* Returns the second name of a page whose ending is in capitals; NULL: it needs none. No other file
 * can have it, because paths of a version differ in more than case. */
static const char *
page_alias(void *owner, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(path), from = n - strlen("html");
	char *alias = mem_strdup(owner, path);

	if (!mime_ends(path, ".html"))
		return NULL;
	if (strcasecmp(name, "index.html") == 0)
		from = (size_t)(name - path);
	for (size_t i = from; i < n; i++)
		alias[i] = (char)tolower((unsigned char)alias[i]);
	return str_eq(alias, path) ? NULL : alias;
}

enum err
treeplan_make(struct treeplan *p)
{
	const struct version_row *v = p->version;
	struct file_row *f = mem_dup(p->c->mem, p->files->v, p->files->n * sizeof *f);

	/* Sorted, so that RULE_STEPS are always spent on the same files. */
	qsort(f, p->files->n, sizeof *f, file_by_path);
	p->sorted = f;
	p->out = mem_array(p->c->mem, struct tree_file, 2 * p->files->n + 16);
	TRY(treeplan_rules(p));
	for (size_t i = 0; i < p->files->n; i++, f++) {
		struct file_row named = *f;
		uint8_t sha256[SHA256_BYTES];

		if (str_eq(f->path, v->entrypoint)) {
			TRY(treeplan_entry(p, f, treeplan_area(p, f)));
			continue;
		}
		TRY(treeplan_digest(p->c, f->sha256, sha256));
		plan_add(p, f->path, sha256, f->size_bytes, area_of_many(p, f));
		named.path = f->declared ? NULL : page_alias(p->c->mem, f->path);
		if (named.path)
			plan_add(p, named.path, sha256, f->size_bytes, area_of_many(p, &named));
	}
	TRY(pwa_plan(p));
	if (v->mobile_sha256) {
		uint8_t sha256[SHA256_BYTES];

		TRY(treeplan_digest(p->c, v->mobile_sha256, sha256));
		plan_add(p, "_m/index.html", sha256, v->mobile_size,
		    headers_touch(p->headers, "/_m/", &p->steps) ? TREE_GATED : TREE_PUB);
	}
	return p->batch ? batch_name(p->c, p->batch) : E_OK;
}

enum err
treeplan_build(struct treeplan *p, const char **building)
{
	TRY(treeplan_make(p));
	return tree_build(p->c, p->batch, p->out, p->n, p->later, building);
}
