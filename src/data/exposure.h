/* SPDX-License-Identifier: Apache-2.0
 * How much of an artifact's data strangers, signed-in people, and members of its workspace may
 * read and write. It evaluates the rules themselves (data/rowpolicy.h) for three people who appear
 * in no rule. Rights that a rule or an invitation gives to named people aren't included. */
#ifndef VITRINE_EXPOSURE_H
#define VITRINE_EXPOSURE_H
#include "data/table.h"

/* Rows examined of each table, and of all tables together. */
enum { EXPOSURE_ROWS = 10000, EXPOSURE_ROWS_IN_ALL = 300000 };

#define HOW_MUCH "none|some|all"
#define EXPOSED_TABLE(F, T) \
	F(T, STR,  name) \
	F(T, INT,  rows) \
	F(T, WORD, read,     .arg = HOW_MUCH, .doc = "some: the rule says which rows") \
	F(T, WORD, add,      .arg = HOW_MUCH, .doc = "New rows") \
	F(T, WORD, write,    .arg = HOW_MUCH, \
		.doc = "Change or delete: of what the rule for either allows, the more") \
	F(T, INT,  readable, .flags = F_NUL, \
		.doc = "Rows; of a table of more than 10,000, of the first of them. " \
		       "null: not counted, since there are too many in all") \
	F(T, INT,  writable, .flags = F_NUL)
SHAPE_DECLARE(exposed_table, EXPOSED_TABLE);

#define EXPOSED_PART(F, T) \
	F(T, BOOL, read) \
	F(T, BOOL, write)
SHAPE_DECLARE(exposed_part, EXPOSED_PART);

#define EXPOSED_TO(F, T) \
	F(T, BOOL, reaches, \
		.doc = "They can open the artifact now; if not, this holds once they can") \
	F(T, OBJ,  document, .sub = &exposed_part_shape) \
	F(T, OBJ,  blobs,    .sub = &exposed_part_shape) \
	F(T, LIST, tables,   .sub = &exposed_table_shape)
SHAPE_DECLARE(exposed_to, EXPOSED_TO);

#define EXPOSURE(F, T) \
	F(T, OBJ,  strangers, .sub = &exposed_to_shape) \
	F(T, OBJ,  signed_in, .sub = &exposed_to_shape) \
	F(T, OBJ,  members,   .flags = F_NUL, .sub = &exposed_to_shape, \
		.doc = "Of its workspace; null if it is in none") \
	F(T, STRS, warnings,  .doc = "What anyone who can open it may do that few mean, in words")
SHAPE_DECLARE(exposure, EXPOSURE);

/* Covers the tables whose rows `who` may all read. */
enum err exposure_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct exposure **out);
/* Adds a sentence for each thing that everybody, or everybody signed in, could do under the policy
 * (NULL: none) with all tables, the document, or the uploads, and can't now. Looks at rules alone,
 * so it reads no rows. */
enum err exposure_grows(struct ctx *c, const struct artifact *a, const char *policy,
    struct strs *out);
#endif
