/* SPDX-License-Identifier: Apache-2.0
 * A folder of saved things: database.sql, which is a consistent dump of all rows, files that are
 * named by their digest, and `manifest`, which is written last and has the digest of each file, in
 * lines that sha256sum -c reads, and at its end its own. */
#ifndef VITRINE_DUMP_H
#define VITRINE_DUMP_H
#include "base/crypto.h"
#include "base/ctx.h"

#include <stdio.h>

#define DUMP_ROWS "database.sql"

/* Writing: begin, rows and add in any order, end. Without the end the folder is no dump. */
struct dump {
	const char *dir;
	FILE *manifest;
	struct sha256 *hash;
	size_t n; /* files that were added */
};
enum err dump_begin(struct ctx *c, const char *dir, struct dump *out); /* a new folder */
enum err dump_rows(struct ctx *c, struct dump *);
void dump_add(struct dump *, const char *path, const char *sha256); /* a file, below dir */
enum err dump_end(struct ctx *c, struct dump *); /* when it returns, all is on disk */

/* Reading: the list, or E_CONFLICT, in words, when it isn't whole. rows_sha256 is NULL of a backup
 * from before schema 53, which kept no digest of its rows. */
struct dump_list {
	const char *rows_sha256;
	const char **v; /* digests of the files besides, each 64 hexadecimal digits */
	size_t n;
};
enum err dump_read(struct ctx *c, const char *dir, struct dump_list *out);
/* What is wrong with the file at path; NULL: nothing. */
const char *dump_file_wrong(struct ctx *c, const char *path, const char *sha256);
/* The same of its rows. */
const char *dump_rows_wrong(struct ctx *c, const char *dir, const struct dump_list *);
enum err dump_rows_back(struct ctx *c, const char *dir); /* into an empty database */
#endif
