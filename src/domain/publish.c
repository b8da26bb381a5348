/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/publish.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/mime.h"
#include "base/str.h"
#include "domain/archive.h"
#include "domain/path.h"
#include "domain/project.h"
#include "domain/pwa.h"
#include "domain/rowpolicy.h"
#include "domain/rules.h"
#include "domain/slug.h"

SHAPE_DEFINE(publish_file, PUBLISH_FILE);
SHAPE_DEFINE(publish_pwa, PUBLISH_PWA);
SHAPE_DEFINE(publish_agent, PUBLISH_AGENT);
SHAPE_DEFINE(publish_new, PUBLISH_NEW);
SHAPE_DEFINE(published_artifact, PUBLISHED_ARTIFACT);
SHAPE_DEFINE(published_version, PUBLISHED_VERSION);
SHAPE_DEFINE(published_deployment, PUBLISHED_DEPLOYMENT);
SHAPE_DEFINE(published_pwa, PUBLISHED_PWA);
SHAPE_DEFINE(published, PUBLISHED);

enum { CHUNK_BYTES = 1 << 20, RATIO = 200 };

/* One file on its way in. */
struct item {
	const char *path, *mime;
	const char *bytes; /* NULL: named by digest, or already in the batch */
	size_t n;
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
	bool by_digest, declared;
};

struct work {
	struct ctx *c;
	const struct publish_new *in;
	const char *user;
	struct artifact *art; /* NULL: a new one */
	struct item *items;
	size_t n, room;
	int64_t total;
	struct batch *batch;
	struct version_row *version;
	struct object mobile;
	struct pwa_made *pwa;
	struct list files; /* struct file_row */
	/* the entry of the archive being read */
	struct object_writer *writer;
};

/* ---- which artifact ---- */

#define SLUG_ROW(F, T) \
	F(T, ID,  artifact_id, .arg = "art_") \
	F(T, INT, released_at)
SHAPE_DECLARE(slug_row, SLUG_ROW);
SHAPE_DEFINE(slug_row, SLUG_ROW);

static enum err
conflict(struct ctx *c, int64_t expected, int64_t live)
{
	c->details = mem_printf(c->mem, "{\"current_version\":%lld}", (long long)live);
	return fail(c, E_VERSION_CONFLICT, "expected_version: you named %lld but the live version is %lld; fetch it, merge and publish again",
	    (long long)expected, (long long)live);
}

static enum err
version_expected(struct work *w, int64_t live)
{
	if (w->in->has.expected_version == GIVEN && w->in->expected_version != live)
		return conflict(w->c, w->in->expected_version, live);
	return E_OK;
}

/* An artifact that the caller may not edit is, by id, absent; by slug, taken. */
static enum err
target_find(struct work *w)
{
	struct ctx *c = w->c;
	const char *id = w->in->artifact_id;
	bool by_slug = !id && w->in->slug;
	struct slug_row *held;

	if (w->in->slug)
		TRY(slug_check(c, w->in->slug));
	if (by_slug) {
		TRY(db_find(c, ROWS(slug_row, "SELECT artifact_id, released_at FROM slug WHERE slug = ?"), ARGS(w->in->slug), &held));
		id = held && held->has.released_at != GIVEN ? held->artifact_id : NULL;
	}
	if (!id)
		return version_expected(w, 0);
	TRY(artifact_get(c, id, w->user, false, &w->art));
	if (by_slug && !w->art->role)
		return fail(c, E_SLUG_TAKEN, "slug: %s is already taken; choose another, or leave it out to have one made", w->in->slug);
	if (w->art->deleted_at || (!w->art->role && str_eq(w->art->visibility, "private")))
		return fail(c, E_NOT_FOUND, "artifact_id: there is no such artifact, or it is not yours to see");
	if (!w->art->role || str_eq(w->art->role, "viewer"))
		return fail(c, E_DENIED, "Only the owner and editors of %s may publish to it", w->art->slug);
	if (w->in->visibility && !str_eq(w->in->visibility, w->art->visibility) && !str_eq(w->art->role, "owner"))
		return fail(c, E_DENIED, "visibility: only the owner may change it");
	if (w->in->artifact_id && w->in->slug && !str_eq(w->in->slug, w->art->slug))
		return fail(c, E_INVALID, "slug: %s is the slug of artifact_id; change a slug with PATCH /v1/artifacts/{id}", w->art->slug);
	return version_expected(w, w->art->version_no);
}

