/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/entry_show.h"

#include "base/etag.h"
#include "base/json.h"
#include "base/str.h"

SHAPE_DEFINE(entry_row, ENTRY_ROW);

struct strs
lines_of(struct ctx *c, const char *text)
{
	char *rest = *text ? mem_strdup(c->mem, text) : NULL;
	struct strs out = { 0 };

	out.v = mem_array(c->mem, const char *, CATALOG_UPSTREAM + 1);
	while (rest && out.n < CATALOG_UPSTREAM)
		out.v[out.n++] = str_split(&rest, '\n');
	return out;
}

/* ---- columns ---- */

enum err
columns_described(struct ctx *c, const char *fields, struct catalog_column_list *out)
{
	struct json *tree;

	TRY(json_parse(c, fields, strlen(fields), &tree));
	out->n = json_len(tree);
	out->v = mem_array(c->mem, struct catalog_column, out->n + 1);
	for (size_t i = 0; i < out->n; i++) {
		const struct json *one = json_at(tree, i);

		out->v[i].name = json_word(one, "name");
		out->v[i].type = json_word(one, "type");
		out->v[i].description = json_word(one, "description");
	}
	return E_OK;
}

static const struct catalog_column *
column_among(const struct catalog_column_list *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].name, name))
			return &all->v[i];
	return NULL;
}

/* Returns the table's columns in its order, then columns that only the file has. */
static enum err
columns_join(struct ctx *c, const char *table_fields, const struct catalog_column_list *described,
    struct list *out)
{
	struct catalog_column_list all = { 0 };
	struct json *tree;

	TRY(json_parse(c, table_fields, strlen(table_fields), &tree));
	all.v = mem_array(c->mem, struct catalog_column, json_len(tree) + described->n + 1);
	for (size_t i = 0; i < json_len(tree); i++) {
		const char *name = json_str(json_at(json_at(tree, i), 0));
		const struct catalog_column *known = column_among(described, name);

		all.v[all.n++] = (struct catalog_column){ .name = name,
			.type = json_str(json_at(json_at(tree, i), 1)),
			.description = known ? known->description : NULL };
	}
	for (size_t i = 0; i < described->n; i++)
		if (!column_among(&all, described->v[i].name)) {
			all.v[all.n] = described->v[i];
			all.v[all.n++].missing = true;
		}
	*out = (struct list){ all.v, all.n };
	return E_OK;
}

/* ---- the source ---- */

static struct catalog_source *
source_fill(
    struct ctx *c, const struct entry_row *row, enum seen seen, const struct source_artifact *a)
{
	struct catalog_source *s = mem_new(c->mem, struct catalog_source);
	bool whole = seen == SEEN_WHOLE && row->source_table;

	*s = (struct catalog_source){ .kind = row->source_kind,
		.artifact_id = row->source_artifact_id,
		.artifact_name = a ? a->name : NULL,
		.table = row->source_table,
		.connection_id = row->source_connection_id,
		.connection_name = row->connection_name,
		.row_count = whole ? row->row_count : 0,
		.has = { .row_count = whole ? GIVEN : NULLED, .updated_at = NULLED } };
	if (whole || str_eq(row->source_kind, "page") ||
	    (str_eq(row->source_kind, "document") && row->has.document_changed == GIVEN)) {
		s->updated_at = row->source_table	       ? row->table_changed
		    : str_eq(row->source_kind, "page") ? a->updated_at
						       : row->document_changed;
		s->has.updated_at = GIVEN;
	}
	return s;
}

static enum err
entry_fill(struct ctx *c, const struct source_access *s, const struct entry_row *row,
    enum seen seen, struct catalog_entry *out)
{
	bool there = row->source_kind && seen != SEEN_GONE &&
	    (!row->source_table || row->table_fields);
	struct catalog_column_list described;

	*out = (struct catalog_entry){ .id = row->id,
		.path = row->path,
		.kind = row->kind,
		.title = row->title,
		.description = row->description,
		.domain = row->domain,
		.status = row->status,
		.tags = lines_of(c, row->tags),
		.owner = row->owner,
		.upstream = lines_of(c, row->upstream),
		.seeded = row->seeded,
		.etag = etag_of_sha256(c->mem, row->sha256),
		.created_at = row->created_at,
		.updated_at = row->updated_at,
		.updated_by = row->updated_by };
	if (there)
		out->source =
		    source_fill(c, row, seen, source_artifact(s, row->source_artifact_id));
	TRY(columns_described(c, row->fields, &described));
	if (there && row->table_fields)
		return columns_join(c, row->table_fields, &described, &out->columns);
	out->columns = (struct list){ described.v, described.n };
	return E_OK;
}

enum err
entries_show(struct ctx *c, const struct workspace *w, const struct source_access *s,
    const struct entry_row_list *rows, struct catalog_entry_list *out)
{
	enum member_role role = member_rank(w->role);
	enum seen seen;

	*out = (struct catalog_entry_list){ mem_array(c->mem, struct catalog_entry, rows->n + 1),
		0 };
	for (size_t i = 0; i < rows->n; i++) {
		TRY(source_access_check(s, w->id, role, &ABOUT_OF(&rows->v[i]), &seen));
		if (seen != SEEN_NOT)
			TRY(entry_fill(c, s, &rows->v[i], seen, &out->v[out->n++]));
	}
	return E_OK;
}

enum err
rows_access_read(struct ctx *c, const struct principal *who, const struct entry_row_list *rows,
    struct source_access *out)
{
	const char **ids = mem_array(c->mem, const char *, rows->n + 1);

	for (size_t i = 0; i < rows->n; i++)
		ids[i] = rows->v[i].source_artifact_id;
	return source_access_read(c, who, ids, rows->n, out);
}

static int
by_id(const void *a, const void *b)
{
	return strcmp(
	    ((const struct catalog_entry *)a)->id, ((const struct catalog_entry *)b)->id);
}

const struct catalog_entry *
entry_among(const struct catalog_entry_list *all, const char *id)
{
	const struct catalog_entry key = { .id = id };

	return all->n ? bsearch(&key, all->v, all->n, sizeof key, by_id) : NULL;
}

enum err
entries_of(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct source_access *known, const char *ids, struct catalog_entry_list *out)
{
	struct entry_row_list rows;
	struct source_access read;

	TRY(db_all(c,
	    ROWS(entry_row,
		ENTRY_SELECT ID_TABLE
		" STRAIGHT_JOIN catalog_entry e ON e.workspace_id = ? AND e.id = t.id"
		ENTRY_TABLES),
	    ARGS(ids, w->id), &rows));
	if (!known)
		TRY(rows_access_read(c, who, &rows, &read));
	TRY(entries_show(c, w, known ? known : &read, &rows, out));
	qsort(out->v, out->n, sizeof *out->v, by_id);
	return E_OK;
}
