/* SPDX-License-Identifier: Apache-2.0
 * Finds a text in a table's bytes, in any case, about as fast as memchr() reads them. */
#ifndef VITRINE_VIEWFIND_H
#define VITRINE_VIEWFIND_H
#include "base/viewtable.h"

struct finder;
/* q: valid UTF-8, one line, not empty. */
struct finder *finder_new(void *owner, const struct table *, const char *q);
/* Returns the first place in [from, to) where a record may have the text; `to` if none has. Places
 * must ascend from call to call. */
size_t finder_next(struct finder *, size_t from, size_t to);
/* True if a value of the record has the text. The record must contain a place of finder_next(). */
bool finder_fits(struct finder *, const struct table_record *);
/* True if the record has it. */
bool finder_in(struct finder *, const struct table_record *);
#endif
