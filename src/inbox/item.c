/* SPDX-License-Identifier: Apache-2.0 */
#include "inbox/item.h"

#include "base/id.h"
#include "base/str.h"
#include "base/told.h"
#include "core/artifact.h"
#include "core/follow.h"
#include "inbox/daily.h"
#include "inbox/inbox.h"
#include "store/rounds.h"

enum { KEPT_S = 90 * 86400, KEPT = 2000, PUT_ARGS = 8, ARGS_MOST = 36 };

SHAPE_DEFINE(inbox_count, INBOX_COUNT);
SHAPE_DEFINE(inbox_told, INBOX_TOLD);

/* ---- what there is ---- */

/* Rows leave out members that they don't need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

const struct inbox_kind inbox_kinds[] = {
#define INBOX(kind, ...) { #kind, __VA_ARGS__ },
#include "core/nouns.def"
	{ NULL }
};

#define WAITING "waiting"
#define KNOW "know"
const struct inbox_form inbox_forms[] = {
#define ITEM(name, word, kind, ...) { word, #kind, __VA_ARGS__ },
#include "core/nouns.def"
	{ NULL }
};

const struct inbox_form *
inbox_form(const char *sort)
{
	for (const struct inbox_form *f = inbox_forms; f->word; f++)
		if (str_eq(f->word, sort))
			return f;
	return NULL;
}

const struct inbox_kind *
inbox_kind(const char *word)
{
	for (const struct inbox_kind *k = inbox_kinds; k->word; k++)
		if (str_eq(k->word, word))
			return k;
	return NULL;
}

const char *
inbox_kind_words(void *mem)
{
	struct buf all = BUF(mem);

	for (const struct inbox_kind *k = inbox_kinds; k->word; k++)
		buf_fmt(&all, "%s%s", all.n ? "|" : "", k->word);
	return str_or(mem, buf_done(&all));
}

/* ---- writing ---- */

/* Returns the arguments of INBOX_INSERT_: some before and one after those of its SELECT. */
static struct args
insert_args(struct ctx *c, enum inbox_sort sort, struct args in)
{
	const struct inbox_form *f = &inbox_forms[sort];
	struct arg *v = mem_array(c->mem, struct arg, ARGS_MOST);
	const char *id = id_new(c->mem, "inb_");
	const struct args before =
	    ARGS(id, id, f->kind, f->word, f->box, f->need, c->now, c->now);

	memcpy(v, before.v, PUT_ARGS * sizeof *v);
	for (size_t i = 0; i < in.n && i < ARGS_MOST - 2 * PUT_ARGS; i++)
		v[PUT_ARGS + i] = in.v[i];
	v[PUT_ARGS + in.n] = arg_str(f->kind);
	return (struct args){ v, PUT_ARGS + in.n + 1, 0 };
}

const char *
inbox_subject(void *owner, const char *user_id)
{
	return mem_printf(owner, "inbox %s", user_id);
}

/* Notifies the people of these rows when the transaction has committed. Reads nothing if nobody on
 * this machine waits. */
static enum err
people_notify(struct ctx *c, struct inbox_told_rows rows, struct args args)
{
	struct inbox_told_list all;

	if (!told_expected(c))
		return E_OK;
	TRY(db_all(c, rows, args, &all));
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].user_id)
			told_later(c, inbox_subject(c->mem, all.v[i].user_id));
	return E_OK;
}

enum err
inbox_put(
    struct ctx *c, struct inbox_puts puts, enum inbox_sort sort, struct args of_select)
{
	TRY(people_notify(c, puts.told, of_select));
	return db_exec(c, puts.put, insert_args(c, sort, of_select), NULL);
}

enum err
inbox_end(struct ctx *c, const char *subject, const char *user_id)
{
	return inbox_end_many(c, ids_json(c, &subject, 1), user_id);
}

enum err
inbox_end_many(struct ctx *c, const char *subjects, const char *user_id)
{
	TRY(people_notify(c,
	    ROWS(inbox_told,
		"SELECT i.user_id FROM " ID_TABLE " STRAIGHT_JOIN inbox_item i"
		" ON i.subject = t.id WHERE i.shelf = 'waiting' AND COALESCE(i.user_id = ?, TRUE)"),
	    ARGS(subjects, user_id)));
	return db_exec(c,
	    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN inbox_item i ON i.subject = t.id"
		 " SET i.done_at = ?, i.updated_at = ?, i.changes = i.changes + 1"
		 " WHERE i.shelf = 'waiting' AND COALESCE(i.user_id = ?, TRUE)"),
	    ARGS(subjects, c->now, c->now, user_id), NULL);
}

#define MAILS(F, T) F(T, BOOL, yes)
SHAPE(inbox_mails_row, MAILS);

enum err
inbox_mails(struct ctx *c, const char *kind, const char *user_id, bool *yes)
{
	struct inbox_mails_row *row;

	TRY(db_one(c,
	    ROWS(inbox_mails_row,
		"SELECT NOT EXISTS (SELECT 1 FROM inbox_way WHERE user_id = ? AND kind = ?"
		" AND way <> 'mail') AS yes"),
	    ARGS(user_id, kind), &row));
	*yes = row->yes;
	return E_OK;
}

