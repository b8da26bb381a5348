/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of tables share. */
#ifndef VITRINE_TABLE_PAGE_H
#define VITRINE_TABLE_PAGE_H
#include "data/table.h"
#include "http/req.h"

const char *table_page_path(const struct req *, const char *table); /* of its grid */
/* Returns that path with `rest`, for rows that match the conditions `where`, as JSON; NULL: all. */
const char *table_page_where(
    const struct req *, const char *table, const char *rest, const char *where);
/* Finds a column, or fails with E_NOT_FOUND. */
enum err table_page_column(
    struct req *, struct data_table *, const char *name, struct data_column **out);
#endif
