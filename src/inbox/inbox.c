/* SPDX-License-Identifier: Apache-2.0 */
#include "inbox/inbox.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "base/told.h"
#include "core/artifact.h"
#include "core/role.h"

SHAPE_DEFINE(inbox_ref, INBOX_REF);
SHAPE_DEFINE(inbox_act, INBOX_ACT);
SHAPE_DEFINE(inbox_item, INBOX_ITEM);
SHAPE_DEFINE(inbox_query, INBOX_QUERY);
SHAPE_DEFINE(inbox_counts, INBOX_COUNTS);
SHAPE_DEFINE(inbox_part, INBOX_PART);
SHAPE_DEFINE(inbox_edit, INBOX_EDIT);
SHAPE_DEFINE(inbox_seen, INBOX_SEEN);

enum { NEWEST = 5, COUNTED_NEWEST = 100, COUNTED = 1000, PLACE_AT = 12 /* the id in a place */ };

/* ---- reading ---- */

#define ITEM_COLUMNS \
	"i.id, i.kind, i.sort, i.shelf AS box, i.subject, i.excerpt, u.id AS `actor.id`," \
	" COALESCE(NULLIF(u.name, ''), i.who, 'Somebody') AS `actor.name`, i.who," \
	" a.id AS `artifact.id`, a.name AS `artifact.name`, iw.id AS `workspace.id`," \
	" iw.name AS `workspace.name`, i.thing, i.word, i.n, i.created_at, i.updated_at," \
	" i.seen_at IS NOT NULL AS seen, i.done_at IS NOT NULL AS done, i.ends_at, i.place," \
	" COALESCE(i.need = 'see' AND NOT " ARTIFACT_IS_OPEN " AND " ROLE_OF("i.user_id") \
	" IS NULL, FALSE) AS by_grant"
#define ITEM_TABLES \
	" LEFT JOIN user u ON u.id = i.actor_id LEFT JOIN artifact a ON a.id = i.artifact_id" \
	ROLE_TABLES("i.user_id") \
	" LEFT JOIN workspace iw ON iw.id = i.workspace_id AND iw.deleted_at IS NULL" \
	" LEFT JOIN member im ON im.workspace_id = iw.id AND im.user_id = i.user_id"
/* True if the person may still know of it. Only people outside can have grants (by_grant), which
 * items_fill() checks. */
#define ITEM_IS_SHOWN \
	" AND (i.ends_at IS NULL OR i.ends_at > ? OR i.done_at IS NOT NULL)" \
	" AND (? IS NULL OR i.workspace_id = ?) AND NOT ?" \
	" AND (i.workspace_id IS NULL OR iw.id IS NOT NULL)" \
	" AND (i.artifact_id IS NULL OR (a.deleted_at IS NULL AND NOT a.closed))" \
	" AND CASE i.need WHEN 'self' THEN TRUE" \
	" WHEN 'see' THEN i.artifact_id IS NULL OR " ARTIFACT_IS_OPEN " OR " ROLE_OF("i.user_id") \
	" IS NOT NULL OR (SELECT ou.outside FROM user ou WHERE ou.id = i.user_id)" \
	" WHEN 'own' THEN COALESCE(a.owner_id = i.user_id, FALSE)" \
	" OR COALESCE(wm.role IN ('admin', 'owner'), FALSE)" \
	" ELSE COALESCE(im.role IN ('admin', 'owner'), FALSE) END"
#define SHOWN_TO(c, who) (c)->now, (who)->workspace_id, (who)->workspace_id, (who)->grants_only

