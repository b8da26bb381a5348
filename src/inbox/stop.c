/* SPDX-License-Identifier: Apache-2.0 */
#include "inbox/stop.h"

#include "base/seal.h"
#include "base/str.h"
#include "inbox/daily.h"
#include "inbox/inbox.h"

SHAPE_DEFINE(unsubscribe, UNSUBSCRIBE);
SHAPE_DEFINE(stop_query, STOP_QUERY);

static const char purpose[] = "inbox mail";

const char *
stop_path(struct ctx *c, const char *page, const char *of, const char *what, const char *whom)
{
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "%s?t=", page);
	buf_form(&b, seal_close(c->mem, of, mem_printf(c->mem, "%s %s", what, whom)));
	return buf_done(&b);
}

enum err
stop_open(struct ctx *c, const char *of, const char *t, const char **what, const char **whom)
{
	const char *text = t ? seal_open(c->mem, of, t) : NULL;
	char *rest = text ? mem_strdup(c->mem, text) : NULL;

	*what = rest ? str_split(&rest, ' ') : NULL;
	*whom = rest;
	return rest ? E_OK
		    : fail(c, E_NOT_FOUND,
			  "This link isn't complete; open the one in the e-mail again");
}

/* ---- kinds ---- */

const char *
inbox_stop_path(struct ctx *c, const char *kind, const char *user_id)
{
	return user_id ? stop_path(c, INBOX_STOP, purpose, kind, user_id) : NULL;
}

#define MAILED(F, T) \
	F(T, EMAIL, email) \
	F(T, BOOL,  mailed) \
	F(T, BOOL,  daily)
SHAPE(mailed, MAILED);

enum err
inbox_stop_find(struct ctx *c, const char *t, struct unsubscribe **out)
{
	const struct inbox_kind *k;
	const char *what, *user_id;
	struct mailed *row;

	*out = NULL;
	TRY(stop_open(c, purpose, t, &what, &user_id));
	k = inbox_kind(what);
	TRY(db_find(c,
	    ROWS(mailed,
		"SELECT u.email, NOT EXISTS (SELECT 1 FROM inbox_way y WHERE y.user_id = u.id"
		" AND y.kind = ? AND y.way IN ('page', 'off')) AS mailed, EXISTS (SELECT 1"
		" FROM inbox_way y WHERE y.user_id = u.id AND y.way = 'digest') AS daily"
		" FROM user u WHERE u.id = ?"),
	    ARGS(what, user_id), &row));
	if (!row || !(k ? row->mailed : row->daily))
		return E_OK;
	*out = mem_new(c->mem, struct unsubscribe);
	(*out)->email = row->email;
	(*out)->what = k ? k->title : "What is new in your inbox, once a day";
	return E_OK;
}

/* A kind that is off stays off. */
enum err
inbox_stop(struct ctx *c, const char *t)
{
	const struct inbox_kind *k;
	const char *what, *user_id;

	TRY(stop_open(c, purpose, t, &what, &user_id));
	k = inbox_kind(what);
	if (k && str_in("page", k->ways))
		TRY(db_exec(c,
		    EXEC("INSERT INTO inbox_way (user_id, kind, way, since)"
			 " SELECT id, ?, 'page', ? FROM user WHERE id = ? ON DUPLICATE KEY UPDATE"
			 " way = IF(inbox_way.way = 'off', 'off', 'page')"),
		    ARGS(k->word, c->now, user_id), NULL));
	if (!k)
		TRY(db_exec(c,
		    EXEC("UPDATE inbox_way SET way = 'page' WHERE user_id = ?"
			 " AND way = 'digest'"),
		    ARGS(user_id), NULL));
	return daily_plan(c, user_id);
}
