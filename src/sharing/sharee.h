/* SPDX-License-Identifier: Apache-2.0
 * A client: an organization outside of a workspace, with people of its own (sharee_member.h). They
 * may do what the client's grants allow. Every change locks the workspace's row (core/who_api.c).
 * Source: interface, "External sharing"; sharing/README.md. */
#ifndef VITRINE_SHAREE_H
#define VITRINE_SHAREE_H
#include "core/artifact.h"
#include "core/workspace.h"
#include "store/object.h"

enum {
	SHAREES = 1000, /* of a workspace */
	SHAREE_CHARS = 120,
	SHAREE_LOGO_BYTES = 256 << 10,
	SHAREE_PROPERTIES = 50,
	SHAREE_PROPERTIES_BYTES = 16 << 10
};

#define SHAREE_BRANDING(F, T) \
	F(T, URL, logo,  .flags = F_NUL) \
	F(T, STR, color, .flags = F_NUL, .doc = "#rrggbb")
SHAPE_DECLARE(sharee_branding, SHAREE_BRANDING);

#define SHAREE(F, T) \
	F(T, ID,   id,           .arg = "shr_") \
	F(T, STR,  name) \
	F(T, STR,  type) \
	F(T, JSON, properties,   .arg = "object") \
	F(T, OBJ,  branding,     .sub = &sharee_branding_shape) \
	F(T, INT,  member_count, .doc = "People, including those who haven't signed in yet") \
	F(T, TIME, created_at) \
	F(T, STR,  name_key,     .flags = F_HID) \
	F(T, STR,  logo_name,    .flags = F_HID, .doc = "Last part of branding.logo")
SHAPE_DECLARE(sharee, SHAREE);

#define SHAREE_BRANDING_NEW(F, T) \
	F(T, STR, logo,  .flags = F_NUL, .lo = 1, .hi = SHAREE_LOGO_BYTES / 3 * 4 + 64, \
		.doc = "A data: URL of a PNG, JPEG or WebP image of up to 256 KiB; " \
		       "the address that you read is left as it is") \
	F(T, STR, color, .flags = F_NUL, .lo = 7, .hi = 7, .doc = "#rrggbb", \
		.eg = "\"#0a5c9e\"")
SHAPE_DECLARE(sharee_branding_new, SHAREE_BRANDING_NEW);

#define SHAREE_FIELDS(F, T, name_flags) \
	F(T, STR,  name,       .flags = name_flags, .lo = 1, .hi = SHAREE_CHARS, \
		.doc = "Must differ from other clients' names, ignoring case", \
		.eg = "\"Harbour Foods\"") \
	F(T, STR,  type,       .lo = 1, .hi = 40, \
		.doc = "A word of your own, such as client or partner") \
	F(T, JSON, properties, .flags = F_NUL, .arg = "object", .hi = SHAREE_PROPERTIES_BYTES, \
		.doc = "Up to 50 values of your own: text, numbers, true, false or null") \
	F(T, OBJ,  branding,   .flags = F_NUL, .sub = &sharee_branding_new_shape)
#define SHAREE_NEW(F, T) SHAREE_FIELDS(F, T, F_REQ)
SHAPE_DECLARE(sharee_new, SHAREE_NEW);
/* Missing fields stay; null removes. */
#define SHAREE_EDIT(F, T) SHAREE_FIELDS(F, T, 0)
SHAPE_DECLARE(sharee_edit, SHAREE_EDIT);

#define SHAREE_QUERY(F, T) \
	F(T, STR, q, .hi = SHAREE_CHARS, .doc = "Part of the name, ignoring case") \
	PAGE_FIELDS(F, T, 2000)
SHAPE_DECLARE(sharee_query, SHAREE_QUERY);

/* Sorted by name. */
enum err sharee_list(struct ctx *c, const struct workspace *, const struct sharee_query *,
    struct sharee_list *out, const char **next);
/* E_NOT_FOUND. */
enum err sharee_get(
    struct ctx *c, const struct workspace *, const char *id, struct sharee **out);
/* Before the transaction: decodes and stores the logo that a branding has. *out is NULL when it has
 * none that is new. E_INVALID, E_FILE_TOO_LARGE. */
enum err sharee_logo_store(
    struct ctx *c, const struct sharee_branding_new *, struct object **out);
/* logo: of sharee_logo_store(). E_CONFLICT when another client has the name; E_LIMIT_REACHED past
 * SHAREES; E_INVALID. */
enum err sharee_add(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct sharee_new *, const struct object *logo, const char **id);
enum err sharee_change(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct sharee *, const struct sharee_edit *, const struct object *logo);
/* Deletes a client, with its people's memberships, its grants, tokens, notes, and records of their
 * acts. Artifacts that they made stay. */
enum err sharee_delete(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct sharee *);
/* Records in the audit what was done to a client. */
enum err audit_sharee(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *action, const struct sharee *, const char *before, const char *after);
#endif
