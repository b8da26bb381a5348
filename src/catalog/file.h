/* SPDX-License-Identifier: Apache-2.0
 * A file of the catalog: its path and its front matter. Nothing here uses the database: the
 * source stays as written. */
#ifndef VITRINE_CATALOG_FILE_H
#define VITRINE_CATALOG_FILE_H
#include "base/crypto.h"
#include "base/frontmatter.h"
#include "base/shape.h"
#include "core/bounds.h"

enum {
	CATALOG_PATH_BYTES = 255,
	CATALOG_TITLE = 200,
	CATALOG_DESCRIPTION = 2000,
	CATALOG_DOMAIN = 100,
	CATALOG_OWNER = 254,
	CATALOG_TAGS = 30,
	CATALOG_TAG = 60,
	CATALOG_COLUMNS = 500,
	CATALOG_COLUMN_NAME = 200,
	CATALOG_COLUMN_TYPE = 60,
	CATALOG_COLUMN_DESCRIPTION = 1000,
	CATALOG_UPSTREAM = 50
};

#define CATALOG_KINDS "dataset|source|page|metric|term|doc"
#define CATALOG_STATUSES "draft|verified|deprecated"

#define CATALOG_COLUMN(F, T) \
	F(T, STR,  name) \
	F(T, STR,  type,        .flags = F_NUL, .doc = "The table's, where it has the column") \
	F(T, STR,  description, .flags = F_NUL, .doc = "null: the file doesn't describe it") \
	F(T, BOOL, missing,     .doc = "The file describes it, and the table doesn't have it") \
	F(T, STR,  values,      .flags = F_HID, .doc = "What it holds, such as \"38 different\"") \
	F(T, STR,  often,       .flags = F_HID, \
		.doc = "The most frequent of these, with their shares") \
	F(T, STR,  empty,       .flags = F_HID, .doc = "In how many rows it holds nothing")
/* values_say() fills the last three (values.h). */
SHAPE_DECLARE(catalog_column, CATALOG_COLUMN);

struct catalog_meta {
	const char *kind, *title, *description, *domain, *status, *owner;
	struct strs tags, upstream;          /* paths, each once */
	struct catalog_column_list columns;
	const struct fm *source;             /* NULL: no source; the fields are as written */
	const char *artifact, *table, *connection;
};

/* Checks and normalizes a path: it ends in .md, .yaml, or .yml and follows the rules of
 * published paths. E_INVALID. */
enum err catalog_path_check(struct ctx *c, const char **path);
/* Computes a key that is equal for paths that look the same to people. */
void catalog_path_key(struct ctx *c, const char *path, uint8_t key[SHA256_BYTES]);
/* Reads the front matter. E_INVALID, with details {line, column} for the front matter.
 * E_FILE_TOO_LARGE. */
enum err catalog_file_read(
    struct ctx *c, const char *path, const char *content, struct catalog_meta *out);
/* Returns the text after the front matter, or NULL if the file is YAML alone. */
const char *catalog_file_text(struct ctx *c, const char *path, const char *content);
/* Returns the path of the file to which a relative link in the file at `path` leads, or NULL if
 * it leads elsewhere. */
const char *catalog_beside(struct ctx *c, const char *path, const char *address);
/* Returns the text that searches compare: title, tags, path, and description, one line each,
 * case-folded. */
const char *catalog_words(struct ctx *c, const char *path, const struct catalog_meta *);
#endif
