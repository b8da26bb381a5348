/* SPDX-License-Identifier: Apache-2.0
 * Carries out effects that a transaction has queued in the outbox. */
#ifndef VITRINE_OUTBOX_H
#define VITRINE_OUTBOX_H
#include "base/ctx.h"

/* The state of one process. Starts as zeroes. */
struct outbox {
	enum outbox_part { OUTBOX_ALL, OUTBOX_QUICK, OUTBOX_MAIL } part; /* quick: all but mail */
	int64_t done;
	int64_t mail_down_ms; /* when the mail server last didn't answer; mail rests for a minute */
	bool strange;         /* rows of unknown kinds have been looked for */
};

/* Carries out due rows, each in its own context, until none is due or lane_over(); also rows that
 * are queued meanwhile. OUTBOX_ALL does pages before and between mails. A failed row is due again
 * later, after longer and longer intervals. */
enum err outbox_run(const struct conf *conf, struct db *db, struct outbox *o);
/* Sets *any if a row is due. Reads only an index. */
enum err outbox_waiting(struct ctx *c, const struct outbox *o, bool *any);
#endif
