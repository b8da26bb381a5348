/* SPDX-License-Identifier: Apache-2.0
 * Columns that get new names, and the texts and rules that follow. Source: data/README.md. */
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

/* Return what a saved text says with the new names; *out is NULL if the text is. where: conditions
 * in JSON. names: an array of names. members: an object by names. order: "city,-n". measures:
 * "sum.n,count". */
enum err renames_where(
    struct ctx *c, const struct renames *, const char *where, const char **out);
enum err renames_names(
    struct ctx *c, const struct renames *, const char *names, const char **out);
enum err renames_members(
    struct ctx *c, const struct renames *, const char *object, const char **out);
const char *renames_order(struct ctx *c, const struct renames *, const char *order);
const char *renames_measures(struct ctx *c, const struct renames *, const char *measures);

/* Has the rules for the table follow if `rewrite`. Else E_CONFLICT if one names a renamed
 * column. */
enum err renames_policy(struct ctx *c, const struct artifact *a, const char *table,
    const struct renames *, bool rewrite);
#endif
