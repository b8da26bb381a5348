/* SPDX-License-Identifier: Apache-2.0 */
#include "team/folder.h"

#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/audit.h"
#include "core/find.h"
#include "core/place.h"
#include "db/db.h"
#include "db/ids.h"

SHAPE_DEFINE(folder, FOLDER);
SHAPE_DEFINE(folder_new, FOLDER_NEW);
SHAPE_DEFINE(folder_edit, FOLDER_EDIT);
SHAPE_DEFINE(folder_query, FOLDER_QUERY);
SHAPE_DEFINE(folder_put, FOLDER_PUT);
SHAPE_DEFINE(folder_step, FOLDER_STEP);

enum { KEY_CHARS = 360 };

/* ---- names ---- */

static enum err
folder_key(struct ctx *c, const char *name, const char **key)
{
	*key = unicode_name_key(c->mem, name);
	return str_chars(*key) <= KEY_CHARS
	    ? E_OK
	    : fail(c, E_INVALID, "name: is too long once its ligatures are expanded");
}

static enum err
folder_name(struct ctx *c, const char *given, const char **name, const char **key)
{
	const char *s = *name = unicode_name(c->mem, given);

	if (strpbrk(s, "/\\"))
		return fail(c, E_INVALID,
		    "name: must not contain / or \\; create a folder inside the folder instead");
	if (str_eq(s, ".") || str_eq(s, ".."))
		return fail(c, E_INVALID, "name: must not be . or ..");
	if (str_chars(s) > FOLDER_CHARS)
		return fail(c, E_INVALID, "name: has %zu characters; the maximum is %d",
		    str_chars(s), FOLDER_CHARS);
	TRY(folder_key(c, s, key));
	return **key ? E_OK : fail(c, E_INVALID, "name: must contain a visible character");
}

/* ---- the way up ---- */

#define ANCESTOR(F, T) \
	F(T, ID,  id,        .arg = "fld_") \
	F(T, ID,  parent_id, .arg = "fld_") \
	F(T, STR, name)
SHAPE(ancestor, ANCESTOR);

/* The folders and all above them, each once, by id. */
static enum err
ancestors_find(struct ctx *c, const char *ids, struct ancestor_list *out)
{
	return db_all(c,
	    ROWS(ancestor,
		"WITH RECURSIVE up AS (SELECT f.id, f.parent_id, f.name FROM " ID_TABLE
		" JOIN folder f ON f.id = t.id"
		" UNION SELECT p.id, p.parent_id, p.name"
		" FROM up JOIN folder p ON p.id = up.parent_id)"
		" SELECT id, parent_id, name FROM up ORDER BY id"),
	    ARGS(ids), out);
}

static int
ancestor_compare(const void *id, const void *row)
{
	return strcmp(id, ((const struct ancestor *)row)->id);
}

static const struct ancestor *
ancestor_of(const struct ancestor_list *all, const char *id)
{
	return id && all->n ? bsearch(id, all->v, all->n, sizeof *all->v, ancestor_compare) : NULL;
}

/* The folder and those above it, itself first. */
static size_t
ancestors_of(const struct ancestor_list *all, const char *id,
    const struct ancestor *way[FOLDER_DEPTH + 1])
{
	const struct ancestor *at;
	size_t n = 0;

	for (at = ancestor_of(all, id); at && n <= FOLDER_DEPTH;
	     at = ancestor_of(all, at->parent_id))
		way[n++] = at;
	return n;
}

static const char *
folder_path(struct ctx *c, const struct ancestor_list *all, const char *id)
{
	const struct ancestor *way[FOLDER_DEPTH + 1];
	size_t n = ancestors_of(all, id, way);
	struct buf b = BUF(c->mem);

	while (n)
		buf_fmt(&b, "/%s", way[--n]->name);
	return buf_done(&b);
}

