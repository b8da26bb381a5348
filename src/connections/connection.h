/* SPDX-License-Identifier: Apache-2.0
 * A workspace's connections: servers that jobs use, with sealed credentials that nobody sees
 * again. Admins create them. Members see them, and enter their own credentials for a connection
 * in member mode. Callers that change one hold the lock on the workspace's row (core/who_api.c).
 * Source: interface, "Connections"; connections/README.md. */
#ifndef VITRINE_CONNECTION_H
#define VITRINE_CONNECTION_H
#include "connections/credential.h"
#include "core/user.h"
#include "core/workspace.h"

enum {
	CONNECTION_NAME_CHARS = 100,
	CONNECTION_ERROR_CHARS = 500
};

#define CONNECTION_STATUSES "active|needs_auth|error"

/* ---- shapes of replies ---- */

/* status and my_credentials are computed for the caller. */
#define CONNECTION(F, T) \
	F(T, ID,   id,             .arg = "con_") \
	F(T, STR,  provider,       .doc = "http, postgres, or a service that the operator set up") \
	F(T, WORD, kind,           .arg = CONNECTION_KINDS) \
	F(T, STR,  name) \
	F(T, WORD, auth_mode,      .arg = CONNECTION_MODES, \
		.doc = "member: each member gives their own credentials, which their jobs use") \
	F(T, WORD, status,         .arg = CONNECTION_STATUSES, \
		.doc = "needs_auth: its credentials are missing, or no longer accepted. " \
		       "error: it failed when it was last used") \
	F(T, JSON, config,         .arg = "object", .doc = "Nothing secret is in it") \
	F(T, BOOL, my_credentials, .doc = "Whether it has credentials; if auth_mode is member, " \
					  "whether it has yours") \
	F(T, OBJ,  created_by,     .flags = F_NUL, .sub = &ws_user_shape, \
		.doc = "null: their account has been deleted") \
	F(T, TIME, created_at) \
	F(T, TIME, last_used_at,   .flags = F_NUL) \
	F(T, STR,  last_error,     .flags = F_NUL, .doc = "null: it worked when it was last used") \
	F(T, ID,   workspace_id,   .flags = F_HID, .arg = "wsp_") \
	F(T, TIME, updated_at,     .flags = F_HID, .doc = "Also by new credentials") \
	F(T, STR,  name_key,       .flags = F_HID) \
	F(T, STR,  remote_account, .flags = F_HID | F_NUL) \
	F(T, STR,  state,          .flags = F_HID, .doc = "connection_state()") \
	F(T, STR,  host,           .flags = F_HID) \
	F(T, INT,  job_n,          .flags = F_HID, .doc = "That use it") \
	F(T, BOOL, testable,       .flags = F_HID, \
		.doc = "The viewer may test it, and there are credentials for that")
/* Pages fill what follows remote_account. */
SHAPE_DECLARE(connection, CONNECTION);

#define CONNECTION_FIELDS(F, T, flags_) \
	F(T, STR,  name,        .flags = flags_, .lo = 1, .hi = CONNECTION_NAME_CHARS, \
		.doc = "Must differ from the names of other connections, ignoring case", \
		.eg = "\"Orders API\"") \
	F(T, JSON, config,      .flags = flags_, .arg = "object", .hi = 8192, \
		.doc = "http: base_url, auth (none, bearer, basic or header) and, for header, " \
		       "header_name. postgres: host, port, database, username, and sslmode " \
		       "(verify-full or require)", \
		.eg = "{\"base_url\":\"https://api.example.org/v1\",\"auth\":\"bearer\"}") \
	F(T, OBJ,  credentials, .sub = &credential_new_shape, \
		.doc = "Stored encrypted and never shown again", .eg = "{}")
#define CONNECTION_NEW(F, T) \
	F(T, STR,  provider,    .flags = F_REQ, .lo = 1, .hi = 40, \
		.doc = "http, postgres, or a service that the operator set up", .eg = "\"http\"") \
	F(T, WORD, auth_mode,   .arg = CONNECTION_MODES, .doc = "Default: shared") \
	CONNECTION_FIELDS(F, T, F_REQ)
SHAPE_DECLARE(connection_new, CONNECTION_NEW);
/* `config` replaces the whole config. */
#define CONNECTION_EDIT(F, T) CONNECTION_FIELDS(F, T, 0)
SHAPE_DECLARE(connection_edit, CONNECTION_EDIT);

#define CONNECTION_QUERY(F, T) PAGE_FIELDS(F, T, 2000)
SHAPE_DECLARE(connection_query, CONNECTION_QUERY);

/* Lists the workspace's connections by name. */
enum err connection_list(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct connection_query *, struct connection_list *out, const char **next);
/* E_NOT_FOUND: no such connection in this workspace. */
enum err connection_get(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *id, struct connection **out);
/* Returns the kind of a provider. E_CONFLICT: the operator hasn't set it up; the message names
 * the missing file. */
enum err provider_kind(struct ctx *c, const char *provider, const char **kind);
/* Creates a connection. E_INVALID names the field. E_CONFLICT: the name is taken.
 * E_LIMIT_REACHED: the workspace has max_connections. */
enum err connection_add(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct connection_new *, const char **id);
/* Call it when credentials or settings change. Clears the last error and changes updated_at, so
 * a use that began earlier records nothing. */
enum err connection_renewed(struct ctx *c, const struct connection *);
/* Changes a connection. If stored credentials would go to another server, shared ones must be
 * given again (E_INVALID) and members' own are deleted. Else fails like connection_add(). */
enum err connection_change(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct connection *, const struct connection_edit *);

#define CONNECTION_GONE(F, T) \
	F(T, INT, used_by, .doc = "Jobs that used it; their runs fail from now on")
SHAPE_DECLARE(connection_gone, CONNECTION_GONE);
/* Deletes a connection with all credentials. Jobs that use it stay; their runs fail with a
 * message. */
enum err connection_delete(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct connection *, struct connection_gone *out);

/* ---- which jobs use it ---- */

#define CONNECTION_ARTIFACT(F, T) \
	F(T, ID,   id,   .arg = "art_") \
	F(T, STR,  name) \
	F(T, SLUG, slug) \
	F(T, INT,  jobs, .doc = "Its jobs that use the connection")
SHAPE_DECLARE(connection_artifact, CONNECTION_ARTIFACT);

#define CONNECTION_USES(F, T) \
	F(T, LIST, artifacts,   .sub = &connection_artifact_shape) \
	F(T, INT,  hidden,      .doc = "Jobs that use it on artifacts that you can't open") \
	F(T, STR,  next_cursor, .flags = F_NUL)
SHAPE_DECLARE(connection_uses, CONNECTION_USES);

/* Lists the artifacts whose jobs use the connection and that `who` may read, by id. */
enum err connection_artifacts(struct ctx *c, const struct connection *, const struct principal *who,
    const struct connection_query *, struct connection_uses *out);

/* ---- a member's own credentials ---- */

#define MY_CREDENTIALS(F, T) \
	F(T, BOOL, connected) \
	F(T, TIME, updated_at, .flags = F_NUL)
SHAPE_DECLARE(my_credentials, MY_CREDENTIALS);

/* E_CONFLICT: the connection has shared credentials. E_INVALID: fields that its kind doesn't
 * have. */
enum err my_credentials_get(struct ctx *c, const struct connection *, const struct principal *who,
    struct my_credentials *out);
enum err my_credentials_set(struct ctx *c, const struct connection *, const struct principal *who,
    const struct credential_new *, struct my_credentials *out);
enum err my_credentials_delete(
    struct ctx *c, const struct connection *, const struct principal *who);
#endif
