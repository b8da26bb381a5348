/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/viewer.h"

#include "base/conf.h"
#include "base/id.h"
#include "domain/session.h"

enum { TICKET_S = 60 };

static enum err
viewer_insert(struct ctx *c, const char *kind, const char *secret, const char *artifact_id,
    const char *session_id, int64_t life_s)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO viewer (hash, kind, artifact_id, session_id, expires_at) VALUES (?, ?, ?, ?, ?)"),
	    ARGS(*secret_digest(c, secret, "vie_"), kind, artifact_id, session_id, c->now + life_s),
	    NULL);
}

enum err
viewer_ticket(struct ctx *c, const char *artifact_id, const char *session_id, const char **ticket)
{
	*ticket = token_new(c->mem, "vie_");
	return viewer_insert(c, "ticket", *ticket, artifact_id, session_id, TICKET_S);
}

#define HOLDER(F, T) F(T, ID, session_id, .arg = "ses_")
SHAPE_DECLARE(holder, HOLDER);
SHAPE_DEFINE(holder, HOLDER);

enum err
viewer_trade(struct ctx *c, const char *artifact_id, const char *ticket, const char **cookie)
{
	const struct bytes *digest = secret_digest(c, ticket, "vie_");
	struct holder *h = NULL;

	*cookie = NULL;
	if (digest)
		TRY(db_find(c,
		    ROWS(holder,
			"SELECT session_id FROM viewer WHERE hash = ? AND kind = 'ticket' AND artifact_id = ? AND expires_at > ? FOR UPDATE"),
		    ARGS(*digest, artifact_id, c->now), &h));
	if (!h)
		return E_OK;
	TRY(db_exec(c, EXEC("DELETE FROM viewer WHERE hash = ?"), ARGS(*digest), NULL));
	*cookie = token_new(c->mem, "vie_");
	return viewer_insert(
	    c, "cookie", *cookie, artifact_id, h->session_id, c->conf->session_days * 86400);
}

#define VIEWING(F, T) F(T, STR, role)
SHAPE_DECLARE(viewing, VIEWING);
SHAPE_DEFINE(viewing, VIEWING);

enum err
viewer_role(struct ctx *c, const char *artifact_id, const char *cookie, const char **role)
{
	const struct bytes *digest = secret_digest(c, cookie, "vie_");
	struct viewing *v = NULL;

	if (digest)
		TRY(db_find(c,
		    ROWS(viewing,
			"SELECT CASE WHEN a.owner_id = s.user_id THEN 'owner' ELSE co.role END AS role FROM viewer v"
			" JOIN session s ON s.id = v.session_id JOIN user u ON u.id = s.user_id JOIN artifact a ON a.id = v.artifact_id"
			" LEFT JOIN collaborator co ON co.artifact_id = a.id AND co.user_id = s.user_id"
			" WHERE v.hash = ? AND v.kind = 'cookie' AND v.artifact_id = ? AND v.expires_at > ? AND s.expires_at > ? AND u.disabled_at IS NULL"),
		    ARGS(*digest, artifact_id, c->now, c->now), &v));
	*role = v ? v->role : NULL;
	return E_OK;
}

enum err
viewer_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM viewer WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}
