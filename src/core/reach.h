/* SPDX-License-Identifier: Apache-2.0
 * What grants let people outside of a workspace do with its things. A grant is of one folder (with
 * everything in it, however deep, as it stands), artifact, or file, for one person or for a client,
 * which is all of its people. It gives nothing where the plan doesn't include sharing, where the
 * workspace is in the trash, once its time is over, where the thing is of another workspace by now,
 * and to whoever is in the workspace. What it gives counts beside roles (core/role.h), and is no
 * role: nothing is listed, looked up, or counted for who has it. Only this file and reach.c read
 * share_grant to judge somebody. Source: sharing/README.md. */
#ifndef VITRINE_REACH_H
#define VITRINE_REACH_H
#include "core/role.h"
#include "core/tier.h"

#define CAPABILITIES "view|comment|create|edit"

/* What somebody may do by all their grants on a thing. */
struct reach {
	bool view;    /* its live version, as a stranger sees one that is unlisted */
	bool comment; /* read and write comments */
	bool create;  /* a folder: publish new artifacts in it */
	bool edit;    /* publish versions and write data; a file: add a version */
};

/* Each leaves *out all false where there is nothing. who may be NULL. A token with grants_only has
 * what its client and its person were given in its workspace; one that is confined otherwise has
 * nothing; a connected agent has what its person was given, as far as the thing's workspace lets
 * agents. */
enum err reach_artifact(
    struct ctx *c, const struct principal *who, const char *artifact_id, struct reach *out);
enum err reach_folder(
    struct ctx *c, const struct principal *who, const char *folder_id, struct reach *out);
/* Of a deliverable that its workspace sees. */
enum err reach_file(
    struct ctx *c, const struct principal *who, const char *deliverable_id, struct reach *out);

/* A client's token ends with its person's membership: E_UNAUTHENTICATED then, and while the plan
 * doesn't include sharing or the workspace is in the trash. One statement, for such a token. */
enum err reach_token_check(struct ctx *c, const struct principal *who);

/* ---- for a statement that finds a thing `a` of its workspace `wk`, by MEMBER_TABLES ---- */

/* Whether grants are to be asked at all; spares everybody else what is below. */
bool reach_may(const struct principal *who);

/* The folders that a.folder_id lies in, itself first: as many as there can be (FOLDER_DEPTH). */
#define REACH_TABLES REACH_TABLES_FROM("a.folder_id")
#define REACH_TABLES_FROM(folder_id) \
	" LEFT JOIN folder f0 ON f0.id = " folder_id REACH_UP_("f0", "f1") REACH_UP_("f1", "f2") \
	    REACH_UP_("f2", "f3") REACH_UP_("f3", "f4") REACH_UP_("f4", "f5") \
		REACH_UP_("f5", "f6") REACH_UP_("f6", "f7") REACH_UP_("f7", "f8") \
		    REACH_UP_("f8", "f9")
#define REACH_UP_(child, parent) \
	" LEFT JOIN folder " parent " ON " parent ".id = " child ".parent_id"
/* As bits, what grants on the thing and on those folders give the user, directly and by their
 * clients (sharee: by that one only, unless it is NULL). REACH_ARGS are for where sharee is "?";
 * else they are the time, twice. */
#define REACH_GIVEN(user, sharee) \
	"IF(wk.id IS NULL OR wm.role IS NOT NULL, 0," \
	" (SELECT " REACH_BITS_ " FROM share_grant g WHERE g.subject_id = " user REACH_COVERS_ ")" \
	" | (SELECT " REACH_BITS_ " FROM sharee_member gm" \
	" JOIN share_grant g ON g.subject_id = gm.sharee_id WHERE gm.user_id = " user \
	" AND gm.workspace_id = a.workspace_id AND COALESCE(gm.sharee_id = " sharee ", TRUE)" \
	    REACH_COVERS_ "))"
#define REACH_ARGS(c, who) (c)->now, (who)->sharee_id, (c)->now
enum { REACH_VIEW = 1, REACH_COMMENT = 2, REACH_CREATE = 4, REACH_EDIT = 8 };
#define REACH_BITS_ \
	"BIT_OR(CASE g.capability WHEN 'view' THEN 1 WHEN 'comment' THEN 3 WHEN 'create' THEN 5" \
	" WHEN 'edit' THEN 11 END)"
#define REACH_COVERS_ \
	" AND g.resource_id IN (a.id, f0.id, f1.id, f2.id, f3.id, f4.id, f5.id, f6.id, f7.id," \
	" f8.id, f9.id) AND g.workspace_id = a.workspace_id AND COALESCE(g.expires_at > ?, TRUE)"

/* What is behind such bits, in a workspace that has TIER_COLUMNS("wk"). */
void reach_read(
    const struct ctx *c, int64_t given, const struct tier_row *, struct reach *out);
#endif
