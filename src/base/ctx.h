/* SPDX-License-Identifier: Apache-2.0
 * What one unit of work (a request, a job, a command) carries: its memory, its database, the time
 * it began, and how it failed. Functions that can fail return enum err (E_OK is 0) and leave
 * results through their last parameter; fail() records the message for the caller. A failure from a
 * lower layer is passed up unchanged. Results live in c->mem. */
#ifndef VITRINE_CTX_H
#define VITRINE_CTX_H
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum err {
	E_OK,
#define ERR(name, status, code, text) E_##name,
#include "base/errors.def"
#undef ERR
	ERR_COUNT
};

struct err_row {
	int status;
	const char *name, *code, *text;
};
extern const struct err_row err_table[ERR_COUNT];

struct conf;
struct db;
struct principal;

/* An artifact, or delivery links, whose files on disk must be made to agree with the rows after the
 * commit. The outbox row makes the runner do so when this process dies first. */
struct effect {
	const char *artifact_id, *outbox_id;
	const char *links; /* ids as ids_json() has them, and nothing else of this; or NULL */
	const struct project_made *made; /* of site/project.h, or NULL: all is read again */
	bool whole; /* all its versions are concerned, not the live one alone */
};

/* At most so many warnings are kept, each of so many characters. */
enum { WARNINGS = 10, WARNING_CHARS = 200 };

struct ctx {
	void *mem;
	struct db *db;           /* NULL where no database is used */
	const struct conf *conf;
	int64_t now;             /* Unix seconds */
	const char *request_id;  /* of the request that it is for, else NULL */
	const char *address;     /* the client's IP address, of a request, else NULL */
	const struct principal *actor; /* who makes the change, of a request, else NULL */
	enum err err;
	const char *message;     /* what the caller is told; NULL means err_table's text */
	const char *lacks;       /* message, where fail_lacks() has set it */
	const char *details;     /* a JSON value for the member details of the reply, or NULL */
	const char *internal;    /* file:line: why, for the log only */
	int64_t retry_after_s;   /* when another try is worth it; 0: nobody says */
	struct effect *effects;  /* to be carried out after the commit */
	size_t effect_n;
	const char *warnings[WARNINGS]; /* what the caller is told beside the result */
	size_t warning_n;
	unsigned round_trips;    /* database round trips so far */
	bool words;              /* what something is found by has changed (core/find.h) */
	bool busy;               /* another transaction holds the row's lock (NOWAIT) */
	bool replay; /* the transaction was lost to a deadlock or a dropped connection: safe to run
	                again */
};

/* Records e and a message that names the field, the value, the limit and the way out. Returns e. */
enum err
fail(struct ctx *c, enum err e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* E_UNAVAILABLE for what this service lacks: no later try helps, and unlike the message of another
 * failure of ours the caller is told this one. */
enum err fail_lacks(struct ctx *c, const char *message);
/* E_INVALID: a cursor that no list has given out. */
enum err fail_cursor(struct ctx *c);
/* Tells the caller of something that changed nothing, such as a name that is not known here. What
 * was said already, also by a try that was lost, and more than WARNINGS are dropped. */
void warn(struct ctx *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Records the place and the reason for the log, with the text of errno when that is set, and sets
 * errno to 0. Returns E_INTERNAL, or E_DISK_FULL when errno is ENOSPC or EDQUOT. */
#define fail_here(c, ...) fail_internal((c), __FILE__, __LINE__, __VA_ARGS__)
enum err fail_internal(struct ctx *c, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Why it failed, for the log: the internal reason, else what the caller is told, else the code. */
const char *ctx_why(const struct ctx *c);

/* What the caller is told of a failure: the message, but not of one of ours. */
const char *ctx_told(const struct ctx *c, enum err e);

/* Adds an effect. False, adding nothing, when the artifact has one already. */
bool effect_add(struct ctx *c, const struct effect *);

/* What failed is no failure of the whole: what was done so far stands. Returns E_OK. */
enum err ctx_forgive(struct ctx *c);
/* Forgets the failure and the effects of a lost transaction, so that the work can be tried
 * again. */
void ctx_again(struct ctx *c);

/* Makes a context with memory of its own, which ctx_end() frees. */
struct ctx *ctx_begin(const struct conf *conf, struct db *db);
void ctx_end(struct ctx *c);

/* Returns from the function around it when expr fails; no other macro returns. */
#define TRY(expr)                              \
	do {                                   \
		enum err try_err_ = (expr);    \
		if (try_err_)                  \
			return try_err_;       \
	} while (0)
#endif
