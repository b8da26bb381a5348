/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/seed.h"

#include "base/etag.h"
#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "base/unicode.h"
#include "catalog/entry_show.h"
#include "catalog/keys.h"
#include "catalog/write.h"
#include "core/audit.h"
#include "core/find.h"
#include "core/slug.h"

SHAPE_DEFINE(catalog_seeded, CATALOG_SEEDED);

/* ---- tables, documents, connections ---- */

/* A table, document, or connection, with names for its path. */
#define SEED_ROW(F, T) \
	ABOUT(F, T) \
	F(T, STR, slug) \
	F(T, STR, artifact_name) \
	F(T, STR, fields)
SHAPE(seed_row, SEED_ROW);

struct seeding {
	struct ctx *c;
	const struct workspace *w;
	struct seed_row *rows;
	size_t n;
};

/* Reading limit + 1 rows is enough to refuse. */
enum { SEEDS = CATALOG_ENTRIES + 1 };

static void
rows_add(struct seeding *s, const struct seed_row_list *more)
{
	s->rows = mem_grow(s->c->mem, s->rows, (s->n + more->n + 1) * sizeof *s->rows);
	memcpy(s->rows + s->n, more->v, more->n * sizeof *s->rows);
	s->n += more->n;
}

static enum err
sources_read(struct seeding *s)
{
	struct seed_row_list found;

	TRY(db_all(s->c,
	    ROWS(seed_row,
		"SELECT 'table' AS source_kind, a.id AS source_artifact_id, a.slug,"
		" a.name AS artifact_name, d.name AS source_table, d.fields"
		" FROM artifact a JOIN data_table d ON d.artifact_id = a.id"
		" WHERE a.workspace_id = ? AND a.deleted_at IS NULL AND a.owner_id IS NOT NULL"
		" ORDER BY a.id LIMIT ?"),
	    ARGS(s->w->id, SEEDS), &found));
	rows_add(s, &found);
	TRY(db_all(s->c,
	    ROWS(seed_row,
		"SELECT 'document' AS source_kind, a.id AS source_artifact_id, a.slug,"
		" a.name AS artifact_name"
		" FROM artifact a JOIN document j ON j.artifact_id = a.id"
		" WHERE a.workspace_id = ? AND a.deleted_at IS NULL AND a.owner_id IS NOT NULL"
		" ORDER BY a.id LIMIT ?"),
	    ARGS(s->w->id, SEEDS), &found));
	rows_add(s, &found);
	TRY(db_all(s->c,
	    ROWS(seed_row,
		"SELECT 'connection' AS source_kind, id AS source_connection_id,"
		" name AS connection_name FROM connection WHERE workspace_id = ?"
		" ORDER BY id LIMIT ?"),
	    ARGS(s->w->id, SEEDS), &found));
	rows_add(s, &found);
	return E_OK;
}

/* Keeps only things that the caller may read. */
static enum err
sources_seen(struct seeding *s, const struct principal *who)
{
	const char **ids = mem_array(s->c->mem, const char *, s->n + 1);
	enum member_role role = member_rank(s->w->role);
	size_t kept = 0;
	struct source_access access;
	enum seen seen;

	for (size_t i = 0; i < s->n; i++)
		ids[i] = s->rows[i].source_artifact_id;
	TRY(source_access_read(s->c, who, ids, s->n, &access));
	for (size_t i = 0; i < s->n; i++) {
		TRY(source_access_check(&access, s->w->id, role, &ABOUT_OF(&s->rows[i]), &seen));
		if (seen > SEEN_GONE)
			s->rows[kept++] = s->rows[i];
	}
	s->n = kept;
	return E_OK;
}

/* ---- the file of one thing ---- */

static const char *
seed_title(const struct seed_row *r)
{
	return r->source_table		 ? r->source_table
	    : r->source_connection_id ? r->connection_name
				      : r->artifact_name;
}

static enum err
content_of(struct ctx *c, const struct seed_row *r, const char **out)
{
	struct buf b = BUF(c->mem);
	struct json *columns;

	buf_fmt(&b, "---\nkind: %s\ntitle: ", r->source_connection_id ? "source" : "dataset");
	buf_json(&b, seed_title(r));
	buf_str(&b, r->source_connection_id ? "\nsource: {connection: " : "\nsource: {artifact: ");
	buf_json(&b, r->source_connection_id ? r->connection_name : r->slug);
	if (r->source_table) {
		buf_str(&b, ", table: ");
		buf_json(&b, r->source_table);
	}
	buf_str(&b, "}\n");
	if (r->fields)
		TRY(json_parse(c, r->fields, strlen(r->fields), &columns));
	for (size_t i = 0; r->fields && i < json_len(columns); i++) {
		const struct json *one = json_at(columns, i);

		buf_str(&b, i ? "  - name: " : "columns:\n  - name: ");
		buf_json(&b, json_str(json_at(one, 0)));
		buf_fmt(&b, "\n    type: %s\n", json_str(json_at(one, 1)));
	}
	buf_fmt(&b, "---\n\n# %s\n\n%s\n", seed_title(r),
	    r->source_connection_id
		? "Say here what this connection reads, and who looks after it."
		: "Say here what one row or value stands for, and where it comes from.");
	*out = buf_done(&b);
	return E_OK;
}

