/* SPDX-License-Identifier: Apache-2.0
 * Writes a workbook (.xlsx) of one sheet, row after row. Memory stays flat, because libxlsxwriter
 * keeps the rows in a file in tmp/. Only workbook.c includes it. Cells are values, never formulas
 * or links, whatever a text begins with. */
#ifndef VITRINE_WORKBOOK_H
#define VITRINE_WORKBOOK_H
#include "base/ctx.h"

/* Limit of the rows' XML. Until a workbook is complete, it takes up to three times as much in tmp/.
 */
#define WORKBOOK_BYTES ((int64_t)256 << 20)
enum { WORKBOOK_NAME_CHARS = 31 };

/* How a moment is shown. */
enum workbook_shows { SHOWS_DAY, SHOWS_SECOND, SHOWS_MILLISECOND, WORKBOOK_SHOWS };

struct workbook;
/* Begins a workbook, which is removed with its owner. name: of the sheet, in ASCII letters, digits,
 * _ and -; it is cut to WORKBOOK_NAME_CHARS. The first row is the head, which stays in sight. */
enum err workbook_begin(struct ctx *c, void *owner, const char *name, struct workbook **out);
/* Each of these writes the row's next cell. */
void workbook_head(struct workbook *, const char *name, unsigned width); /* width: in characters */
void workbook_text(struct workbook *, const char *text); /* "" and NULL: an empty cell */
void workbook_number(struct workbook *, double);
void workbook_bool(struct workbook *, bool);
/* ms: since 1970-01-01 in UTC, from WORKBOOK_FROM_MS on, and before WORKBOOK_END_MS: 1900-03-01,
 * because programs disagree about earlier days, and 10000-01-01. */
#define WORKBOOK_FROM_MS INT64_C(-2203891200000)
#define WORKBOOK_END_MS INT64_C(253402300800000)
void workbook_moment(struct workbook *, int64_t ms, enum workbook_shows);
/* Ends a row. E_INVALID above WORKBOOK_BYTES. */
enum err workbook_row_end(struct ctx *c, struct workbook *);
/* Completes the workbook and reads it back, because libxlsxwriter ignores failed writes. Sets *fd
 * to the file, which has no name and ends with fd_owner. */
enum err workbook_end(struct ctx *c, struct workbook *, void *fd_owner, int *fd);
#endif