/* ---- things that wait ---- */

static enum err
waits_fill(struct ctx *c, const struct inbox_waits *w, enum inbox_of of, const char *id,
    int64_t *added)
{
	struct args args = insert_args(c, w->sort, ARGS(id));
	struct arg *v = mem_dup(c->mem, args.v, ARGS_MOST * sizeof *v);

	v[args.n++] = arg_int(c->now);
	if (of != BY_SUBJECT && of != BY_ACTOR)
		v[args.n++] = arg_str(inbox_forms[w->sort].word);
	return db_exec(c, w->stmts[of], (struct args){ v, args.n, 0 }, added);
}

static enum err
waits_end(struct ctx *c, const struct inbox_waits *w, enum inbox_of of, const char *id,
    int64_t *ended)
{
	return db_exec(c, w->stmts[BY_ALL + 1 + of],
	    ARGS(id, c->now, c->now, inbox_forms[w->sort].word, id), ended);
}

/* Notifies people with open items of one thing, a person, an artifact, or an actor. */
static enum err
holders_notify(struct ctx *c, const struct inbox_waits *w, enum inbox_of of, const char *id)
{
	const char *sort = inbox_forms[w->sort].word;

	if (of == BY_USER)
		told_later(c, inbox_subject(c->mem, id));
	return of == BY_USER ? E_OK
	    : of == BY_SUBJECT
	    ? people_notify(c,
		  ROWS(inbox_told, "SELECT user_id FROM inbox_item WHERE subject = ? AND sort = ?"
				   " AND done_at IS NULL"),
		  ARGS(id, sort))
	    : people_notify(c,
		  ROWS(inbox_told,
		      "SELECT DISTINCT user_id FROM inbox_item WHERE artifact_id = ? AND sort = ?"
		      " AND done_at IS NULL UNION SELECT user_id FROM inbox_item"
		      " WHERE actor_id = ? AND sort = ? AND done_at IS NULL"),
		  ARGS(id, sort, id, sort));
}

/* Notifies before and after, so that people who had an item and people who have one hear of it. */
enum err
inbox_sync(struct ctx *c, const struct inbox_waits *w, enum inbox_of of, const char *id)
{
	TRY(holders_notify(c, w, of, id));
	TRY(waits_end(c, w, of, id, NULL));
	TRY(waits_fill(c, w, of, id, NULL));
	return holders_notify(c, w, of, id);
}

static enum err
all_sync(struct ctx *c, enum inbox_of of, const char *id)
{
	for (size_t i = 0; inbox_waits[i]; i++)
		TRY(inbox_sync(c, inbox_waits[i], of, id));
	return E_OK;
}

enum err
inbox_check(struct ctx *c, int64_t *missing, int64_t *over)
{
	*missing = *over = 0;
	for (const struct inbox_waits *const *w = inbox_waits; *w; w++) {
		const struct inbox_form *f = &inbox_forms[(*w)->sort];
		struct stmt *const *counts = (*w)->stmts + 2 * (BY_ALL + 1);
		struct inbox_count *n;

		TRY(db_one(c, ((struct inbox_count_rows){ .stmt = counts[0] }),
		    ARGS(f->kind, c->now, f->word), &n));
		*missing += n->n;
		TRY(db_one(c, ((struct inbox_count_rows){ .stmt = counts[1] }), ARGS(f->word), &n));
		*over += n->n;
	}
	return E_OK;
}

static enum err
all_mend(struct ctx *c, int64_t *added, int64_t *ended)
{
	for (size_t i = 0; inbox_waits[i]; i++) {
		int64_t more, fewer;

		TRY(waits_end(c, inbox_waits[i], BY_ALL, NULL, &fewer));
		TRY(waits_fill(c, inbox_waits[i], BY_ALL, NULL, &more));
		*added += more;
		*ended += fewer;
	}
	return E_OK;
}

enum err
inbox_mend(struct ctx *c, int64_t *added, int64_t *ended)
{
	enum err e;

	*added = *ended = 0;
	TRY(db_begin(c));
	e = all_mend(c, added, ended);
	if (!e)
		return db_commit(c);
	db_rollback(c);
	return e;
}

/* ---- rounds ---- */

/* Ends items whose time is over: an invitation that nobody answered. */
static enum err
inbox_time(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c,
	    EXEC("UPDATE inbox_item SET done_at = ?, updated_at = done_at,"
		 " changes = changes + 1 WHERE shelf = 'waiting' AND ends_at <= ? LIMIT ?"),
	    ARGS(c->now, c->now, limit), done);
}

