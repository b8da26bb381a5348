/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/connection.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "connections/provider.h"
#include "core/audit.h"
#include "core/find.h"
#include "core/name.h"

SHAPE_DEFINE(connection, CONNECTION);
SHAPE_DEFINE(connection_new, CONNECTION_NEW);
SHAPE_DEFINE(connection_edit, CONNECTION_EDIT);
SHAPE_DEFINE(connection_query, CONNECTION_QUERY);
SHAPE_DEFINE(connection_gone, CONNECTION_GONE);
SHAPE_DEFINE(connection_artifact, CONNECTION_ARTIFACT);
SHAPE_DEFINE(connection_uses, CONNECTION_USES);
SHAPE_DEFINE(my_credentials, MY_CREDENTIALS);

enum { PURGED_AT_ONCE = 20 };

/* ---- reading ---- */

/* Arguments: the caller's user id and the workspace's id. In member mode, my_credentials and not
 * the status says whether the caller's own are missing. */
#define CONNECTION_SELECT \
	"SELECT n.id, n.provider, n.kind, n.name, n.auth_mode," \
	" CASE WHEN k.needs_auth OR (k.holder IS NULL AND n.auth_mode = 'shared'" \
	" AND NOT (n.kind = 'http' AND JSON_VALUE(n.config, '$.auth') = 'none'))" \
	" THEN 'needs_auth' WHEN n.last_error IS NOT NULL THEN 'error' ELSE 'active' END" \
	" AS status, n.config, k.holder IS NOT NULL AS my_credentials," \
	" mk.id AS `created_by.user_id`, mk.name AS `created_by.name`," \
	" mk.email AS `created_by.email`, mk.kind AS `created_by.kind`, n.created_at," \
	" n.last_used_at, n.last_error, n.workspace_id, n.updated_at, n.name_key," \
	" n.remote_account" \
	" FROM connection n LEFT JOIN connection_credential k ON k.connection_id = n.id" \
	" AND k.holder = IF(n.auth_mode = 'shared', '', ?) LEFT JOIN user mk" \
	" ON mk.id = n.created_by WHERE n.workspace_id = ?"

enum err
connection_list(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct connection_query *q, struct connection_list *out, const char **next)
{
	return db_part(c,
	    ROWS(connection,
		CONNECTION_SELECT " AND n.name_key > ? ORDER BY n.name_key LIMIT ?"),
	    ARGS(who->user_id, w->id, q->cursor ? q->cursor : ""), q->limit, out, next,
	    last->name_key);
}

enum err
connection_get(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id, struct connection **out)
{
	return db_one(c, ROWS(connection, CONNECTION_SELECT " AND n.id = ?"),
	    ARGS(who->user_id, w->id, id), out);
}

/* ---- changing ---- */

enum err
provider_kind(struct ctx *c, const char *provider, const char **kind)
{
	const struct connector *p;

	*kind = str_in(provider, "http|postgres") ? provider
	    : provider_is_chat(provider)	  ? "chat"
						  : "oauth2";
	return *kind == provider ? E_OK : provider_find(c, provider, &p);
}

static enum err
audit_connection(struct ctx *c, const struct connection *s, const struct principal *who,
    const char *action, const char *before, const char *after)
{
	return audit_add(c, s->workspace_id, who,
	    &(struct audit){ .action = action,
		.type = "connection",
		.id = s->id,
		.name = s->name,
		.before = before,
		.after = after });
}

static const char *
connection_facts(struct ctx *c, const struct connection *s)
{
	return audit_facts(c, "name|provider|auth_mode|config", s->name, s->provider,
	    s->auth_mode, s->config);
}

enum err
connection_renewed(struct ctx *c, const struct connection *s)
{
	return db_exec(c,
	    EXEC("UPDATE connection SET last_error = NULL, last_error_at = NULL, updated_at = ?"
		 " WHERE id = ?"),
	    ARGS(c->now, s->id), NULL);
}

