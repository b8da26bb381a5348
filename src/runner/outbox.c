/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/outbox.h"

#include "assets/delivery.h"
#include "assets/linkshow.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "core/event.h"
#include "core/mail.h"
#include "data/tableindex.h"
#include "jobs/heard.h"
#include "people/password.h"
#include "runner/lane.h"
#include "share/access.h"
#include "site/project.h"
#include "talk/comment.h"
#include "talk/place.h"
#include "watch/metric.h"

enum {
	BATCH = 200,
	MAILS = 20,
	LEASE_S = 300,
	BACKOFF_MAX_S = 3600,
	PACK_MS = 60000,
	MAIL_DOWN_MS = 60000,
	MAIL_FIRST_S = 60,
	MAIL_PATIENCE_S = 3 * 86400
};

#define DUE(F, T) \
	F(T, STR, id) \
	F(T, STR, kind) \
	F(T, STR, subject) \
	F(T, STR, payload) \
	F(T, INT, attempts)
SHAPE(due, DUE);

/* ---- mail ---- */

static void
mail_log(struct ctx *c, const struct due *row, const char *event, const char *why)
{
	log_line(LOG_LEVEL_WARN, event, "id", row->id, "attempts",
	    mem_printf(c->mem, "%lld", (long long)row->attempts + 1), "why", why, NULL);
}

/* Sends a mail and deletes its row. A crash between the two sends the mail again, with the same
 * Message-ID. */
static enum err
mail_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	struct smtp_reply reply = { SMTP_REFUSED, NULL };
	int64_t queued_at;

	if (mail_deliver(c, row->id, row->subject, row->payload, &queued_at, &reply))
		reply = (struct smtp_reply){ SMTP_REFUSED, ctx_why(c) };
	if (reply.verdict == SMTP_SENT) {
		TRY(project_done(c, row->id));
		log_line(LOG_LEVEL_INFO, "mail sent", "id", row->id, "reply", reply.text, NULL);
		o->done++;
		return E_OK;
	}
	if (reply.verdict == SMTP_DOWN)
		o->mail_down_ms = clock_ms();
	if (reply.verdict == SMTP_REFUSED || c->now - queued_at >= MAIL_PATIENCE_S) {
		mail_log(c, row, "mail given up", reply.text);
		return mail_give_up(c, row->id, reply.text);
	}
	mail_log(c, row, "mail put off", reply.text);
	/* row_claim() added an attempt. If another runner has claimed the row since, it stays. */
	return db_exec(c, EXEC("UPDATE outbox SET due_at = ? WHERE id = ? AND attempts = ?"),
	    ARGS(c->now + wait_doubled(MAIL_FIRST_S, row->attempts, BACKOFF_MAX_S), row->id,
		row->attempts + 1),
	    NULL);
}

/* ---- any row ---- */

static enum err
project_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	struct packs *packs;
	bool finished;

	TRY(project_artifact(c, row->subject));
	TRY(packs_new(c, c->mem, &packs));
	TRY(project_pack(c, packs, row->subject, PACK_MS, &finished));
	TRY(packs_place(c, packs));
	TRY(project_done(c, row->id));
	o->done++;
	return E_OK;
}

static enum err
deliver_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	TRY(link_show(c, row->subject));
	TRY(project_done(c, row->id));
	o->done++;
	return E_OK;
}

/* Queues the mail, which this run sends, since it looks for mail after this kind. */
static enum err
password_link_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	TRY(db_begin(c));
	TRY(password_send_link(c, row->subject,
	    str_eq(row->kind, "signin_link") ? LETTER_SIGNIN : LETTER_RESET, NULL));
	TRY(project_done(c, row->id));
	TRY(db_commit(c));
	o->done++;
	return E_OK;
}

static enum err
payload_carry_out(struct ctx *c, const struct due *row, struct outbox *o,
    enum err (*receive)(struct ctx *c, const char *payload))
{
	TRY(db_begin(c));
	TRY(receive(c, row->payload));
	TRY(project_done(c, row->id));
	TRY(db_commit(c));
	o->done++;
	return E_OK;
}