enum err
folder_paths(struct ctx *c, const char *const *ids, size_t n, const char **paths)
{
	const char *asked = ids_json(c, ids, n);
	struct ancestor_list all = { 0 };

	if (!str_eq(asked, "[]"))
		TRY(ancestors_find(c, asked, &all));
	for (size_t i = 0; i < n; i++)
		paths[i] = ids[i] ? folder_path(c, &all, ids[i]) : NULL;
	return E_OK;
}

static enum err
folders_set_paths(struct ctx *c, struct folder *v, size_t n)
{
	const char **ids = mem_array(c->mem, const char *, n + 1),
		   **paths = mem_array(c->mem, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		ids[i] = v[i].id;
	TRY(folder_paths(c, ids, n, paths));
	for (size_t i = 0; i < n; i++)
		v[i].path = paths[i];
	return E_OK;
}

enum err
folder_way(struct ctx *c, const char *id, struct folder_step_list *out)
{
	const struct ancestor *way[FOLDER_DEPTH + 1];
	struct ancestor_list all = { 0 };
	size_t n;

	if (id)
		TRY(ancestors_find(c, ids_json(c, &id, 1), &all));
	n = ancestors_of(&all, id, way);
	out->v = mem_array(c->mem, struct folder_step, n + 1);
	out->n = n;
	for (size_t i = 0; i < n; i++)
		out->v[i] = (struct folder_step){ .folder_id = way[n - 1 - i]->id,
			.folder_name = way[n - 1 - i]->name };
	return E_OK;
}

/* ---- a choice ---- */

/* A folder comes right after its parent, whatever characters names contain. */
struct choice {
	struct folder_step step;
	char *order;
};

static int
choice_compare(const void *a, const void *b)
{
	return strcmp(((const struct choice *)a)->order, ((const struct choice *)b)->order);
}

static bool
lies_in(const struct ancestor_list *all, const char *id, const char *in)
{
	const struct ancestor *way[FOLDER_DEPTH + 1];
	size_t n = ancestors_of(all, id, way);

	while (n)
		if (str_eq(way[--n]->id, in))
			return true;
	return false;
}

static struct choice
choice_of(struct ctx *c, const struct ancestor_list *all, const char *id)
{
	const char *path = folder_path(c, all, id);
	char *order = unicode_casefold_nfkc(c->mem, path);

	for (char *p = order; *p; p++)
		if (*p == '/')
			*p = '\1';
	return (struct choice){ { .folder_id = id, .folder_name = path }, order };
}

enum err
folder_choices(struct ctx *c, const struct workspace *w, const char *without, size_t most,
    struct folder_step_list *out, bool *all)
{
	struct ancestor_list rows;
	struct choice *some;
	size_t n = 0;

	TRY(db_all(c,
	    ROWS(ancestor,
		"SELECT id, parent_id, name"
		" FROM (SELECT id, parent_id, name FROM folder FORCE INDEX (folder_name)"
		" WHERE workspace_id = ? LIMIT ?) f ORDER BY id"),
	    ARGS(w->id, (int64_t)most + 1), &rows));
	*all = rows.n <= most;
	*out = (struct folder_step_list){ mem_array(c->mem, struct folder_step, rows.n + 1), 0 };
	if (!*all)
		return E_OK;
	some = mem_array(c->mem, struct choice, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++)
		if (!without || !lies_in(&rows, rows.v[i].id, without))
			some[n++] = choice_of(c, &rows, rows.v[i].id);
	qsort(some, n, sizeof *some, choice_compare);
	for (size_t i = 0; i < n; i++)
		out->v[out->n++] = some[i].step;
	return E_OK;
}

/* ---- reading ---- */

/* SQL: an artifact of the folder f that the subject may see. If they see all, the index
 * artifact_folder is enough. COUNTED_ARGS comes first. */
#define COUNTED_ARTIFACTS \
	"(SELECT COUNT(*) FROM artifact a FORCE INDEX (artifact_folder) WHERE a.folder_id = f.id" \
	" AND a.workspace_id = f.workspace_id AND a.deleted_at IS NULL AND a.owner_id IS NOT NULL" \
	" AND (? OR a.owner_id = ? OR EXISTS" \
	" (SELECT 1 FROM collaborator co WHERE co.artifact_id = a.id AND co.user_id = ?)))"
#define COUNTED_ARGS(w, who) workspace_shows_all(w), (who)->user_id, (who)->user_id
/* Forces the index; otherwise MariaDB may read the names of all workspaces' folders to find the few
 * of a small one. */
#define FOLDER_SELECT(index) \
	"SELECT f.id, f.parent_id, f.name, f.name_key, f.default_visibility," \
	" (SELECT COUNT(*) FROM folder k FORCE INDEX (folder_parent) WHERE k.parent_id = f.id)" \
	" AS folder_count," \
	" " COUNTED_ARTIFACTS " AS artifact_count, f.created_by, f.created_at, f.updated_at" \
	" FROM folder f FORCE INDEX (" index ") WHERE f.workspace_id = ?"

static enum err
folder_absent(struct ctx *c)
{
	return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

enum err
folder_get(struct ctx *c, const struct workspace *w, const struct principal *who, const char *id,
    struct folder **out)
{
	TRY(db_find(c, ROWS(folder, FOLDER_SELECT("PRIMARY") " AND f.id = ?"),
	    ARGS(COUNTED_ARGS(w, who), w->id, id), out));
	return *out ? folders_set_paths(c, *out, 1) : folder_absent(c);
}

#define FOLDER_HELD(F, T) F(T, ID, id, .arg = "fld_")
SHAPE(folder_held, FOLDER_HELD);

static enum err
path_absent(struct ctx *c, const struct strs *names)
{
	enum { PATH_CHARS = 200 };

	return fail(c, E_NOT_FOUND, "There is no folder /%s, or you don't have access to it",
	    str_cut(c->mem, str_one_line(c->mem, strs_join(c->mem, names, "/")), PATH_CHARS));
}

enum err
folder_by_path(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *names, struct folder **out)
{
	struct folder_held *at = NULL;
	const char *key;

	if (!names->n || names->n > FOLDER_DEPTH)
		return path_absent(c, names);
	for (size_t i = 0; i < names->n; i++) {
		if (folder_key(c, names->v[i], &key))
			return path_absent(c, names);
		TRY(db_find(c,
		    ROWS(folder_held,
			"SELECT id FROM folder"
			" WHERE workspace_id = ? AND parent_key = ? AND name_key = ?"),
		    ARGS(w->id, at ? at->id : "", key), &at));
		if (!at)
			return path_absent(c, names);
	}
	return folder_get(c, w, who, at->id, out);
}

/* Reads a cursor: the list continues after this name, and among folders with that name after this
 * one. */
static enum err
folder_cursor(struct ctx *c, const char *cursor, const char **key, const char **id)
{
	char *name, *at = mem_strdup(c->mem, cursor ? cursor : "");

	*key = *id = "";
	if (!cursor)
		return E_OK;
	name = strchr(at, '.');
	if (name)
		*name++ = '\0';
	if (!name || !id_valid(at, "fld_") || !str_unescape(name, false))
		return fail_cursor(c);
	*key = name;
	*id = at;
	return E_OK;
}

static const char *
folder_cursor_text(struct ctx *c, const struct folder *last)
{
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "%s.", last->id);
	buf_url(&b, last->name_key);
	return buf_done(&b);
}

enum err
folder_list(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder_query *q, struct folder_list *out, const char **next)
{
	const char *parent = NULL, *key, *id, *part = NULL;

	TRY(folder_cursor(c, q->cursor, &key, &id));
	if (q->q)
		TRY(folder_key(c, q->q, &part));
	if (q->parent_id)
		TRY(place_named(c, w->id, "parent_id", q->parent_id, &parent));
	if (q->parent_id)
		TRY(db_all(c,
		    ROWS(folder,
			FOLDER_SELECT("folder_sibling")
			" AND f.parent_key = ? AND f.name_key > ?"
			" AND (? IS NULL OR LOCATE(?, f.name_key)) ORDER BY f.name_key LIMIT ?"),
		    ARGS(COUNTED_ARGS(w, who), w->id, parent ? parent : "", key, part, part,
			q->limit + 1),
		    out));
	else
		TRY(db_all(c,
		    ROWS(folder,
			FOLDER_SELECT("folder_name")
			" AND (f.name_key > ? OR (f.name_key = ? AND f.id > ?))"
			" AND (? IS NULL OR LOCATE(?, f.name_key)) ORDER BY f.name_key"
			", f.id LIMIT ?"),
		    ARGS(COUNTED_ARGS(w, who), w->id, key, key, id, part, part, q->limit + 1),
		    out));
	*next = db_page(out, q->limit, folder_cursor_text(c, last));
	return folders_set_paths(c, out->v, out->n);
}

/* ---- checking changes ---- */

#define FOLDER_NUMBER(F, T) F(T, INT, n)
SHAPE(folder_number, FOLDER_NUMBER);

/* Checks that the folder (NULL: a new one) may be in the parent (NULL: at the top). */
static enum err
parent_check(struct ctx *c, const struct workspace *w, const char *id, const char *parent)
{
	struct ancestor_list above = { 0 };
	struct folder_number *height = NULL;

	if (parent) {
		TRY(place_exists(c, w->id, "parent_id", parent));
		TRY(ancestors_find(c, ids_json(c, &parent, 1), &above));
	}
	if (ancestor_of(&above, id))
		return fail(c, E_CONFLICT, "parent_id: a folder can't be inside itself");
	/* Reads how deep the tree below the folder is, including itself. */
	if (id)
		TRY(db_one(c,
		    ROWS(folder_number,
			"WITH RECURSIVE down AS (SELECT id, 1 AS level FROM folder WHERE id = ?"
			" UNION SELECT k.id, d.level + 1"
			" FROM down d JOIN folder k ON k.parent_id = d.id)"
			" SELECT CAST(MAX(level) AS SIGNED) AS n FROM down"),
		    ARGS(id), &height));
	if ((int64_t)above.n + (height ? height->n : 1) <= FOLDER_DEPTH)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", FOLDER_DEPTH);
	return fail(c, E_LIMIT_REACHED, "parent_id: folders can be nested at most %d deep",
	    FOLDER_DEPTH);
}

static enum err
folder_count_check(struct ctx *c, const struct workspace *w)
{
	struct folder_number *row;

	TRY(db_one(c,
	    ROWS(folder_number, "SELECT COUNT(*) AS n FROM folder WHERE workspace_id = ?"),
	    ARGS(w->id), &row));
	if (row->n < FOLDERS)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", FOLDERS);
	return fail(c, E_LIMIT_REACHED, "A workspace can have at most %d folders", FOLDERS);
}

static bool
governs(const struct workspace *w)
{
	return member_rank(w->role) >= MEMBER_ADMIN;
}

static enum err
default_check(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *visibility)
{
	if (!governs(w))
		return fail(c, E_DENIED,
		    "default_visibility: only admins decide who can open what others publish here");
	return ceiling_check(c, who, visibility, "default_visibility",
	    mem_printf(c->mem, "/w/%s", w->id));
}

static enum err
sibling_refuse(struct ctx *c, const char *name)
{
	return c->err == E_CONFLICT
	    ? fail(c, E_CONFLICT, "name: there's already a folder called %s here", name)
	    : c->err;
}

/* ---- changes ---- */

/* Makes the audit's description of a folder. */
static const char *
folder_facts(struct ctx *c, const struct folder *f)
{
	return f ? audit_facts(c, "name|path|parent_id|default_visibility", f->name, f->path,
		       f->parent_id, f->default_visibility)
		 : NULL;
}

static enum err
folder_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct folder *before, const struct folder *after)
{
	const struct folder *f = after ? after : before;

	return audit_add(c, w->id, who,
	    &(struct audit){ .action = action,
		.type = "folder",
		.id = f->id,
		.name = f->name,
		.before = folder_facts(c, before),
		.after = folder_facts(c, after) });
}

