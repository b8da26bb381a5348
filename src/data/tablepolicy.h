/* SPDX-License-Identifier: Apache-2.0
 * Finds misfits between an access_policy and the tables of its artifact. A rule that names a
 * missing column is false for all but the owner (data/rowpolicy.h). Rules of a missing table do
 * nothing. Both are mostly typos. */
#ifndef VITRINE_TABLEPOLICY_H
#define VITRINE_TABLEPOLICY_H
#include "data/table.h"

/* Appends a sentence for each misfit in the policy `text` (NULL: no policy) to *out. table NULL
 * means all tables. artifact_id NULL: no tables yet. */
enum err tablepolicy_warn(struct ctx *c, const char *artifact_id, const char *text,
    const char *table, struct strs *out);
/* Checks a policy in a publish. E_INVALID: a table lacks a column, unless the artifact a (NULL:
 * a new one) has this same policy already. Other misfits are appended to *out. */
enum err tablepolicy_check(
    struct ctx *c, const struct artifact *a, const char *text, struct strs *out);
/* Joins the warnings about the policy's rules of a table, or (NULL) of all, for editors; *out is
 * NULL if there are none. */
enum err tablepolicy_said(
    struct ctx *c, const struct artifact *, const char *table, const char **out);
#endif
