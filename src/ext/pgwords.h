/* SPDX-License-Identifier: Apache-2.0
 * What PostgreSQL says when it refuses something, in words for whoever set up the connection or
 * wrote the query, with its SQLSTATE, and with what mends it where that is known. Servers speak
 * many languages, so what was refused is told by the SQLSTATE. */
#ifndef VITRINE_PGWORDS_H
#define VITRINE_PGWORDS_H
#include "ext/postgres.h"

struct pgwords {
	const char *sqlstate; /* "" of none */
	const char *message;
	size_t line; /* of the query, from 1; 0: no place is named */
};
/* Of a query. *final: the same query would be refused again. */
const char *pgwords_query(
    void *owner, const struct postgres_server *, const struct pgwords *, bool *final);
/* Of a connection that did not come about: all that libpq has to say of it, with the SQLSTATE where
 * there is one ("FATAL:  28P01: …"). */
const char *pgwords_connect(
    void *owner, const struct postgres_server *, enum postgres_step, const char *text);
#endif
