/* SPDX-License-Identifier: Apache-2.0
 * Queries PostgreSQL servers that somebody else named, one question each, many at once. The name is
 * resolved once, its addresses are checked as for a database in egress.h, and the connection goes
 * to an allowed address, while the certificate is checked against the name. Connections are always
 * encrypted. The environment has no effect: no PG variables, no password or service file, no client
 * certificate.
 *
 * A question is one statement that returns rows; the server enforces this by a cursor in a
 * read-only transaction. Rows are written to a file as they arrive, so they don't fill memory. Only
 * postgres.c includes libpq. Source: connections/README.md. */
#ifndef VITRINE_POSTGRES_H
#define VITRINE_POSTGRES_H
#include "base/ctx.h"

#include <stddef.h>

enum {
	POSTGRES_CONNECT_S = 10, /* seconds until the server is ready */
	POSTGRES_READ_S = 30,
	POSTGRES_ROUNDS = 500000, /* of hashing a password; PostgreSQL's default is 4,096 */
	POSTGRES_ROWS = 100000,
	POSTGRES_BYTES = 16 << 20, /* of all values, in the server's form */
	POSTGRES_LINE_BYTES = 1 << 20
};

struct postgres_server {
	const char *host;
	int64_t port;
	const char *database, *username, *password; /* password may be NULL */
	bool verify; /* check the certificate against egress_ca_file or the system's store */
};
struct postgres_req {
	struct postgres_server server;
	const char *query; /* NULL: only sign in */
	bool dry; /* only check that the query may be read; return no rows */
	int fd; /* receives the rows: one line each, a JSON array of values (ext/pgvalue.h) */
	int64_t read_s;
	const char *tenant; /* whose share is used; may be NULL */
};

/* The steps of a question, in order. */
enum postgres_step {
	POSTGRES_FIND,    /* resolve the name to allowed addresses */
	POSTGRES_REACH,   /* connect */
	POSTGRES_ENCRYPT, /* encrypt the connection and, if verify is set, check the certificate */
	POSTGRES_SIGN_IN,
	POSTGRES_READ,
	POSTGRES_STEPS
};
struct postgres_res {
	struct postgres_column {
		const char *name, *type; /* a word of COLUMN_TYPES (data/cell.h) */
	} *columns;
	size_t column_n, rows;
	int64_t bytes; /* the file's length */
	int64_t odd;   /* values that JSON doesn't have, such as NaN, replaced by null */
};
struct postgres_done {
	void *tag;
	const struct postgres_res *res; /* NULL if it failed */
	enum postgres_step step;        /* if it failed: where */
	/* If it failed: why, in words for the person who set it up. */
	const char *why;
	bool final;                     /* permanent: the same query would fail again */
	/* Exceeded read_s, or the time to connect. */
	bool late;
	/* The addresses tried, with commas between them; NULL: none. */
	const char *addresses;
	int64_t took_ms[POSTGRES_STEPS];
};

struct postgres_many;
/* The questions end when owner is freed. */
struct postgres_many *postgres_many(void *owner, const struct conf *);
/* Starts a question. c, in whose memory the answer lives, and req must live until postgres_next()
 * or postgres_drop() returns tag. */
void postgres_add(
    struct postgres_many *, struct ctx *c, const struct postgres_req *, void *tag);
/* Returns a question that has ended; false if none has within wait_ms, or none is running. */
bool postgres_next(struct postgres_many *, int wait_ms, struct postgres_done *out);
/* Returns how many questions are running: of a tenant, or (NULL) in total. */
size_t postgres_busy(const struct postgres_many *, const char *tenant);
/* Ends one running question and returns its tag; NULL if there is none. */
void *postgres_drop(struct postgres_many *);
#endif
