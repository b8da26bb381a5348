/* SPDX-License-Identifier: Apache-2.0
 * access_policy: who may read and write which rows of an artifact's tables, as JSON:
 *
 *  {"tables": {"orders": {"read": "row.owner == viewer.email",
 *                         "write": "viewer.role in ['owner', 'editor']"}},
 *   "default": "owner"}
 *
 *  expr  = or
 *  or    = and {"or" and}
 *  and   = not {"and" not}
 *  not   = ["not"] cmp
 *  cmp   = "(" or ")" | value [("=="|"!="|"<"|"in") value]
 *  value = row.<column> | viewer.(id|email|role|workspace_role|domain) | 'text' | number
 *        | true | false | null | "[" value {"," value} "]"
 *
 * Source: decisions, "Data". */
#ifndef VITRINE_ROWPOLICY_H
#define VITRINE_ROWPOLICY_H
#include "base/ctx.h"

/* Checks a whole access_policy. E_INVALID names the table and the place in the expression. */
enum err rowpolicy_check(struct ctx *c, const char *json_text);
/* Checks one expression: NULL when it is good, else what is wrong, with the offset in *at. */
const char *rowpolicy_scan(const char *expr, size_t *at);
#endif
