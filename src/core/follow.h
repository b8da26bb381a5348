/* SPDX-License-Identifier: Apache-2.0
 * Reports changes of the core’s things to the nouns that follow them, which act on their own rows
 * in the same transaction. The core knows none of them; each declares at the bottom of its file
 * which changes it follows, and which of its rows go with a purged artifact. noun.def of its folder
 * names it. */
#ifndef VITRINE_FOLLOW_H
#define VITRINE_FOLLOW_H
#include "db/db.h"

/* With each, what is said of it in struct happened. */
enum happening {
	ARTIFACT_OPENS, /* art, visibility: it is to become that; a follower may refuse */
	ARTIFACT_DELETED, /* art */
	ARTIFACT_PURGED, /* art */
	ARTIFACT_BACK, /* art: it is out of the trash, or paused no more */
	ARTIFACT_LEAVES, /* art: its workspace */
	ARTIFACT_MOVED, /* art, workspace_id: it is there now; NULL: in none */
	EDITOR_LOST, /* art, user_id: they may not edit it any more */
	MEMBER_CAME, /* workspace_id, user_id */
	MEMBER_LEFT, /* workspace_id, user_id; heir_id has what was theirs; *links grows by what
		      * they had let strangers in by, which ends */
	OWNER_CHANGED, /* workspace_id: user_id owns it, whom from_id was before */
	MEMBERSHIPS_CHANGED, /* user_id: they are in another number of workspaces */
	USER_DISABLED, /* user_id */
	USER_MERGED, /* user_id has what was from_id's, whose row goes last */
	USER_DELETED, /* user_id, whose row goes last */
	WORKSPACE_RENAMED, /* ws, slug */
	WORKSPACE_DELETED, /* ws */
	WORKSPACE_BACK, /* ws */
	WORKSPACE_PURGED, /* workspace_id, whose row goes last; may be said again, see more */
	FOLDER_EMPTY, /* folder_ids: *files grows by what else lies in them */
	FOLDER_DELETED, /* folder_ids: of what lies in them, FOLDER_PIECE go into parent_id; said
			 * again as long as there is more */
	FILE_DELETED, /* file_id: of the asset library of a workspace */
	TABLE_MADE, /* artifact_id, table: another than before, if there was one of the name */
	TABLE_CHANGED, /* artifact_id, table: its rows or columns */
	FINDERS_CHANGE, /* artifact_id; or user_id, workspace_id (NULL: wherever), of all that they
			 * own or work on there: others find it, and what is its */
	WORDS_CHANGED, /* find_kind, find_id: what it is found by, see core/find.h */
};
enum { FOLDER_PIECE = 2000 };
struct artifact;
struct workspace;
struct happened {
	const struct artifact *art;
	const struct workspace *ws;
	const char *artifact_id, *workspace_id, *user_id, *from_id, *table, *visibility, *slug;
	const char *heir_id, *file_id, *find_id;
	int find_kind;
	const char *folder_ids; /* JSON, for ID_TABLE */
	const char *parent_id;
	int64_t *files, *links;
	bool *more; /* unless NULL: set by one who has only done a piece, before whom others wait */
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

/* workspace_purged(), for FOLLOWS, of a noun with few rows of a workspace in one table; those that
 * `also` says besides. The file includes db/db.h. */
#define WORKSPACE_ROWS(table, also) \
	static enum err workspace_purged(struct ctx *c, const struct happened *h) \
	{ \
		return db_exec(c, EXEC("DELETE FROM " #table " WHERE workspace_id = ?" also), \
		    ARGS(h->workspace_id), NULL); \
	}

/* In the order of followers[]; the first refusal is the caller's, and ends the transaction. */
enum err follow(struct ctx *c, enum happening of, const struct happened *h);

/* Rows that go with a purged artifact: foreign keys would delete all of them in one transaction.
 * Each is a statement that takes the artifact’s id and a limit; tables that others refer to come
 * last. The runner repeats each until it deletes fewer rows than the limit (care/purge.c), then
 * deletes the artifact’s row. */
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
