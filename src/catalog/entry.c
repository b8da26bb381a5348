/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/entry.h"

#include "base/etag.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "catalog/entry_show.h"
#include "catalog/write.h"
#include "core/audit.h"
#include "core/find.h"
#include "data/table.h"

SHAPE_DEFINE(catalog_source, CATALOG_SOURCE);
SHAPE_DEFINE(catalog_link, CATALOG_LINK);
SHAPE_DEFINE(catalog_entry, CATALOG_ENTRY);
SHAPE_DEFINE(catalog_query, CATALOG_QUERY);
SHAPE_DEFINE(catalog_value, CATALOG_VALUE);
SHAPE_DEFINE(catalog_facets, CATALOG_FACETS);
SHAPE_DEFINE(catalog, CATALOG);
SHAPE_DEFINE(catalog_file, CATALOG_FILE);
SHAPE_DEFINE(catalog_switch, CATALOG_SWITCH);

/* ---- on and off ---- */

enum err
catalog_is_on(struct ctx *c, const struct workspace *w, bool *on)
{
	struct catalog_switch *row;

	TRY(db_one(c, ROWS(catalog_switch, "SELECT catalog AS enabled FROM workspace WHERE id = ?"),
	    ARGS(w->id), &row));
	*on = row->enabled;
	return E_OK;
}

enum err
catalog_must_be_on(struct ctx *c, const struct workspace *w)
{
	bool on;

	TRY(catalog_is_on(c, w, &on));
	return on ? E_OK
		  : fail(c, E_CONFLICT,
			"The catalog is off; an admin of the workspace can turn it on");
}

enum err
catalog_enable(struct ctx *c, const struct workspace *w, const struct principal *who, bool on)
{
	bool was;

	TRY(catalog_is_on(c, w, &was));
	if (was == on)
		return E_OK;
	TRY(db_exec1(c, EXEC("UPDATE workspace SET catalog = ? WHERE id = ?"), ARGS(on, w->id)));
	return audit_workspace(
	    c, w, who, on ? "catalog.enabled" : "catalog.disabled", NULL, NULL);
}

/* ---- one entry ---- */

#define ENTRY_CONTENT(F, T) F(T, STR, content)
SHAPE(entry_content, ENTRY_CONTENT);

#define ENTRY_ID(F, T) F(T, STR, id)
SHAPE(entry_id, ENTRY_ID);

/* Returns links to those entries that `who` may see. */
static enum err
links_seen(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct entry_id_list *rows, struct list *out)
{
	const char **ids = mem_array(c->mem, const char *, rows->n + 1);
	struct catalog_entry_list seen = { 0 };

	for (size_t i = 0; i < rows->n; i++)
		ids[i] = rows->v[i].id;
	if (rows->n)
		TRY(entries_of(c, w, who, NULL, ids_json(c, ids, rows->n), &seen));
	*out = list_made(c->mem, &seen, e,
	    (struct catalog_link){
		.id = e->id, .path = e->path, .kind = e->kind, .title = e->title });
	return E_OK;
}

static int
by_title(const void *a, const void *b)
{
	const struct catalog_link *x = a, *y = b;
	int order = strcmp(x->title, y->title);

	return order ? order : strcmp(x->id, y->id);
}

enum err
catalog_mentioning(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct catalog_entry *of, struct catalog_link_list *out)
{
	struct entry_id_list rows;
	struct list all;

	TRY(db_all(c,
	    ROWS(entry_id,
		"SELECT DISTINCT m.entry_id AS id FROM catalog_mention m"
		" WHERE m.workspace_id = ? AND m.to_key IN (?, ?) AND m.entry_id <> ?"),
	    ARGS(w->id, catalog_mention_key(c, of->id), catalog_mention_key(c, of->path), of->id),
	    &rows));
	TRY(links_seen(c, w, who, &rows, &all));
	*out = (struct catalog_link_list){ all.v, all.n };
	qsort(out->v, out->n, sizeof *out->v, by_title);
	return E_OK;
}

enum err
catalog_linked(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id, struct catalog_link_list *out)
{
	struct entry_id_list rows;
	struct list all;

	TRY(db_all(c,
	    ROWS(entry_id,
		"SELECT STRAIGHT_JOIN e.id FROM catalog_mention m JOIN catalog_entry e"
		" ON e.workspace_id = m.workspace_id AND e.path_key = m.to_key"
		" WHERE m.entry_id = ? AND m.workspace_id = ?"),
	    ARGS(id, w->id), &rows));
	TRY(links_seen(c, w, who, &rows, &all));
	*out = (struct catalog_link_list){ all.v, all.n };
	return E_OK;
}

