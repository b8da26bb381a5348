/* SPDX-License-Identifier: Apache-2.0
 * A column gets another type: its values are read as values of that type, after a preview that
 * tells what doesn't fit. The rows go into a staged table with the same ids, which replaces the
 * table by one commit. Others read meanwhile; writes are refused. Source: data/README.md. */
#ifndef VITRINE_RETYPE_H
#define VITRINE_RETYPE_H
#include "data/cellread.h"
#include "data/operation.h"
#include "data/table.h"

#define RETYPE_NEW(F, T) \
	F(T, STR,  column,  .flags = F_REQ, .lo = 1, .hi = 64, .eg = "\"amount\"") \
	F(T, WORD, type,    .flags = F_REQ, .arg = COLUMN_TYPES, .eg = "\"number\"") \
	F(T, STRS, choices, .item_lo = 1, .item_hi = CHOICE_CHARS, .hi = CHOICES_MAX, \
		.doc = "Of a choice; absent: all texts that the column has") \
	F(T, STR,  to,      .lo = 1, .hi = TABLE_NAME_CHARS, .doc = "Of a link: the table") \
	F(T, OBJ,  read,    .sub = &cell_read_shape, .doc = "How texts are read") \
	F(T, WORD, misfits, .arg = "refuse|null", \
		.doc = "Values that don't fit: refuse (409, the default), or make them null") \
	F(T, BOOL, dry_run, .doc = "Only tell what would happen")
SHAPE_DECLARE(retype_new, RETYPE_NEW);

#define RETYPE_MISFIT(F, T) \
	F(T, ID,   row_id, .arg = "row_") \
	F(T, JSON, value)
SHAPE_DECLARE(retype_misfit, RETYPE_MISFIT);
#define RETYPE_SAMPLE(F, T) \
	F(T, JSON, before) \
	F(T, JSON, after)
SHAPE_DECLARE(retype_sample, RETYPE_SAMPLE);
#define RETYPED(F, T) \
	F(T, INT,  fits) \
	F(T, INT,  empty,     .doc = "Rows without a value") \
	F(T, INT,  misfits) \
	F(T, INT,  zeros,     .flags = F_HID, .doc = "Values that lose leading zeros") \
	F(T, LIST, first,     .sub = &retype_misfit_shape, \
		.doc = "The first 20 misfits in rows that you can read") \
	F(T, LIST, sample,    .sub = &retype_sample_shape, .doc = "5 values that change") \
	F(T, OBJ,  operation, .flags = F_NUL, .sub = &operation_shape, \
		.doc = "With 202: the rows are being written; follow it")
SHAPE_DECLARE(retyped, RETYPED);

/* Reads all rows and tells what would happen. Outside a transaction, because it may take seconds.
 * E_INVALID: the column, the choices, or the table of a link. Fills in in->choices. */
enum err retype_try(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, struct retype_new *in, struct retyped *out);
/* In a transaction, as its last change: retypes the rows of a small table, or begins an operation
 * (out->operation). E_CONFLICT: misfits that aren't to be null, with them in details. */
enum err retype_do(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, const struct retype_new *in, struct retyped *out);
#endif
