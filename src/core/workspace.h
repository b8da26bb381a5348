/* SPDX-License-Identifier: Apache-2.0
 * Workspaces, in which teams publish. To people who are not members, a workspace doesn't exist.
 * Every change of a workspace, and of things that belong to it, locks its row first; the caller's
 * role is read under that lock (core/who_api.c). Rows live in c->mem. Source: interface,
 * "Workspaces"; core/README.md. */
#ifndef VITRINE_WORKSPACE_H
#define VITRINE_WORKSPACE_H
#include "base/principal.h"
#include "core/role.h"
#include "core/tier.h"
#include "db/db.h"

enum { WORKSPACES_OWNED = 10 /* one person may own */ };

#define MEMBER_ACCESS "viewer|editor|none"
#define WORKSPACE_SETTINGS(F, T) \
	F(T, WORD, member_access, .arg = MEMBER_ACCESS, \
		.doc = "Role of members on the private artifacts of others in the workspace", \
		.eg = "\"viewer\"") \
	F(T, WORD, default_visibility, .flags = F_NUL, .arg = VISIBILITIES, \
		.doc = "What a new artifact becomes when its publisher doesn't say; " \
		       "null: private. Folders can have their own") \
	F(T, STR,  description,   .flags = F_NUL | F_LONG, .hi = 500)
SHAPE_DECLARE(workspace_settings, WORKSPACE_SETTINGS);

#define SEATS(F, T) \
	F(T, INT, used) \
	F(T, INT, limit,     .flags = F_NUL, .doc = "null: no limit") \
	F(T, INT, remaining, .flags = F_NUL) \
	F(T, INT, pending,   .doc = "Open invites; they don't take a seat")
SHAPE_DECLARE(seats, SEATS);

#define WORKSPACE(F, T) \
	F(T, ID,   id,         .arg = "wsp_") \
	F(T, STR,  name) \
	F(T, SLUG, slug) \
	F(T, URL,  logo_url,   .flags = F_NUL) \
	F(T, WORD, role,       .arg = MEMBER_ROLES, .doc = "Your role") \
	F(T, STR,  tier) \
	F(T, OBJ,  settings,   .sub = &workspace_settings_shape) \
	F(T, OBJ,  seats,      .sub = &seats_shape) \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, TIME, deleted_at, .flags = F_NUL) \
	F(T, STR,  logo,       .flags = F_HID, .doc = "Last part of logo_url") \
	F(T, STR,  subdomain,  .flags = F_HID, .doc = "Its label while it is on") \
	F(T, STR,  agent_bound, .flags = F_HID, .doc = "AGENT_BOUND of who looks") \
	TIER_ROW(F, T)
SHAPE_DECLARE(workspace, WORKSPACE);

/* A workspace found by its slug: complete for its members; for people who may join
 * (core/accesspolicy.h) only that it exists. */
#define WORKSPACE_FOUND(F, T) \
	F(T, ID,   id,       .arg = "wsp_") \
	F(T, STR,  name) \
	F(T, SLUG, slug) \
	F(T, URL,  logo_url, .flags = F_NUL) \
	F(T, BOOL, can_join, .doc = "You aren't a member, and its access policy lets you join") \
	F(T, WORD, role,       .flags = F_OPT, .arg = MEMBER_ROLES) \
	F(T, STR,  tier,       .flags = F_OPT) \
	F(T, OBJ,  settings,   .flags = F_OPT, .sub = &workspace_settings_shape) \
	F(T, OBJ,  seats,      .flags = F_OPT, .sub = &seats_shape) \
	F(T, TIME, created_at, .flags = F_OPT) \
	F(T, TIME, updated_at, .flags = F_OPT) \
	F(T, STR,  logo,       .flags = F_HID)
SHAPE_DECLARE(workspace_found, WORKSPACE_FOUND);

#define WORKSPACE_NEW(F, T) \
	F(T, STR,  name,     .flags = F_REQ, .lo = 1, .hi = 120) \
	F(T, SLUG, slug,     .lo = 2, .hi = 30, .doc = "Default: generated from the name") \
	F(T, OBJ,  settings, .sub = &workspace_settings_shape)
SHAPE_DECLARE(workspace_new, WORKSPACE_NEW);

#define WORKSPACE_EDIT(F, T) \
	F(T, STR,  name,     .lo = 1, .hi = 120, .eg = "\"Another name\"") \
	F(T, SLUG, slug,     .lo = 2, .hi = 30) \
	F(T, OBJ,  settings, .sub = &workspace_settings_shape, \
		.doc = "Omitted settings stay unchanged")
SHAPE_DECLARE(workspace_edit, WORKSPACE_EDIT);