/* ---- the files ---- */

static struct item *
item_add(struct work *w)
{
	if (w->n == w->room) {
		w->room = w->room ? 2 * w->room : 64;
		w->items = mem_grow(w->c->mem, w->items, w->room * sizeof *w->items);
	}
	w->items[w->n] = (struct item){ 0 };
	return &w->items[w->n++];
}

static const char *
where(struct work *w, size_t i, const char *member)
{
	return mem_printf(w->c->mem, "files[%zu].%s", i, member);
}

static enum err
item_mime(struct work *w, struct item *it, const char *at, const char *mime)
{
	it->mime = mime_of(it->path);
	if (!mime)
		return E_OK;
	if (!mime_valid(mime))
		return fail(w->c, E_INVALID, "%s: %s is not a media type", at, mime);
	mime = mime_canonical(w->c->mem, mime);
	it->declared = !str_eq(mime, it->mime);
	it->mime = mime;
	return E_OK;
}

static enum err
item_decode(struct work *w, struct item *it, size_t i, const struct publish_file *f)
{
	size_t n = strlen(f->content);
	uint8_t *raw;

	it->bytes = f->content;
	it->n = n;
	if (str_eq(f->encoding, "base64")) {
		raw = mem_zalloc(w->c->mem, n / 4 * 3 + 1);
		if (!crypto_unbase64(f->content, n, raw, &it->n))
			return fail(w->c, E_INVALID, "%s: is not base64 (RFC 4648, padded, without line ends)", where(w, i, "content"));
		it->bytes = (const char *)raw;
	}
	it->size = (int64_t)it->n;
	crypto_sha256(it->bytes, it->n, it->sha256);
	return E_OK;
}

static enum err
item_check(struct work *w, struct item *it, size_t i, const struct publish_file *f)
{
	struct ctx *c = w->c;
	uint8_t named[SHA256_BYTES];

	if (f->sha256 && !crypto_unhex(f->sha256, named, sizeof named))
		return fail(c, E_INVALID, "%s: must be 64 lower-case hexadecimal digits", where(w, i, "sha256"));
	if (f->content) {
		TRY(item_decode(w, it, i, f));
		if (f->sha256 && memcmp(named, it->sha256, sizeof named) != 0)
			return fail(c, E_INVALID, "%s: is not the digest of the content", where(w, i, "sha256"));
		if (f->has.size_bytes && f->size_bytes != it->size)
			return fail(c, E_INVALID, "%s: is %lld but the content has %lld bytes", where(w, i, "size_bytes"), (long long)f->size_bytes,
			    (long long)it->size);
		return E_OK;
	}
	if (!f->sha256)
		return fail(c, E_INVALID, "%s: is required (or sha256 of bytes you have published before)", where(w, i, "content"));
	it->by_digest = true;
	it->size = f->has.size_bytes ? f->size_bytes : -1;
	memcpy(it->sha256, named, sizeof named);
	return E_OK;
}

static struct item *
item_of_path(struct work *w, const char *path)
{
	for (size_t i = 0; i < w->n; i++)
		if (str_eq(w->items[i].path, path))
			return &w->items[i];
	return NULL;
}

/* ---- an archive ---- */

static enum err
entry_begin(void *arg, struct ctx *c, const char *path)
{
	struct work *w = arg;
	struct item *it = item_add(w);

	it->path = mem_strdup(c->mem, path);
	return object_writer_new(c, w->batch, &w->writer);
}

