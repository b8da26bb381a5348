/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/publish.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/mime.h"
#include "base/str.h"
#include "domain/manifest.h"
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

enum { CHUNK_BYTES = 1 << 20 };

struct work {
	struct ctx *c;
	const struct publish_new *in;
	const struct principal *who;
	struct artifact *art; /* NULL: a new one */
	struct manifest m;
	struct version_row *version;
	struct object mobile;
	struct pwa_made *pwa;
	struct list files; /* struct file_row */
};

/* ---- which artifact ---- */

static enum err
version_conflict(struct ctx *c, int64_t expected, int64_t live)
{
	c->details = mem_printf(c->mem, "{\"current_version\":%lld}", (long long)live);
	return fail(c, E_VERSION_CONFLICT,
	    "expected_version: you named %lld but the live version is %lld; fetch it, merge and publish again",
	    (long long)expected, (long long)live);
}

static enum err
version_expected(struct work *w, int64_t live)
{
	if (w->in->has.expected_version == GIVEN && w->in->expected_version != live)
		return version_conflict(w->c, w->in->expected_version, live);
	return E_OK;
}

/* An artifact that the caller may not edit is, by id, absent; by slug, taken. */
static enum err
target_find(struct work *w)
{
	struct ctx *c = w->c;
	const char *id = w->in->artifact_id;
	bool by_slug = !id && w->in->slug;

	if (w->in->slug)
		TRY(slug_check(c, w->in->slug));
	if (by_slug)
		TRY(slug_find(c, w->in->slug, &id));
	if (!id)
		return version_expected(w, 0);
	TRY(artifact_get(c, id, w->who, false, &w->art));
	if (by_slug && !w->art->role)
		return fail(c, E_SLUG_TAKEN,
		    "slug: %s is already taken; choose another, or leave it out to have one made",
		    w->in->slug);
	if (w->art->deleted_at || (!w->art->role && !w->art->is_open))
		return fail(c, E_NOT_FOUND,
		    "artifact_id: there is no such artifact, or it is not yours to see");
	if (role_rank(w->art->role) < ROLE_EDITOR)
		return fail(c, E_DENIED, "Only the owner and editors of %s may publish to it",
		    w->art->slug);
	if (w->in->visibility && !str_eq(w->in->visibility, w->art->visibility) &&
	    role_rank(w->art->role) < ROLE_OWNER)
		return fail(c, E_DENIED, "visibility: only the owner may change it");
	if (w->in->artifact_id && w->in->slug && !str_eq(w->in->slug, w->art->slug))
		return fail(c, E_INVALID,
		    "slug: %s is the slug of artifact_id; change a slug with PATCH /v1/artifacts/{id}",
		    w->art->slug);
	return version_expected(w, w->art->version_no);
}

/* ---- bytes into the store ---- */

static enum err
bytes_store(struct work *w)
{
	struct version_row *v = w->version;
	struct ctx *c = w->c;
	struct file_row *row = mem_array(c->mem, struct file_row, w->m.n);
	struct object o;

	w->files = (struct list){ row, w->m.n };
	for (size_t i = 0; i < w->m.n; i++, row++) {
		struct item *it = &w->m.items[i];

		if (it->bytes)
			TRY(batch_put(c, w->m.batch, it->bytes, it->n, &o));
		row->path = it->path;
		row->sha256 = crypto_hex(c->mem, it->sha256, SHA256_BYTES);
		row->size_bytes = it->size;
		row->mime = it->mime;
		row->declared = it->declared;
	}
	if (w->in->mobile_html) {
		TRY(batch_put(c, w->m.batch, w->in->mobile_html, strlen(w->in->mobile_html), &o));
		v->mobile_sha256 = crypto_hex(c->mem, o.sha256, SHA256_BYTES);
		v->mobile_size = o.size;
	}
	if (w->pwa && w->pwa->icon) {
		TRY(batch_put(c, w->m.batch, w->pwa->icon, w->pwa->icon_n, &o));
		v->icon_sha256 = crypto_hex(c->mem, o.sha256, SHA256_BYTES);
		v->icon_size = o.size;
	}
	return batch_sync(c, w->m.batch);
}

/* ---- rows ---- */

