/* SPDX-License-Identifier: Apache-2.0
 * Ids within statements: what type they have, and many of them as one parameter. */
#ifndef VITRINE_IDS_H
#define VITRINE_IDS_H
#include "base/ctx.h"

/* The type of a column or a variable that holds an id, as the schema declares it: of another
 * collation it could not be looked up by an index. */
#define SQL_ID "VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin"
/* A constant of ours as a literal. */
#define SQL_NUMBER(n) SQL_NUMBER_(n)
#define SQL_NUMBER_(n) #n
/* A table `t` with a column `id`, of a parameter that ids_json() makes. Its rows come in no order
 * that a join keeps. */
#define ID_TABLE "JSON_TABLE(?, '$[*]' COLUMNS (id " SQL_ID " PATH '$')) t"
/* Of ids that we made; those that are NULL are left out. */
const char *ids_json(struct ctx *c, const char *const *ids, size_t n);
/* The same ids, rising: who locks several in this order waits for another who does, rather than
 * each for the other. */
const char **ids_in_order(struct ctx *c, const char *const *ids, size_t n);
#endif
