/* SPDX-License-Identifier: Apache-2.0
 * Finds the page for a visitor of a content host: the artifact of the host's label, and whether the
 * visitor may see it. That takes one statement; with a cookie up to three more, if core/guess.h
 * guessed wrong or the visitor has no access. */
#ifndef VITRINE_VISIT_H
#define VITRINE_VISIT_H
#include "core/reach.h"

#define SITE_SEEN(F, T) \
	F(T, ID,   id, .arg = "art_") \
	F(T, SLUG, slug) \
	F(T, STR,  visibility) \
	F(T, BOOL, paused) \
	F(T, BOOL, deleted) \
	F(T, INT,  version_no) \
	F(T, BOOL, version_open) \
	F(T, STR,  entrypoint) \
	F(T, STR,  routing) \
	F(T, STR,  subdomain) \
	F(T, STR,  moved_to) \
	F(T, STR,  role) \
	F(T, BOOL, is_open) \
	F(T, ID,   user_id, .arg = "usr_") \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, STR,  name) \
	F(T, BOOL, live) \
	F(T, ID,   owner_id, .arg = "usr_") \
	F(T, BOOL, published) \
	F(T, BOOL, closed) \
	F(T, BOOL, by_agent) \
	F(T, BOOL, in_workspace) \
	F(T, STR,  member_access) \
	F(T, BOOL, fenced) \
	F(T, STR,  member) \
	F(T, STR,  collaborator) \
	F(T, BOOL, named) \
	F(T, BOOL, outside) \
	F(T, STR,  client_given) \
	F(T, STR,  person_given) \
	F(T, INT,  given) \
	TIER_ROW(F, T)
/* slug is the artifact's present one. moved_to is the domain to which its plain address redirects.
 * version_no is 0 if there is no such version; version_open is true if everybody who can see the
 * artifact can see the version. entrypoint and routing may be NULL before visit_version(). role is
 * NULL if there is no valid cookie, or its person has no role; "external" for a person who sees the
 * artifact, only its live version and one under review, by a grant: then user_id, workspace_id and
 * name are set. is_open: everybody can see the artifact. The fields from owner_id on are facts
 * (core/rights.h) that only visit.c reads. */
SHAPE_DECLARE(site_seen, SITE_SEEN);

/* Finds the artifact that has the slug, or once had it, and its version `no` (0: the live one).
 * cookie is the viewer's (core/viewer.h) or NULL. *out is NULL if no artifact ever had the slug, or
 * it is hidden from the viewer. */
enum err
visit_find(struct ctx *c, const char *slug, int64_t no, const char *cookie, struct site_seen **out);
/* A sealed pass, in a request header, with which our own browser sees one version of an artifact
 * for a minute (runner/picture.c): at the version's address or, if it is live, at the artifact's.
 * It has no person: it opens only the version’s tree, not data. */
#define VISIT_PASS "X-Vitrine-Pass"
const char *visit_pass(struct ctx *c, const char *artifact_id, int64_t no);
/* visit_find() with such a pass; *out is NULL if the pass isn’t valid here. */
enum err visit_find_by_pass(
    struct ctx *c, const char *slug, int64_t no, const char *pass, struct site_seen **out);
/* visit_find() by the name of a frame of the review view (core/viewer.h); *out is NULL if it has
 * ended, or nobody is signed in by it any more. */
enum err visit_find_by_frame(struct ctx *c, const char *name, struct site_seen **out);
/* Returns the id of the artifact that a label belongs to, for any visitor; "" if there is none. */
enum err visit_host(struct ctx *c, const char *slug, const char **artifact_id);
/* Fills in entrypoint and routing of an existing version. */
enum err visit_version(struct ctx *c, struct site_seen *s);
/* True if this address has a version that the visitor may see; false for NULL. */
bool visit_may(const struct site_seen *);
/* True if everybody may see it: the live version of an open artifact, and other versions whose own
 * address is open. Others need a role, as in the API. */
bool visit_is_open(const struct site_seen *);
/* *mime is the declared media type of a file of the version; NULL if the version has no row for
 * path. */
enum err visit_mime(
    struct ctx *c, const struct site_seen *, const char *path, const char **mime);
#endif
