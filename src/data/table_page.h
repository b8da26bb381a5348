/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of tables share. */
#ifndef VITRINE_TABLE_PAGE_H
#define VITRINE_TABLE_PAGE_H
#include "http/req.h"

const char *table_page_path(const struct req *, const char *table); /* of its grid */
/* The message of an import, from the query of the page that follows it; NULL: none. */
const char *import_page_told(struct req *, const char *told);
/* True if the page of a table, or of all tables, is shown again after an import was refused; *typed
 * is the text or the name that the person entered. */
bool import_page_refused(struct req *, const char **typed);
#endif
