/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of tables share. */
#ifndef VITRINE_TABLE_PAGE_H
#define VITRINE_TABLE_PAGE_H
#include "http/req.h"

const char *table_page_path(const struct req *, const char *table); /* of its grid */
/* Returns that path with `rest`, for rows that match the conditions `where`, as JSON; NULL: all. */
const char *table_page_where(
    const struct req *, const char *table, const char *rest, const char *where);
#endif
