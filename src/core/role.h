/* SPDX-License-Identifier: Apache-2.0
 * Rights in SQL: the fragments with which statements list artifacts for somebody, and the tables
 * that facts are read from. core/rights.h decides for one artifact, and t/api/rights.t compares the
 * two. The statement's artifact table must be named `a`:
 *
 * "SELECT a.id, " ROLE_COLUMN " AS role, " ARTIFACT_IS_OPEN " AS is_open"
 * " FROM " SUBJECT_TABLE " JOIN artifact a" ROLE_TABLES("s.user_id") " WHERE a.owner_id = ?"
 * ARGS(SUBJECT(who), owner_id) */
#ifndef VITRINE_ROLE_H
#define VITRINE_ROLE_H
#include "core/rights.h"

/* A principal as a table of one row; SUBJECT gives its arguments. NULL is somebody who is not
 * signed in. */
#define SUBJECT_TABLE \
	"(SELECT ? AS user_id, ? AS workspace_id, ? AS grants_only, ? AS agent_host) s"
#define SUBJECT(who) \
	((who) ? (who)->user_id : NULL), ((who) ? (who)->workspace_id : NULL), \
	    ((who) && (who)->grants_only), ((who) ? (who)->agent_host : NULL)

/* The limit of a workspace w for a connected agent of some host, as agent_bound() computes it.
 * AGENT_ARGS are its arguments if host is "?". */
#define AGENT_BOUND(w, host) \
	"CASE WHEN " host " IS NULL THEN NULL WHEN " w ".agents = 'off' THEN 'off'" \
	" WHEN FIND_IN_SET(" host ", " w ".agent_hosts) = 0 THEN 'host'" \
	" ELSE NULLIF(" w ".agents, 'on') END"
/* True if that limit bars the agent, as in agent_is_barred(). */
#define AGENT_BARRED(w, host) \
	"COALESCE(" host " IS NOT NULL AND (" w ".agents = 'off'" \
	" OR FIND_IN_SET(" host ", " w ".agent_hosts) = 0), FALSE)"
#define AGENT_ARGS(who) (who)->agent_host, (who)->agent_host

/* The user governs the workspace of the artifact. */
#define GOVERNS "wm.role IN ('admin', 'owner')"
/* The role on the artifact `a` of a person, or NULL. Nothing limits a person in a browser. A
 * collaborator needs to be a member, or named, where the workspace has an access policy. */
#define ROLE_OF(user) \
	"CASE WHEN a.closed THEN NULL WHEN a.owner_id = " user " THEN 'owner'" \
	" WHEN (wm.role <> 'agent' AND wk.member_access = 'editor')" \
	" OR (wm.role IN ('admin', 'owner') AND a.by_agent) THEN 'editor'" \
	" WHEN co.role IS NOT NULL AND (wk.fenced IS NOT TRUE OR wm.role IS NOT NULL OR EXISTS" \
	" (SELECT 1 FROM user fu JOIN workspace_allowed fa ON fa.workspace_id = wk.id" \
	" AND fa.value IN (fu.email, SUBSTRING_INDEX(fu.email, '@', -1))" \
	" WHERE fu.id = co.user_id)) THEN IF(co.role = 'editor', 'editor', 'viewer')" \
	" WHEN wm.role IN ('admin', 'owner')" \
	" OR (wm.role IS NOT NULL AND wk.member_access <> 'none') THEN 'viewer' END"
/* The subject's token doesn't reach the artifact's workspace, or the workspace bars the agent. */
#define SUBJECT_IS_KEPT_OUT \
	"(s.grants_only OR COALESCE(COALESCE(a.workspace_id, '') <> s.workspace_id, FALSE)" \
	" OR COALESCE(s.agent_host IS NOT NULL AND (wk.agents = 'off'" \
	" OR FIND_IN_SET(s.agent_host, wk.agent_hosts) = 0), FALSE))"
/* The subject's role on the artifact, and in its workspace. */
#define ROLE_COLUMN "IF(" SUBJECT_IS_KEPT_OUT ", NULL, " ROLE_OF("s.user_id") ")"
#define WORKSPACE_ROLE_COLUMN "IF(" SUBJECT_IS_KEPT_OUT ", NULL, wm.role)"

/* wk is the artifact's workspace, unless it is in the trash; wm.role is the user's role there. */
#define WORKSPACE_TABLE \
	" LEFT JOIN workspace wk ON wk.id = a.workspace_id AND wk.deleted_at IS NULL"
#define MEMBER_TABLES(user) \
	" LEFT JOIN workspace wk ON wk.id = a.workspace_id AND wk.deleted_at IS NULL" \
	" LEFT JOIN member wm ON wm.workspace_id = wk.id AND wm.user_id = " user
#define ROLE_TABLES(user) \
	" LEFT JOIN collaborator co ON co.artifact_id = a.id AND co.user_id = " user \
	" LEFT JOIN workspace wk ON wk.id = a.workspace_id AND wk.deleted_at IS NULL" \
	" LEFT JOIN member wm ON wm.workspace_id = wk.id AND wm.user_id = " user

/* ROLE_TABLES for a statement that reads the facts of one artifact. Each row is found by its
 * primary key, so that MariaDB doesn’t weigh other indexes. */
#define FACTS_TABLES(user) \
	" LEFT JOIN collaborator co FORCE INDEX (PRIMARY)" \
	" ON co.artifact_id = a.id AND co.user_id = " user \
	" LEFT JOIN workspace wk FORCE INDEX (PRIMARY)" \
	" ON wk.id = a.workspace_id AND wk.deleted_at IS NULL" \
	" LEFT JOIN member wm FORCE INDEX (PRIMARY)" \
	" ON wm.workspace_id = wk.id AND wm.user_id = " user
/* True if the artifact is open or the user is the owner, a collaborator, or a member. A condition
 * of the statement, so that what is hidden takes as long as what is absent: no row is read out. It
 * lets through a little more than rights_of(), which decides. */
#define FACTS_KNOWN(user) \
	"IF((a.visibility <> 'private' AND a.live_no IS NOT NULL AND a.deleted_at IS NULL" \
	" AND NOT a.closed) OR a.owner_id = " user " OR co.role IS NOT NULL" \
	" OR wm.role IS NOT NULL, TRUE, FALSE)"

/* ARTIFACT_IS_OPEN: facts_open(). ARTIFACT_IS_SHOWN: and not paused. ARTIFACT_IS_AWAKE: its jobs
 * run, and its metrics are measured. */
#define ARTIFACT_IS_OPEN \
	"(a.visibility <> 'private' AND a.live_no IS NOT NULL AND a.deleted_at IS NULL" \
	" AND NOT a.closed)"
#define ARTIFACT_IS_SHOWN "(" ARTIFACT_IS_OPEN " AND a.paused_at IS NULL)"
#define ARTIFACT_IS_AWAKE \
	"(a.paused_at IS NULL AND a.deleted_at IS NULL AND a.owner_id IS NOT NULL AND NOT a.closed)"
#endif