/* Queues what follows from the event in the same transaction, so it happens exactly once. */
static enum err
event_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	TRY(db_begin(c));
	TRY(event_receive(c, row->id, row->subject, row->payload));
	TRY(project_done(c, row->id));
	TRY(db_commit(c));
	o->done++;
	return E_OK;
}

static enum err
comments_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	int64_t again_at;

	TRY(db_begin(c));
	TRY(comment_tell(c, row->subject, &again_at));
	if (again_at)
		TRY(db_exec(c, EXEC("UPDATE outbox SET due_at = ?, attempts = 0 WHERE id = ?"),
		    ARGS(again_at, row->id), NULL));
	else
		TRY(project_done(c, row->id));
	TRY(db_commit(c));
	o->done += !again_at;
	return E_OK;
}

/* A write to the table meanwhile has set attempts to 0. Then the row stays due. */
static enum err
measure_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	const char *rest;

	TRY(metric_run(c, row->subject, row->payload ? row->payload : "", &rest));
	o->done += !rest;
	if (rest)
		return db_exec(c,
		    EXEC(
			"UPDATE outbox SET payload = ?, due_at = ?, attempts = 0"
			" WHERE id = ? AND attempts = ?"),
		    ARGS(rest, c->now, row->id, row->attempts + 1), NULL);
	return db_exec(c, EXEC("DELETE FROM outbox WHERE id = ? AND attempts = ?"),
	    ARGS(row->id, row->attempts + 1), NULL);
}

/* Claims the row by moving its due time: other runners skip it, and it is due again if this one
 * dies. */
static enum err
row_claim(struct ctx *c, const struct due *row, int64_t until, bool *mine)
{
	int64_t backoff = row->attempts > 5 ? BACKOFF_MAX_S : LEASE_S;
	int64_t changed;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE outbox SET due_at = ?, attempts = attempts + 1"
		" WHERE id = ? AND due_at <= ? AND attempts = ?"),
	    ARGS(c->now + backoff, row->id, until, row->attempts), &changed));
	*mine = changed == 1;
	return E_OK;
}

static enum err
unknown_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	(void)o;
	return fail_here(c, "outbox row %s has the unknown kind %s", row->id, row->kind);
}

/* Kinds in order of urgency: name, function, rows at once, one, receive (see effect_kind). */
#define KINDS_BUT_MAIL(K) \
	K("project", project_carry_out, BATCH, false, NULL) \
	K("deliver", deliver_carry_out, BATCH, false, NULL) \
	K("password_link", password_link_carry_out, BATCH, false, NULL) \
	K("signin_link", password_link_carry_out, BATCH, false, NULL) \
	K("delivery_code", NULL, BATCH, false, delivery_code_send) \
	K("access_request", NULL, BATCH, false, access_receive) \
	K("event", event_carry_out, BATCH, false, NULL) \
	K("comments", comments_carry_out, BATCH, false, NULL) \
	K("measure", measure_carry_out, MAILS, true, NULL)
#define KIND_ROW(...) { __VA_ARGS__ },
#define KIND_NAME(name, ...) "'" name "', "
/* After each mail we look for all earlier kinds again, because a slow mail server must not delay
 * published pages. */
static const struct effect_kind {
	const char *name;
	enum err (*carry_out)(struct ctx *c, const struct due *row, struct outbox *o);
	int batch;
	bool one; /* after one row, the earlier kinds have their turn */
	enum err (*receive)(struct ctx *c, const char *payload); /* in place of carry_out */
} kinds[] = { KINDS_BUT_MAIL(KIND_ROW){ "mail", mail_carry_out, MAILS, true, NULL } };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* With --once, pages that the pool may still show are due, too: the operator wants them done. */
static int64_t
kind_due(const struct ctx *c, const struct effect_kind *kind, const struct outbox *o)
{
	bool pools = kind->carry_out == project_carry_out || kind->carry_out == deliver_carry_out;

	return pools && o->part == OUTBOX_ALL ? c->now + PROJECT_S : c->now;
}

static bool
mail_down(const struct outbox *o)
{
	return o->mail_down_ms && clock_ms() - o->mail_down_ms < MAIL_DOWN_MS;
}

static bool
kind_is_mail(const struct effect_kind *kind)
{
	return kind->carry_out == mail_carry_out;
}

