/* SPDX-License-Identifier: Apache-2.0
 * Slugs that may be taken, and slugs made from names. base/id.h has the grammar. */
#ifndef VITRINE_SLUG_H
#define VITRINE_SLUG_H
#include "base/ctx.h"
#include "base/id.h"

bool slug_reserved(const char *s);
enum err slug_check(struct ctx *c, const char *s); /* E_INVALID */
/* Makes a slug of the name by transliteration, at most 48 characters; "" if the name has nothing
 * that can be written so. */
const char *slug_from_name(void *owner, const char *name);
const char *slug_random(void *owner, size_t chars);
const char *slug_with_tail(void *owner, const char *base, size_t chars);

/* Returns the label of an artifact's host: its slug, followed by its workspace's subdomain (NULL:
 * none) if both fit. */
const char *slug_host(void *owner, const char *slug, const char *subdomain);
/* Finds the slug of the artifact that is served at this domain; *slug is NULL if none is. */
enum err slug_of_domain(struct ctx *c, const char *host, const char **slug);
/* Returns the label of a version's host; NULL if it is longer than DNS allows. */
const char *slug_of_version(void *owner, const char *slug, int64_t no);
/* Splits such a label in two, in mem; *subdomain is NULL if it is a slug only. */
const char *slug_of_host(void *mem, const char *label, const char **subdomain);

/* A slug belongs to one artifact. When it is released, it is kept for its owner for trash_days. */
/* Gives the artifact a slug that nobody has and that isn't reserved for another owner.
 * E_SLUG_TAKEN. */
enum err slug_take(struct ctx *c, const char *slug, const char *owner, const char *artifact);
/* Takes the slug for somebody for whom it may be reserved. */
enum err slug_take_by(struct ctx *c, const char *slug, const char *taker, const char *owner,
    const char *artifact);
/* Returns the first slug that slug_make() tries, or NULL if the name gives none. */
const char *slug_from_name_once(void *owner, const char *name, bool open);
/* Takes a slug made from the name: the plain one if it is free and the artifact is open, else one
 * that can’t be guessed from the name. */
enum err slug_make(struct ctx *c, const char *name, bool open, const char *owner,
    const char *artifact, const char **out);
/* Takes a label as a workspace's subdomain (team/subdomain.h). */
enum err slug_take_label(struct ctx *c, const char *label, const char *workspace_id);
enum err slug_release_label(struct ctx *c, const char *label, const char *workspace_id);
enum err slug_release(struct ctx *c, const char *slug, const char *artifact);
#endif
