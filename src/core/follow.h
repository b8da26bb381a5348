/* SPDX-License-Identifier: Apache-2.0
 * Reports changes of the core’s things to the nouns that follow them, which change their own rows
 * in the same transaction. The core knows none of these nouns. Each declares at the bottom of its
 * file which changes it follows, and which of its rows are deleted with a purged artifact.
 * app/nouns.c and noun.def of the folders list their names. */
#ifndef VITRINE_FOLLOW_H
#define VITRINE_FOLLOW_H
#include "db/db.h"

/* The changes. Each comment names the fields of struct happened that are set. */
enum happening {
	ARTIFACT_OPENS, /* art, visibility: the new one; a follower may refuse */
	ARTIFACT_DELETED, /* art */
	ARTIFACT_PURGED, /* art */
	ARTIFACT_BACK, /* art: restored from the trash, or no longer paused */
	ARTIFACT_LEAVES, /* art: leaves its workspace */
	ARTIFACT_MOVED, /* art, workspace_id: the new one, or NULL */
	EDITOR_LOST, /* art, user_id: who can no longer edit it */
	MEMBER_CAME, /* workspace_id, user_id */
	MEMBER_RANKED, /* workspace_id, user_id: their role is another */
	MEMBER_LEFT, /* workspace_id, user_id; heir_id gets what they owned; followers revoke the
		      * links by which they let strangers in, and add their number to *links */
	OWNER_CHANGED, /* workspace_id, user_id: the new owner, from_id: the former one */
	MEMBERSHIPS_CHANGED, /* user_id: the number of their workspaces has changed */
	USER_CAME, /* user_id: a new account */
	USER_DISABLED, /* user_id */
	STAFF_ENDED, /* user_id: who is no longer staff */
	USER_MERGED, /* user_id gets all that from_id had; from_id's row is deleted last */
	USER_DELETED, /* user_id; the row of the account is deleted last */
	WORKSPACE_RENAMED, /* ws, slug */
	WORKSPACE_DELETED, /* ws */
	WORKSPACE_BACK, /* ws */
	WORKSPACE_PURGED, /* workspace_id; its row is deleted last; repeated while a follower sets
			   * *more */
	FOLDER_EMPTY, /* folder_ids; followers add to *files how many of their things lie there */
	FOLDER_DELETED, /* folder_ids; followers move up to FOLDER_PIECE things from there into
			 * parent_id; repeated while one sets *more */
	FILE_DELETED, /* file_id: a file of a workspace's asset library */
	TABLE_MADE, /* artifact_id, table: a new table, which may replace one of that name */
	TABLE_CHANGED, /* artifact_id, table: its rows or columns have changed */
	COLUMNS_RENAMED, /* artifact_id, table, renames: {"old":"new"} of its columns */
	FINDERS_CHANGE, /* Other people find these now: artifact_id and its things; or, with user_id
			 * and workspace_id (NULL: all), all artifacts that they own or work on
			 * there */
	VERSION_ANSWERS, /* art, version_no, user_id: who publishes it; answers: the threads that it
			  * resolves; a follower may refuse */
	VERSION_LIVE, /* art, version_no: made live by something else than its publish */
	VERSION_PASSED, /* artifact_id: its draft was rejected or superseded; version_no: this
			 * draft was removed */
	VERSION_MADE, /* art, which has an open review or has had remarks; version_no, digest: its
		       * new version */
	APPROVAL_DECIDED, /* art, version_no, user_id: who decided; decision */
	REACH_ENDED, /* find_id: a person or client, of whom a grant has ended or shrunk, or a
		      * client who has lost somebody */
	SENDING_FAILED, /* find_id: of a row of outbox, which is deleted next */
	CLIENT_JOINED, /* user_id: is one of a client's people now, or no longer */
	WORDS_CHANGED, /* find_kind, find_id: the texts that find it have changed, see
			* core/find.h */
};
enum { FOLDER_PIECE = 2000 };
struct approval_decision;
struct artifact;
struct principal;
struct publish_answers;
struct workspace;
struct happened {
	const struct artifact *art;
	const struct workspace *ws;
	const char *artifact_id, *workspace_id, *user_id, *from_id, *table, *visibility, *slug;
	const char *heir_id, *file_id, *find_id, *renames, *digest;
	int find_kind;
	int64_t version_no;
	struct publish_answers *answers; /* site/publishing.h */
	const struct approval_decision *decision; /* site/approval.h */
	const char *folder_ids; /* JSON, for ID_TABLE */
	const char *parent_id;
	int64_t *files, *links;
	bool *more; /* NULL, or set by a follower that has done one piece and has more to do */
};
struct follows {
	enum happening of;
	enum err (*then)(struct ctx *, const struct happened *); /* NULL ends the list */
};
#define FOLLOWS(noun, ...) \
	extern const struct follows noun##_follows[]; \
	const struct follows noun##_follows[] = { __VA_ARGS__, { 0, NULL } }