static enum err
slug_make(struct work *w, const char *artifact, const char *visibility, const char **out)
{
	const char *base = slug_from_name(w->c->mem, w->in->name);
	bool open = str_eq(visibility, "public");

	/* An address that isn't announced should not be guessable from the name. */
	for (int tries = 0; tries < 8; tries++) {
		const char *slug = !*base ? slug_random(w->c->mem, 12)
		    : open && !tries      ? base
					  : slug_with_tail(w->c->mem, base, open ? 5 : 10);

		if (!slug_valid(slug) || slug_reserved(slug))
			continue;
		if (slug_take(w->c, slug, w->who->user_id, artifact) == E_OK) {
			*out = slug;
			return E_OK;
		}
		if (w->c->err != E_SLUG_TAKEN)
			return w->c->err;
	}
	return fail(w->c, E_SLUG_TAKEN, "slug: none could be made from the name; send one");
}

/* Another publish of the same person may have taken it since target_find() looked: then the whole
 * runs again, and finds that artifact. */
static enum err
slug_claim(struct work *w, const char *slug, const char *artifact)
{
	enum err e = slug_take(w->c, slug, w->who->user_id, artifact);
	const char *message = w->c->message;
	bool own;

	if (e != E_SLUG_TAKEN)
		return e;
	TRY(slug_is_own(w->c, slug, w->who->user_id, &own));
	w->c->replay = own;
	return fail(w->c, e, "%s", message);
}

static enum err
artifact_add(struct work *w)
{
	const char *visibility = w->in->visibility ? w->in->visibility : "private",
		   *slug = w->in->slug;
	struct artifact *a = w->art = mem_new(w->c->mem, struct artifact);

	a->id = w->version->artifact_id;
	a->owner_id = w->who->user_id;
	if (slug)
		TRY(slug_claim(w, slug, a->id));
	else
		TRY(slug_make(w, a->id, visibility, &slug));
	a->slug = slug;
	return db_exec(w->c,
	    EXEC(
		"INSERT INTO artifact (id, owner_id, name, slug, visibility, last_no, created_at, updated_at)"
		" VALUES (?, ?, ?, ?, ?, 0, ?, ?)"),
	    ARGS(a->id, w->who->user_id, w->in->name, slug, visibility, w->c->now, w->c->now),
	    NULL);
}

/* The row is locked from here to the commit, so numbers are given in order and the check against
 * the live version holds. */
static enum err
artifact_lock(struct work *w)
{
	struct artifact *now;

	TRY(artifact_get(w->c, w->art->id, w->who, true, &now));
	if (now->deleted_at || role_rank(now->role) < ROLE_EDITOR)
		return fail(w->c, E_NOT_FOUND,
		    "artifact_id: there is no such artifact, or it is not yours to see");
	w->art = now;
	return version_expected(w, now->version_no);
}

static enum err
files_insert_chunk(struct work *w, const char *json)
{
	TRY(db_exec(w->c,
	    EXEC(
		"INSERT INTO version_file (artifact_id, version_no, path, sha256, size_bytes, mime, declared)"
		" SELECT ?, ?, j.p, UNHEX(j.h), j.s, j.m, j.d FROM JSON_TABLE(?, '$[*]' COLUMNS (p VARCHAR(1024) PATH '$.p',"
		" h CHAR(64) CHARACTER SET ascii PATH '$.h', s BIGINT PATH '$.s', m VARCHAR(255) PATH '$.m', d INT PATH '$.d')) j"),
	    ARGS(w->version->artifact_id, w->version->version_no, json), NULL));
	return db_exec(w->c,
	    EXEC(
		"INSERT IGNORE INTO owned_object (owner_id, sha256, size_bytes) SELECT ?, UNHEX(j.h), j.s"
		" FROM JSON_TABLE(?, '$[*]' COLUMNS (h CHAR(64) CHARACTER SET ascii PATH '$.h', s BIGINT PATH '$.s')) j"),
	    ARGS(w->who->user_id, json), NULL);
}

