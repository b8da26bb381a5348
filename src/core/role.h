/* SPDX-License-Identifier: Apache-2.0
 * Who has which role on which artifact. Only this file says it: as SQL for the statements that read
 * an artifact, a list, or a page for somebody, and in C for what they found. The statement's
 * artifact table must be named `a`:
 *
 * "SELECT a.id, " ROLE_COLUMN(AS_SUBJECT) " AS role, " ARTIFACT_IS_OPEN " AS is_open"
 * " FROM " SUBJECT_TABLE " JOIN artifact a" ROLE_TABLES("s.user_id") " WHERE a.id = ?"
 * ARGS(SUBJECT(who), id)
 *
 * The artifact's row names its owner; editors and viewers are its collaborators, and the members of
 * its workspace, as that has it. Who governs the workspace reads all of it, edits what its agents
 * own, and may take away and bring back. The roles of grants, of folders and files are to join
 * here. Source: share/README.md. */
#ifndef VITRINE_ROLE_H
#define VITRINE_ROLE_H
#include "base/principal.h"

#define ROLES "owner|editor|viewer"
enum role { ROLE_NONE, ROLE_VIEWER, ROLE_EDITOR, ROLE_OWNER };
enum role role_rank(const char *word); /* ROLE_NONE for NULL */

/* What somebody is in a workspace. An agent reads as a member does, and takes no seat. One owner
 * each. */
#define MEMBER_ROLES "agent|member|admin|owner"
#define MEMBER_ROLES_GIVEN "member|admin"
enum member_role { MEMBER_NONE, MEMBER_AGENT, MEMBER_MEMBER, MEMBER_ADMIN, MEMBER_OWNER };
enum member_role member_rank(const char *word); /* MEMBER_NONE for NULL */

/* The columns that describe the subject: its user, the workspace it is confined to ('': to what is
 * in none), whether it acts through grants only; and whether it may be a connected agent, by
 * s.agent_host (NULL: it is none), or is known not to be. That spares most statements what an agent
 * is asked. */
#define AS_SUBJECT "s.user_id", "s.workspace_id", "s.grants_only", MAYBE_AGENT
#define AS_NO_AGENT "s.user_id", "s.workspace_id", "s.grants_only", NO_AGENT
#define AS_TOKEN "t.user_id", "t.workspace_id", "t.grants_only", NO_AGENT /* core/authn.c */
#define AS_PERSON(user) user, "NULL", "FALSE", NO_AGENT /* a person in a browser */

/* A principal as a table of one row; SUBJECT gives its arguments. NULL is somebody who is not
 * signed in and so has no role. */
#define SUBJECT_TABLE \
	"(SELECT ? AS user_id, ? AS workspace_id, ? AS grants_only, ? AS agent_host) s"
#define SUBJECT(who) \
	((who) ? (who)->user_id : NULL), ((who) ? (who)->workspace_id : NULL), \
	    ((who) && (who)->grants_only), ((who) ? (who)->agent_host : NULL)

/* How a workspace's policy bounds a connected agent of that host, by its row w
 * (core/agentpolicy.h): 'read_only', 'off', 'host' (another's). NULL: not at all, or host is NULL,
 * or there is no such row. AGENT_ARGS are for where host is "?". */
#define AGENT_BOUND(w, host) \
	"CASE WHEN " host " IS NULL THEN NULL WHEN " w ".agents = 'off' THEN 'off'" \
	" WHEN FIND_IN_SET(" host ", " w ".agent_hosts) = 0 THEN 'host'" \
	" ELSE NULLIF(" w ".agents, 'on') END"
#define AGENT_ARGS(who) (who)->agent_host, (who)->agent_host
/* Whether it leaves nothing, not even reading. */
#define AGENT_BARRED(w, host) "COALESCE(" AGENT_BOUND(w, host) " IN ('off', 'host'), FALSE)"

bool agent_is_barred(const char *bound);
/* Why, in words for its person; NULL for NULL. */
const char *agent_words(struct ctx *, const struct principal *who, const char *bound);
/* E_DENIED where it may not read, and where it may change nothing. */
enum err agent_reads(struct ctx *, const struct principal *who, const char *bound);
enum err agent_changes(struct ctx *, const struct principal *who, const char *bound);

#define ROLE_COLUMN(...) ROLE_LET_(CO_ALLOWED, __VA_ARGS__)
/* The same for statements that each visit asks, without a look at access policies: NULL, with
 * ROLE_INVITED, for whom one must be asked about. Then ROLE_COLUMN(AS_NO_AGENT) has the answer.
 * Both are the role that an agent's person has: whoever asks looks at ROLE_BOUND, too. */
#define ROLE_COLUMN_QUICK(...) ROLE_CASE_(CO_UNFENCED, __VA_ARGS__)
#define ROLE_INVITED "co.role IS NOT NULL"
#define ROLE_BOUND(...) ROLE_BOUND_(__VA_ARGS__)
#define ROLE_BOUND_(user, workspace, grants, kind) BOUND_OF_##kind
#define BOUND_OF_MAYBE_AGENT AGENT_BOUND("wk", "s.agent_host")
#define BOUND_OF_NO_AGENT "NULL"
/* What is so for the subject's person, for the subject. */
#define LET_MAYBE_AGENT(is) "IF(" AGENT_BARRED("wk", "s.agent_host") ", NULL, " is ")"
#define LET_NO_AGENT(is) is
#define ROLE_LET_(...) ROLE_LET__(__VA_ARGS__)
#define ROLE_LET__(allowed, user, workspace, grants, kind) \
	LET_##kind(ROLE_CASE__(allowed, user, workspace, grants, kind))
