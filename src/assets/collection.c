/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/collection.h"

#include "assets/linkshow.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"

SHAPE_DEFINE(collection, COLLECTION);
SHAPE_DEFINE(collection_new, COLLECTION_NEW);

#define COLLECTION_SELECT \
	"SELECT k.id, k.name, k.created_at, " ASSET_PERSON_COLUMNS("u", "created_by") "," \
	" (SELECT GROUP_CONCAT(f.deliverable_id ORDER BY f.place SEPARATOR ' ')" \
	" FROM asset_collection_file f WHERE f.collection_id = k.id) AS ids" \
	" FROM asset_collection k JOIN user u ON u.id = k.user_id" \
	" WHERE k.bucket_id = ? AND k.user_id = ?"

static void
ids_split(struct ctx *c, struct collection *k)
{
	char *rest = mem_strdup(c->mem, k->ids ? k->ids : ""), *id;

	k->deliverable_ids.v = mem_array(c->mem, const char *, COLLECTION_FILES);
	while ((id = str_split(&rest, ' ')) && *id)
		k->deliverable_ids.v[k->deliverable_ids.n++] = id;
}

enum err
collection_list(struct ctx *c, const struct library *l, const struct principal *who,
    const struct page_query *q, struct collection_list *out, const char **next)
{
	TRY(db_part(c,
	    ROWS(collection, COLLECTION_SELECT " AND k.id < ? ORDER BY k.id DESC LIMIT ?"),
	    ARGS(l->bucket_id, who->user_id, arg_before(q->cursor, "col_")), q->limit, out, next,
	    last->id));
	for (size_t i = 0; i < out->n; i++)
		ids_split(c, &out->v[i]);
	return E_OK;
}

enum err
collection_get(struct ctx *c, const struct library *l, const struct principal *who, const char *id,
    bool lock, struct collection **out)
{
	TRY(lock ? db_one(c, ROWS(collection, COLLECTION_SELECT " AND k.id = ? FOR UPDATE"),
		       ARGS(l->bucket_id, who->user_id, id), out)
		 : db_one(c, ROWS(collection, COLLECTION_SELECT " AND k.id = ?"),
		       ARGS(l->bucket_id, who->user_id, id), out));
	ids_split(c, *out);
	return E_OK;
}

/* ---- changing ---- */

/* Checks that the ids are files of the library. *first is the name of the first file. */
static enum err
files_check(struct ctx *c, const struct library *l, const struct principal *who,
    const struct strs *ids, const char **first)
{
	struct deliverable_list seen;

	TRY(deliverables_named(c, l, who, ids, false, &seen));
	for (size_t i = 0; i < ids->n; i++) {
		for (size_t k = 0; k < i; k++)
			if (str_eq(ids->v[k], ids->v[i]))
				return fail(c, E_INVALID,
				    "deliverableIds[%zu]: %s appears twice", i, ids->v[i]);
		/* Earlier ids exist, as the loop has checked. */
		if (i >= seen.n || !str_eq(seen.v[i].id, ids->v[i]))
			return fail(c, E_NOT_FOUND,
			    "deliverableIds[%zu]: there is no file %s here", i, ids->v[i]);
	}
	*first = seen.v->name;
	return E_OK;
}

enum err
collection_add(struct ctx *c, const struct library *l, const struct principal *who,
    const struct collection_new *in, const char **id)
{
	const struct strs *ids = &in->deliverable_ids;
	const char *name, *first = NULL;
	struct asset_sum *there;
	struct arg *files, *at;

	TRY(db_one(c,
	    ROWS(asset_sum,
		"SELECT COUNT(*) AS files FROM asset_collection"
		" WHERE bucket_id = ? AND user_id = ?"),
	    ARGS(l->bucket_id, who->user_id), &there));
	if (there->files >= COLLECTIONS_MOST)
		return fail(c, E_LIMIT_REACHED,
		    "You have %d collections here, which is the maximum; delete some first",
		    COLLECTIONS_MOST);
	TRY(files_check(c, l, who, ids, &first));
	name = unicode_nfc(c->mem, in->name ? in->name : first);
	TRY(filename_check(c, "name", name));
	*id = id_new(c->mem, "col_");
	TRY(db_exec(c,
	    EXEC("INSERT INTO asset_collection"
		 " (id, bucket_id, workspace_id, user_id, name, created_at)"
		 " VALUES (?, ?, ?, ?, ?, ?)"),
	    ARGS(*id, l->bucket_id, l->workspace_id, who->user_id, name, c->now), NULL));
	at = files = mem_array(c->mem, struct arg, 3 * ids->n);
	for (size_t i = 0; i < ids->n; i++) {
		*at++ = arg_str(*id);
		*at++ = arg_int((int64_t)i);
		*at++ = arg_str(ids->v[i]);
	}
	return db_exec_many(c,
	    EXEC("INSERT INTO asset_collection_file (collection_id, place, deliverable_id)"
		 " VALUES (?, ?, ?)"),
	    files, 3, ids->n);
}

enum err
collection_delete(
    struct ctx *c, const struct library *l, const struct principal *who, const char *id)
{
	struct collection *k;

	TRY(collection_get(c, l, who, id, true, &k));
	TRY(links_of_collection_revoke(c, id));
	return db_exec1(c, EXEC("DELETE FROM asset_collection WHERE id = ?"), ARGS(id));
}