static enum err
entry_data(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	struct work *w = arg;

	return object_writer_add(c, w->writer, bytes, n);
}

static enum err
entry_end(void *arg, struct ctx *c)
{
	struct work *w = arg;
	struct item *it = &w->items[w->n - 1];
	struct object o;

	TRY(object_writer_end(c, w->writer, &o));
	memcpy(it->sha256, o.sha256, sizeof it->sha256);
	it->size = o.size;
	return item_mime(w, it, "mime", NULL);
}

static enum err
archive_collect(struct work *w, const struct upload *up)
{
	const struct conf *conf = w->c->conf;
	struct archive_limits limits = { conf->max_files, conf->max_file_bytes, conf->max_version_bytes, RATIO };
	struct archive_sink sink = { entry_begin, entry_data, entry_end, w };

	return archive_read(w->c, up->bytes, up->n, &limits, &sink);
}

static enum err
count_check(struct work *w, size_t n)
{
	int64_t max = w->c->conf->max_files;

	if ((int64_t)n > max)
		return fail(w->c, E_BODY_TOO_LARGE, "files: %zu files; at most %lld are allowed in a version", n, (long long)max);
	return E_OK;
}

static enum err
items_collect(struct work *w, const struct upload *up)
{
	const struct publish_file *f = w->in->files.v;
	size_t archived;

	TRY(count_check(w, w->in->files.n));
	if (up->bytes)
		TRY(archive_collect(w, up));
	archived = w->n;
	for (size_t i = 0; i < w->in->files.n; i++, f++) {
		struct item *it = archived ? item_of_path(w, f->path) : NULL;

		if (it && it < w->items + archived && !f->content) {
			TRY(item_mime(w, it, where(w, i, "mime"), f->mime));
			continue;
		}
		TRY(path_check(w->c, where(w, i, "path"), f->path));
		it = item_add(w);
		it->path = f->path;
		TRY(item_mime(w, it, where(w, i, "mime"), f->mime));
		TRY(item_check(w, it, i, f));
	}
	if (!w->n)
		return fail(w->c, E_INVALID, "files: is required and must have at least one file");
	return E_OK;
}

static enum err
items_check(struct work *w)
{
	const struct conf *conf = w->c->conf;
	const char **paths = mem_array(w->c->mem, const char *, w->n);

	TRY(count_check(w, w->n));
	for (size_t i = 0; i < w->n; i++) {
		paths[i] = w->items[i].path;
		if (w->items[i].size > conf->max_file_bytes)
			return fail(w->c, E_FILE_TOO_LARGE, "files: %s has %lld bytes; at most %lld are allowed in a file", paths[i],
			    (long long)w->items[i].size, (long long)conf->max_file_bytes);
	}
	return path_set_check(w->c, paths, w->n);
}

/* After the sizes of files named by digest are known. */
static enum err
total_check(struct work *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->total += w->items[i].size;
	if (w->total > w->c->conf->max_version_bytes)
		return fail(w->c, E_BODY_TOO_LARGE, "files: %lld bytes together; at most %lld are allowed in a version", (long long)w->total,
		    (long long)w->c->conf->max_version_bytes);
	return E_OK;
}

/* ---- the entry ---- */

static enum err
entry_choose(struct work *w, const char **entry)
{
	struct buf candidates = BUF(w->c->mem);
	size_t pages = 0;

	*entry = w->in->entrypoint;
	if (*entry && item_of_path(w, *entry))
		return E_OK;
	if (*entry)
		return fail(w->c, E_INVALID, "entrypoint: %s is not among the files", *entry);
	if (item_of_path(w, "index.html")) {
		*entry = "index.html";
		return E_OK;
	}
	for (size_t i = 0; i < w->n; i++) {
		const char *path = w->items[i].path;

		if (!str_ends(path, ".html") && !str_ends(path, ".htm"))
			continue;
		*entry = path;
		if (pages++ < 10)
			buf_fmt(&candidates, "%s%s", pages > 1 ? ", " : "", path);
	}
	if (pages == 1)
		return E_OK;
	if (!pages)
		return fail(w->c, E_INVALID, "entrypoint: there is no .html file; name the entry file");
	return fail(w->c, E_INVALID, "entrypoint: is required since there is no index.html; candidates: %s%s", buf_done(&candidates),
	    pages > 10 ? ", …" : "");
}

