/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/outbox.h"

#include "assets/delivery.h"
#include "assets/linkshow.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "core/event.h"
#include "core/mail.h"
#include "jobs/heard.h"
#include "people/password.h"
#include "runner/lane.h"
#include "share/access.h"
#include "site/project.h"
#include "talk/comment.h"
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
SHAPE_DECLARE(due, DUE);
SHAPE_DEFINE(due, DUE);

/* ---- mail ---- */

/* Our claim made attempts one more; a row that somebody else has claimed since is left alone. */
static enum err
mail_later(struct ctx *c, const struct due *row)
{
	int64_t wait = wait_doubled(MAIL_FIRST_S, row->attempts, BACKOFF_MAX_S);

	return db_exec(c, EXEC("UPDATE outbox SET due_at = ? WHERE id = ? AND attempts = ?"),
	    ARGS(c->now + wait, row->id, row->attempts + 1), NULL);
}

static void
mail_log(struct ctx *c, const struct due *row, const char *event, const char *why)
{
	log_line(LOG_LEVEL_WARN, event, "id", row->id, "attempts",
	    mem_printf(c->mem, "%lld", (long long)row->attempts + 1), "why", why, NULL);
}

/* A message that the server has taken is forgotten at once. Dying between the two sends it again
 * under the same Message-ID. */
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
	return mail_later(c, row);
}

/* ---- any row ---- */

static enum err
project_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	bool finished;

	TRY(project_artifact(c, row->subject));
	TRY(project_pack(c, row->subject, PACK_MS, &finished));
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

/* The mail goes out in this run, since mail is looked for after this. */
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

static enum err
access_request_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	return payload_carry_out(c, row, o, access_receive);
}

static enum err
delivery_code_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	return payload_carry_out(c, row, o, delivery_code_send);
}

/* What follows from it is queued in the same transaction, so it is not forgotten and not done
 * twice. */
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

/* Who wrote to the table meanwhile has set attempts to 0: then it stays as it is due. */
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

/* The row is taken by moving its due time: another runner passes it over, and it comes again if
 * this one dies. */
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
strange_carry_out(struct ctx *c, const struct due *row, struct outbox *o)
{
	(void)o;
	return fail_here(c, "outbox row %s has the unknown kind %s", row->id, row->kind);
}

/* In the order of urgency. */
#define KINDS_BUT_MAIL(K) \
	K("project", project_carry_out, BATCH, false) \
	K("deliver", deliver_carry_out, BATCH, false) \
	K("password_link", password_link_carry_out, BATCH, false) \
	K("signin_link", password_link_carry_out, BATCH, false) \
	K("delivery_code", delivery_code_carry_out, BATCH, false) \
	K("access_request", access_request_carry_out, BATCH, false) \
	K("event", event_carry_out, BATCH, false) \
	K("comments", comments_carry_out, BATCH, false) \
	K("measure", measure_carry_out, MAILS, true)
#define KIND_ROW(...) { __VA_ARGS__ },
#define KIND_NAME(name, ...) "'" name "', "
/* A slow mail server must not keep what was published from being seen, so the kinds above are
 * looked for again after each mail. */
static const struct effect_kind {
	const char *name;
	enum err (*carry_out)(struct ctx *c, const struct due *row, struct outbox *o);
	int batch;
	bool one; /* then the kinds above have their turn */
} kinds[] = { KINDS_BUT_MAIL(KIND_ROW) { "mail", mail_carry_out, MAILS, true } };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Who runs once doesn't wait for what the pool has time for: an operator wants it done. */
static int64_t
kind_due(const struct ctx *c, const struct effect_kind *kind, const struct outbox *o)
{
	bool pools = kind->carry_out == project_carry_out || kind->carry_out == deliver_carry_out;

	return pools && o->part == OUTBOX_ALL ? c->now + PROJECT_S : c->now;
}

static void
row_run(struct ctx *c, const struct effect_kind *kind, const struct due *row, struct outbox *o,
    bool *mine)
{
	enum err e = row_claim(c, row, kind_due(c, kind, o), mine);

	if (!e && *mine)
		e = kind->carry_out(c, row, o);
	if (e)
		log_line(LOG_LEVEL_WARN, "outbox row failed", "id", row->id, "kind", row->kind,
		    "subject", row->subject, "why", ctx_why(c), NULL);
	db_rollback(c);
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

/* *any: at least one row was ours, and is due later now, or gone. */
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

		row_run(one, kind, row, o, &mine);
		*any |= mine;
		ctx_end(one);
	}
	return E_OK;
}

#define QUEUED(F, T) F(T, STR, kind)
SHAPE_DECLARE(queued, QUEUED);
SHAPE_DEFINE(queued, QUEUED);

/* Rows that another release has left: each is logged and put off, as one that fails. */
static enum err
strange_run(struct ctx *c, struct outbox *o)
{
	const struct queued *q;
	struct list rows;
	bool any;

	o->strange = true;
	TRY(db_all(c, ROWS(queued, "SELECT kind FROM outbox GROUP BY kind"), NOARGS, &rows));
	q = rows.v;
	for (size_t i = 0; i < rows.n; i++, q++) {
		struct effect_kind kind = { q->kind, strange_carry_out, BATCH, false };
		bool known = false;

		for (size_t k = 0; k < KINDS; k++)
			known |= str_eq(kinds[k].name, q->kind);
		if (!known)
			TRY(kind_run(c, &kind, o, &any));
	}
	return E_OK;
}

/* The most urgent kind of which something could be done. */
static enum err
outbox_turn(struct ctx *c, struct outbox *o, bool *any)
{
	if (!o->strange && o->part != OUTBOX_MAIL)
		TRY(strange_run(c, o));
	*any = false;
	for (size_t k = 0; k < KINDS && !*any; k++)
		if (o->part == OUTBOX_ALL || kind_is_mail(&kinds[k]) == (o->part == OUTBOX_MAIL))
			TRY(kind_run(c, &kinds[k], o, any));
	return E_OK;
}

#define OUTBOX_ANY(F, T) F(T, BOOL, any)
SHAPE_DECLARE(outbox_any, OUTBOX_ANY);
SHAPE_DEFINE(outbox_any, OUTBOX_ANY);

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
		/* Each turn has its own time: a row that was queued a moment ago is due. */
		struct ctx *c = ctx_begin(conf, db);
		enum err e;

		lane_beat(conf, db, o->part == OUTBOX_MAIL ? "runner.mail" : "runner");
		e = outbox_turn(c, o, &any);
		if (e)
			log_line(LOG_LEVEL_ERROR, "outbox failed", "why", ctx_why(c), NULL);
		ctx_end(c);
		TRY(e);
	}
	return E_OK;
}