/* Fills {name} in a text of ITEM(). */
static const char *
text_of(struct ctx *c, const char *text, const struct inbox_item *i)
{
	const struct inbox_ref *art = i->artifact, *ws = i->workspace;
	struct buf b = BUF(c->mem);

	for (const char *end; text && *text; text = end + 1) {
		const char *at = strchr(text, '{');
		size_t n = at ? (size_t)(at - text) : strlen(text);

		buf_add(&b, text, n);
		end = at ? strchr(at, '}') : NULL;
		if (!end)
			break;
		if (str_starts(at, "{n}"))
			buf_fmt(&b, "%lld", (long long)i->n);
		else
			buf_str(&b, str_starts(at, "{word}") ? (i->word ? i->word : "")
				: str_starts(at, "{artifact}")  ? (art ? art->id : "")
				: str_starts(at, "{workspace}") ? (ws ? ws->id : "")
				: str_starts(at, "{subject}")   ? i->subject
								: i->id);
	}
	return buf_done(&b);
}

static void
item_fill(struct ctx *c, struct inbox_item *i)
{
	const struct inbox_form *f = inbox_form(i->sort);
	const struct inbox_ref *actor = i->actor, *art = i->artifact, *ws = i->workspace;
	struct inbox_act *acts;

	if (!f)
		return;
	i->lead = *f->verb ? (actor ? actor->name : i->who ? i->who : "Somebody") : NULL;
	i->verb = f->verb;
	i->about = i->thing ? i->thing : art ? art->name : ws ? ws->name : "";
	i->tail = text_of(c, f->tail, i);
	i->title = mem_printf(c->mem, "%s%s%s%s%s%s%s", i->lead ? i->lead : "", i->lead ? " " : "",
	    f->verb, *f->verb ? " " : "", i->about, *i->tail ? " " : "", i->tail);
	i->path = text_of(c, f->path, i);
	i->url = mem_printf(c->mem, "%s%s", c->conf->base_url, i->path);
	i->badge = inbox_kind(f->kind)->badge;
	i->open = f->open;
	i->decided = false;
	for (size_t k = 0; inbox_waits[k] && !i->decided; k++)
		i->decided = inbox_waits[k]->sort == (enum inbox_sort)(f - inbox_forms);
	acts = mem_array(c->mem, struct inbox_act, 2);
	for (size_t k = 0; k < 2 && f->buttons[k].label && !i->done; k++)
		acts[i->acts.n++] = (struct inbox_act){ .label = f->buttons[k].label,
			.action = text_of(c, f->buttons[k].path, i),
			.field = f->buttons[k].field,
			.value = f->buttons[k].value };
	i->acts.v = acts;
}

/* Leaves out items of artifacts that no grant shows any more, and fills the others. */
static enum err
items_fill(struct ctx *c, const struct principal *who, struct inbox_item_list *all)
{
	size_t n = 0;

	for (size_t k = 0; k < all->n; k++) {
		struct inbox_item *i = &all->v[k];
		const struct inbox_ref *art = i->artifact;
		struct artifact *a;

		if (i->by_grant) {
			enum err e = artifact_get(c, art->id, who, false, &a);

			if (e == E_NOT_FOUND || e == E_DENIED) {
				ctx_forgive(c);
				continue;
			}
			TRY(e);
		}
		item_fill(c, i);
		if (i->title)
			all->v[n++] = *i;
	}
	all->n = n;
	return E_OK;
}

#define CHANGED(F, T) F(T, INT, n)
SHAPE(inbox_number, CHANGED);

#define SHELF_COUNT(unseen) \
	"(SELECT COUNT(*) FROM (SELECT 1 FROM inbox_item i" ITEM_TABLES \
	" WHERE i.user_id = ? AND i.shelf = ?" unseen ITEM_IS_SHOWN " LIMIT ?) x)"

static enum err
part_count(struct ctx *c, const struct principal *who, struct inbox_part *out)
{
	struct inbox_counts *counts;
	struct inbox_number *changes;
	const char *me = who->user_id;

	TRY(db_one(c,
	    ROWS(inbox_counts,
		"SELECT " SHELF_COUNT("") " AS waiting, " SHELF_COUNT(" AND i.seen_at IS NULL")
		" AS know"),
	    ARGS(me, "waiting", SHOWN_TO(c, who), COUNTED, me, "know", SHOWN_TO(c, who), COUNTED),
	    &counts));
	TRY(db_one(c,
	    ROWS(inbox_number,
		"SELECT BIT_XOR(CRC32(CONCAT(id, changes))) AS n FROM inbox_item"
		" WHERE user_id = ?"),
	    ARGS(me), &changes));
	out->counts = counts;
	out->change_no = changes->n;
	return E_OK;
}

