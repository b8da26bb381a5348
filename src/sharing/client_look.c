/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/client_look.h"

#include "base/str.h"
#include "base/unicode.h"
#include "db/ids.h"

SHAPE_DEFINE(client_look, CLIENT_LOOK);
SHAPE_DEFINE(client_views, CLIENT_VIEWS);
SHAPE_DEFINE(client_token, CLIENT_TOKEN);
SHAPE_DEFINE(shareable_file, SHAREABLE_FILE);

enum { DAY_S = 86400 };

#define GIVEN_OF(type) \
	"(SELECT COUNT(*) FROM share_grant g WHERE g.subject_id = s.id" \
	" AND g.resource_type = '" type "' AND (g.expires_at IS NULL OR g.expires_at > ?))"
#define SEEN_LAST(user, workspace) \
	"(SELECT x.at FROM sharee_act x WHERE x.workspace_id = " workspace \
	" AND x.user_id = " user " ORDER BY x.id DESC LIMIT 1)"

enum err
client_looks(struct ctx *c, const struct workspace *w, const char *q, const char *cursor,
    struct client_look_list *out, const char **next)
{
	const char *key = q ? unicode_name_key(c->mem, q) : NULL;

	return db_part(c,
	    ROWS(client_look,
		"SELECT s.id, s.name, s.logo, s.name_key,"
		" (SELECT COUNT(*) FROM sharee_member m WHERE m.sharee_id = s.id) AS people, "
		GIVEN_OF("folder") " AS folders, " GIVEN_OF("artifact") " AS artifacts, "
		GIVEN_OF("file") " AS files,"
		" (SELECT MAX(" SEEN_LAST("m.user_id", "m.workspace_id") ")"
		" FROM sharee_member m WHERE m.sharee_id = s.id) AS seen"
		" FROM sharee s FORCE INDEX (sharee_name)"
		" WHERE s.workspace_id = ? AND s.name_key > ?"
		" AND (? IS NULL OR LOCATE(?, s.name_key) OR EXISTS (SELECT 1 FROM sharee_member m"
		" JOIN user u ON u.id = m.user_id WHERE m.sharee_id = s.id AND LOCATE(LOWER(?),"
		" LOWER(COALESCE(m.given_email, u.email, u.invited_email)))))"
		" ORDER BY s.name_key LIMIT ?"),
	    ARGS(c->now, c->now, c->now, w->id, cursor ? cursor : "", key, key, q),
	    CLIENTS_A_PAGE, out, next, last->name_key);
}

#define CLIENT_COUNT(F, T) F(T, INT, n)
SHAPE(client_count_row, CLIENT_COUNT);

enum err
client_count(struct ctx *c, const struct workspace *w, int64_t *n)
{
	const struct client_count_row *row;

	TRY(db_one(c,
	    ROWS(client_count_row, "SELECT COUNT(*) AS n FROM sharee WHERE workspace_id = ?"),
	    ARGS(w->id), &row));
	*n = row->n;
	return E_OK;
}

enum err
client_views(struct ctx *c, const char *client_id, const struct client_views **out)
{
	return db_one(c,
	    ROWS(client_views,
		"SELECT COUNT(*) AS views, COUNT(DISTINCT x.user_id) AS viewers"
		" FROM sharee_member m STRAIGHT_JOIN sharee_act x FORCE INDEX (sharee_act_user)"
		" ON x.workspace_id = m.workspace_id AND x.user_id = m.user_id"
		" WHERE m.sharee_id = ? AND x.action = 'view' AND x.at > ?"),
	    ARGS(client_id, c->now - CLIENT_VIEWS_DAYS * DAY_S), out);
}

/* ---- its people ---- */

#define PERSON_SEEN(F, T) \
	F(T, ID,   id, .arg = "usr_") \
	F(T, TIME, at)
SHAPE(person_seen, PERSON_SEEN);

enum err
people_seen(struct ctx *c, const struct workspace *w, const char *const *user_ids, size_t n,
    int64_t *seen)
{
	struct person_seen_list found;

	TRY(db_all(c,
	    ROWS(person_seen,
		"SELECT t.id, " SEEN_LAST("t.id", "?") " AS at FROM " ID_TABLE),
	    ARGS(w->id, ids_json(c, user_ids, n)), &found));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < found.n; k++)
			if (str_eq(found.v[k].id, user_ids[i]))
				seen[i] = found.v[k].at;
	return E_OK;
}

#define PERSON_CLIENT(F, T) \
	F(T, ID,  id, .arg = "usr_") \
	F(T, STR, names)
SHAPE(person_client, PERSON_CLIENT);

enum err
people_clients(struct ctx *c, const struct workspace *w, const char *const *user_ids, size_t n,
    const char **clients)
{
	struct person_client_list found;

	TRY(db_all(c,
	    ROWS(person_client,
		"SELECT m.user_id AS id, GROUP_CONCAT(DISTINCT s.name ORDER BY s.name_key"
		" SEPARATOR ', ') AS names FROM " ID_TABLE
		" STRAIGHT_JOIN sharee_member m ON m.user_id = t.id AND m.workspace_id = ?"
		" JOIN sharee s ON s.id = m.sharee_id GROUP BY m.user_id"),
	    ARGS(ids_json(c, user_ids, n), w->id), &found));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < found.n; k++)
			if (str_eq(found.v[k].id, user_ids[i]))
				clients[i] = found.v[k].names;
	return E_OK;
}

/* ---- their tokens ---- */

enum err
client_tokens(struct ctx *c, const char *client_id, const struct page_query *q,
    struct client_token_list *out, const char **next)
{
	return db_part(c,
	    ROWS(client_token,
		"SELECT t.id, t.user_id, NULLIF(t.name, '') AS name, COALESCE(NULLIF(u.name, ''),"
		" m.given_email, u.email, u.invited_email) AS whose, t.hint,"
		" t.scopes AS scope_bits, t.created_at, NULLIF(t.expires_at, 253402300799)"
		" AS expires_at, t.last_used_at, t.revoked_at"
		" FROM token t FORCE INDEX (token_sharee) JOIN user u ON u.id = t.user_id"
		" LEFT JOIN sharee_member m ON m.sharee_id = t.sharee_id AND m.user_id = t.user_id"
		" WHERE t.sharee_id = ? AND t.id < ? ORDER BY t.id DESC LIMIT ?"),
	    ARGS(client_id, arg_before(q->cursor, "tok_")), q->limit, out, next, last->id);
}

/* ---- things to share ---- */

enum err
shareable_files(struct ctx *c, const struct workspace *w, const char *q, int64_t limit,
    struct shareable_file_list *out)
{
	const char *part = q ? unicode_nfc(c->mem, q) : NULL;

	return db_all(c,
	    ROWS(shareable_file,
		"SELECT d.id, d.name FROM deliverable d FORCE INDEX (deliverable_list)"
		" WHERE d.bucket_id = CONCAT('bkt_', SUBSTR(?, 5)) AND d.visibility = 'workspace'"
		" AND (? IS NULL OR LOCATE(LOWER(?), LOWER(d.name))) ORDER BY d.id DESC LIMIT ?"),
	    ARGS(w->id, part, part, limit), out);
}
