/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/client_look.h"

#include "base/str.h"
#include "base/unicode.h"
#include "core/outside.h"
#include "db/ids.h"
#include "team/folder.h"

SHAPE_DEFINE(client_look, CLIENT_LOOK);
SHAPE_DEFINE(client_views, CLIENT_VIEWS);
SHAPE_DEFINE(client_token, CLIENT_TOKEN);
SHAPE_DEFINE(shareable_file, SHAREABLE_FILE);
SHAPE_DEFINE(share_choice, SHARE_CHOICE);

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

/* ---- lists of the API, with what pages add ---- */

enum err
client_acts(struct ctx *c, const struct workspace *w, const struct page_query *q,
    struct sharee_act_list *out, const char **next)
{
	const char **ids, **clients;

	TRY(sharee_act_list(c, w, NULL, q, out, next));
	ids = mem_array(c->mem, const char *, out->n + 1);
	clients = mem_zalloc(c->mem, (out->n + 1) * sizeof *clients);
	for (size_t i = 0; i < out->n; i++)
		ids[i] = ((const struct outside_person *)out->v[i].member)->id;
	TRY(people_clients(c, w, ids, out->n, clients));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].clients = clients[i];
	return E_OK;
}

enum err
client_grants(struct ctx *c, const struct workspace *w, const char *client_id,
    const struct page_query *q, struct share_grant_list *out, const char **next)
{
	const char **folders, **paths;

	TRY(share_grants_of_client(c, w, client_id, q, out, next));
	folders = mem_zalloc(c->mem, (out->n + 1) * sizeof *folders);
	paths = mem_zalloc(c->mem, (out->n + 1) * sizeof *paths);
	for (size_t i = 0; i < out->n; i++)
		if (str_eq(out->v[i].resource_type, "folder"))
			folders[i] = out->v[i].resource_id;
	TRY(folder_paths(c, folders, out->n, paths));
	for (size_t i = 0; i < out->n; i++)
		if (paths[i])
			out->v[i].resource_name = paths[i] + 1;
	return E_OK;
}

enum err
client_people(struct ctx *c, const struct workspace *w, const struct sharee *s,
    const struct page_query *q, struct sharee_member_list *out, const char **next)
{
	const char **ids;
	int64_t *seen;

	TRY(sharee_member_list(c, s, q, out, next));
	ids = mem_array(c->mem, const char *, out->n + 1);
	seen = mem_zalloc(c->mem, (out->n + 1) * sizeof *seen);
	for (size_t i = 0; i < out->n; i++)
		ids[i] = out->v[i].id;
	TRY(people_seen(c, w, ids, out->n, seen));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].seen_at = seen[i];
	return E_OK;
}

static void
choice_add(struct share_choices *to, const char *type, const char *id, const char *name)
{
	to->v[to->n++] = (struct share_choice){ .resource_type = type, .id = id, .name = name };
}

static enum err
folders_choose(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *q, struct share_choices *to)
{
	struct folder_list rows;
	const char *next;

	TRY(folder_list(c, w, who, &(struct folder_query){ .q = q, .limit = SHOWN_EACH },
	    &rows, &next));
	for (size_t i = 0; i < rows.n; i++)
		choice_add(to, "folder", rows.v[i].id, rows.v[i].path + 1);
	to->cut = to->cut || next;
	return E_OK;
}

static enum err
artifacts_choose(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *q, struct share_choices *to)
{
	struct list rows;
	const struct artifact *a;
	const char *next;

	TRY(artifact_list(c, who,
	    &(struct artifact_query){ .workspace_id = w->id, .q = q, .limit = SHOWN_EACH },
	    &rows, &next));
	a = rows.v;
	for (size_t i = 0; i < rows.n; i++)
		choice_add(to, "artifact", a[i].id, a[i].name);
	to->cut = to->cut || next;
	return E_OK;
}

static enum err
files_choose(struct ctx *c, const struct workspace *w, const char *q, struct share_choices *to)
{
	struct shareable_file_list rows;

	TRY(shareable_files(c, w, q, SHOWN_EACH + 1, &rows));
	for (size_t i = 0; i < rows.n && i < SHOWN_EACH; i++)
		choice_add(to, "file", rows.v[i].id, rows.v[i].name);
	to->cut = to->cut || rows.n > SHOWN_EACH;
	return E_OK;
}

/* Lists the last PAGE_MAX things that the client was given; sharing one again replaces its grant.
 */
static enum err
given_mark(struct ctx *c, const struct workspace *w, const struct sharee *s,
    struct share_choices *to)
{
	struct share_grant_list rows;
	const char *next;

	TRY(share_grant_list(c, w,
	    &(struct share_grant_query){ .subject_id = s->id, .limit = PAGE_MAX }, &rows,
	    &next));
	for (size_t i = 0; i < to->n; i++)
		for (size_t k = 0; k < rows.n; k++)
			if (str_eq(rows.v[k].resource_id, to->v[i].id))
				to->v[i].given = true;
	return E_OK;
}

enum err
client_choices(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct sharee *s, const char *q, struct share_choices *out)
{
	*out = (struct share_choices){ .n = 0 };
	TRY(folders_choose(c, w, who, q, out));
	TRY(artifacts_choose(c, w, who, q, out));
	TRY(files_choose(c, w, q, out));
	return given_mark(c, w, s, out);
}
