/* SPDX-License-Identifier: Apache-2.0
 * A workspace's host: https://<slug of the workspace>.<content_domain>/ is a front page of its
 * public artifacts. Its artifacts have addresses <slug>--<label> beside their own, which stay
 * valid. The label is unique among slugs of artifacts and labels. It ends with the plan
 * (subdomain_due); then its hosts redirect to the artifacts' own for SUBDOMAIN_KEPT_S. Source:
 * team/README.md. */
#ifndef VITRINE_SUBDOMAIN_H
#define VITRINE_SUBDOMAIN_H
#include "core/branding.h"
#include "store/sweep.h"

enum { SUBDOMAIN_KEPT_S = 30 * 86400, FRONT_PAGES = 100 };

#define SUBDOMAIN(F, T) \
	F(T, BOOL, enabled) \
	F(T, SLUG, slug, .doc = "The workspace's slug, which is the host's label") \
	F(T, STR,  host) \
	F(T, URL,  url,  .doc = "The front page, which lists what the workspace shows to everyone")
SHAPE_DECLARE(subdomain, SUBDOMAIN);

#define SUBDOMAIN_NEW(F, T) F(T, BOOL, enabled, .flags = F_REQ, .eg = "true")
SHAPE_DECLARE(subdomain_new, SUBDOMAIN_NEW);

/* Fills *out without checking the plan. */
void subdomain_tell(struct ctx *c, const struct workspace *, struct subdomain *out);
/* E_TIER_REQUIRED. */
enum err subdomain_get(struct ctx *c, const struct workspace *, struct subdomain *out);
/* E_TIER_REQUIRED; E_SLUG_TAKEN when an artifact has the label. */
enum err subdomain_set(
    struct ctx *c, const struct workspace *, const struct principal *who, bool on);

/* ---- for visitors ---- */

#define FRONT_ART(F, T) \
	F(T, ID,   id, .arg = "art_") \
	F(T, STR,  name) \
	F(T, SLUG, slug) \
	F(T, STR,  social_description) \
	F(T, URL,  url) \
	F(T, TIME, updated_at)
SHAPE_DECLARE(front_art, FRONT_ART);

/* Finds the workspace of a subdomain label; *workspace_id is NULL if there is none. */
enum err subdomain_of(struct ctx *c, const char *label, const char **workspace_id);
/* The public ones, newest first, FRONT_PAGES below the id `before` ("" from the start); *next is
 * NULL on the last page. */
enum err subdomain_pages(struct ctx *c, const char *workspace_id, const char *label,
    const char *before, struct front_art_list *out, const char **next);
/* *yes is true if the artifact's workspace has the label, or had it within SUBDOMAIN_KEPT_S. */
enum err subdomain_was(struct ctx *c, const char *artifact_id, const char *label, bool *yes);
#endif
