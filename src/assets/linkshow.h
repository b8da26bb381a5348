/* SPDX-License-Identifier: Apache-2.0
 * Shows the files of delivery links to the web server: nginx alone sends links without a gate and
 * without an expiry, from files that store/delivery.h makes of the rows. Code that changes what a
 * link shows reports it here, in the same transaction. */
#ifndef VITRINE_LINKSHOW_H
#define VITRINE_LINKSHOW_H
#include "db/db.h"

/* FROM and WHERE of the files f, d, b that a link l shows at the time that is their first
 * parameter: the latest versions of those that its maker may see, while the maker has access. */
#define LINK_STANDS_TABLES \
	" STRAIGHT_JOIN user m ON m.id = l.user_id AND m.disabled_at IS NULL" \
	" LEFT JOIN workspace w ON w.id = l.workspace_id" \
	" LEFT JOIN member x ON x.workspace_id = l.workspace_id AND x.user_id = l.user_id"
#define LINK_STANDS \
	" l.revoked_at IS NULL AND (l.expires_at IS NULL OR l.expires_at > ?)" \
	" AND (l.workspace_id IS NULL OR (w.deleted_at IS NULL AND x.user_id IS NOT NULL))"
#define LINK_MAKER_SEES "(d.owner_id = l.user_id OR d.visibility = 'workspace')"
#define LINK_FILES \
	" STRAIGHT_JOIN asset_collection_file f ON f.collection_id = l.collection_id" \
	" STRAIGHT_JOIN deliverable d ON d.id = f.deliverable_id AND " LINK_MAKER_SEES \
	" STRAIGHT_JOIN asset_blob b ON b.id = d.blob_id"

#define LINK_ID(F, T) F(T, ID, id, .arg = "lnk_")
SHAPE_DECLARE(link_id, LINK_ID);
#define LINK_ONE(id_) ((struct link_id_list){ &(struct link_id){ .id = (id_) }, 1 })

/* The secret in its address; link_seal() is how it is stored. NULL: another key has sealed it. */
const char *link_secret(struct ctx *c, const char *id, const char *sealed);
const char *link_seal(struct ctx *c, const char *id, const char *secret);

/* Updates the files that these links show: right after the commit, and again by the runner if that
 * failed. */
enum err links_follow(struct ctx *c, const struct link_id_list *);
/* links_follow() for all links that contain a file. Call it before the file is deleted. */
enum err links_of_file_follow(struct ctx *c, const char *deliverable_id);
enum err links_revoke(struct ctx *c, const struct link_id_list *);
enum err links_of_collection_revoke(struct ctx *c, const char *collection_id);
#define LINK_IS_OPEN "gate = 'none' AND expires_at IS NULL AND revoked_at IS NULL"

/* ids: of links, as ids_json() has them. */
enum err links_show(struct ctx *c, const char *ids);
/* Fetches the files of a link that are only in the store. */
enum err link_fetch(struct ctx *c, const char *id);
/* Updates the files of one link; for the runner. */
enum err link_show(struct ctx *c, const char *id);
/* Compares all shown files with the rows. mend: corrects differences; else adds them to *wrong. */
enum err links_check(struct ctx *c, bool mend, int64_t *wrong);
#endif
