/* SPDX-License-Identifier: Apache-2.0
 * Grants: what a client, or one outside person, may do with one folder, artifact, or file of a
 * workspace. core/rights.h says what they allow. Each change locks the workspace's row
 * (core/who_api.c), so a subject has at most one grant on a thing. Source: interface, "External
 * sharing"; sharing/README.md. */
#ifndef VITRINE_SHARE_GRANT_H
#define VITRINE_SHARE_GRANT_H
#include "core/artifact.h"
#include "core/outside.h"
#include "core/reach.h"
#include "core/workspace.h"
#include "sharing/outside_person.h"

enum { SHARE_GRANTS_MOST = 10000 /* of a workspace */ };

#define SHARE_GRANT(F, T) \
	F(T, ID,   id,            .arg = "grt_") \
	F(T, WORD, subject_type,  .arg = GRANT_SUBJECTS, \
		.doc = "sharee: everyone of a client; external_user: one person") \
	F(T, STR,  subject_id) \
	F(T, STR,  subject_name, \
		.doc = "The client's name, or the person's, or else their address") \
	F(T, WORD, resource_type, .arg = OUTSIDE_THINGS) \
	F(T, STR,  resource_id) \
	F(T, STR,  resource_name, .flags = F_NUL, \
		.doc = "null: a file that is private now, so that the grant gives nothing") \
	F(T, WORD, capability,    .arg = CAPABILITIES) \
	F(T, TIME, expires_at,    .flags = F_NUL, .doc = "null: it doesn't end by itself") \
	F(T, ID,   created_by,    .flags = F_NUL, .arg = "usr_", \
		.doc = "null: their account has been deleted") \
	F(T, TIME, created_at)
SHAPE_DECLARE(share_grant, SHARE_GRANT);

#define GRANT_EXPIRES(F, T) \
	F(T, TIME, expires_at,    .flags = F_NUL, \
		.doc = "When it ends, within five years; null or absent: not by itself")
#define SHARE_GRANT_NEW(F, T) \
	F(T, WORD, subject_type,  .flags = F_REQ, .arg = GRANT_SUBJECTS) \
	F(T, STR,  subject_id,    .flags = F_REQ, .lo = 1, .hi = 40, \
		.doc = "A client, or a person who is in one or has something here already") \
	F(T, WORD, resource_type, .flags = F_REQ, .arg = OUTSIDE_THINGS) \
	F(T, STR,  resource_id,   .flags = F_REQ, .lo = 1, .hi = 40) \
	F(T, WORD, capability,    .flags = F_REQ, .arg = CAPABILITIES, \
		.doc = "view: look at it; comment: also comment; edit: also publish versions and " \
		       "write data; create, of a folder: also publish artifacts in it, forced " \
		       "private. A file takes view and edit; comment counts as view") \
	GRANT_EXPIRES(F, T)
SHAPE_DECLARE(share_grant_new, SHARE_GRANT_NEW);

#define SHARE_GRANT_QUERY(F, T) \
	F(T, STR,  subject_id,    .lo = 1, .hi = 40, .doc = "Only those of this client or person") \
	F(T, EMAIL, email,        .doc = "Only those of the person with this address") \
	F(T, WORD, resource_type, .arg = OUTSIDE_THINGS) \
	F(T, STR,  resource_id,   .lo = 1, .hi = 40, \
		.doc = "Only those on this, not on what it lies in") \
	PAGE_FIELDS(F, T, 40)
SHAPE_DECLARE(share_grant_query, SHARE_GRANT_QUERY);

#define SHARE_PERSON_NEW(F, T) \
	F(T, EMAIL, email,        .flags = F_REQ, .eg = "\"priya@example.com\"") \
	F(T, WORD, resource_type, .flags = F_REQ, .arg = OUTSIDE_THINGS) \
	F(T, STR,  resource_id,   .flags = F_REQ, .lo = 1, .hi = 40) \
	F(T, WORD, capability,    .flags = F_REQ, .arg = "view|comment|edit", \
		.doc = "edit only of an artifact; grants can give more") \
	GRANT_EXPIRES(F, T) \
	F(T, STR,  message,       .flags = F_NUL | F_LONG, .hi = 1000, \
		.doc = "Goes into the e-mail that tells them")
SHAPE_DECLARE(share_person_new, SHARE_PERSON_NEW);

#define SHARED_PERSON(F, T) \
	F(T, OBJ,  grant,  .sub = &share_grant_shape) \
	F(T, OBJ,  person, .sub = &outside_person_shape) \
	F(T, BOOL, mailed, .doc = "Whether an e-mail is on its way; only what is new is mailed")
SHAPE_DECLARE(shared_person, SHARED_PERSON);

/* Newest first. *next is NULL on the last page. */
enum err share_grant_list(struct ctx *c, const struct workspace *, const struct share_grant_query *,
    struct share_grant_list *out, const char **next);
/* Lists the grants of a client and those of its people. *next is NULL on the last page. */
enum err share_grants_of_client(struct ctx *c, const struct workspace *, const char *sharee_id,
    const struct page_query *, struct share_grant_list *out, const char **next);
/* Grants access. If the subject has a grant on the same thing, this replaces its capability and
 * end, and *made is false. E_INVALID for a capability that the thing doesn't have, or a bad end;
 * E_NOT_FOUND, naming the field, for a subject or a thing that the workspace can't share;
 * E_INTERNAL_MEMBER; E_CONFLICT for the caller's own private file; E_LIMIT_REACHED. */
enum err share_grant_give(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct share_grant_new *, bool *made, struct share_grant **out);
/* Grants to an address, with or without an account, and mails it if something is new. */
enum err share_grant_to_person(struct ctx *c, const struct workspace *,
    const struct principal *who, const struct share_person_new *, struct shared_person *out);
/* Revokes a grant, which allows nothing from the commit on. E_NOT_FOUND. */
enum err share_grant_end(
    struct ctx *c, const struct workspace *, const struct principal *who, const char *id);
#endif
