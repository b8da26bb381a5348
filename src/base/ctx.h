/* SPDX-License-Identifier: Apache-2.0
 * What one unit of work (a request, a job, a command) carries: its memory, its database, the time
 * it began, and how it failed. Functions that can fail return enum err (E_OK is 0) and leave
 * results through their last parameter; fail() records what the caller is told. A lower error
 * passes up untouched. Results live in c->mem. */
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

/* An artifact whose pages must follow its rows once the transaction is in; the outbox row makes
 * sure of it when this process does not live to. */
struct effect {
	const char *artifact_id, *outbox_id;
};

struct ctx {
	void *mem;
	struct db *db;           /* NULL where no database is used */
	const struct conf *conf;
	int64_t now;             /* Unix seconds */
	enum err err;
	const char *message;     /* what the caller is told; NULL = the table's text */
	const char *details;     /* a JSON value for the envelope's details, or NULL */
	const char *internal;    /* file:line: why, for the log only */
	struct effect *effects;  /* what the transaction decided for outside the database */
	size_t effect_n;
	unsigned round_trips;    /* database round trips so far */
	bool busy;               /* a row lock is held by somebody else (NOWAIT) */
	bool replay; /* the transaction was lost to a deadlock or a dropped connection: safe to run
	                again */
};

/* Names the field, the value, the limit and the way out. Returns e. */
enum err
fail(struct ctx *c, enum err e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* E_INTERNAL with the place and the reason for the log; errno is added when set. ENOSPC and EDQUOT
 * become E_DISK_FULL. */
#define fail_here(c, ...) fail_internal((c), __FILE__, __LINE__, __VA_ARGS__)
enum err fail_internal(struct ctx *c, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* One more; the same artifact twice is one. Returns false when it was known already. */
bool effect_add(struct ctx *c, const char *artifact_id, const char *outbox_id);

/* Forgets how the work failed and what it decided, so that it can be tried again. */
void ctx_again(struct ctx *c);

/* A context on fresh memory; ctx_end() frees all of it. */
struct ctx *ctx_begin(const struct conf *conf, struct db *db);
void ctx_end(struct ctx *c);

/* The only macro that returns. */
#define TRY(expr)                              \
	do {                                   \
		enum err try_err_ = (expr);    \
		if (try_err_)                  \
			return try_err_;       \
	} while (0)
#endif