enum err
inbox_list(struct ctx *c, const struct principal *who, const struct inbox_query *q,
    struct inbox_part *out)
{
	struct inbox_item_list rows;

	if (q->cursor && (strlen(q->cursor) < PLACE_AT || !id_valid(q->cursor + PLACE_AT, "inb_")))
		return fail(c, E_INVALID, "cursor: is not valid; use next_cursor of this list");
	if (q->kind && !inbox_kind(q->kind))
		return fail(c, E_INVALID, "kind: must be %s, not \"%s\"",
		    inbox_kind_words(c->mem), q->kind);
	TRY(db_part(c,
	    ROWS(inbox_item,
		"SELECT " ITEM_COLUMNS " FROM inbox_item i" ITEM_TABLES
		" WHERE i.user_id = ? AND i.shelf = ? AND COALESCE(i.kind = ?, TRUE)"
		" AND COALESCE(i.place < ?, TRUE)" ITEM_IS_SHOWN " ORDER BY i.place DESC LIMIT ?"),
	    ARGS(who->user_id, q->box ? q->box : "waiting", q->kind, q->cursor,
		SHOWN_TO(c, who)),
	    q->limit, &rows, &out->next_cursor, last->place));
	TRY(items_fill(c, who, &rows));
	out->items = (struct list){ rows.v, rows.n };
	return part_count(c, who, out);
}

enum err
inbox_newest(struct ctx *c, const struct principal *who, struct list *items, int64_t *n)
{
	struct inbox_item_list rows;

	TRY(db_all(c,
	    ROWS(inbox_item,
		"SELECT " ITEM_COLUMNS ", COUNT(*) OVER () AS total FROM (SELECT id FROM inbox_item"
		" WHERE user_id = ? AND shelf = 'waiting' ORDER BY place DESC LIMIT ?) x"
		" STRAIGHT_JOIN inbox_item i ON i.id = x.id" ITEM_TABLES " WHERE TRUE"
		ITEM_IS_SHOWN " ORDER BY i.place DESC LIMIT ?"),
	    ARGS(who->user_id, COUNTED_NEWEST, SHOWN_TO(c, who), NEWEST), &rows));
	*n = rows.n ? rows.v[0].total : 0;
	TRY(items_fill(c, who, &rows));
	*items = (struct list){ rows.v, rows.n };
	return E_OK;
}

enum err
inbox_get(struct ctx *c, const struct principal *who, const char *id, struct inbox_item **out)
{
	struct inbox_item_list rows;

	TRY(db_all(c,
	    ROWS(inbox_item,
		"SELECT " ITEM_COLUMNS " FROM inbox_item i" ITEM_TABLES
		" WHERE i.id = ? AND i.user_id = ?" ITEM_IS_SHOWN),
	    ARGS(id, who->user_id, SHOWN_TO(c, who)), &rows));
	TRY(items_fill(c, who, &rows));
	*out = rows.v;
	return rows.n ? E_OK : fail(c, E_NOT_FOUND, "Your inbox has no item %s", id);
}

/* An item i that is new to the daily mail; y is the way of its kind. */
#define ITEM_IS_FRESH \
	" i.user_id = ? AND i.shelf IN ('waiting', 'know') AND i.seen_at IS NULL" \
	" AND i.updated_at >= y.since"