enum err
catalog_entry_get(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id, struct catalog_entry **out)
{
	struct catalog_entry_list found;
	struct entry_content *file;
	struct entry_id_list rows;
	bool on;

	*out = NULL;
	TRY(catalog_is_on(c, w, &on));
	if (!on)
		return E_OK;
	TRY(entries_of(c, w, who, NULL, ids_json(c, &id, 1), &found));
	if (!found.n)
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	*out = found.v;
	TRY(db_one(c, ROWS(entry_content, "SELECT content FROM catalog_file WHERE entry_id = ?"),
	    ARGS(id), &file));
	found.v->content = file->content;
	/* The entries that name this one as upstream. */
	TRY(db_all(c,
	    ROWS(entry_id,
		"SELECT u.entry_id AS id FROM catalog_entry e JOIN catalog_upstream u"
		" ON u.workspace_id = e.workspace_id AND u.path_key = e.path_key"
		" WHERE e.workspace_id = ? AND e.id = ?"),
	    ARGS(w->id, found.v->id), &rows));
	TRY(links_seen(c, w, who, &rows, &found.v->downstream));
	found.v->has.downstream = GIVEN;
	found.v->used_by = (int64_t)found.v->downstream.n;
	return E_OK;
}

/* *there: an entry has a path that looks the same, whether or not `who` may see it. */
static enum err
entry_find(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *path, bool *there, struct catalog_entry **out)
{
	struct catalog_entry_list found;
	uint8_t key[SHA256_BYTES];
	struct entry_row_list rows;
	struct source_access access;

	catalog_path_key(c, path, key);
	TRY(db_all(c,
	    ROWS(entry_row,
		ENTRY_SELECT "catalog_entry e" ENTRY_TABLES
		" WHERE e.workspace_id = ? AND e.path_key = ?"),
	    ARGS(w->id, ((struct bytes){ key, sizeof key })), &rows));
	TRY(rows_access_read(c, who, &rows, &access));
	TRY(entries_show(c, w, &access, &rows, &found));
	*there = rows.n > 0;
	*out = found.n && str_eq(found.v->path, path) ? found.v : NULL;
	return E_OK;
}

enum err
catalog_entry_at(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *path, struct catalog_entry **out)
{
	bool there;

	return entry_find(c, w, who, path, &there, out);
}

/* ---- the source that a file names ---- */

#define FOUND_SOURCE(F, T) \
	F(T, STR, id) \
	F(T, STR, name)
SHAPE(found_source, FOUND_SOURCE);

static enum err
connection_resolve(struct ctx *c, const struct workspace *w, const struct catalog_meta *m,
    struct about *out)
{
	struct found_source *found = NULL;

	if (member_rank(w->role) >= MEMBER_MEMBER)
		TRY(db_find(c,
		    ROWS(found_source,
			"SELECT id, name FROM connection"
			" WHERE workspace_id = ? AND (id = ? OR name_key = ?) LIMIT 1"),
		    ARGS(w->id, m->connection, unicode_name_key(c->mem, m->connection)), &found));
	if (!found)
		return fm_fail(c, fm_get(m->source, "connection"),
		    "source: the workspace has no connection called %s", m->connection);
	out->source_kind = "connection";
	out->source_connection_id = found->id;
	out->connection_name = found->name;
	return E_OK;
}

/* Finds the artifact by id, or by a present or former slug. */
static enum err
artifact_resolve(struct ctx *c, const char *named, const char **id)
{
	struct entry_id *row;

	*id = id_valid(named, "art_") ? named : NULL;
	if (*id || !slug_valid(named))
		return E_OK;
	TRY(db_find(c,
	    ROWS(entry_id,
		"SELECT artifact_id AS id FROM slug WHERE slug = ? AND artifact_id IS NOT NULL"),
	    ARGS(named), &row));
	*id = row ? row->id : NULL;
	return E_OK;
}

static enum err
about_resolve(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct catalog_meta *m, struct about *out, const char **artifact_name)
{
	struct source_access access;
	enum seen seen;
	bool there = true;

	*out = (struct about){ 0 };
	if (!m->source)
		return E_OK;
	if (m->connection)
		return connection_resolve(c, w, m, out);
	TRY(artifact_resolve(c, m->artifact, &out->source_artifact_id));
	out->source_table = m->table;
	out->source_kind = m->table ? "table" : str_eq(m->kind, "page") ? "page" : "document";
	TRY(source_access_read(c, who, &out->source_artifact_id, 1, &access));
	TRY(source_access_check(&access, w->id, member_rank(w->role), out, &seen));
	if (m->table && seen > SEEN_GONE) {
		there = table_name_valid(m->table);
		if (there)
			TRY(table_is_there(c, &(struct artifact){ .id = out->source_artifact_id },
			    m->table, &there));
	}
	if (seen <= SEEN_GONE || !there)
		return fm_fail(c, fm_get(m->source, m->table ? "table" : "artifact"),
		    "source: the workspace has no %s %s that you can read",
		    m->table ? "table" : "artifact",
		    m->table ? mem_printf(c->mem, "%s in %s", m->table, m->artifact)
			     : m->artifact);
	*artifact_name = source_artifact(&access, out->source_artifact_id)->name;
	return E_OK;
}

