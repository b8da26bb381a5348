/* SPDX-License-Identifier: Apache-2.0
 * Slugs that may be taken, and slugs made from names. base/id.h has the grammar. */
#ifndef VITRINE_SLUG_H
#define VITRINE_SLUG_H
#include "base/ctx.h"
#include "base/id.h"

bool slug_reserved(const char *s);
enum err slug_check(struct ctx *c, const char *s); /* E_INVALID */
/* Transliterated, at most 48 characters; "" when nothing of the name can be written so. */
const char *slug_from_name(void *owner, const char *name);
const char *slug_random(void *owner, size_t chars);
const char *slug_with_tail(void *owner, const char *base, size_t chars);

/* A slug that is held belongs to one artifact; a released one stays with its owner for trash_days.
 */
/* Takes a new one, or one that its owner still has. E_SLUG_TAKEN. */
enum err slug_take(struct ctx *c, const char *slug, const char *owner, const char *artifact);
enum err slug_release(struct ctx *c, const char *slug, const char *artifact);
/* Whose it is; *artifact NULL when nobody holds it. */
enum err slug_find(struct ctx *c, const char *slug, const char **artifact);
/* Whether an artifact of owner's holds it, at the latest commit; locks the row. */
enum err slug_is_own(struct ctx *c, const char *slug, const char *owner, bool *yes);
#endif