enum err
folder_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder_new *in, const char **id)
{
	const char *name, *key;
	struct folder *now;

	TRY(folder_name(c, in->name, &name, &key));
	TRY(parent_check(c, w, NULL, in->parent_id));
	TRY(folder_count_check(c, w));
	if (in->default_visibility)
		TRY(default_check(c, w, who, in->default_visibility));
	*id = id_new(c->mem, "fld_");
	if (db_exec(c,
		EXEC(
		    "INSERT INTO folder (id, workspace_id, parent_id, name, name_key,"
		    " default_visibility, created_by, created_at, updated_at)"
		    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
		ARGS(*id, w->id, in->parent_id, name, key, in->default_visibility, who->user_id,
		    c->now, c->now),
		NULL))
		return sibling_refuse(c, name);
	TRY(find_changed(c, FIND_FOLDER, *id));
	TRY(folder_get(c, w, who, *id, &now));
	return folder_audit(c, w, who, "folder.created", NULL, now);
}

enum err
folder_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder *f, const struct folder_edit *in)
{
	const char *name = f->name, *key = f->name_key, *parent = f->parent_id;
	bool moved = in->has.parent_id != ABSENT && !str_eq(in->parent_id, f->parent_id);
	bool ruled = in->has.default_visibility != ABSENT &&
	    !str_eq(in->default_visibility, f->default_visibility);
	struct folder *now;

	if (in->name)
		TRY(folder_name(c, in->name, &name, &key));
	if (moved) {
		parent = in->parent_id;
		TRY(parent_check(c, w, f->id, parent));
		TRY(shown_move(c, f->parent_id, parent, "parent_id", governs(w),
		    "the workspace's admins"));
	}
	if (ruled)
		TRY(default_check(c, w, who, in->default_visibility));
	if (!moved && !ruled && str_eq(name, f->name))
		return E_OK;
	if (db_exec1(c,
		EXEC(
		    "UPDATE folder SET name = ?, name_key = ?, parent_id = ?,"
		    " default_visibility = ?, updated_at = ? WHERE id = ? AND workspace_id = ?"),
		ARGS(name, key, parent,
		    ruled ? in->default_visibility : f->default_visibility, c->now, f->id, w->id)))
		return sibling_refuse(c, name);
	if (!str_eq(name, f->name))
		TRY(find_changed(c, FIND_FOLDER, f->id));
	TRY(folder_get(c, w, who, f->id, &now));
	return folder_audit(c, w, who,
	    moved                            ? "folder.moved"
		: !str_eq(name, f->name)     ? "folder.renamed"
					     : "folder.changed",
	    f, now);
}