#define ROLE_CASE_(...) ROLE_CASE__(__VA_ARGS__)
/* The artifact is where the subject is confined to: in that workspace, with '' in none. */
#define WITHIN_(workspace) "COALESCE(COALESCE(a.workspace_id, '') = " workspace ", TRUE)"
#define ROLE_CASE__(allowed, user, workspace, grants, kind) \
	"CASE WHEN " grants " OR a.closed" \
	" OR NOT " WITHIN_(workspace) " THEN NULL" \
	" WHEN a.owner_id = " user " THEN 'owner' ELSE " ROLE_OF_OTHERS(allowed) " END"
/* An agent reads as a member does, and writes only what it owns or is invited to. */
#define ROLE_OF_OTHERS(allowed) \
	"CASE WHEN (co.role = 'editor' AND " allowed ") OR (wm.role <> 'agent'" \
	" AND wk.member_access = 'editor') OR (a.by_agent AND " GOVERNS ") THEN 'editor'" \
	" WHEN (co.role IS NOT NULL AND " allowed ") OR " GOVERNS \
	" OR (wm.role IS NOT NULL AND wk.member_access <> 'none') THEN 'viewer' END"
/* Whom a workspace's access policy does not name is no collaborator there, unless they are in it
 * (core/accesspolicy.h). */
#define CO_UNFENCED "(wk.fenced IS NOT TRUE OR wm.role IS NOT NULL)"
#define CO_ALLOWED \
	"(wk.fenced IS NOT TRUE OR wm.role IS NOT NULL OR EXISTS" \
	" (SELECT 1 FROM user fu JOIN workspace_allowed fa ON fa.workspace_id = wk.id" \
	" AND fa.value IN (fu.email, SUBSTRING_INDEX(fu.email, '@', -1))" \
	" WHERE fu.id = co.user_id))"
/* The user of ROLE_TABLES governs the workspace that the artifact is of. */
#define GOVERNS "wm.role IN ('admin', 'owner')"
/* The role in the artifact's workspace, as far as the subject's token reaches; with ROLE_TABLES.
 * The second is what an agent's person has. */
#define WORKSPACE_ROLE_COLUMN(...) WORKSPACE_ROLE_LET_(__VA_ARGS__)
#define WORKSPACE_ROLE_PERSON(...) WORKSPACE_ROLE_(__VA_ARGS__)
#define WORKSPACE_ROLE_LET_(user, workspace, grants, kind) \
	LET_##kind(WORKSPACE_ROLE_(user, workspace, grants, kind))
#define WORKSPACE_ROLE_(user, workspace, grants, kind) \
	"IF(" grants " OR NOT " WITHIN_(workspace) ", NULL, wm.role)"
#define ROLE_TABLES(user) \
	" LEFT JOIN collaborator co ON co.artifact_id = a.id AND co.user_id = " user \
	    MEMBER_TABLES(user)
#define WORKSPACE_TABLE \
	" LEFT JOIN workspace wk ON wk.id = a.workspace_id AND wk.deleted_at IS NULL"
/* wm.role is what somebody is in the artifact's workspace. */
#define MEMBER_TABLES(user) \
	WORKSPACE_TABLE \
	" LEFT JOIN member wm ON wm.workspace_id = wk.id AND wm.user_id = " user

/* ARTIFACT_IS_OPEN: everybody may see the artifact, since it is not private, has a live version and
 * neither it nor its workspace is in the trash. A pause does not change that: visitors are told of
 * the pause. ARTIFACT_IS_SHOWN is false during a pause, too. */
#define ARTIFACT_IS_OPEN \
	"(a.visibility <> 'private' AND a.live_no IS NOT NULL AND a.deleted_at IS NULL" \
	" AND NOT a.closed)"
#define ARTIFACT_IS_SHOWN "(" ARTIFACT_IS_OPEN " AND a.paused_at IS NULL)"
/* The subject owns it outside of any workspace, which makes them its owner and nothing else does
 * (core/guess.h). The row is found by its primary key; IF keeps the optimizer from weighing the
 * indexes of owner and workspace, too, which is a tenth of the statement. */
#define ARTIFACT_IS_OWN(...) ARTIFACT_IS_OWN_(__VA_ARGS__)
#define ARTIFACT_IS_OWN_(user, workspace, grants, kind) \
	"IF(a.owner_id = " user " AND a.workspace_id IS NULL AND NOT a.closed" \
	" AND " workspace " IS NULL AND NOT " grants ", TRUE, FALSE)"
/* ARTIFACT_IS_KNOWN(user): it is open, or the user of ROLE_TABLES has a role on it. It goes into a
 * statement's condition, so that what is hidden takes as long as what is absent: no row of it is
 * read out. It lets through a little more than ROLE_COLUMN, which is what decides. */
#define ARTIFACT_IS_KNOWN(user) \
	"(" ARTIFACT_IS_OPEN " OR a.owner_id = " user " OR co.role IS NOT NULL" \
	" OR wm.role IS NOT NULL)"
/* ARTIFACT_IS_AWAKE: its jobs run, and what is watched is measured. */
#define ARTIFACT_IS_AWAKE \
	"(a.paused_at IS NULL AND a.deleted_at IS NULL AND a.owner_id IS NOT NULL AND NOT a.closed)"
/* The label of its workspace's subdomain; NULL: none. With WORKSPACE_TABLE. */
#define ARTIFACT_SUBDOMAIN "wk.subdomain"
#endif
