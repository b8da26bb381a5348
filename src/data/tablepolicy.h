/* SPDX-License-Identifier: Apache-2.0
 * Where an access_policy doesn't fit the tables of its artifact. A rule that names a column which
 * the table doesn't have is false for everyone but the owner (data/rowpolicy.h), and rules of a
 * table that doesn't exist do nothing: both are mostly typing mistakes. */
#ifndef VITRINE_TABLEPOLICY_H
#define VITRINE_TABLEPOLICY_H
#include "data/table.h"

/* Appends a sentence for each such place in `text` (NULL: there is no policy) to *out. table NULL
 * means all of them. artifact_id NULL: it has no tables yet. */
enum err tablepolicy_warn(struct ctx *c, const char *artifact_id, const char *text,
    const char *table, struct strs *out);
/* Of a policy that is published. E_INVALID for a column that a table doesn't have, unless the
 * artifact a (NULL: a new one) has this policy already. Everything else goes to *out. */
enum err tablepolicy_check(
    struct ctx *c, const struct artifact *a, const char *text, struct strs *out);
#endif
