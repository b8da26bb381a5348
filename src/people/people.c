/* SPDX-License-Identifier: Apache-2.0 */
#include "people/people.h"

#include "base/id.h"
#include "base/str.h"
#include "core/member.h"

SHAPE_DEFINE(ws_person, WS_PERSON);
SHAPE_DEFINE(people_query, PEOPLE_QUERY);
SHAPE_DEFINE(member_metrics, MEMBER_METRICS);
SHAPE_DEFINE(metrics_query, METRICS_QUERY);

enum { DAY_S = 86400 };

static enum err
people_of(struct ctx *c, const struct workspace *w, const struct people_query *q,
    const char *after, int64_t limit, struct ws_person_list *out)
{
	return db_all(c,
	    ROWS(ws_person,
		"SELECT m.user_id, u.name, u.email,"
		" IF(m.role = 'agent', 'agent', 'member') AS kind, NULLIF(m.role, 'agent') AS role"
		" FROM member m JOIN user u ON u.id = m.user_id"
		" WHERE m.workspace_id = ? AND m.user_id > ? AND (? IS NULL OR " PERSON_FITS ")"
		" ORDER BY m.user_id LIMIT ?"),
	    ARGS(w->id, after, q->q, q->q, limit), out);
}

enum err
people_find(struct ctx *c, const struct workspace *w, const char *q, int64_t limit,
    struct ws_person_list *out)
{
	return people_of(c, w, &(struct people_query){ .q = q }, "", limit, out);
}

/* The cursor is the id that the last page ended with: of a user, or of an invite. */
enum err
people_list(struct ctx *c, const struct workspace *w, const struct people_query *q,
    struct ws_person_list *out, const char **next)
{
	const char *at = q->cursor ? q->cursor : "";
	bool invited = id_valid(at, "inv_"), governs = member_rank(w->role) >= MEMBER_ADMIN;
	struct ws_person_list some = { 0 }, more = { 0 };

	if (*at && !invited && !id_valid(at, "usr_"))
		return fail_cursor(c);
	if (!invited)
		TRY(people_of(c, w, q, at, q->limit + 1, &some));
	if (governs && (int64_t)some.n <= q->limit)
		TRY(db_all(c,
		    ROWS(ws_person,
			"SELECT v.id, '' AS name, v.email, 'invited' AS kind, v.role FROM invite v"
			" WHERE v.workspace_id = ? AND v.status = 'pending' AND v.expires_at > ?"
			" AND v.id > ? AND (? IS NULL OR LOCATE(LOWER(?), v.email) = 1)"
			" ORDER BY v.id LIMIT ?"),
		    ARGS(w->id, c->now, invited ? at : "", q->q, q->q,
			q->limit + 1 - (int64_t)some.n),
		    &more));
	out->n = some.n + more.n;
	out->v = mem_array(c->mem, struct ws_person, out->n + 1);
	for (size_t i = 0; i < out->n; i++)
		out->v[i] = i < some.n ? some.v[i] : more.v[i - some.n];
	*next = db_page(out, q->limit, last->id ? last->id : last->user_id);
	return E_OK;
}

/* ---- metrics ---- */

/* The members of a page are selected first, so that we count only for these. Browser sessions count
 * for everything that somebody does; tokens count if they may act in this workspace. */
enum err
member_metrics_list(struct ctx *c, const struct workspace *w, const struct metrics_query *q,
    struct member_metrics_list *out, const char **next)
{
	int64_t today = c->now / DAY_S, first = today - q->days + 1;

	return db_part(c,
	    ROWS(member_metrics,
		"SELECT u.id AS `user.user_id`, u.name AS `user.name`, u.email AS `user.email`,"
		" u.kind AS `user.kind`, m.role, " MEMBER_ACTIVE " AS last_active_at, "
		MEMBER_ARTIFACTS " AS artifacts,"
		" (SELECT COUNT(*) FROM version v FORCE INDEX (version_author)"
		" JOIN artifact a ON a.id = v.artifact_id WHERE v.created_by = m.user_id"
		" AND v.created_at >= ? AND a.workspace_id = m.workspace_id) AS publishes,"
		" CAST((SELECT COALESCE(SUM(d.views), 0)"
		" FROM artifact a FORCE INDEX (artifact_member)"
		" JOIN view_day d ON d.artifact_id = a.id AND d.day >= ?"
		" WHERE a.owner_id = m.user_id"
		" AND a.workspace_id = m.workspace_id) AS SIGNED) AS views,"
		" CAST((SELECT COALESCE(SUM(k.bytes), 0)"
		" FROM artifact a FORCE INDEX (artifact_member)"
		" JOIN artifact_storage k ON k.artifact_id = a.id"
		" WHERE a.owner_id = m.user_id"
		" AND a.workspace_id = m.workspace_id) AS SIGNED) AS storage_bytes"
		" FROM (SELECT workspace_id, user_id, role FROM member"
		" WHERE workspace_id = ? AND user_id > ? ORDER BY user_id LIMIT ?) m"
		" JOIN user u ON u.id = m.user_id ORDER BY m.user_id"),
	    ARGS(first * DAY_S, first, w->id, arg_after(q->cursor, "usr_")), q->limit, out, next,
	    ((const struct ws_user *)last->user)->user_id);
}
