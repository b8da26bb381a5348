/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of tables share. */
#ifndef VITRINE_TABLE_PAGE_H
#define VITRINE_TABLE_PAGE_H
#include "http/req.h"

const char *table_page_path(const struct req *, const char *table); /* of its grid */
/* E_INVALID for a name that a new table can't have, or that another table has. */
enum err table_page_name(struct req *, const char *name);
/* The message of an import, from the query of the page that follows it; NULL: none. */
const char *import_page_told(struct req *, const char *told);
/* Warnings about the policy rules of a table, or (NULL) of all, for editors; *out is NULL if there
 * are none. */
enum err table_page_rules(struct req *, const char *table, const char **out);
/* True if the page of a table, or of all tables, is shown again after an import was refused; *typed
 * is the text or the name that the person entered. */
bool import_page_refused(struct req *, const char **typed);
#endif