enum err
inbox_listed(struct ctx *c, const struct principal *who, int64_t most, struct list *items,
    int64_t *n)
{
	struct inbox_item_list rows;
	size_t read;

	/* We mark items before we read them, so that no new item comes between. */
	TRY(db_exec(c,
	    EXEC("UPDATE inbox_way y STRAIGHT_JOIN inbox_item i ON i.user_id = y.user_id"
		 " AND i.kind = y.kind SET i.listed_at = ? WHERE y.user_id = ?"
		 " AND y.way = 'digest' AND i.listed_at IS NULL AND" ITEM_IS_FRESH),
	    ARGS(c->now, who->user_id, who->user_id), NULL));
	TRY(db_all(c,
	    ROWS(inbox_item,
		"SELECT " ITEM_COLUMNS ", COUNT(*) OVER () AS total FROM inbox_item i" ITEM_TABLES
		" JOIN inbox_way y ON y.user_id = i.user_id AND y.kind = i.kind"
		" AND y.way = 'digest' WHERE i.listed_at = ? AND" ITEM_IS_FRESH ITEM_IS_SHOWN
		" ORDER BY i.place DESC LIMIT ?"),
	    ARGS(c->now, who->user_id, SHOWN_TO(c, who), most), &rows));
	*n = rows.n ? rows.v[0].total : 0;
	read = rows.n;
	TRY(items_fill(c, who, &rows));
	*n -= (int64_t)(read - rows.n);
	*items = (struct list){ rows.v, rows.n };
	return E_OK;
}

enum err
inbox_unlist(struct ctx *c, const char *user_id)
{
	return db_exec(c,
	    EXEC("UPDATE inbox_item SET listed_at = NULL WHERE user_id = ? AND listed_at = ?"),
	    ARGS(user_id, c->now), NULL);
}

/* ---- changing ---- */

enum err
inbox_change(struct ctx *c, const struct principal *who, const char *id,
    const struct inbox_edit *in, struct inbox_item **out)
{
	if (in->has.seen != GIVEN && in->has.done != GIVEN)
		return fail(c, E_INVALID, "seen: specify seen, done, or both");
	TRY(inbox_get(c, who, id, out));
	told_later(c, inbox_subject(c->mem, who->user_id));
	if (in->has.done && (*out)->decided)
		return fail(c, E_CONFLICT,
		    "done: this ends when it is decided; see %s", (*out)->url);
	if (in->has.seen)
		TRY(db_exec(c,
		    EXEC("UPDATE inbox_item SET seen_at = IF(?, COALESCE(seen_at, ?), NULL),"
			 " changes = changes + 1 WHERE id = ?"),
		    ARGS(in->seen, c->now, id), NULL));
	/* If a newer item about the thing is open, IGNORE leaves this one done. */
	if (in->has.done)
		TRY(db_exec(c,
		    EXEC("UPDATE IGNORE inbox_item SET updated_at = IF(? AND done_at IS NULL, ?,"
			 " updated_at), done_at = IF(?, COALESCE(done_at, ?), NULL),"
			 " changes = changes + 1 WHERE id = ?"),
		    ARGS(in->done, c->now, in->done, c->now, id), NULL));
	return inbox_get(c, who, id, out);
}

enum err
inbox_see(struct ctx *c, const struct principal *who, const struct inbox_seen *in)
{
	bool some = in->has.ids == GIVEN;

	if (some == (in->has.before == GIVEN))
		return fail(c, E_INVALID, "ids: specify exactly one of ids and before");
	told_later(c, inbox_subject(c->mem, who->user_id));
	if (some)
		return db_exec(c,
		    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN inbox_item i ON i.id = t.id"
			 " SET i.seen_at = ?, i.changes = i.changes + 1"
			 " WHERE i.user_id = ? AND i.seen_at IS NULL"
			 " AND (? IS NULL OR i.workspace_id = ?)"),
		    ARGS(ids_json(c, in->ids.v, in->ids.n), c->now, who->user_id,
			who->workspace_id, who->workspace_id),
		    NULL);
	return db_exec(c,
	    EXEC("UPDATE inbox_item SET seen_at = ?, changes = changes + 1 WHERE user_id = ?"
		 " AND shelf IN ('waiting', 'know') AND seen_at IS NULL AND updated_at <= ?"
		 " AND (? IS NULL OR workspace_id = ?)"),
	    ARGS(c->now, who->user_id, in->before, who->workspace_id, who->workspace_id), NULL);
}