/* ---- bytes by digest ---- */

#define DIGEST_ROW(F, T) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE_DECLARE(digest_row, DIGEST_ROW);
SHAPE_DEFINE(digest_row, DIGEST_ROW);

static int
item_by_digest(const void *a, const void *b)
{
	const struct item *const *x = a, *const *y = b;

	return memcmp((*x)->sha256, (*y)->sha256, SHA256_BYTES);
}

/* The items of the version in order of their digests, so that concurrent transactions lock rows in one order. */
static struct item **
items_sorted(struct work *w)
{
	struct item **sorted = mem_array(w->c->mem, struct item *, w->n);

	for (size_t i = 0; i < w->n; i++)
		sorted[i] = &w->items[i];
	qsort(sorted, w->n, sizeof *sorted, item_by_digest);
	return sorted;
}

static int
row_by_digest(const void *key, const void *row)
{
	return strcmp(key, ((const struct digest_row *)row)->sha256);
}

/* What the caller has published before, or stands in a version of this artifact: anything else might be somebody's secret. */
static enum err
known_find(struct work *w, const char *digests, struct list *known)
{
	return db_all(w->c, ROWS(digest_row, "SELECT LOWER(HEX(o.sha256)) AS sha256, o.size_bytes FROM JSON_TABLE(?, '$[*]' COLUMNS"
	    " (h CHAR(64) CHARACTER SET ascii PATH '$')) j JOIN owned_object o ON o.sha256 = UNHEX(j.h) WHERE o.owner_id = ?"
	    " UNION SELECT LOWER(HEX(f.sha256)), f.size_bytes FROM JSON_TABLE(?, '$[*]' COLUMNS (h CHAR(64) CHARACTER SET ascii PATH '$')) k"
	    " JOIN version_file f ON f.sha256 = UNHEX(k.h) WHERE f.artifact_id = ? ORDER BY 1"),
	    ARGS(digests, w->user, digests, w->art ? w->art->id : NULL), known);
}

static enum err
digests_resolve(struct work *w)
{
	struct ctx *c = w->c;
	struct item **sorted = items_sorted(w);
	struct buf wanted = BUF(c->mem), missing = BUF(c->mem);
	struct list known;

	for (size_t i = 0; i < w->n; i++)
		if (sorted[i]->by_digest)
			buf_fmt(&wanted, "%s\"%s\"", wanted.n ? "," : "[", crypto_hex(c->mem, sorted[i]->sha256, SHA256_BYTES));
	if (!wanted.n)
		return E_OK;
	buf_chr(&wanted, ']');
	TRY(known_find(w, wanted.s, &known));
	for (size_t i = 0; i < w->n; i++) {
		const char *hex = crypto_hex(c->mem, sorted[i]->sha256, SHA256_BYTES);
		const struct digest_row *row = NULL;

		if (!sorted[i]->by_digest)
			continue;
		if (known.n)
			row = bsearch(hex, known.v, known.n, sizeof *row, row_by_digest);
		if (!row || !object_exists(c, sorted[i]->sha256, row->size_bytes))
			buf_fmt(&missing, "%s\"%s\"", missing.n ? "," : "[", hex);
		else if (sorted[i]->size >= 0 && sorted[i]->size != row->size_bytes)
			return fail(c, E_INVALID, "files: size_bytes of %s is %lld but its bytes are %lld", sorted[i]->path,
			    (long long)sorted[i]->size, (long long)row->size_bytes);
		else
			sorted[i]->size = row->size_bytes;
	}
	if (!missing.n)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"missing\":%s]}", missing.s);
	return fail(c, E_MISSING_BLOBS, "files: some sha256 name bytes that you have not published before; send their content");
}

