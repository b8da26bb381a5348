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
#define GRANT_SUBJECTS "sharee|external_user"

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

/* As bits, what grants on the thing, and on the folders that it lies in, give the user, directly
 * and by their clients (sharee: by that one only, unless it is NULL). They are joined, so the
 * statement ends with REACH_GROUP. Arguments: REACH_ARGS where sharee is "?", else the time,
 * twice. */
#define REACH_GIVEN \
	"IF(wk.id IS NULL OR wm.role IS NOT NULL, 0, BIT_OR(" REACH_GIVEN_EACH "))"
/* Where neither is so: a row for each pair of grants, to be put together by who reads them; that is
 * a tenth of the statement less. */
#define REACH_GIVEN_EACH REACH_BITS_("gc") " | " REACH_BITS_("gd")
#define REACH_TABLES(user, sharee) REACH_TABLES_FROM("a.folder_id", user, sharee)
#define REACH_TABLES_FROM(folder_id, user, sharee) \
	REACH_WAY_(folder_id) \
	" LEFT JOIN sharee_member gm FORCE INDEX (sharee_member_user) ON gm.user_id = " user \
	" AND gm.workspace_id = a.workspace_id AND COALESCE(gm.sharee_id = " sharee ", TRUE)" \
	    REACH_JOIN_("gc", "gm.sharee_id") REACH_JOIN_("gd", user)
#define REACH_GROUP " GROUP BY a.id"
#define REACH_ARGS(c, who) (who)->sharee_id, (c)->now, (c)->now
/* Something is given, but for who is in the workspace. */
#define REACH_IS "(gc.id IS NOT NULL OR gd.id IS NOT NULL)"

enum { REACH_VIEW = 1, REACH_COMMENT = 2, REACH_CREATE = 4, REACH_EDIT = 8 };
#define REACH_BITS_(g) \
	"CASE " g ".capability WHEN 'view' THEN 1 WHEN 'comment' THEN 3 WHEN 'create' THEN 5" \
	" WHEN 'edit' THEN 11 ELSE 0 END"
/* Led by the subject, who has few: the optimizer would weigh each resource, which many have. */
#define REACH_JOIN_(g, subject) \
	" LEFT JOIN share_grant " g " FORCE INDEX (share_grant_subject) ON " g ".subject_id = " \
	subject " AND " g ".workspace_id = a.workspace_id AND " g ".resource_id IN (a.id, f0.id," \
	" f1.id, f2.id, f3.id, f4.id, f5.id, f6.id, f7.id, f8.id, f9.id)" \
	" AND COALESCE(" g ".expires_at > ?, TRUE)"
/* As many as there can be above each other (FOLDER_DEPTH). */
#define REACH_WAY_(folder_id) \
	" LEFT JOIN folder f0 ON f0.id = " folder_id REACH_UP_("f0", "f1") REACH_UP_("f1", "f2") \
	    REACH_UP_("f2", "f3") REACH_UP_("f3", "f4") REACH_UP_("f4", "f5") \
		REACH_UP_("f5", "f6") REACH_UP_("f6", "f7") REACH_UP_("f7", "f8") \
		    REACH_UP_("f8", "f9")
#define REACH_UP_(child, parent) \
	" LEFT JOIN folder " parent " ON " parent ".id = " child ".parent_id"

/* What is behind such bits, in a workspace that has TIER_COLUMNS("wk"). */
void reach_read(
    const struct ctx *c, int64_t given, const struct tier_row *, struct reach *out);
#endif