/* ---- deleting ---- */

/* The folder and all that are in it, as JSON for ID_TABLE. */
static enum err
folder_tree(struct ctx *c, const char *id, const char **ids, int64_t *n)
{
	struct folder_held_list all;
	const char **each;

	TRY(db_all(c,
	    ROWS(folder_held,
		"WITH RECURSIVE down AS (SELECT id FROM folder WHERE id = ?"
		" UNION SELECT k.id FROM down d JOIN folder k ON k.parent_id = d.id)"
		" SELECT id FROM down"),
	    ARGS(id), &all));
	each = mem_array(c->mem, const char *, all.n);
	for (size_t i = 0; i < all.n; i++)
		each[i] = all.v[i].id;
	*ids = ids_json(c, each, all.n);
	*n = (int64_t)all.n;
	return E_OK;
}

#define FOLDER_FULL(F, T) \
	F(T, INT, seen) \
	F(T, INT, hidden)
SHAPE(folder_full, FOLDER_FULL);

/* Things in the trash, or hidden from `who`, aren’t named; but hidden ones keep the folder from
 * being deleted, because other people look for them there. */
static enum err
folder_empty_check(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *ids, int64_t folders)
{
	struct folder_full *in;
	int64_t files = 0;

	TRY(db_one(c,
	    ROWS(folder_full,
		"SELECT CAST(COALESCE(SUM(n), 0) AS SIGNED) AS seen,"
		" COALESCE(MAX(any_at_all), 0) AS hidden FROM (SELECT " COUNTED_ARTIFACTS
		" AS n, EXISTS (SELECT 1 FROM artifact a WHERE a.folder_id = f.id"
		" AND a.deleted_at IS NULL AND a.owner_id IS NOT NULL) AS any_at_all FROM " ID_TABLE
		" JOIN folder f ON f.id = t.id) x"),
	    ARGS(COUNTED_ARGS(w, who), ids), &in));
	TRY(follow(c, FOLDER_EMPTY, &(struct happened){ .folder_ids = ids, .files = &files }));
	if (folders == 1 && !in->hidden && !files)
		return E_OK;
	c->details = mem_printf(c->mem,
	    "{\"folders\":%lld,\"artifacts\":%lld,\"files\":%lld}", (long long)folders - 1,
	    (long long)in->seen, (long long)files);
	return fail(c, E_CONFLICT,
	    "The folder isn't empty. With ?recursive=1, the folders in it are also deleted "
	    "and their contents move up to the parent folder; nothing else is deleted");
}

