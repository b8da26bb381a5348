/* SPDX-License-Identifier: Apache-2.0
 * Columns that artifact.c and artifact_find.c read of an artifact. */
#ifndef VITRINE_ARTIFACT_ROW_H
#define VITRINE_ARTIFACT_ROW_H
#include "core/role.h"

/* Columns of the artifact `a`. p ("art." or "") is the prefix of each name, so that the columns
 * fill an object of the row's shape, or the row itself. */
#define ARTIFACT_PLAIN(p) \
	"a.id AS `" p "id`, a.name AS `" p "name`, a.slug AS `" p "slug`," \
	" a.visibility AS `" p "visibility`, a.workspace_id AS `" p "workspace_id`," \
	" a.folder_id AS `" p "folder_id`, a.owner_id AS `" p "owner_id`," \
	" a.last_no AS `" p "last_no`, a.live_no AS `" p "version_no`," \
	" a.pinned_no AS `" p "pinned_version`, a.checks AS `" p "check_bits`," \
	" a.paused_at IS NOT NULL AS `" p "paused`, a.pauser AS `" p "paused_by`," \
	" a.pause_reason AS `" p "pause_reason`," \
	" a.created_at AS `" p "created_at`, a.updated_at AS `" p "updated_at`," \
	" a.deleted_at AS `" p "deleted_at`, a.closed AS `" p "closed`," \
	" a.by_agent AS `" p "by_agent`, a.social_title AS `" p "social_title`," \
	" a.social_description AS `" p "social_description`," \
	" a.social_image_url AS `" p "social_image_url`, a.comments_open AS `" p "comments_open`," \
	" a.comments_from AS `" p "comments_from`," \
	" a.comment_mails AS `" p "comment_mails`, a.live_mobile AS `" p "has_mobile`," \
	" a.domains AS `" p "domain_hosts`, a.review_id AS `" p "review_id`," \
	" a.anchored AS `" p "anchored`," \
	" a.reviewed_id AS `" p "reviewed_id`, a.reviewed_no AS `" p "reviewed_no`," \
	" a.reviewed_at AS `" p "reviewed_at`," \
	" a.reviewed_live = a.live_no AS `" p "reviewed_applies`"
/* ARTIFACT_PLAIN for a list, which adds ROLE_COLUMN (core/role.h) as role. */
#define ARTIFACT_COLUMNS \
	ARTIFACT_PLAIN("") ", " ARTIFACT_IS_OPEN " AS is_open, f.user_id IS NOT NULL" \
	" AS is_favorite, wk.subdomain, IF(wm.role IS NULL, NULL, wk.name) AS workspace_name," \
	" wk.member_access"
#define FAVORITE_TABLE(user) \
	" LEFT JOIN favorite f FORCE INDEX (PRIMARY) ON f.artifact_id = a.id AND f.user_id = " user

/* Columns of one artifact: facts for rights_of(), and more. They need FACTS_TABLES and
 * FAVORITE_TABLE. */
#define FACTS_COLUMNS(p) \
	"a.access_policy AS `" p "access_policy`, wk.id IS NOT NULL AS `" p "in_workspace`," \
	" wk.subdomain AS `" p "subdomain`, wk.name AS `" p "workspace_name`," \
	" wk.member_access AS `" p "member_access`, wk.agents AS `" p "agents`," \
	" wk.fenced AS `" p "fenced`, wk.catalog AS `" p "has_catalog`," \
	" wk.publish_policy = 'require_approval' AS `" p "needs_approval`," \
	" wm.role AS `" p "member`, co.role AS `" p "collaborator`," \
	" f.user_id IS NOT NULL AS `" p "is_favorite`"
/* Fills in addresses and words, and removes the fields that the viewer may not see. */
struct artifact;
void artifact_dress(struct ctx *c, struct artifact *a);
#endif
