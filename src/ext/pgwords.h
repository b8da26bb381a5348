/* SPDX-License-Identifier: Apache-2.0
 * Explains a refusal of PostgreSQL, with its SQLSTATE and known advice, to the person who set up
 * the connection or wrote the query. Servers speak many languages, so the SQLSTATE decides. */
#ifndef VITRINE_PGWORDS_H
#define VITRINE_PGWORDS_H
#include "ext/postgres.h"

struct pgwords {
	const char *sqlstate; /* "" if there is none */
	const char *message;
	size_t line; /* of the query, from 1; 0 if not named */
};
/* Explains a failed query. *final: permanent, the same query would fail again. */
const char *pgwords_query(
    void *owner, const struct postgres_server *, const struct pgwords *, bool *final);
/* Explains a failed connection. text is all of libpq's messages, with the SQLSTATE if there is one
 * ("FATAL: 28P01: …"). */
const char *pgwords_connect(
    void *owner, const struct postgres_server *, enum postgres_step, const char *text);
#endif