extern const struct follows *const followers[]; /* app/nouns.c; ends with NULL */

/* Defines user_goes(), which USERS_FOLLOW puts into FOLLOWS, for the columns of a noun that name
 * accounts. Each line below is one column. When accounts are merged, the remaining account gets the
 * rows (EITHER: unless it has such a row). When an account is deleted, the column becomes NULL
 * (UNSET), or the row is deleted (ENDS, EITHER). A line may be a statement with from and to; to is
 * NULL after a deletion. */
#define USERS(lines) \
	static enum err user_goes(struct ctx *c, const struct happened *h) \
	{ \
		const char *from = h->from_id ? h->from_id : h->user_id; \
		const char *to = h->from_id ? h->user_id : NULL; \
		(void)to; \
		lines return E_OK; \
	}
#define USERS_FOLLOW { USER_MERGED, user_goes }, { USER_DELETED, user_goes }
#define USER_GIVE(update, table, column) \
	db_exec(c, EXEC(update " " #table " SET " #column " = ? WHERE " #column " = ?"), \
	    ARGS(to, from), NULL)
#define USER_DELETE(table, column) \
	db_exec(c, EXEC("DELETE FROM " #table " WHERE " #column " = ?"), ARGS(from), NULL)
#define USER_UNSET(table, column) TRY(USER_GIVE("UPDATE", table, column));
#define USER_ENDS(table, column) \
	TRY(to ? USER_GIVE("UPDATE", table, column) : USER_DELETE(table, column));
#define USER_EITHER(table, column) \
	if (to) \
		TRY(USER_GIVE("UPDATE IGNORE", table, column)); \
	TRY(USER_DELETE(table, column));

/* Defines workspace_purged(), for FOLLOWS, for a noun with one table and few rows per workspace.
 * `also` is a further condition. The file includes db/db.h. */
#define WORKSPACE_ROWS(table, also) \
	static enum err workspace_purged(struct ctx *c, const struct happened *h) \
	{ \
		return db_exec(c, EXEC("DELETE FROM " #table " WHERE workspace_id = ?" also), \
		    ARGS(h->workspace_id), NULL); \
	}

/* Calls the followers in the order of followers[]. The first refusal is returned and ends the
 * transaction. */
enum err follow(struct ctx *c, enum happening of, const struct happened *h);

/* Rows that are deleted with a purged artifact. Foreign keys would delete all of them in one
 * transaction. Each is a statement that takes the artifact’s id and a limit; tables that others
 * refer to come last. The runner repeats each until it deletes fewer rows than the limit
 * (care/purge.c), then deletes the artifact’s row. */
struct purges {
	struct stmt *const *v;
	size_t n;
};
#define PURGES(noun, ...) \
	STMTS(noun##_purged, __VA_ARGS__); \
	extern const struct purges noun##_purges; \
	const struct purges noun##_purges = { noun##_purged, \
		sizeof noun##_purged / sizeof *noun##_purged }
#define ROWS_OF(table) STMT("DELETE FROM " #table " WHERE artifact_id = ? LIMIT ?")
extern const struct purges *const purges[]; /* app/nouns.c; ends with NULL */
#endif
