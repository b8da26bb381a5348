/* SPDX-License-Identifier: Apache-2.0
 * Effects that were decided in a transaction and not carried out yet. */
#ifndef VITRINE_OUTBOX_H
#define VITRINE_OUTBOX_H
#include "base/ctx.h"

/* What one process knows beyond the rows. Starts as zeroes. */
struct outbox {
	int64_t done;
	int64_t beat_at; /* the last sign of life */
	bool mail_down; /* the rest of the mail waits for the next process */
	bool strange;   /* rows of unknown kinds have been looked for */
};

/* Carries out what is due, each row in a context of its own, until nothing is: what is queued
 * meanwhile too, pages before and between mails. What fails comes again later, at longer and longer
 * intervals. */
enum err outbox_run(const struct conf *conf, struct db *db, struct outbox *o);
#endif
