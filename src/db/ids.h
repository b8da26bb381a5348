/* SPDX-License-Identifier: Apache-2.0
 * Ids in statements: their SQL type, and many ids as one parameter. */
#ifndef VITRINE_IDS_H
#define VITRINE_IDS_H
#include "base/ctx.h"

/* The type of a column or variable with an id, as in the schema. With another collation MariaDB
 * could not use an index. */
#define SQL_ID "VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin"
/* A constant as an SQL literal. */
#define SQL_NUMBER(n) SQL_NUMBER_(n)
#define SQL_NUMBER_(n) #n
/* A table `t` with a column `id`, from a parameter made by ids_json(). A join doesn't keep the
 * order of its rows. */
#define ID_TABLE "JSON_TABLE(?, '$[*]' COLUMNS (id " SQL_ID " PATH '$')) t"
/* A table `j` with the columns `h`, a digest in hex, and `i`, its number from 1, from a parameter
 * made by hashes_json(). */
#define HASH_TABLE \
	"JSON_TABLE(?, '$[*]' COLUMNS (i FOR ORDINALITY," \
	" h CHAR(64) CHARACTER SET ascii PATH '$')) j"
/* A table `j` with a column `i`, a binary id in hex, from a parameter or variable made by
 * ids_json() of hex ids. */
#define HEX_ID_TABLE(of) \
	"JSON_TABLE(" of ", '$[*]' COLUMNS (i CHAR(32) CHARACTER SET ascii PATH '$')) j"
/* Makes a JSON array of n digests, of which the first is at `first` and each other one `step` bytes
 * after the one before. */
const char *hashes_json(struct ctx *c, const void *first, size_t step, size_t n);
/* Makes a JSON array of ids that this service made; skips NULLs. */
const char *ids_json(struct ctx *c, const char *const *ids, size_t n);
/* Returns the ids in ascending order. Transactions that lock rows in this order can't deadlock on
 * them. */
const char **ids_in_order(struct ctx *c, const char *const *ids, size_t n);
#endif
