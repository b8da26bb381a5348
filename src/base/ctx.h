/* SPDX-License-Identifier: Apache-2.0
 * The state of one unit of work (a request, a job, a command): its memory, its database, the time
 * it began, and how it failed. Functions that can fail return enum err (E_OK is 0) and store
 * results through their last parameter, in c->mem. fail() records a message for the caller. A
 * function passes a failure from a lower layer up unchanged. */
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
struct closing;

/* After the commit, this makes an artifact's files, or delivery links, on disk agree with the rows.
 * If this process dies first, the runner does it because of the outbox row. */
struct effect {
	const char *artifact_id, *outbox_id;
	const char *links; /* ids as ids_json() writes them; then no other member is used */
	/* from site/project.h, or NULL: read all from the rows again */
	const struct project_made *made;
	bool whole; /* all versions, not only the live one */
	int64_t rebuild_no; /* the tree of this version is built anew; 0: none */
};

/* Limits of c->warnings: how many, and characters of each. */
enum { WARNINGS = 10, WARNING_CHARS = 200 };

struct ctx {
	void *mem;
	struct db *db;           /* NULL if the work uses no database */
	const struct conf *conf;
	int64_t now;             /* Unix seconds */
	const char *request_id;  /* NULL outside of a request */
	const char *address;     /* the client's IP address; NULL outside of a request */
	const struct principal *actor; /* who asks; NULL: nobody, or no request */
	enum err err;
	const char *message;     /* for the caller; NULL means err_table's text */
	const char *lacks;       /* equals message if fail_lacks() has set it */
	const char *details;     /* a JSON value for the reply's member "details", or NULL */
	const char *internal;    /* "file:line: why", for the log only */
	int64_t retry_after_s;   /* seconds until a retry makes sense; 0 if unknown */
	struct effect *effects;  /* to carry out after the commit */
	size_t effect_n;
	struct tells *tells;     /* who to tell after the commit (base/told.h), or NULL */
	struct closing *closings; /* to wait for after the commit (core/spread.h) */
	const char *warnings[WARNINGS]; /* for the caller, beside the result */
	size_t warning_n;
	unsigned round_trips;    /* database round trips so far */
	void (*asks)(void);      /* called once, before the next one; or NULL */
	bool words;              /* an indexed text has changed (core/find.h) */
	bool busy;               /* another transaction has locked the row (NOWAIT) */
	bool stale;  /* with replay: what the route prepared is stale, so it prepares again */
	bool replay; /* a deadlock or lost connection ended the transaction: it may run again */
};

/* Records e and a message, which should name the field, the value, the limit and the way out.
 * Returns e. */
enum err
fail(struct ctx *c, enum err e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Fails with E_UNAVAILABLE because this service lacks something, so a retry can't help. The caller
 * sees this message; the messages of other 5xx failures are hidden. */
enum err fail_lacks(struct ctx *c, const char *message);
/* Fails with E_INVALID for a cursor that no list has returned. */
enum err fail_cursor(struct ctx *c);
/* Adds a warning for the caller about something that changed nothing, such as an unknown name.
 * Drops a text that was added before, even by a lost try, and any after the first WARNINGS. */
void warn(struct ctx *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Records place, reason and, if errno is set, its text for the log, then sets errno to 0. Returns
 * E_INTERNAL, or E_DISK_FULL if errno was ENOSPC or EDQUOT. */
#define fail_here(c, ...) fail_internal((c), __FILE__, __LINE__, __VA_ARGS__)
enum err fail_internal(struct ctx *c, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns the reason for the log: the internal one, else the caller's message, else the code. */
const char *ctx_why(const struct ctx *c);

/* Returns the text of a failure for the caller: the message, or err_table's for a hidden one. */
const char *ctx_told(const struct ctx *c, enum err e);

/* Adds an effect. Returns false, and adds nothing, if the artifact has one already. */
bool effect_add(struct ctx *c, const struct effect *);
/* Returns the outbox row of the artifact's effect; NULL if it has none. */
const char *effect_row(const struct ctx *c, const char *artifact_id);

/* Clears a failure that doesn't fail the whole work. What was done so far remains. Returns E_OK. */
enum err ctx_forgive(struct ctx *c);
/* Clears the failure and the effects of a lost transaction, so that the work can run again. */
void ctx_again(struct ctx *c);

/* Counts a round trip to the database. Calls c->asks before the first. */
void ctx_round_trip(struct ctx *c);
/* Makes a context with its own memory; ctx_end() frees both. */
struct ctx *ctx_begin(const struct conf *conf, struct db *db);
void ctx_end(struct ctx *c);
/* Ends the context of a part of the work, and records its failure e, if any, in c. Returns e. */
enum err ctx_join(struct ctx *c, struct ctx *part, enum err e);

/* Returns the error of expr, if it fails, from the enclosing function. No other macro returns. */
#define TRY(expr)                              \
	do {                                   \
		enum err try_err_ = (expr);    \
		if (try_err_)                  \
			return try_err_;       \
	} while (0)
#endif
