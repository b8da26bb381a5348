/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/credential.h"

#include "base/json.h"
#include "base/str.h"
#include "connections/connection.h"
#include "core/follow.h"
#include "db/sealed.h"
#include "ext/header.h"

SHAPE_DEFINE(credential_new, CREDENTIAL_NEW);
SHAPE_DEFINE(credential, CREDENTIAL);

/* ---- entered credentials ---- */

static enum err
credential_member(
    struct ctx *c, const char *at, const char *name, const char *given, bool wanted)
{
	if (wanted && !given)
		return fail(c, E_INVALID, "%s%s: is required for this connection", at, name);
	return given && !wanted
	    ? fail(c, E_INVALID, "%s%s: isn't what this connection signs in with", at, name)
	    : E_OK;
}

enum err
credential_check(struct ctx *c, const char *at, const struct connection_config *config,
    const struct credential_new *in, struct credential *out)
{
	enum sign_in s = config->sign_in;

	if (s == SIGN_IN_NOTHING)
		return fail(c, E_INVALID,
		    "credentials: this connection takes none, since its auth is none");
	if (s == SIGN_IN_PROVIDER)
		return fail(c, E_INVALID,
		    "credentials: this connection gets them when somebody signs in at its service");
	TRY(credential_member(c, at, "token", in->token, s == SIGN_IN_TOKEN));
	TRY(credential_member(c, at, "username", in->username, s == SIGN_IN_PAIR));
	TRY(credential_member(
	    c, at, "password", in->password, s == SIGN_IN_PAIR || s == SIGN_IN_PASSWORD));
	/* The messages about a secret never contain it. */
	if (in->token && !header_value_valid(in->token))
		return fail(c, E_INVALID,
		    "%stoken: must be visible ASCII characters, with spaces only between them", at);
	if (in->username && strchr(in->username, ':'))
		return fail(c, E_INVALID, "%susername: must not contain a colon", at);
	*out = (struct credential){
		.token = in->token, .username = in->username, .password = in->password
	};
	return E_OK;
}

/* ---- stored credentials ---- */

SEALS(credential, "connection_credential", "sealed", "connection_id", SEALED_TEXT, "holder",
    "FALSE", .purpose = { "connection/", "/" }, .noun = "connection",
    .what = "its credentials", .who = "an admin", .mend = "has to enter them again");

enum err
credential_unseal(struct ctx *c, const char *connection_id, const char *holder, const char *sealed,
    const struct credential **out)
{
	const char *text = sealed_open(
	    c->mem, &credential_sealed, connection_id, holder, sealed);
	struct json *tree;
	void *read;

	if (!text)
		return fail(c, E_INVALID,
		    "the connection's credentials can no longer be read; enter them again");
	TRY(json_parse(c, text, strlen(text), &tree));
	TRY(shape_read(c, &credential_shape, tree, &read));
	*out = read;
	return E_OK;
}

enum err
credential_save(struct ctx *c, const struct connection *s, const char *holder,
    const struct credential *what)
{
	struct credential kept = *what;

	kept.has.expires_at = kept.expires_at ? GIVEN : ABSENT;
	return db_exec(c,
	    EXEC("INSERT INTO connection_credential"
		 " (connection_id, holder, user_id, sealed, expires_at, updated_at)"
		 " VALUES (?, ?, NULLIF(?, ''), ?, ?, ?) ON DUPLICATE KEY UPDATE"
		 " sealed = VALUES(sealed), expires_at = VALUES(expires_at), needs_auth = FALSE,"
		 " lease_until = NULL, updated_at = VALUES(updated_at)"),
	    ARGS(s->id, holder, holder,
		sealed_close(c->mem, &credential_sealed, s->id, holder,
		    shape_text(c->mem, &credential_shape, &kept)),
		kept.expires_at ? arg_int(kept.expires_at) : arg_null(), c->now),
	    NULL);
}

#define CREDENTIAL_ROW(F, T) \
	F(T, ID,  connection_id, .arg = "con_") \
	F(T, STR, holder) \
	F(T, STR, sealed)
SHAPE(credential_row, CREDENTIAL_ROW);

enum err
credential_open(struct ctx *c, const struct connection *s, const char *holder,
    const struct credential **out)
{
	struct credential_row *row;

	TRY(db_one(c,
	    ROWS(credential_row,
		"SELECT connection_id, holder, sealed FROM connection_credential"
		" WHERE connection_id = ? AND holder = ?"),
	    ARGS(s->id, holder), &row));
	return credential_unseal(c, s->id, holder, row->sealed, out);
}

enum err
credential_delete(
    struct ctx *c, const struct connection *s, const char *holder, int64_t *gone)
{
	return holder
	    ? db_exec(c,
		  EXEC("DELETE FROM connection_credential"
		       " WHERE connection_id = ? AND holder = ?"),
		  ARGS(s->id, holder), gone)
	    : db_exec(c, EXEC("DELETE FROM connection_credential WHERE connection_id = ?"),
		  ARGS(s->id), gone);
}

/* ---- changes of accounts ---- */

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC("DELETE k FROM connection_credential k JOIN connection n"
		 " ON n.id = k.connection_id WHERE k.user_id = ? AND n.workspace_id = ?"),
	    ARGS(h->user_id, h->workspace_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("DELETE FROM connection_credential WHERE user_id = ?"),
	    ARGS(h->user_id), NULL);
}

/* If both accounts have credentials, those of the remaining account stay. Credentials that can't
 * be opened are deleted. */
static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	struct credential_row_list rows;

	TRY(db_all(c,
	    ROWS(credential_row,
		"SELECT k.connection_id, k.holder, k.sealed FROM connection_credential k"
		" LEFT JOIN connection_credential o ON o.connection_id = k.connection_id"
		" AND o.holder = ? WHERE k.user_id = ? AND o.connection_id IS NULL"),
	    ARGS(h->user_id, h->from_id), &rows));
	for (size_t i = 0; i < rows.n; i++) {
		const char *id = rows.v[i].connection_id, *text = sealed_open(
		    c->mem, &credential_sealed, id, h->from_id, rows.v[i].sealed);

		if (text)
			TRY(db_exec(c,
			    EXEC("UPDATE connection_credential SET holder = ?, user_id = ?,"
				 " sealed = ? WHERE connection_id = ? AND holder = ?"),
			    ARGS(h->user_id, h->user_id,
				sealed_close(c->mem, &credential_sealed, id, h->user_id, text), id,
				h->from_id),
			    NULL));
	}
	return db_exec(c, EXEC("DELETE FROM connection_credential WHERE user_id = ?"),
	    ARGS(h->from_id), NULL);
}

FOLLOWS(credential, { MEMBER_LEFT, member_left }, { USER_MERGED, user_merged },
    { USER_DELETED, user_deleted });
