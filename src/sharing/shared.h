/* SPDX-License-Identifier: Apache-2.0
 * Things that a person was granted: by workspace, with the contents of folders. Only things that
 * core/rights.h lets them open are listed; a member has nothing of their workspace here. Source:
 * sharing/README.md. */
#ifndef VITRINE_SHARED_H
#define VITRINE_SHARED_H
#include "core/artifact.h"
#include "core/filename.h"
#include "core/outside.h"
#include "core/reach.h"
#include "core/tier.h"

#define SHARED_WORKSPACE(F, T) \
	F(T, ID,  id,       .arg = "wsp_") \
	F(T, STR, name,     .doc = "As its branding has it") \
	F(T, URL, logo_url, .flags = F_NUL) \
	F(T, STR, color,    .flags = F_NUL, .doc = "#rrggbb") \
	F(T, STR, logo,     .flags = F_HID) \
	TIER_ROW(F, T)
SHAPE_DECLARE(shared_workspace, SHARED_WORKSPACE);

#define SHARED_THING(F, T) \
	F(T, WORD, resource_type, .arg = OUTSIDE_THINGS) \
	F(T, STR,  resource_id) \
	F(T, STR,  resource_name) \
	F(T, URL,  url, \
		.doc = "Of an artifact and a folder its page; of a file its bytes") \
	F(T, TIME, updated_at) \
	F(T, STR,  slug,          .flags = F_HID) \
	F(T, STR,  subdomain,     .flags = F_HID)

#define SHARED(F, T) \
	F(T, OBJ,  workspace,     .sub = &shared_workspace_shape) \
	F(T, STR,  client,        .flags = F_NUL, \
		.doc = "The client whose people have it; null: you have it yourself") \
	SHARED_THING(F, T) \
	F(T, WORD, capability,    .arg = CAPABILITIES) \
	F(T, TIME, expires_at,    .flags = F_NUL, .doc = "null: it doesn't end by itself") \
	F(T, ID,   grant_id,      .flags = F_HID, .arg = "grt_") \
	F(T, ID,   workspace_id,  .flags = F_HID, .arg = "wsp_") \
	F(T, WORD, kind,          .flags = F_HID, .arg = FILE_KINDS, \
		.doc = "Of a file, for pages") \
	F(T, BOOL, adds,          .flags = F_HID, \
		.doc = "A folder that they can publish in, for pages")
SHAPE_DECLARE(shared, SHARED);

SHAPE_DECLARE(shared_item, SHARED_THING);

#define SHARED_FOLDER(F, T) \
	F(T, ID,   id,           .arg = "fld_") \
	F(T, STR,  name) \
	F(T, ID,   parent_id,    .flags = F_NUL, .arg = "fld_", \
		.doc = "null where you don't have the folder that it is in") \
	F(T, OBJ,  workspace,    .sub = &shared_workspace_shape) \
	F(T, BOOL, can_comment,  .doc = "On the artifacts in it, here and below") \
	F(T, BOOL, can_create,   .doc = "Publish new artifacts in it") \
	F(T, BOOL, can_edit) \
	F(T, LIST, items,        .sub = &shared_item_shape, \
		.doc = "What lies directly in it: folders, files, artifacts, each newest first") \
	F(T, STR,  next_cursor,  .flags = F_NUL)
SHAPE_DECLARE(shared_folder, SHARED_FOLDER);

/* Lists a row for each grant, by workspace, the newest first. *next is NULL on the last page.
 * Leaves out things that are deleted, paused, private again, or without a live version. */
enum err shared_list(struct ctx *c, const struct principal *who, const struct page_query *,
    struct shared_list *out, const char **next);
/* E_NOT_FOUND unless they have it, or a folder that it lies in. */
enum err shared_folder_get(struct ctx *c, const struct principal *who, const char *id,
    const struct page_query *, struct shared_folder *out);
#endif
