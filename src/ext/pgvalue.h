/* SPDX-License-Identifier: Apache-2.0
 * Values as PostgreSQL writes them as text, by the type of their column, as JSON:
 *
 *  boolean, integers    as they are; json, jsonb and arrays, too
 *  numeric, float       digit by digit; NaN and Infinity have no number
 *  timestamptz          RFC 3339 in UTC; a year of other than four digits, and infinity, have none
 *  timestamp, date      texts in ISO 8601 without a zone, which they don't have either
 *  all else             texts: uuid, interval, enums, bytea (\x and hex), a type of one's own
 *
 * Times are read as DateStyle ISO and TimeZone UTC write them. */
#ifndef VITRINE_PGVALUE_H
#define VITRINE_PGVALUE_H
#include "base/buf.h"
#include "base/ctx.h"

/* The type of a table's column that holds them, a word of COLUMN_TYPES (data/cell.h). */
const char *pgvalue_type(unsigned oid);
/* Adds the value; where JSON has none for it, null, and *odd grows. False: why says what is wrong
 * with it. */
bool pgvalue_json(
    struct ctx *c, struct buf *b, unsigned oid, const char *text, int64_t *odd, const char **why);
#endif