static const char *
path_of(struct ctx *c, const struct seed_row *r, int again)
{
	const char *tail = again ? mem_printf(c->mem, "-%d", again + 1) : "", *name;

	if (r->source_table)
		return mem_printf(
		    c->mem, "tables/%s/%s%s.md", r->slug, r->source_table, tail);
	if (!r->source_connection_id)
		return mem_printf(c->mem, "documents/%s%s.md", r->slug, tail);
	name = slug_from_name(c->mem, r->connection_name);
	return mem_printf(
	    c->mem, "connections/%s%s.md", *name ? name : r->source_connection_id, tail);
}

/* ---- comparison with the catalog ---- */

#define SEED_OLD(F, T) \
	F(T, STR,  id) \
	F(T, STR,  path) \
	F(T, STR,  sha256) \
	F(T, BOOL, seeded) \
	ABOUT(F, T)
SHAPE(seed_old, SEED_OLD);

static const char *
source_key(struct ctx *c, const struct about *a)
{
	return a->source_connection_id
	    ? a->source_connection_id
	    : mem_printf(c->mem, "%s %s %s", a->source_kind,
		  a->source_artifact_id ? a->source_artifact_id : "",
		  a->source_table ? a->source_table : "");
}

struct catalog_old {
	struct seed_old_list all;
	struct keys sources, paths; /* paths are case-folded */
};

static enum err
old_read(struct seeding *s, struct catalog_old *out)
{
	struct ctx *c = s->c;

	TRY(db_all(c,
	    ROWS(seed_old,
		"SELECT e.id, e.path, e.sha256, e.seeded, " ABOUT_COLUMNS("e")
		" FROM catalog_entry e" ABOUT_TABLES("e")
		/* seeded entries come first, so keys_put() prefers them to other entries about
		 * the same thing */
		" WHERE e.workspace_id = ? ORDER BY e.seeded DESC, e.id"),
	    ARGS(s->w->id), &out->all));
	out->sources = keys_new(c->mem, out->all.n);
	out->paths = keys_new(c->mem, out->all.n + s->n);
	for (size_t i = 0; i < out->all.n; i++) {
		const struct seed_old *e = &out->all.v[i];

		keys_put(&out->paths, unicode_casefold_nfkc(c->mem, e->path), i);
		if (e->source_kind)
			keys_put(&out->sources, source_key(c, &ABOUT_OF(e)), i);
	}
	return E_OK;
}

/* Returns the first free path, or NULL if too many similar ones exist. */
static const char *
path_free(struct ctx *c, const struct seed_row *r, struct catalog_old *old)
{
	enum { ALIKE = 100 };

	for (int again = 0; again < ALIKE; again++) {
		const char *path = path_of(c, r, again);
		const char *fold = unicode_casefold_nfkc(c->mem, path);

		if (keys_get(&old->paths, fold) != KEY_NONE)
			continue;
		keys_put(&old->paths, fold, 0);
		return path;
	}
	return NULL;
}

static enum err
seed_one(struct seeding *s, const struct seed_row *r, struct catalog_old *old,
    struct entry_new *out, struct catalog_seeded *count)
{
	size_t at = keys_get(&old->sources, source_key(s->c, &ABOUT_OF(r)));
	const struct seed_old *was = at == KEY_NONE ? NULL : &old->all.v[at];

	*out = (struct entry_new){ .about = ABOUT_OF(r), .seeded = true };
	TRY(content_of(s->c, r, &out->content));
	out->path = was ? was->path : path_free(s->c, r, old);
	if (!out->path ||
	    (was && (!was->seeded ||
		str_eq(etag_of_sha256(s->c->mem, was->sha256),
		    etag_of_bytes(s->c->mem, out->content, strlen(out->content)))))) {
		count->unchanged++;
		return E_OK;
	}
	TRY(catalog_file_read(s->c, out->path, out->content, &out->meta));
	out->id = was ? was->id : id_new(s->c->mem, "cat_");
	++*(was ? &count->updated : &count->created);
	return E_OK;
}

enum { WRITTEN_AT_ONCE = 100 };

enum err
catalog_seed(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct catalog_seeded **out)
{
	struct seeding s = { .c = c, .w = w };
	struct catalog_old old;
	struct entry_new *v;
	const char **ids;
	size_t n = 0;

	*out = mem_new(c->mem, struct catalog_seeded);
	TRY(catalog_must_be_on(c, w));
	TRY(sources_read(&s));
	TRY(sources_seen(&s, who));
	TRY(old_read(&s, &old));
	v = mem_array(c->mem, struct entry_new, s.n + 1);
	for (size_t i = 0; i < s.n; i++) {
		TRY(seed_one(&s, &s.rows[i], &old, &v[n], *out));
		n += v[n].id != NULL;
	}
	if (!n)
		return E_OK;
	TRY(entries_room(c, w, (size_t)(*out)->created));
	ids = mem_array(c->mem, const char *, n + 1);
	for (size_t i = 0; i < n; i += WRITTEN_AT_ONCE)
		TRY(entries_write(c, w, who, v + i,
		    n - i < WRITTEN_AT_ONCE ? n - i : WRITTEN_AT_ONCE));
	for (size_t i = 0; i < n; i++)
		ids[i] = v[i].id;
	TRY(db_exec(c, EXEC(FIND_LATER "SELECT ?, t.id FROM " ID_TABLE),
	    ARGS(FIND_ENTRY, ids_json(c, ids, n)), NULL));
	return audit_workspace(c, w, who, "catalog.seeded", NULL,
	    audit_facts(c, "created|updated", (*out)->created, (*out)->updated));
}