static enum err
credentials_set(struct ctx *c, const struct connection *s, const struct principal *who,
    const char *at, const struct connection_config *config, const struct credential_new *in)
{
	const char *holder =
	    str_eq(s->auth_mode, "shared") ? CREDENTIAL_SHARED : who->user_id;
	struct credential given;

	TRY(credential_check(c, at, config, in, &given));
	TRY(credential_save(c, s, holder, &given));
	TRY(connection_renewed(c, s));
	return audit_connection(c, s, who, "connection.credentials_saved", NULL, NULL);
}

static bool
needs_credentials(const struct connection_config *config)
{
	return config->sign_in != SIGN_IN_NOTHING && config->sign_in != SIGN_IN_PROVIDER;
}

static enum err
name_refused(struct ctx *c, const char *name)
{
	return c->err == E_CONFLICT
	    ? fail(c, E_CONFLICT, "name: the workspace already has a connection called %s", name)
	    : c->err;
}

#define CONNECTION_NUMBER(F, T) F(T, INT, n)
SHAPE(connection_number, CONNECTION_NUMBER);

static enum err
number_check(struct ctx *c, const struct workspace *w)
{
	struct connection_number *row;
	int64_t most = c->conf->max_connections;

	TRY(db_one(c,
	    ROWS(connection_number,
		"SELECT COUNT(*) AS n FROM connection WHERE workspace_id = ?"),
	    ARGS(w->id), &row));
	if (row->n < most)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%lld}", (long long)most);
	return fail(c, E_LIMIT_REACHED,
	    "The workspace has %s, which is the maximum; delete some first",
	    str_count(c->mem, row->n, "connection"));
}

enum err
connection_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct connection_new *in, const char **id)
{
	struct connection to = { .workspace_id = w->id, .provider = in->provider,
		.auth_mode = in->auth_mode ? in->auth_mode : "shared" };
	const bool shared = str_eq(to.auth_mode, "shared");
	struct connection_config config;

	TRY(name_check(c, in->name, CONNECTION_NAME_CHARS, &to.name, &to.name_key));
	TRY(provider_kind(c, in->provider, &to.kind));
	TRY(connection_config(c, to.kind, to.auth_mode, in->config, &config));
	TRY(connection_host_check(c, &config));
	to.config = config.text;
	if (config.sign_in == SIGN_IN_NOTHING && !shared)
		return fail(c, E_INVALID,
		    "auth_mode: must be shared, since config.auth is none and so "
		    "nobody gives credentials");
	if (needs_credentials(&config) && shared && !in->credentials)
		return fail(
		    c, E_INVALID, "credentials: are required, unless auth_mode is member");
	TRY(number_check(c, w));
	*id = to.id = id_new(c->mem, "con_");
	if (db_exec(c,
		EXEC("INSERT INTO connection (id, workspace_id, provider, kind, name, name_key,"
		     " auth_mode, config, created_by, created_at, updated_at)"
		     " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
		ARGS(to.id, w->id, to.provider, to.kind, to.name, to.name_key, to.auth_mode,
		    to.config, who->user_id, c->now, c->now),
		NULL))
		return name_refused(c, to.name);
	TRY(audit_connection(
	    c, &to, who, "connection.created", NULL, connection_facts(c, &to)));
	if (in->credentials)
		TRY(credentials_set(c, &to, who, "credentials.", &config, in->credentials));
	return find_changed(c, FIND_CONNECTION, to.id);
}

/* Stored credentials stay only if they go to the same server in the same form. In member mode
 * any change of the config deletes them, because an admin must not redirect members'
 * credentials. */
static enum err
credentials_check_target(struct ctx *c, const struct connection *s,
    const struct connection_config *was, const struct connection_config *now, bool given)
{
	bool shared = str_eq(s->auth_mode, "shared");

	if (now->sign_in == was->sign_in &&
	    str_eq(shared ? now->server : now->text, shared ? was->server : was->text))
		return E_OK;
	if (needs_credentials(now) && !given && shared)
		return fail(c, E_INVALID,
		    "credentials: the stored ones are for another server or another way to sign "
		    "in; give them again");
	return credential_delete(c, s, NULL, NULL);
}

enum err
connection_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct connection *s, const struct connection_edit *in)
{
	const char *before = connection_facts(c, s), *after;
	struct connection_config was, now;
	struct connection to = *s;

	TRY(connection_config(c, s->kind, s->auth_mode, s->config, &was));
	now = was;
	if (in->name)
		TRY(name_check(c, in->name, CONNECTION_NAME_CHARS, &to.name, &to.name_key));
	if (in->config) {
		TRY(connection_config(c, s->kind, s->auth_mode, in->config, &now));
		TRY(connection_host_check(c, &now));
	}
	to.config = now.text;
	if (now.sign_in == SIGN_IN_NOTHING && !str_eq(s->auth_mode, "shared"))
		return fail(c, E_INVALID,
		    "config.auth: must not be none, since auth_mode is member");
	TRY(credentials_check_target(c, s, &was, &now, in->credentials != NULL));
	if (db_exec(c,
		EXEC("UPDATE connection SET name = ?, name_key = ?, config = ?, updated_at = ?"
		     " WHERE id = ? AND workspace_id = ?"),
		ARGS(to.name, to.name_key, to.config, c->now, s->id, w->id), NULL))
		return name_refused(c, to.name);
	after = connection_facts(c, &to);
	if (!str_eq(to.config, s->config))
		TRY(connection_renewed(c, s));
	if (!str_eq(before, after))
		TRY(audit_connection(c, &to, who, "connection.changed", before, after));
	if (in->credentials)
		TRY(credentials_set(c, &to, who, "credentials.", &now, in->credentials));
	return str_eq(to.name, s->name) ? E_OK : find_changed(c, FIND_CONNECTION, s->id);
}

