/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/shared.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/workspace.h"
#include "db/ids.h"

SHAPE_DEFINE(shared_workspace, SHARED_WORKSPACE);
SHAPE_DEFINE(shared, SHARED);
SHAPE_DEFINE(shared_item, SHARED_THING);
SHAPE_DEFINE(shared_folder, SHARED_FOLDER);

#define SHARED_WORKSPACE_COLUMNS \
	"w.id, COALESCE(w.brand_name, w.name) AS name, w.brand_color AS color, w.logo, " \
	TIER_COLUMNS("w")

/* Returns the address of a thing. */
static const char *
thing_url(struct ctx *c, const char *type, const char *id, const char *slug, const char *subdomain)
{
	const struct artifact a = { .slug = slug, .subdomain = subdomain };

	if (str_eq(type, "artifact"))
		return mem_printf(c->mem, "%s/", artifact_origin(c, &a));
	return mem_printf(c->mem,
	    str_eq(type, "file") ? "%s/v1/files/%s/content" : "%s/shared/folders/%s",
	    c->conf->base_url, id);
}

/* ---- by workspace ---- */

/* Finds workspaces that may have granted the person something, with their plans. */
static enum err
workspaces_find(
    struct ctx *c, const struct principal *who, struct shared_workspace_list *out)
{
	struct shared_workspace_list all;

	TRY(db_all(c,
	    ROWS(shared_workspace,
		"SELECT " SHARED_WORKSPACE_COLUMNS " FROM (SELECT g.workspace_id"
		" FROM share_grant g WHERE g.subject_id = ?"
		" UNION SELECT m.workspace_id FROM sharee_member m WHERE m.user_id = ?"
		" AND COALESCE(m.sharee_id = ?, TRUE)) x"
		" JOIN workspace w ON w.id = x.workspace_id"
		" WHERE w.deleted_at IS NULL AND COALESCE(w.id = ?, TRUE)"
		" AND NOT " AGENT_BARRED("w", "?") " AND NOT EXISTS"
		" (SELECT 1 FROM member o WHERE o.workspace_id = w.id AND o.user_id = ?)"),
	    ARGS(who->user_id, who->user_id, who->sharee_id, who->workspace_id, AGENT_ARGS(who),
		who->user_id),
	    &all));
	*out = (struct shared_workspace_list){ all.v, 0 };
	for (size_t i = 0; i < all.n; i++) {
		struct shared_workspace *w = &all.v[i];
		struct tier t;

		tier_read(c, TIER_ROW_OF(w), &t);
		if (!(t.features & 1u << FEATURE_EXTERNAL_SHARING))
			continue;
		w->logo_url = workspace_logo_url(c, w->logo);
		out->v[out->n++] = *w;
	}
	return E_OK;
}

static const char *
workspaces_json(struct ctx *c, const struct shared_workspace_list *all)
{
	const char **ids = mem_array(c->mem, const char *, all->n + 1);

	for (size_t i = 0; i < all->n; i++)
		ids[i] = all->v[i].id;
	return ids_json(c, ids, all->n);
}

static void
shared_complete(struct ctx *c, const struct shared_workspace_list *all, struct shared *s)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].id, s->workspace_id))
			s->workspace = &all->v[i];
	s->url = thing_url(c, s->resource_type, s->resource_id, s->slug, s->subdomain);
}

/* SQL condition: the artifact a has a live version that can be seen, in or outside of its
 * workspace. */
#define ARTIFACT_IS_AT_HAND \
	"a.live_no IS NOT NULL AND a.deleted_at IS NULL AND a.paused_at IS NULL AND NOT a.closed"

enum err
shared_list(struct ctx *c, const struct principal *who, const struct page_query *q,
    struct shared_list *out, const char **next)
{
	const char *dot = q->cursor ? strchr(q->cursor, '.') : NULL;
	struct shared_workspace_list in;

