/* SPDX-License-Identifier: Apache-2.0
 * The schema's version, and the migrations in sql/ that make it. */
#ifndef VITRINE_SCHEMA_H
#define VITRINE_SCHEMA_H
#include "db/db.h"

enum { SCHEMA_VERSION = 93 }; /* the highest number in sql/ */

/* Fails with E_UNAVAILABLE unless this program can run on the schema: SCHEMA_VERSION is applied
 * completely, and each later migration says in its first line that programs of this version can run
 * on it: "-- compatible: N", N being the lowest version. A migration without that line allows no
 * older program. A migration counts as soon as it has begun. */
enum err schema_check(struct ctx *c);
/* Like schema_check(), on the connection that db_connect() has just made. */
enum err schema_look(struct ctx *c);
/* *out is the last version that is applied completely; 0 for an empty database. */
enum err schema_version(struct ctx *c, int64_t *out);
/* *out is the lowest version of programs that can run on the schema; 0 for an empty database. */
enum err schema_lowest(struct ctx *c, int64_t *out);
/* Applies the missing migrations from dir, one statement at a time, and skips statements that a
 * killed run has applied. Fails if the result isn't this program's version. Fails with E_CONFLICT,
 * listing them, while connections are open that may belong to programs which can't run on the new
 * schema; with cut it closes these, which rolls back what they haven't committed, and new ones are
 * refused. running is the lowest version of programs that are connected; if 0, any that the schema
 * allows may be. */
enum err schema_apply(struct ctx *c, const char *dir, bool cut, int64_t running, int64_t *applied);
#endif