enum err
connection_delete(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct connection *s, struct connection_gone *out)
{
	struct connection_number *jobs;

	TRY(db_one(c,
	    ROWS(connection_number,
		"SELECT COUNT(*) AS n FROM job j JOIN artifact a ON a.id = j.artifact_id"
		" WHERE j.connection_id = ? AND j.deleted_at IS NULL AND a.deleted_at IS NULL"
		" AND a.workspace_id = ?"),
	    ARGS(s->id, w->id), &jobs));
	out->used_by = jobs->n;
	TRY(db_exec1(c, EXEC("DELETE FROM connection WHERE id = ?"), ARGS(s->id)));
	TRY(find_changed(c, FIND_CONNECTION, s->id));
	return audit_connection(
	    c, s, who, "connection.deleted", connection_facts(c, s), NULL);
}

/* ---- which jobs use it ---- */

/* Only jobs of artifacts in the connection's workspace may use it. */
#define JOBS_THAT_USE_IT \
	" FROM " SUBJECT_TABLE " JOIN job j ON j.connection_id = ? AND j.deleted_at IS NULL" \
	" STRAIGHT_JOIN artifact a ON a.id = j.artifact_id AND a.deleted_at IS NULL" \
	" AND a.workspace_id = ?" ROLE_TABLES("s.user_id")

enum err
connection_artifacts(struct ctx *c, const struct connection *s, const struct principal *who,
    const struct connection_query *q, struct connection_uses *out)
{
	struct connection_artifact_list rows;
	struct connection_number *hidden;

	TRY(db_part(c,
	    ROWS(connection_artifact,
		"SELECT a.id, a.name, a.slug, COUNT(*) AS jobs" JOBS_THAT_USE_IT
		" WHERE a.id > ? AND (" ROLE_COLUMN ") IS NOT NULL"
		" GROUP BY a.id ORDER BY a.id LIMIT ?"),
	    ARGS(SUBJECT(who), s->id, s->workspace_id, arg_after(q->cursor, "art_")), q->limit,
	    &rows, &out->next_cursor, last->id));
	out->artifacts = (struct list){ rows.v, rows.n };
	TRY(db_one(c,
	    ROWS(connection_number,
		"SELECT COUNT(*) AS n" JOBS_THAT_USE_IT " WHERE NOT ("
		ROLE_COLUMN ") IS NOT NULL"),
	    ARGS(SUBJECT(who), s->id, s->workspace_id), &hidden));
	out->hidden = hidden->n;
	return E_OK;
}