enum err
folder_files(struct ctx *c, const struct folder *f, int64_t *n)
{
	const char *ids;
	int64_t folders;

	*n = 0;
	TRY(folder_tree(c, f->id, &ids, &folders));
	return follow(c, FOLDER_EMPTY, &(struct happened){ .folder_ids = ids, .files = n });
}

static enum err
piece_move_up(struct ctx *c, const char *ids, const char *parent_id, bool *more)
{
	int64_t moved;

	TRY(db_exec(c,
	    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN artifact a ON a.folder_id = t.id"
		 " SET a.folder_id = ? LIMIT ?"),
	    ARGS(ids, parent_id, FOLDER_PIECE), &moved));
	*more = moved == FOLDER_PIECE;
	return follow(c, FOLDER_DELETED,
	    &(struct happened){ .folder_ids = ids, .parent_id = parent_id, .more = more });
}

enum err
folder_lighten(struct ctx *c, const struct folder *f)
{
	struct folder_full *in;
	int64_t folders, files = 0;
	const char *ids;
	bool more;

	TRY(folder_tree(c, f->id, &ids, &folders));
	TRY(db_one(c,
	    ROWS(folder_full,
		"SELECT COUNT(*) AS seen FROM (SELECT 1 FROM " ID_TABLE
		" STRAIGHT_JOIN artifact a ON a.folder_id = t.id LIMIT ?) x"),
	    ARGS(ids, FOLDER_PIECE + 1), &in));
	TRY(follow(c, FOLDER_EMPTY, &(struct happened){ .folder_ids = ids, .files = &files }));
	more = in->seen + files > FOLDER_PIECE;
	while (more)
		TRY(piece_move_up(c, ids, f->parent_id, &more));
	return E_OK;
}

