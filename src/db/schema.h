/* SPDX-License-Identifier: Apache-2.0
 * The schema's version, and the migrations under sql/ that make it. */
#ifndef VITRINE_SCHEMA_H
#define VITRINE_SCHEMA_H
#include "db/db.h"

enum { SCHEMA_VERSION = 56 }; /* the highest number in sql/ */

/* E_UNAVAILABLE unless the database has exactly this version. */
enum err schema_check(struct ctx *c);
/* The last version that is wholly applied; 0 for an empty database. */
enum err schema_version(struct ctx *c, int64_t *out);
/* Applies what is missing from dir, a statement at a time; one that a killed run has applied
 * already is recognised. Fails if that does not make it this program's. */
enum err schema_apply(struct ctx *c, const char *dir, int64_t *applied);
#endif
