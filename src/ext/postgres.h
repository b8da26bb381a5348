/* SPDX-License-Identifier: Apache-2.0
 * PostgreSQL servers that somebody else named, asked one question each, many at once. The name is
 * looked up once, its addresses are judged as egress.h has it for a database, and the connection
 * goes to those that may be asked, while the certificate is held against the name. It is always
 * encrypted. Nothing of the environment counts: no PG variables, no password or service file, no
 * client certificate.
 *
 * A question is one statement that gives rows, which the server itself makes sure of, by a cursor
 * in a read-only transaction. Rows go to a file as they come, so memory does not grow with them.
 * Only postgres.c sees libpq. Source: connections/README.md. */
#ifndef VITRINE_POSTGRES_H
#define VITRINE_POSTGRES_H
#include "base/ctx.h"

#include <stddef.h>

enum {
	POSTGRES_CONNECT_S = 10, /* until the server is ready */
	POSTGRES_READ_S = 30,
	POSTGRES_ROUNDS = 500000, /* of hashing a password; PostgreSQL itself asks for 4,096 */
	POSTGRES_ROWS = 100000,
	POSTGRES_BYTES = 16 << 20, /* of all values, as the server writes them */
	POSTGRES_LINE_BYTES = 1 << 20
};

struct postgres_server {
	const char *host;
	int64_t port;
	const char *database, *username, *password; /* password: may be NULL */
	bool verify; /* the certificate is checked, against egress_ca_file or the system's store */
};
struct postgres_req {
	struct postgres_server server;
	const char *query; /* NULL: nothing is asked, it is only signed in */
	bool dry; /* whether it may be read is all that is asked; there are no rows then */
	int fd; /* where rows go: a line each, a JSON array of their values (ext/pgvalue.h) */
	int64_t read_s;
	const char *tenant; /* whose places it takes; may be NULL */
};

/* What it goes through, in this order. */
enum postgres_step {
	POSTGRES_FIND,    /* the name has addresses that may be asked */
	POSTGRES_REACH,   /* somebody answers there */
	POSTGRES_ENCRYPT, /* the connection is encrypted, and where verify is set it is the host */
	POSTGRES_SIGN_IN,
	POSTGRES_READ,
	POSTGRES_STEPS
};
struct postgres_res {
	struct postgres_column {
		const char *name, *type; /* a word of COLUMN_TYPES (data/cell.h) */
	} *columns;
	size_t column_n, rows;
	int64_t bytes; /* of the file */
	int64_t odd;   /* values that JSON has not, such as NaN: null in their place */
};
struct postgres_done {
	void *tag;
	const struct postgres_res *res; /* NULL: it failed */
	enum postgres_step step;        /* then: where */
	const char *why;                /* then: why, in words for whoever set it up */
	bool final;                     /* then: it would again, as the question is */
	bool late;                      /* then: it took longer than read_s, or to connect */
	const char *addresses;          /* that were asked, with commas; NULL: none */
	int64_t took_ms[POSTGRES_STEPS];
};

struct postgres_many;
/* They end with owner. */
struct postgres_many *postgres_many(void *owner, const struct conf *);
/* c, which the answer is left in, and req stay until it is given back. */
void postgres_add(
    struct postgres_many *, struct ctx *c, const struct postgres_req *, void *tag);
/* One that has ended; false when none has within wait_ms, or nothing is under way. */
bool postgres_next(struct postgres_many *, int wait_ms, struct postgres_done *out);
/* How many are under way: of a tenant, or (NULL) in all. */
size_t postgres_busy(const struct postgres_many *, const char *tenant);
/* Hangs up on one that is under way. The tag; NULL: there is none. */
void *postgres_drop(struct postgres_many *);
#endif
