/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/outbox.h"

#include "base/log.h"
#include "base/str.h"
#include "domain/mail.h"
#include "domain/password.h"
#include "domain/project.h"

enum {
	BATCH = 200,
	LEASE_S = 300,
	BACKOFF_MAX_S = 3600,
	PACK_MS = 60000,
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

/* What one run knows beyond the rows. */
struct run {
	int64_t done;
	bool more;      /* rows have been added that are due now */
	bool mail_down; /* the rest of the mail waits for the next run */
};

/* ---- mail ---- */

/* Our claim made attempts one more; a row that somebody else has claimed since is left alone. */
static enum err
mail_later(struct ctx *c, const struct due *row)
{
	int64_t wait = row->attempts < 6 ? MAIL_FIRST_S << row->attempts : BACKOFF_MAX_S;

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
mail_carry_out(struct ctx *c, const struct due *row, struct run *run)
{
	struct smtp_reply reply = { SMTP_REFUSED, NULL };
	int64_t queued_at;

	if (mail_deliver(c, row->id, row->subject, row->payload, &queued_at, &reply))
		reply = (struct smtp_reply){ SMTP_REFUSED, c->internal ? c->internal : c->message };
	if (reply.verdict == SMTP_SENT) {
		TRY(project_done(c, row->id));
		log_line(LOG_LEVEL_INFO, "mail sent", "id", row->id, "reply", reply.text, NULL);
		run->done++;
		return E_OK;
	}
	run->mail_down |= reply.verdict == SMTP_DOWN;
	if (reply.verdict == SMTP_REFUSED || c->now - queued_at >= MAIL_PATIENCE_S) {
		mail_log(c, row, "mail given up", reply.text);
		return mail_give_up(c, row->id, reply.text);
	}
	mail_log(c, row, "mail put off", reply.text);
	return mail_later(c, row);
}

/* ---- any row ---- */

static enum err
project_carry_out(struct ctx *c, const struct due *row, struct run *run)
{
	bool finished;

	TRY(project_artifact(c, row->subject));
	TRY(project_pack(c, row->subject, PACK_MS, &finished));
	TRY(project_done(c, row->id));
	run->done++;
	return E_OK;
}

/* The mail goes out in this run, as the next row. */
static enum err
password_link_carry_out(struct ctx *c, const struct due *row, struct run *run)
{
	TRY(db_begin(c));
	TRY(password_send_link(c, row->subject, false));
	TRY(project_done(c, row->id));
	TRY(db_commit(c));
	run->more = true;
	run->done++;
	return E_OK;
}

/* The row is taken by moving its due time: another runner passes it over, and it comes again if
 * this one dies. */
static enum err
row_claim(struct ctx *c, const struct due *row, bool *mine)
{
	int64_t backoff = row->attempts > 5 ? BACKOFF_MAX_S : LEASE_S;
	int64_t changed;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE outbox SET due_at = ?, attempts = attempts + 1 WHERE id = ? AND due_at <= ? AND attempts = ?"),
	    ARGS(c->now + backoff, row->id, c->now, row->attempts), &changed));
	*mine = changed == 1;
	return E_OK;
}

static enum err
run_one(struct ctx *c, const struct due *row, struct run *run)
{
	bool is_mail = str_eq(row->kind, "mail"), mine;

	if (is_mail && run->mail_down)
		return E_OK;
	TRY(row_claim(c, row, &mine));
	if (!mine)
		return E_OK;
	if (is_mail)
		return mail_carry_out(c, row, run);
	if (str_eq(row->kind, "password_link"))
		return password_link_carry_out(c, row, run);
	if (str_eq(row->kind, "project"))
		return project_carry_out(c, row, run);
	return fail_here(c, "outbox row %s has the unknown kind %s", row->id, row->kind);
}

static enum err
outbox_pass(struct ctx *c, struct run *run)
{
	const struct due *row;
	struct list rows;

	/* Pages before mail: a slow mail server must not keep what was published from being seen.
	 */
	TRY(db_all(c,
	    ROWS(due,
		"SELECT id, kind, subject, payload, attempts FROM outbox WHERE due_at <= ?"
		" ORDER BY kind = 'mail', due_at, id LIMIT ?"),
	    ARGS(c->now, BATCH), &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		struct ctx *one = ctx_begin(c->conf, c->db);

		if (run_one(one, row, run))
			log_line(LOG_LEVEL_WARN, "outbox row failed", "id", row->id, "kind",
			    row->kind, "subject", row->subject, "why",
			    one->internal ? one->internal : one->message, NULL);
		db_rollback(one);
		ctx_end(one);
	}
	return E_OK;
}

enum err
outbox_run(struct ctx *c, int64_t *done)
{
	struct run run = { .more = true };

	while (run.more) {
		run.more = false;
		TRY(outbox_pass(c, &run));
	}
	*done = run.done;
	return E_OK;
}
