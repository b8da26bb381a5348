/* SPDX-License-Identifier: Apache-2.0
 * What statements read of an artifact for somebody, for those of artifact.c and artifact_find.c. */
#ifndef VITRINE_ARTIFACT_ROW_H
#define VITRINE_ARTIFACT_ROW_H
#include "core/role.h"

/* p is put before each column's name, so that the columns fill an object of the row's shape
 * ("art."); "" fills the row itself. `role` is ROLE_COLUMN (role.h) of the subject that looks. */
#define ARTIFACT_COLUMNS(p, role) \
	ARTIFACT_PLAIN(p) ", " IS_FAVORITE(p) ", " ARTIFACT_SUBDOMAIN " AS `" p "subdomain`," \
	" IF(wm.role IS NULL, NULL, wk.name) AS `" p "workspace_name`," \
	" wk.member_access AS `" p "member_access`, " role " AS `" p "role`"
#define ARTIFACT_PLAIN(p) \
	"a.id AS `" p "id`, a.name AS `" p "name`, a.slug AS `" p "slug`," \
	" a.visibility AS `" p "visibility`, a.workspace_id AS `" p "workspace_id`," \
	" a.folder_id AS `" p "folder_id`, a.owner_id AS `" p "owner_id`," \
	" a.last_no AS `" p "last_no`, a.live_no AS `" p "version_no`," \
	" a.paused_at IS NOT NULL AS `" p "paused`, a.pauser AS `" p "paused_by`," \
	" a.pause_reason AS `" p "pause_reason`," \
	" a.created_at AS `" p "created_at`, a.updated_at AS `" p "updated_at`," \
	" a.deleted_at AS `" p "deleted_at`," \
	" a.social_title AS `" p "social_title`," \
	" a.social_description AS `" p "social_description`," \
	" a.social_image_url AS `" p "social_image_url`, a.comments_open AS `" p "comments_open`," \
	" a.comment_mails AS `" p "comment_mails`, a.live_mobile AS `" p "has_mobile`, " \
	ARTIFACT_IS_OPEN " AS `" p "is_open`"
#define IS_FAVORITE(p) "f.user_id IS NOT NULL AS `" p "is_favorite`"
#define FAVORITE_TABLE(id, user) \
	" LEFT JOIN favorite f ON f.artifact_id = " id " AND f.user_id = " user
#define ARTIFACT_TABLES(user) ROLE_TABLES(user) FAVORITE_TABLE("a.id", user)

/* Fills in addresses and words, and takes out what is not for who looks. */
struct artifact;
void artifact_dress(struct ctx *c, struct artifact *a);
#endif
