/* SPDX-License-Identifier: Apache-2.0
 * Effects that were decided in a transaction and not carried out yet. */
#ifndef VITRINE_OUTBOX_H
#define VITRINE_OUTBOX_H
#include "base/ctx.h"

/* What one process knows beyond the rows. Starts as zeroes. */
struct outbox {
	enum outbox_part { OUTBOX_ALL, OUTBOX_QUICK, OUTBOX_MAIL } part; /* quick: all but mail */
	int64_t done;
	int64_t mail_down_ms; /* when the mail server was away: mail waits for a minute then */
	bool strange;         /* rows of unknown kinds have been looked for */
};

/* Carries out what is due, each row in a context of its own, until nothing is or lane_over(): what
 * is queued meanwhile too, of all parts pages before and between mails. What fails comes again
 * later, at longer and longer intervals. */
enum err outbox_run(const struct conf *conf, struct db *db, struct outbox *o);
/* Whether there is something to do, by one look into an index. */
enum err outbox_waiting(struct ctx *c, const struct outbox *o, bool *any);
#endif