/* ---- bytes into the store ---- */

static enum err
bytes_store(struct work *w)
{
	struct version_row *v = w->version;
	struct ctx *c = w->c;
	struct file_row *row = mem_array(c->mem, struct file_row, w->n);
	struct object o;

	w->files = (struct list){ row, w->n };
	for (size_t i = 0; i < w->n; i++, row++) {
		struct item *it = &w->items[i];

		if (it->bytes)
			TRY(batch_put(c, w->batch, it->bytes, it->n, &o));
		row->path = it->path;
		row->sha256 = crypto_hex(c->mem, it->sha256, SHA256_BYTES);
		row->size_bytes = it->size;
		row->mime = it->mime;
		row->declared = it->declared;
	}
	if (w->in->mobile_html) {
		TRY(batch_put(c, w->batch, w->in->mobile_html, strlen(w->in->mobile_html), &o));
		v->mobile_sha256 = crypto_hex(c->mem, o.sha256, SHA256_BYTES);
		v->mobile_size = o.size;
	}
	if (w->pwa && w->pwa->icon) {
		TRY(batch_put(c, w->batch, w->pwa->icon, w->pwa->icon_n, &o));
		v->icon_sha256 = crypto_hex(c->mem, o.sha256, SHA256_BYTES);
		v->icon_size = o.size;
	}
	return batch_sync(c, w->batch);
}

/* ---- rows ---- */

static enum err
slug_make(struct work *w, const char *artifact, const char *visibility, const char **out)
{
	const char *base = slug_from_name(w->c->mem, w->in->name);
	bool open = str_eq(visibility, "public");

	/* An address that isn't announced should not be guessable from the name. */
	for (int tries = 0; tries < 8; tries++) {
		const char *slug = !*base ? slug_random(w->c->mem, 12) : open && !tries ? base : slug_with_tail(w->c->mem, base, open ? 5 : 10);

		if (!slug_valid(slug) || slug_reserved(slug))
			continue;
		if (slug_take(w->c, slug, w->user, artifact) == E_OK) {
			*out = slug;
			return E_OK;
		}
		if (w->c->err != E_SLUG_TAKEN)
			return w->c->err;
	}
	return fail(w->c, E_SLUG_TAKEN, "slug: none could be made from the name; send one");
}

static enum err
artifact_add(struct work *w)
{
	const char *visibility = w->in->visibility ? w->in->visibility : "private", *slug = w->in->slug;
	struct artifact *a = w->art = mem_new(w->c->mem, struct artifact);

	a->id = w->version->artifact_id;
	a->owner_id = w->user;
	if (slug)
		TRY(slug_take(w->c, slug, w->user, a->id));
	else
		TRY(slug_make(w, a->id, visibility, &slug));
	a->slug = slug;
	return db_exec(w->c, EXEC("INSERT INTO artifact (id, owner_id, name, slug, visibility, last_no, created_at, updated_at)"
	    " VALUES (?, ?, ?, ?, ?, 0, ?, ?)"),
	    ARGS(a->id, w->user, w->in->name, slug, visibility, w->c->now, w->c->now), NULL);
}

/* The row is locked from here to the commit, so numbers are given in order and the check against the live version holds. */
static enum err
artifact_lock(struct work *w)
{
	struct artifact *now;

	TRY(artifact_get(w->c, w->art->id, w->user, true, &now));
	if (now->deleted_at || !now->role || str_eq(now->role, "viewer"))
		return fail(w->c, E_NOT_FOUND, "artifact_id: there is no such artifact, or it is not yours to see");
	w->art = now;
	return version_expected(w, now->version_no);
}

