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
#endif
