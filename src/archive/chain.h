/* SPDX-License-Identifier: Apache-2.0
 * The pieces of a backup, by their names, which say what each has. The names are the manifest: a
 * piece is there, whole, or it isn't listed.
 *
 * A chain is an unbroken stretch of one database's log, with a random name of its own. */
#ifndef VITRINE_CHAIN_H
#define VITRINE_CHAIN_H
#include "archive/piece.h"

enum { CHAIN_CHARS = 8, BINLOG_BEGIN = 4 };

/* A place in the log: the server's file, and bytes in it. */
struct log_at {
	const char *file;
	int64_t at;
};
/* Compares by the files' numbers, then by the bytes. */
int log_at_order(const struct log_at *a, const struct log_at *b);
/* Returns the name of the file after this one; NULL if it doesn't end in a number. */
const char *log_file_next(void *owner, const char *file);

/* Whole transactions of one file of the log, from…to, as a file of the binary log. */
struct log_piece {
	const char *name;    /* its name in the backup */
	int64_t sequence;    /* counts all pieces of the backup */
	const char *chain;
	int64_t through;     /* all that was committed up to this second is in it, or before it */
	int64_t from, to;
	const char *gtid;    /* of its last transaction, or "-" */
	const char *file;
};
/* A dump of all rows as they were at a position, which is after log piece `sequence`. */
struct base {
	const char *name;
	int64_t second, sequence;
	const char *chain;
	struct log_at at;
};
struct mark {
	const char *chain;
	int64_t sequence, through;
};

/* All of a backup's log and bases, each in order. A name of another form isn't one of ours. Of
 * pieces with one sequence number the last counts: a store may have carried out a PUT after it was
 * given up and done again, with more. */
struct chains {
	struct log_piece *log;
	size_t log_n;
	struct base *bases;
	size_t base_n;
	struct strs spare; /* names of pieces that don't count */
	/* To which second the last piece is still all, since nothing was committed. 0: unknown. */
	struct mark mark;
};
enum err chains_read(struct ctx *c, const struct archive *, struct chains *out);
/* Returns whether the backup has anything of this chain. */
bool chains_have(const struct chains *, const char *chain);

/* Set p->name or b->name from the other members. */
void log_piece_name(void *owner, struct log_piece *p);
void base_name(void *owner, struct base *b);
/* Stores to which second the log is complete. */
enum err mark_put(struct ctx *c, const struct archive *, const struct mark *);

/* Returns whether b is the piece after a. */
bool log_follows(const struct log_piece *a, const struct log_piece *b);
/* Returns whether the piece continues what the base has. */
bool base_leads(const struct base *b, const struct log_piece *first);
/* Finds the pieces that follow a base without a hole: n from log[first]. Returns the second up to
 * which they are complete; the base's own without any. */
int64_t base_reach(const struct chains *, const struct base *, size_t *first, size_t *n);
#endif