static enum err
files_insert_chunk(struct work *w, const char *json)
{
	TRY(db_exec(w->c, EXEC("INSERT INTO version_file (artifact_id, version_no, path, sha256, size_bytes, mime, declared)"
	    " SELECT ?, ?, j.p, UNHEX(j.h), j.s, j.m, j.d FROM JSON_TABLE(?, '$[*]' COLUMNS (p VARCHAR(1024) PATH '$.p',"
	    " h CHAR(64) CHARACTER SET ascii PATH '$.h', s BIGINT PATH '$.s', m VARCHAR(255) PATH '$.m', d INT PATH '$.d')) j"),
	    ARGS(w->version->artifact_id, w->version->version_no, json), NULL));
	return db_exec(w->c, EXEC("INSERT IGNORE INTO owned_object (owner_id, sha256, size_bytes) SELECT ?, UNHEX(j.h), j.s"
	    " FROM JSON_TABLE(?, '$[*]' COLUMNS (h CHAR(64) CHARACTER SET ascii PATH '$.h', s BIGINT PATH '$.s')) j"),
	    ARGS(w->user, json), NULL);
}

static enum err
files_insert(struct work *w)
{
	struct item **sorted = items_sorted(w);
	struct buf b = BUF(w->c->mem);

	for (size_t i = 0; i < w->n; i++) {
		const struct item *it = sorted[i];

		buf_str(&b, b.n ? ",{\"p\":" : "[{\"p\":");
		buf_json(&b, it->path);
		buf_fmt(&b, ",\"h\":\"%s\",\"s\":%lld,\"d\":%d,\"m\":", crypto_hex(w->c->mem, it->sha256, SHA256_BYTES), (long long)it->size,
		    it->declared);
		buf_json(&b, it->mime);
		buf_chr(&b, '}');
		if (b.n < CHUNK_BYTES && i + 1 < w->n)
			continue;
		buf_chr(&b, ']');
		TRY(files_insert_chunk(w, b.s));
		b.n = 0;
	}
	return E_OK;
}

static struct bytes
digest_of(struct ctx *c, const char *hex)
{
	uint8_t *raw = mem_zalloc(c->mem, SHA256_BYTES);

	return crypto_unhex(hex, raw, SHA256_BYTES) ? (struct bytes){ raw, SHA256_BYTES } : (struct bytes){ 0 };
}

static struct arg
arg_digest(struct ctx *c, const char *hex)
{
	return hex ? arg_bytes(digest_of(c, hex)) : arg_null();
}

static enum err
version_insert(struct work *w)
{
	const struct version_row *v = w->version;
	struct ctx *c = w->c;

	TRY(db_exec(c, EXEC("INSERT INTO version (artifact_id, version_no, id, created_at, created_by, message, entrypoint, routing, mobile_sha256,"
	    " mobile_size, pwa, icon_sha256, icon_size, file_count, size_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(v->artifact_id, v->version_no, v->id, c->now, w->user, w->in->message, v->entrypoint, v->routing, arg_digest(c, v->mobile_sha256),
	        v->mobile_size, v->pwa, arg_digest(c, v->icon_sha256), v->icon_size, (int64_t)w->n, w->total), NULL));
	return files_insert(w);
}

static const char *
agent_text(struct work *w)
{
	struct buf b = BUF(w->c->mem);

	if (!w->in->agent)
		return NULL;
	shape_write(&b, &publish_agent_shape, w->in->agent);
	return buf_done(&b);
}

static enum err
artifact_update(struct work *w)
{
	const struct publish_new *in = w->in;
	bool draft = in->draft;

	return db_exec1(w->c, EXEC("UPDATE artifact SET name = ?, visibility = COALESCE(?, visibility), last_no = ?, live_no = IF(?, live_no, ?),"
	    " access_policy = IF(?, ?, access_policy), agent = IF(?, ?, agent), updated_at = ? WHERE id = ?"),
	    ARGS(in->name, in->visibility, w->version->version_no, draft, w->version->version_no, in->has.access_policy != ABSENT,
	        in->access_policy, in->has.agent != ABSENT, agent_text(w), w->c->now, w->art->id));
}

