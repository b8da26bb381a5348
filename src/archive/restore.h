/* SPDX-License-Identifier: Apache-2.0
 * Restores the rows of a second: a base, then the log up to it. */
#ifndef VITRINE_ARCHIVE_RESTORE_H
#define VITRINE_ARCHIVE_RESTORE_H
#include "archive/log.h"

/* The target of a restore. Exactly one member is set. */
struct restore_to {
	int64_t second;       /* all that was committed up to it; 0: not set */
	const char *gtid;     /* up to this transaction, with it */
	struct log_at at;     /* up to this position */
};

struct restore {
	const struct archive *archive;
	struct chains all;
	struct restore_to to;
	const struct base *base;
	struct log_at skip; /* what precedes it is in the base, or has been applied */
	bool continues;     /* the base has been loaded before */
	size_t first, n;    /* pieces from all.log that are needed */
	/* Results of the plan. */
	const char *gtid;   /* the last transaction to apply, or "-" */
	int64_t second, transactions;
	struct log_at end;  /* where it stops in the log */
	int64_t base_bytes, log_bytes; /* bytes to load; base_bytes is 0 if it is loaded */
	bool stopped;
};

/* Chooses the base, and reads all that is needed: base and log pieces are decrypted and checked, so
 * nothing is written if any is damaged. Fails with E_CONFLICT and a message: of a time that the
 * backup doesn't reach (it names the last second), of a hole, of a time that occurs twice. dir is
 * for temporaries. If r->base is set, continues from r->skip. */
enum err restore_plan(struct ctx *c, const char *dir, struct restore *r);
/* Loads base and log into the empty database of c->conf, whose db_user must be allowed anything, as
 * in scratch.h. */
enum err restore_rows(struct ctx *c, const char *dir, struct restore *r);
#endif
