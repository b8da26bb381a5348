/* SPDX-License-Identifier: Apache-2.0
 * What the pages of tables share. */
#ifndef VITRINE_TABLE_PAGE_H
#define VITRINE_TABLE_PAGE_H
#include "http/req.h"

const char *table_page_path(const struct req *, const char *table); /* of its grid */
/* Refuses a name that a new table can't have, or another one has. */
enum err table_page_name(struct req *, const char *name);
/* What an import said, of its place in the address of the page that follows; NULL: nothing. */
const char *import_page_told(struct req *, const char *told);
/* For editors: what doesn't fit in the rules of a table, or (NULL) of all; else *out is NULL. */
enum err table_page_rules(struct req *, const char *table, const char **out);
/* Whether the page of a table, or of all tables, is shown again after an import that was refused,
 * and what was pasted or named there. */
bool import_page_refused(struct req *, const char **typed);
#endif
