/* SPDX-License-Identifier: Apache-2.0
 * Slugs that may be taken, and slugs made from names. base/id.h has the grammar. */
#ifndef VITRINE_SLUG_H
#define VITRINE_SLUG_H
#include "base/ctx.h"
#include "base/id.h"

bool slug_reserved(const char *s);
enum err slug_check(struct ctx *c, const char *s); /* E_INVALID */
/* Makes a slug of the name by transliteration, at most 48 characters; "" when nothing of the name
 * can be written so. */
const char *slug_from_name(void *owner, const char *name);
const char *slug_random(void *owner, size_t chars);
const char *slug_with_tail(void *owner, const char *base, size_t chars);

/* The label of an artifact's host: its slug, with that of its workspace's subdomain (NULL: none)
 * behind it where both fit into one. */
const char *slug_host(void *owner, const char *slug, const char *subdomain);
/* The label of a version's host; NULL where it would be longer than a label of DNS may be. */
const char *slug_of_version(void *owner, const char *slug, int64_t no);
/* Cuts such a label in two, in mem; *subdomain is NULL when it is a slug alone. */
const char *slug_of_host(void *mem, const char *label, const char **subdomain);

/* A slug belongs to one artifact. When it is released, it is kept for its owner for trash_days. */
/* Gives the artifact a slug that nobody holds and that is not kept for another owner.
 * E_SLUG_TAKEN. */
enum err slug_take(struct ctx *c, const char *slug, const char *owner, const char *artifact);
/* Takes the slug for somebody for whom alone it may be kept. */
enum err slug_take_by(struct ctx *c, const char *slug, const char *taker, const char *owner,
    const char *artifact);
/* Takes a slug made from the name: the plain one if it is free and may be found (open), else one
 * that can’t be guessed from the name. */
enum err slug_make(struct ctx *c, const char *name, bool open, const char *owner,
    const char *artifact, const char **out);
/* Takes a label for a workspace, which then has it alone (team/subdomain.h). */
enum err slug_take_label(struct ctx *c, const char *label, const char *workspace_id);
enum err slug_release_label(struct ctx *c, const char *label, const char *workspace_id);
enum err slug_release(struct ctx *c, const char *slug, const char *artifact);
#endif