#define WORKSPACE_QUERY(F, T) \
	F(T, BOOL, deleted, .doc = "1: list the workspaces that you deleted and can restore") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(workspace_query, WORKSPACE_QUERY);

/* Reads a workspace for a member. E_NOT_FOUND for others, and for a token that is confined to
 * another workspace; E_DENIED for an agent that it bars. lock: locks its row and the caller's
 * membership. */
enum err workspace_get(struct ctx *c, const char *id, const struct principal *who, bool lock,
    struct workspace **out);
/* Reads the workspace for a person who isn’t in it and may join: role is NULL. */
enum err workspace_get_to_join(
    struct ctx *c, const char *id, bool lock, const struct workspace **out);
/* True if a person with this role sees all artifacts of the workspace; else they see their own and
 * those shared with them. */
bool workspace_shows_all(const struct workspace *);
#define WORKSPACE_HELD(F, T) \
	F(T, ID,   id, .arg = "wsp_") \
	F(T, STR,  agent_bound) \
	F(T, BOOL, needs_approval,     .doc = "What of it becomes open does (site/approval.h)") \
	F(T, WORD, default_visibility, .arg = VISIBILITIES) \
	F(T, BOOL, shares,   .doc = "Something of it may be shared with people outside") \
	F(T, ID,   owner_id, .arg = "usr_", .doc = "Of whom outside it is for, alone")
SHAPE_DECLARE(workspace_held, WORKSPACE_HELD);
/* Finds the workspace for a new thing of the caller: `wanted`, or (NULL) the one that their token
 * is confined to; out->id is NULL for the caller's own. Locks its row. E_NOT_FOUND if they are not
 * in it, E_DENIED for an agent that may not change anything there. */
enum err workspace_for(struct ctx *c, const struct principal *who, const char *wanted,
    struct workspace_held *out);
/* Locks the workspace’s row, and with it the grants on its things. */
enum err workspace_hold(struct ctx *c, const char *id);
/* Locks the workspace of a folder for a person whose grant lets them publish there, and checks that
 * grant again under the lock (core/reach.h). */
enum err workspace_of_folder(struct ctx *c, const struct principal *who, const char *folder_id,
    struct workspace_held *out);
/* Computes the workspace’s tier from its row. */
struct tier workspace_tier(struct ctx *c, const struct workspace *);
/* Returns the address of the logo with that name; NULL for NULL. */
const char *workspace_logo_url(struct ctx *c, const char *logo);
/* Returns the label of its subdomain; NULL if that is off. */
enum err workspace_subdomain(struct ctx *c, const char *id, const char **label);
/* Finds a workspace by its slug, or one that it had within the last 30 days. */
enum err workspace_by_slug(struct ctx *c, const char *slug, const struct principal *who,
    struct workspace_found **out);
/* Lists the workspaces of `who`, oldest first. */
enum err workspace_list(struct ctx *c, const struct principal *who, const struct workspace_query *,
    struct workspace_list *out, const char **next);

/* E_LIMIT_REACHED if somebody owns as many workspaces as one person may. Locks their account's
 * row. */
enum err workspace_may_own(struct ctx *c, const char *user_id);
/* Creates a workspace that `who` owns. E_LIMIT_REACHED past WORKSPACES_OWNED, E_SLUG_TAKEN. */
enum err workspace_add(struct ctx *c, const struct principal *who, const struct workspace_new *,
    const char **id);
enum err workspace_change(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct workspace_edit *);
/* Projects everything of the workspace again after the commit, in this process or the runner. */
enum err workspace_pages_show(struct ctx *c, const char *id);
/* Moves it to the trash: its artifacts close, its tokens end for good, and its members have no
 * access until it is restored. who NULL: an operator. */
enum err workspace_delete(
    struct ctx *c, const struct workspace *, const struct principal *who);
/* who NULL: an operator, for whom WORKSPACES_OWNED doesn't count. */
enum err workspace_restore(
    struct ctx *c, const struct workspace *, const struct principal *who);
/* Records in the audit what `who` (NULL: an operator, or the service) did to the workspace; before
 * and after as in struct audit. */
enum err audit_workspace(struct ctx *c, const struct workspace *, const struct principal *who,
    const char *action, const char *before, const char *after);
/* For vitrinectl: finds a workspace by its id or slug, with `role` NULL; lists all by id, `limit`
 * after `after` ("" from the start). */
enum err workspace_named(struct ctx *c, const char *name, struct workspace **out);
enum err workspace_owner_email(struct ctx *c, const char *id, const char **out);
enum err workspace_list_all(
    struct ctx *c, const char *after, int64_t limit, struct workspace_list *out);
#endif
