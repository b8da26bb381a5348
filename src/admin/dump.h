/* SPDX-License-Identifier: Apache-2.0
 * A folder of saved files: database.sql, a consistent dump of all rows; files named by their
 * digest; and manifest, which is written last. The manifest has the digest of each file in lines
 * that sha256sum -c reads, and ends with its own. */
#ifndef VITRINE_DUMP_H
#define VITRINE_DUMP_H
#include "base/crypto.h"
#include "base/ctx.h"

#include <stdio.h>

#define DUMP_ROWS "database.sql"

/* Writing: dump_begin(), dump_rows() and dump_add() in any order, dump_end(). A folder without the
 * end is no dump. */
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
/* The rows alone, of whatever schema, in a new folder, whose name is printed. */
enum err rows_backup(struct ctx *c, const char *dir);
/* Makes such a folder in dir, named TIME-before-schema-VERSION, and removes all but the latest
 * three with "-before-" in their names. */
enum err rows_save(struct ctx *c, const char *dir, int64_t version);

/* Reading: dump_read() returns the list, or E_CONFLICT if it isn't complete. rows_sha256 is NULL in
 * a backup from before schema 53, which has no digest of its rows. */
struct dump_list {
	const char *rows_sha256;
	const char **v; /* digests of the other files, each 64 hexadecimal digits */
	size_t n;
};
enum err dump_read(struct ctx *c, const char *dir, struct dump_list *out);
/* Return what is wrong with a file, or with the rows; NULL: nothing. */
const char *dump_file_wrong(struct ctx *c, const char *path, const char *sha256);
const char *dump_rows_wrong(struct ctx *c, const char *dir, const struct dump_list *);
enum err dump_rows_back(struct ctx *c, const char *dir); /* loads them into an empty database */
#endif
