/* SPDX-License-Identifier: Apache-2.0
 * Converts PostgreSQL's text form of values to JSON, by the type of their column:
 *
 *
 * boolean, integers    unchanged; json, jsonb and arrays too
 * numeric, float       digit by digit; NaN and Infinity become null
 * timestamptz          RFC 3339 in UTC; years without four digits, and infinity, become null
 * timestamp, date      ISO 8601 texts without a zone
 * all others           texts: uuid, interval, enums, bytea (\x and hex), user-defined types
 *
 * Times must be in the form of DateStyle ISO and TimeZone UTC. */
#ifndef VITRINE_PGVALUE_H
#define VITRINE_PGVALUE_H
#include "base/buf.h"
#include "base/ctx.h"

/* Returns the type of a table's column for such values, a word of COLUMN_TYPES (data/cell.h). */
const char *pgvalue_type(unsigned oid);
/* Adds a value. If JSON has no form for it, adds null and increments *odd. Returns false with *why
 * if the value is malformed. */
bool pgvalue_json(
    struct ctx *c, struct buf *b, unsigned oid, const char *text, int64_t *odd, const char **why);
#endif