enum err
folder_delete(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct folder *f, bool recursive)
{
	const char *ids;
	int64_t folders;
	bool more = true;

	TRY(folder_tree(c, f->id, &ids, &folders));
	if (!recursive)
		TRY(folder_empty_check(c, w, who, ids, folders));
	while (more)
		TRY(piece_move_up(c, ids, f->parent_id, &more));
	TRY(db_exec(c, EXEC(FIND_LATER "SELECT ?, t.id FROM " ID_TABLE),
	    ARGS(FIND_FOLDER, ids), NULL));
	/* Foreign keys delete the folders in it. */
	TRY(db_exec1(c, EXEC("DELETE FROM folder WHERE id = ? AND workspace_id = ?"),
	    ARGS(f->id, w->id)));
	return folder_audit(c, w, who, "folder.deleted", f, NULL);
}

/* ---- artifacts ---- */

enum err
folder_take(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *artifact_id, const char *folder_id)
{
	struct artifact *a;

	TRY(artifact_get(c, artifact_id, who, true, &a));
	if (!str_eq(a->workspace_id, w->id) || a->deleted_at || (!a->role && !a->is_open))
		return folder_absent(c);
	if (role_rank(a->role) < ROLE_EDITOR && !governs(w))
		return fail(c, E_DENIED,
		    "Only the artifact's owner and editors, and workspace admins, can move it");
	if (folder_id)
		TRY(place_exists(c, w->id, "folder_id", folder_id));
	if (str_eq(folder_id, a->folder_id))
		return E_OK;
	TRY(shown_move(c, a->folder_id, folder_id, "folder_id",
	    governs(w) || role_rank(a->role) == ROLE_OWNER,
	    "the artifact's owner and the workspace's admins"));
	TRY(db_exec1(c, EXEC("UPDATE artifact SET folder_id = ? WHERE id = ? AND workspace_id = ?"),
	    ARGS(folder_id, a->id, w->id)));
	return audit_artifact(c, a, "artifact.moved",
	    audit_facts(c, "folder_id", a->folder_id), audit_facts(c, "folder_id", folder_id));
}