static enum err
inbox_reap(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c,
	    EXEC("DELETE FROM inbox_item WHERE shelf IN ('done', 'know') AND updated_at <= ?"
		 " LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), done);
}

#define CROWDED(F, T) \
	F(T, STR, id) \
	F(T, STR, user_id) \
	F(T, STR, place)
SHAPE(crowded, CROWDED);

/* About each 64th item has `trims` set. Of the person of such an item, deletes those that don't
 * wait beyond the newest KEPT. One person counts as `limit` rows, as their items are read. */
static enum err
inbox_trim(struct ctx *c, int64_t limit, int64_t *done)
{
	struct crowded *row;
	int64_t removed = 0;

	TRY(db_find(c,
	    ROWS(crowded,
		"SELECT i.id, i.user_id, (SELECT o.place FROM inbox_item o FORCE INDEX"
		" (inbox_item_kept) WHERE o.user_id = i.user_id AND o.waits = FALSE"
		" ORDER BY o.place DESC LIMIT ?, 1) AS place FROM inbox_item i WHERE i.trims = 1"
		" ORDER BY i.trims, i.id LIMIT 1"),
	    ARGS((int64_t)KEPT), &row));
	*done = 0;
	if (!row)
		return E_OK;
	if (row->place)
		TRY(db_exec(c,
		    EXEC("DELETE FROM inbox_item WHERE user_id = ? AND waits = FALSE"
			 " AND place <= ? LIMIT ?"),
		    ARGS(row->user_id, row->place, limit), &removed));
	*done = limit;
	return removed == limit
	    ? E_OK
	    : db_exec(c, EXEC("UPDATE inbox_item SET trims = NULL WHERE id = ?"), ARGS(row->id),
		  NULL);
}

ROUNDS(inbox, { "inbox_time", .rows = inbox_time }, { "inbox", .rows = inbox_reap },
    { "inbox_trim", .rows = inbox_trim });

/* ---- when other things change ---- */

static enum err
finders_change(struct ctx *c, const struct happened *h)
{
	return h->artifact_id ? all_sync(c, BY_ARTIFACT, h->artifact_id)
			      : all_sync(c, BY_USER, h->user_id);
}

static enum err
person_changes(struct ctx *c, const struct happened *h)
{
	if (h->from_id)
		TRY(all_sync(c, BY_USER, h->from_id));
	return all_sync(c, BY_USER, h->user_id);
}

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c,
	    EXEC("UPDATE inbox_item SET done_at = ?, updated_at = done_at,"
		 " changes = changes + 1 WHERE workspace_id = ?"
		 " AND user_id = ? AND done_at IS NULL AND need <> 'self'"),
	    ARGS(c->now, h->workspace_id, h->user_id), NULL));
	return h->heir_id ? all_sync(c, BY_USER, h->heir_id) : E_OK;
}

static enum err
artifact_moved(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("UPDATE inbox_item SET workspace_id = ? WHERE artifact_id = ?"),
	    ARGS(h->workspace_id, h->art->id), NULL);
}

/* Tells the sender that a mail failed. The item names the address, because the sender typed it. */
static enum err
sending_failed(struct ctx *c, const struct happened *h)
{
	return inbox_put(c,
	    INBOX_PUT(
		"SELECT " INBOX_ROW("m.sender_id", "CONCAT('mail_', MD5(m.typed))", "NULL",
		    "NULL", "NULL", "NULL", "LEFT(m.typed, 200)", "NULL",
		    "COALESCE(m.subject, m.artifact, m.what, m.workspace, '')", "NULL")
		" FROM outbox o JOIN JSON_TABLE(IF(JSON_VALID(o.payload), o.payload, '{}'), '$'"
		" COLUMNS (sender_id VARCHAR(40) CHARACTER SET ascii PATH '$.sender_id',"
		" typed VARCHAR(254) PATH '$.typed',"
		" subject VARCHAR(200) PATH '$.values.subject',"
		" artifact VARCHAR(200) PATH '$.values.artifact',"
		" what VARCHAR(200) PATH '$.values.what',"
		" workspace VARCHAR(200) PATH '$.values.workspace')) m"
		" WHERE o.id = ? AND m.typed IS NOT NULL AND m.sender_id IS NOT NULL"),
	    ITEM_MAIL_FAILED, ARGS(h->find_id));
}

WORKSPACE_ROWS(inbox_item, "")

/* A deleted account’s requests and comments are gone. */
static enum err
actor_gone(struct ctx *c, const char *from)
{
	return db_exec(c,
	    EXEC("UPDATE inbox_item SET who = NULL, done_at = IF(shelf = 'waiting', ?, done_at),"
		 " changes = changes + 1 WHERE actor_id = ?"),
	    ARGS(c->now, from), NULL);
}

USERS(if (!to) TRY(actor_gone(c, from)); USER_EITHER(inbox_item, user_id)
	USER_UNSET(inbox_item, actor_id) USER_EITHER(inbox_way, user_id)
	USER_EITHER(inbox_digest, user_id) if (to) TRY(daily_plan(c, to));)
FOLLOWS(inbox, USERS_FOLLOW, { FINDERS_CHANGE, finders_change }, { MEMBER_CAME, person_changes },
    { MEMBER_RANKED, person_changes }, { OWNER_CHANGED, person_changes },
    { USER_CAME, person_changes }, { MEMBER_LEFT, member_left },
    { ARTIFACT_MOVED, artifact_moved }, { WORKSPACE_PURGED, workspace_purged },
    { SENDING_FAILED, sending_failed });
PURGES(inbox, ROWS_OF(inbox_item));
