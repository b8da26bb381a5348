/* SPDX-License-Identifier: Apache-2.0
 * Copies the database's binary log to the backup, piece by piece, and dumps of all rows to begin
 * from. */
#ifndef VITRINE_ARCHIVE_LOG_H
#define VITRINE_ARCHIVE_LOG_H
#include "archive/chain.h"
#include "db/db.h"

struct log_round {
	int64_t pieces, bytes, objects;
	bool began; /* a new chain: only a base that is made from now on leads to it */
	bool more;  /* the time was over */
};
/* Copies what was committed until now: new objects first, then the log's pieces, or the mark that
 * nothing was committed. Holds archive_lock() meanwhile. After some seconds it begins no more
 * folder of objects, nor file of the log: then out->more is true, and the next call goes on.
 * Begins a new chain if there is none, if the backup has nothing of it, or if MariaDB has purged
 * what wasn't copied. Counts are added to *out. */
enum err log_copy(struct ctx *c, const struct archive *, struct log_round *out);
/* Calls it until nothing is left, for a command. Lets others have the lock in between. */
enum err log_copy_all(struct ctx *c, const struct archive *, struct log_round *out);
enum { LOG_REST_MS = 100 }; /* between two calls, since a lock that is taken again at once stays */

/* Dumps all rows into the backup, with the position in the log. Fails before log_copy() has begun
 * a chain. Takes long: other processes copy the log meanwhile. */
enum err base_make(struct ctx *c, const struct archive *, const char **name);
/* Deletes bases, pieces and objects that nothing within backup_days needs. Keeps the base that was
 * proved last. */
enum err archive_expire(struct ctx *c, const struct archive *);
/* Finds this installation's newest base, or NULL. */
enum err base_newest(struct ctx *c, const struct chains *, const struct base **out);
#endif
