/* SPDX-License-Identifier: Apache-2.0
 * People outside a workspace who can open one of its things, and the grant that lets them: of the
 * thing, or of a folder above it. Source: sharing/README.md. */
#ifndef VITRINE_OUTSIDERS_H
#define VITRINE_OUTSIDERS_H
#include "core/outside.h"
#include "core/reach.h"
#include "core/workspace.h"
#include "sharing/share_grant.h"

/* A thing that an admin can share: an artifact outside the trash, or a file that the workspace
 * sees. */
#define SHARE_THING(F, T) \
	F(T, WORD, type,      .arg = OUTSIDE_THINGS) \
	F(T, STR,  id) \
	F(T, STR,  name) \
	F(T, ID,   folder_id, .arg = "fld_", .doc = "That it lies in; NULL: in none")
SHAPE_DECLARE(share_thing, SHARE_THING);
/* E_NOT_FOUND. */
enum err share_thing_get(struct ctx *c, const struct workspace *, const char *type,
    const char *id, struct share_thing **out);

enum { OUTSIDERS_MOST = 200, SHARE_KNOWN_MOST = 100 };

#define SHARE_ACCESS(F, T) \
	F(T, ID,   grant_id,     .arg = "grt_") \
	F(T, WORD, subject_type, .arg = GRANT_SUBJECTS) \
	F(T, STR,  subject_id) \
	F(T, STR,  subject_name, .doc = "The client's name, or the person's, or their address") \
	F(T, STR,  email,        .doc = "Of a person who has a name") \
	F(T, BOOL, invited,      .doc = "A person who has no account yet") \
	F(T, INT,  people,       .doc = "Of a client") \
	F(T, WORD, capability,   .arg = CAPABILITIES) \
	F(T, TIME, expires_at,   .doc = "0: it doesn't end by itself") \
	F(T, ID,   through_id,   .arg = "fld_", .doc = "The folder; NULL: the thing itself") \
	F(T, STR,  through_name)
SHAPE_DECLARE(share_access, SHARE_ACCESS);
/* Lists recipients of the thing first, then those of the nearest folder, at most OUTSIDERS_MOST,
 * without expired grants. */
enum err outsiders_of(struct ctx *c, const struct workspace *, const struct share_thing *,
    struct share_access_list *out);

/* Clients and outside people that the workspace knows, to choose from. */
#define SHARE_KNOWN(F, T) \
	F(T, STR, value) \
	F(T, INT, people, .doc = "Of a client")
SHAPE_DECLARE(share_known, SHARE_KNOWN);
enum err share_known_list(
    struct ctx *c, const struct workspace *, struct share_known_list *out);
/* Finds the client with this name, in any case or spelling of its characters; *id is NULL if there
 * is none. */
enum err share_client_named(
    struct ctx *c, const struct workspace *, const char *name, const char **id);
#endif