static enum err
files_insert(struct work *w)
{
	struct item **sorted = manifest_sorted(&w->m);
	struct buf b = BUF(w->c->mem);

	for (size_t i = 0; i < w->m.n; i++) {
		const struct item *it = sorted[i];

		buf_str(&b, b.n ? ",{\"p\":" : "[{\"p\":");
		buf_json(&b, it->path);
		buf_fmt(&b, ",\"h\":\"%s\",\"s\":%lld,\"d\":%d,\"m\":",
		    crypto_hex(w->c->mem, it->sha256, SHA256_BYTES), (long long)it->size,
		    it->declared);
		buf_json(&b, it->mime);
		buf_chr(&b, '}');
		if (b.n < CHUNK_BYTES && i + 1 < w->m.n)
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

	return crypto_unhex(hex, raw, SHA256_BYTES) ? (struct bytes){ raw, SHA256_BYTES }
						    : (struct bytes){ 0 };
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

	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO version (artifact_id, version_no, id, created_at, created_by, message, entrypoint, routing, mobile_sha256,"
		" mobile_size, pwa, icon_sha256, icon_size, file_count, size_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(v->artifact_id, v->version_no, v->id, c->now, w->who->user_id, w->in->message,
		v->entrypoint, v->routing, arg_digest(c, v->mobile_sha256), v->mobile_size, v->pwa,
		arg_digest(c, v->icon_sha256), v->icon_size, (int64_t)w->m.n, w->m.total),
	    NULL));
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

	TRY(db_exec1(w->c,
	    EXEC(
		"UPDATE artifact SET name = ?, visibility = COALESCE(?, visibility), last_no = ?,"
		" access_policy = IF(?, ?, access_policy), agent = IF(?, ?, agent), updated_at = ? WHERE id = ?"),
	    ARGS(in->name, in->visibility, w->version->version_no, in->has.access_policy != ABSENT,
		in->access_policy, in->has.agent != ABSENT, agent_text(w), w->c->now, w->art->id)));
	return in->draft ? E_OK : artifact_show(w->c, w->art->id, w->version->version_no);
}

static enum err
publish_record(struct work *w, const char *building)
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
publish_warnings(struct work *w, struct strs *all)
{
	for (size_t i = 0; i < w->m.n; i++) {
		const struct item *it = &w->m.items[i];
		bool redirects = str_eq(it->path, "_redirects"),
		     headers = str_eq(it->path, "_headers");

		if (it->bytes && (redirects || headers))
			TRY(rules_warnings(w->c, it->path, it->bytes, it->n, all));
	}
	return E_OK;
}

static struct published *
published_answer(struct work *w)
{
	struct ctx *c = w->c;
	const char *origin = conf_site_origin(c->mem, c->conf, w->art->slug);
	struct published *out = mem_new(c->mem, struct published);
	struct published_artifact *a = out->artifact = mem_new(c->mem, struct published_artifact);
	struct published_version *v = out->version = mem_new(c->mem, struct published_version);
	struct published_deployment *d = out->deployment = mem_new(
	    c->mem, struct published_deployment);
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
publish(struct ctx *c, const struct principal *who, const struct publish_new *in,
    const struct upload *up, struct published **out)
{
	struct work w = { .c = c, .in = in, .who = who };
	struct page_facts facts;
	const char *building;

	TRY(target_find(&w));
	if (in->access_policy)
		TRY(rowpolicy_check(c, in->access_policy));
	w.m = (struct manifest){
		.c = c, .in = in, .user = w.who->user_id, .artifact_id = w.art ? w.art->id : NULL
	};
	TRY(batch_begin(c, &w.m.batch));
	TRY(manifest_read(&w.m, up));
	w.version = mem_new(c->mem, struct version_row);
	w.version->id = id_new(c->mem, "ver_");
	w.version->artifact_id = w.art ? w.art->id : id_new(c->mem, "art_");
	w.version->routing = in->routing ? in->routing : "static";
	TRY(manifest_entry(&w.m, &w.version->entrypoint));
	TRY(manifest_resolve(&w.m));
	TRY(pwa_make(c, in->name, in->pwa, &w.pwa, &w.version->pwa));
	TRY(bytes_store(&w));
	facts = (struct page_facts){ in->name, w.art ? w.art->slug : "",
		w.art ? w.art->social_title : NULL, w.art ? w.art->social_description : NULL,
		w.art ? w.art->social_image_url : NULL };
	TRY(project_build(c, w.version, &facts, &w.files, &building));
	TRY(publish_record(&w, building));
	*out = published_answer(&w);
	return publish_warnings(&w, &(*out)->warnings);
}