static enum err
file_check(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct catalog_file *in, struct entry_new *out)
{
	size_t n = strlen(in->content);

	*out = (struct entry_new){ .path = in->path,
		.content = unicode_text(c->mem, in->content, &n) };
	TRY(catalog_must_be_on(c, w));
	TRY(catalog_path_check(c, &out->path));
	TRY(catalog_file_read(c, out->path, out->content, &out->meta));
	return about_resolve(c, w, who, &out->meta, &out->about, &out->artifact_name);
}

enum err
catalog_try(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct catalog_file *in, struct catalog_entry **out)
{
	struct entry_new e;
	const struct catalog_meta *m = &e.meta;

	TRY(file_check(c, w, who, in, &e));
	*out = mem_new(c->mem, struct catalog_entry);
	**out = (struct catalog_entry){ .path = e.path,
		.kind = m->kind,
		.title = m->title,
		.description = m->description,
		.domain = m->domain,
		.status = m->status,
		.tags = m->tags,
		.owner = m->owner,
		.columns = { m->columns.v, m->columns.n },
		.upstream = m->upstream,
		.content = in->content };
	if (e.about.source_kind) {
		struct catalog_source *s = mem_new(c->mem, struct catalog_source);

		*s = (struct catalog_source){ .kind = e.about.source_kind,
			.artifact_id = e.about.source_artifact_id,
			.artifact_name = e.artifact_name,
			.table = e.about.source_table,
			.connection_id = e.about.source_connection_id,
			.connection_name = e.about.connection_name,
			.has = { .row_count = NULLED, .updated_at = NULLED } };
		(*out)->source = s;
	}
	return E_OK;
}

/* ---- changes ---- */

static enum err
entry_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const char *id, const char *path)
{
	return audit_add(c, w->id, who,
	    &(struct audit){ .action = action, .type = "catalog", .id = id, .name = path });
}

/* Writing identical content changes nothing, so a seeded file still counts as unedited. */
static bool
is_unchanged(struct ctx *c, const struct catalog_entry *old, const struct entry_new *e)
{
	const struct catalog_source *s = old->source;

	return str_eq(old->etag, etag_of_bytes(c->mem, e->content, strlen(e->content))) &&
	    str_eq(s ? s->kind : NULL, e->about.source_kind) &&
	    str_eq(s ? s->artifact_id : NULL, e->about.source_artifact_id) &&
	    str_eq(s ? s->connection_id : NULL, e->about.source_connection_id);
}

enum err
catalog_put(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct catalog_file *in, bool *made, const char **id)
{
	struct catalog_entry *old;
	struct entry_new e;
	bool there;

	TRY(file_check(c, w, who, in, &e));
	TRY(entry_find(c, w, who, in->path, &there, &old));
	if (there && !old)
		return fail(c, E_CONFLICT,
		    "path: %s is taken, or too much like one that is; choose another", in->path);
	if (!old)
		TRY(entries_room(c, w, 1));
	*made = !old;
	if (old && is_unchanged(c, old, &e)) {
		*id = old->id;
		return E_OK;
	}
	e.id = *id = old ? old->id : id_new(c->mem, "cat_");
	TRY(entries_write(c, w, who, &e, 1));
	TRY(find_changed(c, FIND_ENTRY, e.id));
	return entry_audit(c, w, who, old ? "catalog.changed" : "catalog.added", e.id, e.path);
}

enum err
catalog_delete(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *path)
{
	struct catalog_entry *old;

	TRY(catalog_must_be_on(c, w));
	TRY(catalog_entry_at(c, w, who, path, &old));
	if (!old)
		return fail(c, E_NOT_FOUND, "path: there is no file %s, or you can't open it",
		    str_cut(c->mem, path, CATALOG_PATH_BYTES));
	TRY(db_exec1(c, EXEC("DELETE FROM catalog_entry WHERE workspace_id = ? AND id = ?"),
	    ARGS(w->id, old->id)));
	TRY(find_changed(c, FIND_ENTRY, old->id));
	return entry_audit(c, w, who, "catalog.removed", old->id, old->path);
}

/* ---- descriptions for pages of tables ---- */

#define ENTRY_FIELDS(F, T) F(T, STR, fields)
SHAPE(entry_fields, ENTRY_FIELDS);

