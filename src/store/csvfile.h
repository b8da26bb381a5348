/* SPDX-License-Identifier: Apache-2.0
 * Reads CSV of any length in chunks. At most CSV_PIECE_BYTES of an open file are in memory, which
 * is also the limit of a line. */
#ifndef VITRINE_CSVFILE_H
#define VITRINE_CSVFILE_H
#include "base/csv.h"
#include "store/spool.h"

enum { CSV_PIECE_BYTES = 1 << 20 };

struct csv_file {
	struct span rest; /* not read yet */
	char *piece;
	size_t n, whole;      /* bytes in piece, and of its complete lines */
	struct csv_scan scan; /* over the complete lines */
	size_t line;          /* first line of the last values, from 1 */
};
/* Begins a text in memory, which is copied, or if text is NULL the bytes of a file. */
void csv_file_begin(struct ctx *c, const char *text, size_t n, const struct span *file,
    struct csv_file *out);
/* Returns the values of the next line, at most `most`, valid until the next call; *n is 0 for an
 * empty line. *any is false at the end. E_INVALID says what is wrong and where: "line 3: …". */
enum err csv_file_next(struct ctx *c, struct csv_file *f, struct csv_field *fields, size_t most,
    size_t *n, bool *any);
#endif