	*out = (struct shared_list){ 0 };
	*next = NULL;
	if (q->cursor && !dot)
		return fail_cursor(c);
	if (!rights_may_be_given(who))
		return E_OK;
	TRY(workspaces_find(c, who, &in));
	TRY(db_part(c,
	    ROWS(shared,
		"SELECT g.id AS grant_id, g.workspace_id, g.client, g.resource_type,"
		" g.resource_id, COALESCE(f.name, a.name, d.name) AS resource_name,"
		" COALESCE(f.updated_at, a.updated_at, d.updated_at) AS updated_at, a.slug,"
		" w.subdomain, g.capability, g.expires_at FROM (SELECT o.*, NULL AS client"
		" FROM share_grant o WHERE o.subject_id = ?"
		" UNION ALL SELECT o.*, s.name FROM sharee_member m"
		" JOIN sharee s ON s.id = m.sharee_id JOIN share_grant o ON o.subject_id = s.id"
		" WHERE m.user_id = ? AND COALESCE(m.sharee_id = ?, TRUE)) g"
		" JOIN " ID_TABLE " ON t.id = g.workspace_id"
		" JOIN workspace w ON w.id = g.workspace_id"
		" LEFT JOIN folder f ON f.id = g.resource_id AND f.workspace_id = w.id"
		" LEFT JOIN artifact a ON a.id = g.resource_id AND a.workspace_id = w.id"
		" AND " ARTIFACT_IS_AT_HAND
		" LEFT JOIN deliverable d ON d.id = g.resource_id AND d.workspace_id = w.id"
		" AND d.visibility = 'workspace'"
		" WHERE COALESCE(f.id, a.id, d.id) IS NOT NULL"
		" AND COALESCE(g.expires_at > ?, TRUE) AND (g.workspace_id, g.id) < (?, ?)"
		" ORDER BY g.workspace_id DESC, g.id DESC LIMIT ?"),
	    ARGS(who->user_id, who->user_id, who->sharee_id, workspaces_json(c, &in), c->now,
		arg_before(dot ? mem_strndup(c->mem, q->cursor, (size_t)(dot - q->cursor)) : NULL,
		    "wsp_"),
		arg_before(dot ? dot + 1 : NULL, "grt_")),
	    q->limit, out, next,
	    mem_printf(c->mem, "%s.%s", last->workspace_id, last->grant_id)));
	for (size_t i = 0; i < out->n; i++)
		shared_complete(c, &in, &out->v[i]);
	return E_OK;
}

/* ---- a folder ---- */

#define SHARED_PLACE(F, T) \
	F(T, STR, name) \
	F(T, ID,  parent_id, .arg = "fld_") \
	F(T, OBJ, workspace, .sub = &shared_workspace_shape)
SHAPE(shared_place, SHARED_PLACE);

/* Ids of folders sort after those of files, and these after those of artifacts. Each branch reads
 * at most one page. */
static enum err
items_list(struct ctx *c, const char *workspace_id, const char *id, const struct page_query *q,
    struct shared_folder *out)
{
	struct arg before = q->cursor ? arg_str(q->cursor) : arg_before(NULL, "fld_");
	int64_t most = q->limit + 1;
	struct shared_item *item;

	if (q->cursor && !id_valid(q->cursor, "fld_") && !id_valid(q->cursor, "dlv_") &&
	    !id_valid(q->cursor, "art_"))
		return fail_cursor(c);
	TRY(db_part(c,
	    ROWS(shared_item,
		"(SELECT 'folder' AS resource_type, f.id AS resource_id, f.name AS resource_name,"
		" f.updated_at, NULL AS slug, NULL AS subdomain FROM folder f"
		" WHERE f.parent_id = ? AND f.id < ? ORDER BY f.id DESC LIMIT ?)"
		" UNION ALL (SELECT 'file', d.id, d.name, d.updated_at, NULL, NULL"
		" FROM deliverable d WHERE d.folder_id = ? AND d.workspace_id = ?"
		" AND d.visibility = 'workspace' AND d.id < ? ORDER BY d.id DESC LIMIT ?)"
		" UNION ALL (SELECT 'artifact', a.id, a.name, a.updated_at, a.slug, w.subdomain"
		" FROM artifact a FORCE INDEX (artifact_folder)"
		" JOIN workspace w ON w.id = a.workspace_id"
		" WHERE a.folder_id = ? AND a.workspace_id = ? AND " ARTIFACT_IS_AT_HAND
		" AND a.id < ? ORDER BY a.id DESC LIMIT ?)"
		" ORDER BY resource_id DESC LIMIT ?"),
	    ARGS(id, before, most, id, workspace_id, before, most, id, workspace_id, before, most),
	    q->limit, &out->items, &out->next_cursor,
	    ((const struct shared_item *)last)->resource_id));
	item = out->items.v;
	for (size_t i = 0; i < out->items.n; i++, item++)
		item->url = thing_url(c, item->resource_type, item->resource_id, item->slug,
		    item->subdomain);
	return E_OK;
}

enum err
shared_folder_get(struct ctx *c, const struct principal *who, const char *id,
    const struct page_query *q, struct shared_folder *out)
{
	struct shared_place *place;
	struct shared_workspace *w;
	struct rights may, above = { 0 };

	TRY(reach_folder(c, who, id, &may));
	if (!may.view)
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(db_one(c,
	    ROWS(shared_place,
		"SELECT f.name, f.parent_id, w.id AS `workspace.id`,"
		" COALESCE(w.brand_name, w.name) AS `workspace.name`,"
		" w.brand_color AS `workspace.color`, w.logo AS `workspace.logo`"
		" FROM folder f JOIN workspace w ON w.id = f.workspace_id WHERE f.id = ?"),
	    ARGS(id), &place));
	if (place->parent_id)
		TRY(reach_folder(c, who, place->parent_id, &above));
	w = place->workspace;
	w->logo_url = workspace_logo_url(c, w->logo);
	*out = (struct shared_folder){ .id = id,
		.name = place->name,
		.parent_id = above.view ? place->parent_id : NULL,
		.workspace = w,
		.can_comment = may.comment,
		.can_create = may.create,
		.can_edit = may.edit };
	return items_list(c, w->id, id, q, out);
}