static enum err
record(struct work *w, const char *building)
{
	bool fresh = !w->art;

	TRY(fresh ? artifact_add(w) : artifact_lock(w));
	w->version->version_no = w->art->last_no + 1;
	TRY(version_insert(w));
	TRY(artifact_update(w));
	TRY(tree_place(w->c, building, w->art->id, w->version->version_no));
	return artifact_touch(w->c, w->art->id);
}

/* ---- the reply ---- */

static enum err
warnings(struct work *w, struct strs *all)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct item *it = &w->items[i];
		bool redirects = str_eq(it->path, "_redirects"), headers = str_eq(it->path, "_headers");

		if (it->bytes && (redirects || headers))
			TRY(rules_warnings(w->c, it->path, it->bytes, it->n, all));
	}
	return E_OK;
}

static struct published *
answer(struct work *w)
{
	struct ctx *c = w->c;
	const char *origin = conf_site_origin(c->mem, c->conf, w->art->slug);
	struct published *out = mem_new(c->mem, struct published);
	struct published_artifact *a = out->artifact = mem_new(c->mem, struct published_artifact);
	struct published_version *v = out->version = mem_new(c->mem, struct published_version);
	struct published_deployment *d = out->deployment = mem_new(c->mem, struct published_deployment);
	struct published_pwa *p;

	a->id = w->art->id;
	v->id = w->version->id;
	v->version_no = w->version->version_no;
	d->slug = w->art->slug;
	d->url = mem_printf(c->mem, "%s/", origin);
	d->mobile_url = w->version->mobile_sha256 ? mem_printf(c->mem, "%s/_m/", origin) : NULL;
	d->version_url = mem_printf(c->mem, "%s/", conf_site_origin(c->mem, c->conf,
	    mem_printf(c->mem, "%s--v%lld", w->art->slug, (long long)v->version_no)));
	if (w->pwa) {
		p = out->pwa = mem_new(c->mem, struct published_pwa);
		p->manifest_url = mem_printf(c->mem, "%s/_vitrine/manifest.webmanifest", origin);
		p->installable = !w->pwa->reasons.n;
		p->reasons = w->pwa->reasons;
	}
	return out;
}

enum err
publish(struct ctx *c, const struct principal *who, const struct publish_new *in, const struct upload *up, struct published **out)
{
	struct work w = { .c = c, .in = in, .user = who->user_id };
	struct page_facts facts;
	const char *building;

	TRY(target_find(&w));
	if (in->access_policy)
		TRY(rowpolicy_check(c, in->access_policy));
	TRY(batch_begin(c, &w.batch));
	TRY(items_collect(&w, up));
	TRY(items_check(&w));
	w.version = mem_new(c->mem, struct version_row);
	w.version->id = id_new(c->mem, "ver_");
	w.version->artifact_id = w.art ? w.art->id : id_new(c->mem, "art_");
	w.version->routing = in->routing ? in->routing : "static";
	TRY(entry_choose(&w, &w.version->entrypoint));
	TRY(digests_resolve(&w));
	TRY(total_check(&w));
	TRY(pwa_make(c, in->name, in->pwa, &w.pwa, &w.version->pwa));
	TRY(bytes_store(&w));
	facts = (struct page_facts){ in->name, w.art ? w.art->slug : "", w.art ? w.art->social_title : NULL,
		w.art ? w.art->social_description : NULL, w.art ? w.art->social_image_url : NULL };
	TRY(project_build(c, w.version, &facts, &w.files, &building));
	TRY(record(&w, building));
	*out = answer(&w);
	return warnings(&w, &(*out)->warnings);
}
