/* SPDX-License-Identifier: Apache-2.0
 * CSV of any length, a piece at a time: of an open file no more than CSV_PIECE_BYTES are in memory,
 * which is the most that a line may have. */
#ifndef VITRINE_CSVFILE_H
#define VITRINE_CSVFILE_H
#include "base/csv.h"
#include "store/spool.h"

enum { CSV_PIECE_BYTES = 1 << 20 };

struct csv_file {
	struct span rest; /* what has not been read */
	char *piece;
	size_t n, whole;      /* bytes of the piece, and of the lines that end in it */
	struct csv_scan scan; /* of those */
	size_t line;          /* where the values begin that were given last, from 1 */
};
/* A text that is in memory, which is copied, or without one the bytes of a file. */
void csv_file_begin(struct ctx *c, const char *text, size_t n, const struct span *file,
    struct csv_file *out);
/* The values of the next line, at most `most`, until the next call; *n is 0 of an empty line. *any:
 * there was one. E_INVALID says what is wrong, and where: "line 3: …". */
enum err csv_file_next(struct ctx *c, struct csv_file *f, struct csv_field *fields, size_t most,
    size_t *n, bool *any);
#endif
