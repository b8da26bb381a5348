/* SPDX-License-Identifier: Apache-2.0
 * Governance: the rights of a workspace’s admins over all of its artifacts, including those of its
 * owner. Artifacts in the trash are excluded. Source: interface, "Admin governance";
 * share/README.md. */
#ifndef VITRINE_GOVERN_H
#define VITRINE_GOVERN_H
#include "core/artifact.h"
#include "core/workspace.h"
#include "people/people.h"

#define GOVERNED(F, T) \
	F(T, ID,   id,           .arg = "art_") \
	F(T, STR,  name) \
	F(T, SLUG, slug) \
	F(T, URL,  url) \
	F(T, OBJ,  owner,        .sub = &ws_user_shape) \
	F(T, WORD, visibility,   .arg = VISIBILITIES) \
	F(T, BOOL, paused) \
	F(T, WORD, paused_by,    .flags = F_NUL, .arg = PAUSERS, \
		.doc = "admin: an admin of its workspace; " \
		       "operator: the operator of the service, who alone can resume it") \
	F(T, STR,  pause_reason, .flags = F_NUL) \
	F(T, ID,   folder_id,    .flags = F_NUL, .arg = "fld_") \
	F(T, INT,  version_no,   .flags = F_NUL, \
		.doc = "The live version; null while there are only drafts") \
	F(T, INT,  views_30d,    .doc = "Views in the last 30 days, up to a minute or two behind") \
	F(T, INT,  size_bytes,   .doc = "Size of all its versions and data") \
	F(T, INT,  grants, \
		.doc = "Number of people and organizations outside the workspace " \
		       "it's shared with") \
	F(T, TIME, updated_at) \
	F(T, STR,  folder_name,  .flags = F_HID)
SHAPE_DECLARE(governed, GOVERNED);

#define GOVERN_QUERY(F, T) \
	F(T, STR,  q,          .hi = 200, .doc = "Part of the name or slug") \
	F(T, ID,   owner_id,   .arg = "usr_") \
	F(T, WORD, visibility, .arg = VISIBILITIES) \
	F(T, BOOL, paused, \
		.doc = "1: only paused artifacts; 0: only those that aren't paused") \
	F(T, STR,  folder_id,  .lo = 1, .hi = 40, \
		.doc = "Only those in this folder; root: only those in no folder") \
	F(T, WORD, sort,       .arg = "updated_at|views_30d|size_bytes", .def = "updated_at", \
		.doc = "Newest or largest first") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(govern_query, GOVERN_QUERY);

#define GOVERN_PAUSE(F, T) \
	F(T, BOOL, paused, .flags = F_REQ, .eg = "true") \
	F(T, STR,  reason, .flags = F_NUL | F_LONG, .hi = 500, \
		.doc = "Shown to its owner and kept in the audit log")
SHAPE_DECLARE(govern_pause, GOVERN_PAUSE);
#define GOVERN_VISIBILITY(F, T) F(T, WORD, visibility, .flags = F_REQ, .arg = VISIBILITIES)
SHAPE_DECLARE(govern_visibility, GOVERN_VISIBILITY);
#define GOVERN_TRANSFER(F, T) \
	F(T, ID, new_owner_id, .flags = F_REQ, .arg = "usr_", \
		.doc = "A member, or an agent with an active token")
SHAPE_DECLARE(govern_transfer, GOVERN_TRANSFER);

/* The index of the sort order leads. *next is NULL on the last page. */
enum err govern_list(struct ctx *c, const struct workspace *w, const struct govern_query *,
    struct governed_list *out, const char **next);
/* The artifact, locked, as `who` has it. E_NOT_FOUND unless it is of the workspace and not in the
 * trash. */
enum err govern_get(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id, struct artifact **out);
/* Reads the artifact in the form of the table; E_NOT_FOUND as above. */
enum err govern_row(
    struct ctx *c, const struct workspace *w, const char *id, struct governed **out);

/* After these acts, and after a deletion or purge, the artifact's owner gets an e-mail about it,
 * unless the owner is the actor. */

/* E_DENIED if an operator has paused it. */
enum err govern_pause_set(
    struct ctx *c, const struct artifact *a, const struct govern_pause *in);
/* Opens the artifact, with the refusals of artifact_change(). */
enum err govern_show(struct ctx *c, const struct artifact *a, const char *visibility);
/* Lists people to whom an artifact of the workspace may be given, as people_find() does. */
enum err govern_heirs(struct ctx *c, const struct workspace *w, const char *q, int64_t limit,
    struct ws_person_list *out);
/* E_INVALID unless the heir is a member, or an agent whose token is live. The former owner stays as
 * an editor while they are a member, and both are mailed. E_STORAGE_FULL as storage_move() says
 * it. */
enum err govern_give(
    struct ctx *c, const struct workspace *w, const struct artifact *a, const char *heir_id);
#endif
