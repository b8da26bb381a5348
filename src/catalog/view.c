/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/view.h"

#include "base/str.h"
#include "catalog/entry_show.h"

SHAPE_DEFINE(view_entry, VIEW_ENTRY);

enum err
view_read(struct ctx *c, const struct workspace *w, const struct principal *who, bool words,
    const char *const *also, size_t also_n, struct view *out)
{
	enum member_role role = member_rank(w->role);
	struct view_entry *v;
	const char **ids;
	enum seen seen;
	size_t n;

	TRY(db_all(c,
	    ROWS(view_entry,
		"SELECT e.id, e.kind, e.title, e.domain, e.status, e.tags,"
		" IF(?, e.words, NULL) AS words, e.updated_at, " ABOUT_COLUMNS("e")
		" FROM catalog_entry e" ABOUT_TABLES("e")
		" WHERE e.workspace_id = ? ORDER BY e.id"),
	    ARGS(words, w->id), &out->entries));
	v = out->entries.v;
	n = out->entries.n;
	ids = mem_array(c->mem, const char *, n + also_n + 1);
	for (size_t i = 0; i < n; i++)
		ids[i] = v[i].source_artifact_id;
	for (size_t i = 0; i < also_n; i++)
		ids[n + i] = also[i];
	TRY(source_access_read(c, who, ids, n + also_n, &out->access));
	out->entries.n = 0;
	for (size_t i = 0; i < n; i++) {
		TRY(source_access_check(&out->access, w->id, role, &ABOUT_OF(&v[i]), &seen));
		v[i].seen = seen;
		if (seen != SEEN_NOT)
			v[out->entries.n++] = v[i];
	}
	return E_OK;
}

static int
by_id(const void *a, const void *b)
{
	return strcmp(((const struct view_entry *)a)->id, ((const struct view_entry *)b)->id);
}

struct view_entry *
view_entry(const struct view *view, const char *id)
{
	const struct view_entry key = { .id = id };

	return view->entries.n
	    ? bsearch(&key, view->entries.v, view->entries.n, sizeof key, by_id)
	    : NULL;
}

#define LINK_ROW(F, T) \
	F(T, STR, earlier) \
	F(T, STR, later)
SHAPE(link_row, LINK_ROW);

#define LINKS_FROM(entries) \
	"SELECT STRAIGHT_JOIN e.id AS earlier, u.entry_id AS later FROM " entries \
	" JOIN catalog_upstream u ON u.workspace_id = e.workspace_id AND u.path_key = e.path_key" \
	" WHERE e.workspace_id = ?"

enum err
view_links(struct ctx *c, const struct workspace *w, const struct view *view, const char *ids,
    struct view_link **out, size_t *n)
{
	struct link_row_list rows;

	if (ids)
		TRY(db_all(c,
		    ROWS(link_row,
			LINKS_FROM(ID_TABLE " JOIN catalog_entry e ON e.id = t.id")),
		    ARGS(ids, w->id), &rows));
	else
		TRY(db_all(c, ROWS(link_row, LINKS_FROM("catalog_entry e")), ARGS(w->id), &rows));
	*out = mem_array(c->mem, struct view_link, rows.n + 1);
	*n = 0;
	for (size_t i = 0; i < rows.n; i++) {
		struct view_link l = { view_entry(view, rows.v[i].earlier),
			view_entry(view, rows.v[i].later) };

		if (l.earlier && l.later)
			(*out)[(*n)++] = l;
	}
	return E_OK;
}
