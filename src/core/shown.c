/* SPDX-License-Identifier: Apache-2.0 */
#include "core/shown.h"

#include "base/str.h"
#include "db/db.h"
#include "db/ids.h"

SHAPE_DEFINE(shared_with, SHARED_WITH);

enum err
shown_by(struct ctx *c, const char *const *folder_ids, size_t n, struct shared_with_list *out)
{
	const char *ids = ids_json(c, folder_ids, n);

	*out = (struct shared_with_list){ 0 };
	if (str_eq(ids, "[]"))
		return E_OK;
	return db_all(c,
	    ROWS(shared_with,
		"WITH RECURSIVE up AS (SELECT f.id AS asked, f.id, f.parent_id FROM " ID_TABLE
		" JOIN folder f ON f.id = t.id"
		" UNION SELECT up.asked, p.id, p.parent_id"
		" FROM up JOIN folder p ON p.id = up.parent_id)"
		" SELECT DISTINCT up.asked AS folder_id, g.subject_type, g.subject_id,"
		" COALESCE(s.name, NULLIF(u.name, ''), u.email, u.invited_email) AS name,"
		" g.capability FROM up"
		" STRAIGHT_JOIN share_grant g FORCE INDEX (share_grant_resource)"
		" ON g.resource_id = up.id AND COALESCE(g.expires_at > ?, TRUE)"
		" LEFT JOIN sharee s ON s.id = g.subject_id LEFT JOIN user u ON u.id = g.subject_id"
		" ORDER BY name, g.subject_id, g.capability"),
	    ARGS(ids, c->now), out);
}

struct list
shown_of(struct ctx *c, const struct shared_with_list *all, const char *folder_id)
{
	struct shared_with *of = mem_array(c->mem, struct shared_with, all->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].folder_id, folder_id))
			of[n++] = all->v[i];
	return (struct list){ of, n };
}

enum err
shown_in(struct ctx *c, const char *folder_id, struct shared_with_list *out)
{
	return shown_by(c, &folder_id, 1, out);
}

const char *
shown_names(struct ctx *c, const struct list *to)
{
	const char **names = mem_array(c->mem, const char *, to->n + 1);
	const struct shared_with *with = to->v;
	size_t n = 0;

	for (size_t i = 0; i < to->n; i++)
		if (!n || !str_eq(with[i].subject_id, with[i - 1].subject_id))
			names[n++] = with[i].name;
	return n ? str_some(c->mem, names, n) : NULL;
}

bool
shown_more(const struct list *before, const struct list *after)
{
	const struct shared_with *was = before->v, *is = after->v;
	size_t same = 0;

	for (size_t i = 0; i < after->n; i++)
		for (size_t j = 0; j < before->n; j++)
			same += str_eq(is[i].subject_id, was[j].subject_id) &&
			    str_eq(is[i].capability, was[j].capability);
	return same < after->n;
}

enum err
shown_move(struct ctx *c, const char *from, const char *to, const char *field, bool may,
    const char *who)
{
	const char *both[] = { from, to };
	struct shared_with_list all;
	struct list before, after;

	if (may)
		return E_OK;
	TRY(shown_by(c, both, 2, &all));
	before = shown_of(c, &all, from);
	after = shown_of(c, &all, to);
	if (!shown_more(&before, &after))
		return E_OK;
	return fail(c, E_DENIED,
	    "%s: people outside the workspace can open what is in that folder (%s), "
	    "so only %s can move it there",
	    field, shown_names(c, &after), who);
}
