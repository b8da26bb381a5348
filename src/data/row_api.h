/* SPDX-License-Identifier: Apache-2.0
 * Lists of rows, for requests. */
#ifndef VITRINE_ROW_API_H
#define VITRINE_ROW_API_H
#include "data/row.h"
#include "http/req.h"

/* Like rows_find(). If a GET must read the whole of a large table, it moves to the slow pool. */
enum err rows_list(struct req *r, const struct table_for *tf, const struct row_find *what,
    struct data_row_list *out, const char **next);
#endif
