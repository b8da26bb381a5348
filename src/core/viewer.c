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

static const struct bytes *
text_digest(struct ctx *c, const char *text)
{
	struct bytes *out = mem_new(c->mem, struct bytes);

	*out = bytes_sha256(c, text);
	return out;
}

/* A row is found only by ticket and nonce together. */
static const struct bytes *
ticket_digest(struct ctx *c, const char *ticket, const char *nonce)
{
	return text_digest(c, mem_printf(c->mem, "%s %s", ticket, nonce));
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

/* ---- frames ---- */

enum { FRAME_S = 8 * 3600, FRAMES = 20, NAME_CHARS = 36 };

const struct bytes *
viewer_frame_digest(struct ctx *c, const char *name)
{
	return text_digest(c, mem_printf(c->mem, FRAME_PREFIX "%s", name));
}

/* Returns 180 random bits in letters and digits that a host's name may have. */
static const char *
frame_name(void *mem)
{
	static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz";
	uint8_t raw[NAME_CHARS];
	char *out = mem_zalloc(mem, NAME_CHARS + 1);

	crypto_random(raw, sizeof raw);
	for (size_t i = 0; i < NAME_CHARS; i++)
		out[i] = letters[raw[i] & 31];
	return out;
}

#define FRAME_ROW(F, T) F(T, TIME, expires_at)
SHAPE(frame_row, FRAME_ROW);

enum err
viewer_frame(struct ctx *c, const char *artifact_id, int64_t no, const char *session_id,
    const char **name)
{
	const char *secret = frame_name(c->mem);
	struct frame_row_list old;

	/* The session's oldest frames end, so that there is room for one more. If there is room
	 * already, no row is locked. */
	TRY(db_all(c,
	    ROWS(frame_row,
		"SELECT expires_at FROM viewer WHERE session_id = ? AND kind = 'frame'"
		" ORDER BY expires_at DESC LIMIT 1000 OFFSET ?"),
	    ARGS(session_id, (int64_t)FRAMES - 1), &old));
	if (old.n)
		TRY(db_exec(c,
		    EXEC("DELETE FROM viewer WHERE session_id = ? AND kind = 'frame'"
			 " ORDER BY expires_at, hash LIMIT ?"),
		    ARGS(session_id, (int64_t)old.n), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO viewer (hash, kind, artifact_id, version_no, session_id, expires_at)"
		" VALUES (?, 'frame', ?, ?, ?, ?)"),
	    ARGS(*viewer_frame_digest(c, secret), artifact_id, no, session_id, c->now + FRAME_S),
	    NULL));
	*name = mem_printf(c->mem, FRAME_PREFIX "%s", secret);
	return E_OK;
}

#define FRAMED(F, T) F(T, SLUG, slug)
SHAPE(framed, FRAMED);

enum err
viewer_frame_find(struct ctx *c, const char *name, const char **slug)
{
	struct framed *row;

	TRY(db_find(c,
	    ROWS(framed,
		"SELECT a.slug FROM viewer w JOIN artifact a ON a.id = w.artifact_id"
		" WHERE w.hash = ? AND w.kind = 'frame' AND w.expires_at > ?"),
	    ARGS(*viewer_frame_digest(c, name), c->now), &row));
	*slug = row ? row->slug : NULL;
	return E_OK;
}

static enum err
viewer_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM viewer WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

ROUNDS(viewer, { "viewers", .rows = viewer_reap });
PURGES(viewer, ROWS_OF(viewer));