/* Sets *any if at least one row was ours; it is gone or due later now. */
static enum err
kind_run(struct ctx *c, const struct effect_kind *kind, struct outbox *o, bool *any)
{
	const struct due *row;
	struct list rows;

	*any = false;
	if (kind_is_mail(kind) && mail_down(o))
		return E_OK;
	TRY(db_all(c,
	    ROWS(due,
		"SELECT id, kind, subject, payload, attempts FROM outbox"
		" WHERE kind = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?"),
	    ARGS(kind->name, kind_due(c, kind, o), kind->batch), &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n && !(*any && kind->one) && !lane_over(); i++, row++) {
		struct ctx *one = ctx_begin(c->conf, c->db);
		bool mine = false;
		enum err e = row_claim(one, row, kind_due(one, kind, o), &mine);

		if (!e && mine)
			e = kind->receive ? payload_carry_out(one, row, o, kind->receive)
					  : kind->carry_out(one, row, o);
		if (e)
			log_line(LOG_LEVEL_WARN, "outbox row failed", "id", row->id, "kind",
			    row->kind, "subject", row->subject, "why", ctx_why(one), NULL);
		db_rollback(one);
		*any |= mine;
		ctx_end(one);
	}
	return E_OK;
}

#define QUEUED(F, T) F(T, STR, kind)
SHAPE(queued, QUEUED);

/* Logs and puts off rows of unknown kinds, which another release has left. */
static enum err
unknown_put_off(struct ctx *c, struct outbox *o)
{
	const struct queued *q;
	struct list rows;
	bool any;

	o->strange = true;
	TRY(db_all(c, ROWS(queued, "SELECT kind FROM outbox GROUP BY kind"), NOARGS, &rows));
	q = rows.v;
	for (size_t i = 0; i < rows.n; i++, q++) {
		struct effect_kind kind = { q->kind, unknown_carry_out, BATCH, false, NULL };
		/* The lanes tables and learning carry these out. */
		bool known = str_eq(q->kind, TABLE_INDEX_KIND) || str_eq(q->kind, PLACES_KIND);

		for (size_t k = 0; k < KINDS; k++)
			known |= str_eq(kinds[k].name, q->kind);
		if (!known)
			TRY(kind_run(c, &kind, o, &any));
	}
	return E_OK;
}

#define OUTBOX_ANY(F, T) F(T, BOOL, any)
SHAPE(outbox_any, OUTBOX_ANY);

enum err
outbox_waiting(struct ctx *c, const struct outbox *o, bool *any)
{
	bool mail = o->part == OUTBOX_MAIL;
	struct outbox_any *row;

	*any = false;
	if (mail && mail_down(o))
		return E_OK;
	TRY(db_one(c,
	    ROWS(outbox_any,
		"SELECT EXISTS (SELECT 1 FROM outbox"
		" WHERE kind = 'mail' AND due_at <= ? AND ?) OR EXISTS (SELECT 1 FROM outbox"
		" WHERE kind IN (" KINDS_BUT_MAIL(KIND_NAME) "'') AND due_at <= ?"
		" AND NOT ?) AS `any`"),
	    ARGS(c->now, mail, c->now, mail), &row));
	*any = row->any;
	return E_OK;
}

enum err
outbox_run(const struct conf *conf, struct db *db, struct outbox *o)
{
	bool any = true;

	while (any && !lane_over()) {
		/* Each turn has its own clock: a row that was queued a moment ago is due. */
		struct ctx *c = ctx_begin(conf, db);
		enum err e = E_OK;

		lane_beat(conf, db, o->part == OUTBOX_MAIL ? "runner.mail" : "runner");
		if (!o->strange && o->part != OUTBOX_MAIL)
			e = unknown_put_off(c, o);
		/* Carries out rows of the most urgent kind that has any. */
		any = false;
		for (size_t k = 0; !e && k < KINDS && !any; k++)
			if (o->part == OUTBOX_ALL ||
			    kind_is_mail(&kinds[k]) == (o->part == OUTBOX_MAIL))
				e = kind_run(c, &kinds[k], o, &any);
		if (e)
			log_line(LOG_LEVEL_ERROR, "outbox failed", "why", ctx_why(c), NULL);
		ctx_end(c);
		TRY(e);
	}
	return E_OK;
}
