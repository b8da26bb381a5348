/* SPDX-License-Identifier: Apache-2.0
 * Grants: what people outside of a workspace may do with its things. A grant is of one folder (with
 * everything in it, however deep), artifact, or file, for one person or for a client, which means
 * all of its people. rights.h says what grants give; this file has the SQL that reads them. People
 * who have only grants can't list, look up, or count anything else. Source: sharing/README.md. */
#ifndef VITRINE_REACH_H
#define VITRINE_REACH_H
#include "core/role.h"
#include "core/tier.h"

#define GRANT_SUBJECTS "sharee|external_user"

/* Returns the rights that grants give `who` (may be NULL) on a folder, or on a file that its
 * workspace sees. All false if it doesn’t exist. */
enum err reach_folder(
    struct ctx *c, const struct principal *who, const char *folder_id, struct rights *out);
enum err reach_file(
    struct ctx *c, const struct principal *who, const char *deliverable_id, struct rights *out);

/* E_UNAUTHENTICATED for a client's token if its person is no longer the client's, the plan doesn't
 * include sharing, or the workspace is in the trash. One statement for such a token, none for
 * others. */
enum err reach_token_check(struct ctx *c, const struct principal *who);

/* True if the plan of the workspace includes sharing with people outside. */
bool reach_shares(const struct ctx *c, const struct tier_row *);

/* Columns for the fields client_given and person_given of a row, from GIVEN_TABLES. */
#define GIVEN_COLUMNS(p) \
	"gc.capability AS `" p "client_given`, gd.capability AS `" p "person_given`"
/* Joins the grants that the user has on the thing `a` and on the folders from folder_id up, by
 * clients (sharee: by that one only, unless it is NULL) and directly. A statement gives a row for
 * each pair of them; bits of all rows add up (capability_bits). Parameters: sharee, where it is
 * "?"; the time, twice. The ten folders are as many as there can be above each other. The subject
 * leads: people have few grants, while a thing can have many. */
#define GIVEN_TABLES(folder_id, user, sharee) \
	" LEFT JOIN folder f0 ON f0.id = " folder_id \
	" LEFT JOIN folder f1 ON f1.id = f0.parent_id" \
	" LEFT JOIN folder f2 ON f2.id = f1.parent_id" \
	" LEFT JOIN folder f3 ON f3.id = f2.parent_id" \
	" LEFT JOIN folder f4 ON f4.id = f3.parent_id" \
	" LEFT JOIN folder f5 ON f5.id = f4.parent_id" \
	" LEFT JOIN folder f6 ON f6.id = f5.parent_id" \
	" LEFT JOIN folder f7 ON f7.id = f6.parent_id" \
	" LEFT JOIN folder f8 ON f8.id = f7.parent_id" \
	" LEFT JOIN folder f9 ON f9.id = f8.parent_id" \
	" LEFT JOIN sharee_member gm FORCE INDEX (sharee_member_user) ON gm.user_id = " user \
	" AND gm.workspace_id = a.workspace_id AND COALESCE(gm.sharee_id = " sharee ", TRUE)" \
	" LEFT JOIN share_grant gc FORCE INDEX (share_grant_subject)" \
	" ON gc.subject_id = gm.sharee_id AND gc.workspace_id = a.workspace_id" \
	" AND gc.resource_id IN (a.id, f0.id, f1.id, f2.id, f3.id, f4.id, f5.id, f6.id, f7.id," \
	" f8.id, f9.id) AND COALESCE(gc.expires_at > ?, TRUE)" \
	" LEFT JOIN share_grant gd FORCE INDEX (share_grant_subject)" \
	" ON gd.subject_id = " user " AND gd.workspace_id = a.workspace_id" \
	" AND gd.resource_id IN (a.id, f0.id, f1.id, f2.id, f3.id, f4.id, f5.id, f6.id, f7.id," \
	" f8.id, f9.id) AND COALESCE(gd.expires_at > ?, TRUE)"
#endif
