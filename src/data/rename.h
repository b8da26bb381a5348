/* SPDX-License-Identifier: Apache-2.0
 * Renamed columns: who follows. Source: data/README.md. */
#ifndef VITRINE_RENAME_H
#define VITRINE_RENAME_H
#include "data/table.h"

struct renames {
	struct pair *v; /* old and new name */
	size_t n;
	const char *json; /* {"old":"new"} */
};
/* Reads {"old": "new"}. E_INVALID: a value is no text. */
enum err renames_read(struct ctx *c, const char *json, struct renames *out);
/* Returns the new name of a column, or NULL. */
const char *renamed_to(const struct renames *, const char *name);
/* Returns the old name, or NULL. */
const char *renamed_from(const struct renames *, const char *name);

/* Has the rules for the table follow if `rewrite`. Else E_CONFLICT if one names a renamed
 * column. */
enum err renames_policy(struct ctx *c, const struct artifact *a, const char *table,
    const struct renames *, bool rewrite);
#endif