enum err
catalog_column_descriptions(struct ctx *c, const struct artifact *a, const char *table,
    const struct principal *who, struct catalog_column_list *out)
{
	struct catalog_column_list all;
	struct entry_fields *row;

	*out = (struct catalog_column_list){ 0 };
	if (!a->workspace_id || !who)
		return E_OK;
	TRY(db_find(c,
	    ROWS(entry_fields,
		"SELECT e.fields FROM catalog_entry e"
		" JOIN workspace w ON w.id = e.workspace_id AND w.catalog"
		" JOIN member m ON m.workspace_id = w.id AND m.user_id = ?"
		" WHERE e.source_artifact_id = ? AND e.source_table = ? AND e.workspace_id = ?"
		" ORDER BY e.updated_at DESC, e.id LIMIT 1"),
	    ARGS(who->user_id, a->id, table, a->workspace_id), &row));
	if (!row)
		return E_OK;
	TRY(columns_described(c, row->fields, &all));
	out->v = all.v;
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].description)
			out->v[out->n++] = all.v[i];
	return E_OK;
}

/* ---- changes elsewhere ---- */

/* The entry stays without its source. Everybody may see it if everybody could open the artifact;
 * else only admins may (source_closed). */
static enum err
artifact_purged(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC(
		"UPDATE artifact a JOIN catalog_entry e ON e.source_artifact_id = a.id"
		" JOIN workspace w ON w.id = e.workspace_id"
		" SET e.source_closed = NOT (a.workspace_id <=> e.workspace_id)"
		" OR (a.visibility = 'private' AND w.member_access = 'none')"
		" OR (a.access_policy IS NOT NULL AND e.source_kind <> 'page'),"
		" e.source_artifact_id = NULL, e.source_table = NULL WHERE a.id = ?"),
	    ARGS(h->art->id), NULL);
}

/* Deletes few at once: the files of a workspace can have a gigabyte. */
enum { PURGED_AT_ONCE = 100 };

static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	int64_t gone;

	TRY(db_exec(c,
	    EXEC(FIND_LATER "SELECT ?, id FROM catalog_entry WHERE workspace_id = ?"
			    " ORDER BY id LIMIT ?"),
	    ARGS(FIND_ENTRY, h->workspace_id, PURGED_AT_ONCE), NULL));
	TRY(db_exec(c,
	    EXEC("DELETE FROM catalog_entry WHERE workspace_id = ? ORDER BY id LIMIT ?"),
	    ARGS(h->workspace_id, PURGED_AT_ONCE), &gone));
	*h->more = gone == PURGED_AT_ONCE;
	return E_OK;
}

USERS(USER_UNSET(catalog_entry, updated_by))
FOLLOWS(catalog, USERS_FOLLOW, { ARTIFACT_PURGED, artifact_purged },
    { WORKSPACE_PURGED, workspace_purged });

#define ENTRY_FOUND(F, T) \
	FOUND(F, T) \
	ABOUT(F, T) \
	F(T, WORD, role, .arg = MEMBER_ROLES)
SHAPE(found_entry, ENTRY_FOUND);

static enum err
entry_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	struct found_entry_list rows;
	struct source_access access;
	const char **ids;
	enum seen seen;

	TRY(db_all(c,
	    ROWS(found_entry,
		"SELECT t.id AS `key`, a.id, a.title, CONCAT('Catalog of ', wk.name) AS subtitle,"
		" CONCAT('/w/', a.workspace_id, '/catalog/', a.id) AS url, a.workspace_id,"
		" FALSE AS own, a.updated_at, " WORKSPACE_ROLE_COLUMN " AS role, "
		ABOUT_COLUMNS("a") " FROM " FIND_ASKED
		" STRAIGHT_JOIN catalog_entry a ON a.id = t.id" MEMBER_TABLES("s.user_id")
		ABOUT_TABLES("a") " WHERE wk.catalog AND " FIND_WITHIN("a.workspace_id")
		" HAVING role IS NOT NULL"),
	    FIND_ARGS(asked), &rows));
	ids = mem_array(c->mem, const char *, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++)
		ids[i] = rows.v[i].source_artifact_id;
	TRY(source_access_read(c, asked->who, ids, rows.n, &access));
	*out = (struct found_list){ mem_array(c->mem, struct found, rows.n + 1), 0 };
	for (size_t i = 0; i < rows.n; i++) {
		struct found_entry *r = &rows.v[i];

		TRY(source_access_check(
		    &access, r->workspace_id, member_rank(r->role), &ABOUT_OF(r), &seen));
		if (seen != SEEN_NOT)
			out->v[out->n++] = FOUND_OF(c, r);
	}
	return E_OK;
}

FINDS(catalog, FIND_ENTRY, "datasets", DATA_READ, entry_found,
    .text = ROWS(find_text,
	"SELECT e.id, e.workspace_id AS audiences, e.title AS name, e.path AS also,"
	" CONCAT_WS('\n', REPLACE(e.tags, '\n', ', '), e.description) AS text FROM " ID_TABLE
	" STRAIGHT_JOIN catalog_entry e ON e.id = t.id"),
    .all = FIND_ALL("catalog_entry"));
