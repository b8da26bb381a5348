/* SPDX-License-Identifier: Apache-2.0 */
#include "core/viewer.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/id.h"
#include "core/follow.h"
#include "core/session.h"
#include "store/rounds.h"

enum { TICKET_S = 60 };

static enum err
viewer_insert(struct ctx *c, const char *kind, const struct bytes *hash, const char *artifact_id,
    const char *session_id, int64_t life_s)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO viewer (hash, kind, artifact_id, session_id, expires_at)"
		" VALUES (?, ?, ?, ?, ?)"),
	    ARGS(*hash, kind, artifact_id, session_id, c->now + life_s),
	    NULL);
}

const char *
viewer_nonce(struct ctx *c, const char *nonce)
{
	const struct bytes *digest = secret_digest(c, nonce, "vie_");

	return crypto_hex(c->mem, digest->p, digest->n);
}

/* A row is found only by ticket and nonce together. */
static const struct bytes *
ticket_digest(struct ctx *c, const char *ticket, const char *nonce)
{
	const char *both = mem_printf(c->mem, "%s %s", ticket, nonce);
	uint8_t *hash = mem_zalloc(c->mem, SHA256_BYTES);
	struct bytes *out = mem_new(c->mem, struct bytes);

	crypto_sha256(both, strlen(both), hash);
	*out = (struct bytes){ hash, SHA256_BYTES };
	return out;
}

enum err
viewer_ticket(struct ctx *c, const char *artifact_id, const char *session_id, const char *nonce,
    const char **ticket)
{
	*ticket = token_new(c->mem, "vie_");
	return viewer_insert(
	    c, "ticket", ticket_digest(c, *ticket, nonce), artifact_id, session_id, TICKET_S);
}

#define HOLDER(F, T) F(T, ID, session_id, .arg = "ses_")
SHAPE(holder, HOLDER);

enum err
viewer_trade(struct ctx *c, const char *artifact_id, const char *ticket, const char *nonce,
    const char **cookie)
{
	const struct bytes *digest = ticket_digest(c, ticket, nonce);
	struct holder *h;

	*cookie = NULL;
	TRY(db_find(c,
	    ROWS(holder,
		"SELECT session_id FROM viewer WHERE hash = ? AND kind = 'ticket'"
		" AND artifact_id = ? AND expires_at > ? FOR UPDATE"),
	    ARGS(*digest, artifact_id, c->now), &h));
	if (!h)
		return E_OK;
	TRY(db_exec(c, EXEC("DELETE FROM viewer WHERE hash = ?"), ARGS(*digest), NULL));
	*cookie = token_new(c->mem, "vie_");
	return viewer_insert(c, "cookie", secret_digest(c, *cookie, "vie_"), artifact_id,
	    h->session_id, session_life_s(c));
}

static enum err
viewer_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM viewer WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

ROUNDS(viewer, { "viewers", .rows = viewer_reap });
PURGES(viewer, ROWS_OF(viewer));