/* ---- when other things change ---- */

/* Foreign keys delete the folders in them. */
static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c, EXEC(FIND_LATER "SELECT ?, id FROM folder WHERE workspace_id = ?"),
	    ARGS(FIND_FOLDER, h->workspace_id), NULL));
	return db_exec(c, EXEC("DELETE FROM folder WHERE workspace_id = ? AND parent_id IS NULL"),
	    ARGS(h->workspace_id), NULL);
}

enum err
folder_above(struct ctx *c, const char *parent_id, const char **out)
{
	struct folder_step_list way;

	if (!parent_id)
		return E_OK;
	TRY(folder_way(c, parent_id, &way));
	*out = way.n ? way.v[way.n - 1].folder_name : "…";
	return E_OK;
}

USERS(USER_UNSET(folder, created_by))
FOLLOWS(folder, USERS_FOLLOW, { WORKSPACE_PURGED, workspace_purged });

/* ---- how it is found ---- */

/* Members and agents of the workspace find its folders. */
static enum err
folder_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	return find_rows(c,
	    ROWS(found,
		"SELECT a.id AS `key`, a.id, a.name AS title, CONCAT_WS(' / ', wk.name,"
		" IF(p.parent_id IS NULL, NULL, '…'), p.name) AS subtitle,"
		" CONCAT('/w/', wk.id, '/folders/', a.id) AS url, wk.id AS workspace_id,"
		" a.created_by <=> s.user_id AS own, a.updated_at"
		" FROM " FIND_ASKED " STRAIGHT_JOIN folder a ON a.id = t.id"
		MEMBER_TABLES("s.user_id") " LEFT JOIN folder p ON p.id = a.parent_id"
		" WHERE " FIND_WITHIN("a.workspace_id")
		" AND " WORKSPACE_ROLE_COLUMN " IS NOT NULL"),
	    asked, out);
}

FINDS(folder, FIND_FOLDER, "folders", ARTIFACTS_READ, folder_found,
    .text = ROWS(find_text,
	"SELECT f.id, f.workspace_id AS audiences, f.name FROM " ID_TABLE
	" STRAIGHT_JOIN folder f ON f.id = t.id"),
    .all = FIND_ALL("folder"));
