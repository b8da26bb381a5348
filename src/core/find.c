/* SPDX-License-Identifier: Apache-2.0 */
#include "core/find.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/lately.h"
#include "store/rounds.h"

SHAPE_DEFINE(find_text, FIND_TEXT);
SHAPE_DEFINE(find_page, FIND_PAGE);
SHAPE_DEFINE(found, FOUND);

const char *
find_url(struct ctx *c, const char *path)
{
	return mem_printf(c->mem, "%s%s", c->conf->base_url, path);
}

enum err
find_rows(struct ctx *c, struct found_rows rows, const struct find_asked *asked,
    struct found_list *out)
{
	TRY(db_all(c, rows, FIND_ARGS(asked), out));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].url = find_url(c, out->v[i].url);
	return E_OK;
}

const char *
find_plain(const struct finds *f, void *owner, const char *page)
{
	return page && f->plain ? f->plain(owner, page) : page;
}

bool
find_is_wanted(struct ctx *c)
{
	c->words = true;
	return true;
}

enum err
find_changed(struct ctx *c, enum find_kind kind, const char *id)
{
	c->words = find_is_wanted(c);
	return db_exec(c,
	    EXEC("INSERT INTO search_due (kind, id, user_id) VALUES (?, ?, ?)"
		 " ON DUPLICATE KEY UPDATE user_id = VALUES(user_id)"),
	    ARGS((int)kind, id, c->actor ? c->actor->user_id : NULL), NULL);
}

enum err
find_changed_now(struct ctx *c, enum find_kind kind, const char *id)
{
	return follow(c, WORDS_CHANGED, &(struct happened){ .find_kind = kind, .find_id = id });
}

/* ---- recently opened ---- */

enum err
find_opened(struct ctx *c, const struct principal *who, enum find_kind kind, const char *id)
{
	static struct lately kept;
	struct lately_at at = lately_of(
	    c, &kept, mem_printf(c->mem, "%s %d %s", who->user_id, (int)kind, id));

	if (!str_eq(who->kind, "person") || who->grant_id || who->grants_only || lately_was(at))
		return E_OK;
	TRY(db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC DECLARE who " SQL_ID " DEFAULT ?; DECLARE had INT DEFAULT ?;"
		" INSERT INTO search_recent (user_id, kind, id, at) VALUES (who, ?, ?, ?)"
		" ON DUPLICATE KEY UPDATE at = VALUES(at);"
		" DELETE FROM search_recent WHERE user_id = who AND at < (SELECT at"
		" FROM (SELECT at FROM search_recent WHERE user_id = who"
		" ORDER BY at DESC LIMIT 1 OFFSET had) x); END"),
	    ARGS(who->user_id, RECENTS - 1, kind, id, c->now), NULL));
	lately_keep(at);
	return E_OK;
}

static enum err
recents_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM search_recent WHERE at <= ? LIMIT ?"),
	    ARGS(c->now - RECENTS_DAYS * INT64_C(86400), limit), removed);
}

/* The runner indexes their changes. */
static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c, EXEC("UPDATE search_due SET user_id = NULL WHERE user_id = ?"),
	    ARGS(h->user_id), NULL));
	return db_exec(
	    c, EXEC("DELETE FROM search_recent WHERE user_id = ?"), ARGS(h->user_id), NULL);
}

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO search_recent (user_id, kind, id, at)"
		" SELECT ?, kind, id, at FROM search_recent f WHERE f.user_id = ?"
		" ON DUPLICATE KEY UPDATE at = GREATEST(search_recent.at, VALUES(at))"),
	    ARGS(h->user_id, h->from_id), NULL));
	return user_deleted(c, &(struct happened){ .user_id = h->from_id });
}

FOLLOWS(recent, { USER_MERGED, user_merged }, { USER_DELETED, user_deleted });
ROUNDS(recent, { "recents", .rows = recents_reap });