/* ---- a member's own credentials ---- */

static enum err
check_member_mode(struct ctx *c, const struct connection *s)
{
	return str_eq(s->auth_mode, "member")
	    ? E_OK
	    : fail(c, E_CONFLICT,
		  "The connection %s has credentials that everybody shares; "
		  "an admin of the workspace changes them",
		  s->name);
}

enum err
my_credentials_get(struct ctx *c, const struct connection *s, const struct principal *who,
    struct my_credentials *out)
{
	struct my_credentials *row;

	TRY(check_member_mode(c, s));
	TRY(db_find(c,
	    ROWS(my_credentials,
		"SELECT NOT needs_auth AS connected, updated_at FROM connection_credential"
		" WHERE connection_id = ? AND holder = ?"),
	    ARGS(s->id, who->user_id), &row));
	*out = row ? *row : (struct my_credentials){ .has.updated_at = NULLED };
	return E_OK;
}

enum err
my_credentials_set(struct ctx *c, const struct connection *s, const struct principal *who,
    const struct credential_new *in, struct my_credentials *out)
{
	struct connection_config config;

	TRY(check_member_mode(c, s));
	TRY(connection_config(c, s->kind, s->auth_mode, s->config, &config));
	TRY(credentials_set(c, s, who, "", &config, in));
	return my_credentials_get(c, s, who, out);
}

enum err
my_credentials_delete(struct ctx *c, const struct connection *s, const struct principal *who)
{
	int64_t gone;

	TRY(check_member_mode(c, s));
	TRY(credential_delete(c, s, who->user_id, &gone));
	if (!gone)
		return E_OK;
	return audit_connection(c, s, who, "connection.credentials_deleted", NULL, NULL);
}

/* ---- changes elsewhere ---- */

static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	int64_t gone;

	TRY(db_exec(c, EXEC(FIND_LATER "SELECT ?, id FROM connection WHERE workspace_id = ?"),
	    ARGS(FIND_CONNECTION, h->workspace_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM connection WHERE workspace_id = ? LIMIT ?"),
	    ARGS(h->workspace_id, PURGED_AT_ONCE), &gone));
	*h->more = gone == PURGED_AT_ONCE;
	return E_OK;
}

USERS(USER_UNSET(connection, created_by))
FOLLOWS(connection, USERS_FOLLOW, { WORKSPACE_PURGED, workspace_purged });

/* ---- search ---- */

static enum err
connection_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	return find_rows(c,
	    ROWS(found,
		"SELECT a.id AS `key`, a.id, a.name AS title,"
		" CONCAT('Connection of ', wk.name) AS subtitle,"
		" CONCAT('/w/', wk.id, '/connections/', a.id) AS url, wk.id AS workspace_id,"
		" a.created_by <=> s.user_id AS own, a.updated_at"
		" FROM " FIND_ASKED " STRAIGHT_JOIN connection a ON a.id = t.id"
		MEMBER_TABLES("s.user_id") " WHERE " FIND_WITHIN("a.workspace_id")
		" AND " WORKSPACE_ROLE_COLUMN " IN ('member', 'admin', 'owner')"),
	    asked, out);
}

FINDS(connection, FIND_CONNECTION, "connectors", DATA_READ, connection_found,
    .text = ROWS(find_text,
	"SELECT n.id, n.workspace_id AS audiences, n.name"
	" FROM " ID_TABLE " STRAIGHT_JOIN connection n ON n.id = t.id"),
    .all = FIND_ALL("connection"));
