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
	    c, "cookie", *cookie, artifact_id, h->session_id, session_life_s(c));
}

enum err
viewer_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM viewer WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}
