/* SPDX-License-Identifier: Apache-2.0
 * The schema's version, and the migrations under sql/ that make it. */
#ifndef VITRINE_SCHEMA_H
#define VITRINE_SCHEMA_H
#include "db/db.h"

enum { SCHEMA_VERSION = 56 }; /* the highest number in sql/ */

/* E_UNAVAILABLE unless the schema bears this program: it is wholly there, and each migration beyond
 * SCHEMA_VERSION says in its first line that programs of that version can run on it:
 * "-- compatible: N", N being the least. One without such a line bears no older program. A
 * migration counts from its beginning on. */
enum err schema_check(struct ctx *c);
/* The same on the connection that is there, which db_connect() has just made. */
enum err schema_look(struct ctx *c);
/* The last version that is wholly applied; 0 for an empty database. */
enum err schema_version(struct ctx *c, int64_t *out);
/* Applies what is missing from dir, a statement at a time; one that a killed run has applied
 * already is recognised. Fails if that does not make it this program's. E_CONFLICT, naming them,
 * while others are connected that what comes doesn't bear; with cut their connections are closed,
 * which takes back what they have not committed, and no program like this one gets another. */
enum err schema_apply(struct ctx *c, const char *dir, bool cut, int64_t *applied);
#endif
