/* SPDX-License-Identifier: Apache-2.0 */
#include "team/context.h"

#include "base/str.h"
#include "core/audit.h"
#include "core/follow.h"
#include "db/db.h"

SHAPE_DEFINE(context_file, CONTEXT_FILE);
SHAPE_DEFINE(context, CONTEXT);
SHAPE_DEFINE(context_entry, CONTEXT_ENTRY);
SHAPE_DEFINE(context_text, CONTEXT_TEXT);

#define CONTEXT_HEAD(F, T) F(T, STR, entry)
SHAPE(context_head, CONTEXT_HEAD);

enum err
context_get(struct ctx *c, const struct workspace *w, struct context **out)
{
	struct context_file_list files;
	struct context_head *head;

	TRY(db_one(c,
	    ROWS(context_head, "SELECT context_entry AS entry FROM workspace WHERE id = ?"),
	    ARGS(w->id), &head));
	TRY(db_all(c,
	    ROWS(context_file,
		"SELECT f.name, f.size_bytes, f.updated_at, f.sha256"
		", u.id AS `updated_by.user_id`, u.name AS `updated_by.name`,"
		" u.email AS `updated_by.email`, u.kind AS `updated_by.kind`"
		" FROM context_file f LEFT JOIN user u ON u.id = f.updated_by"
		" WHERE f.workspace_id = ? ORDER BY f.name"),
	    ARGS(w->id), &files));
	*out = mem_new(c->mem, struct context);
	(*out)->entry = head->entry;
	(*out)->files = (struct list){ files.v, files.n };
	return E_OK;
}

static enum err
context_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const char *name)
{
	return audit_add(c, w->id, who,
	    &(struct audit){ .action = action, .type = "context", .id = name, .name = name });
}

enum err
context_enter(
    struct ctx *c, const struct workspace *w, const struct principal *who, const char *entry)
{
	struct context_text *file;
	enum err e = entry ? context_read(c, w, entry, &file) : E_OK;

	if (e == E_NOT_FOUND)
		return fail(c, E_INVALID, "entry: there's no file %s; PUT it first", entry);
	TRY(e);
	TRY(db_exec1(c,
	    EXEC("UPDATE workspace SET context_entry = ?, updated_at = ? WHERE id = ?"),
	    ARGS(entry, c->now, w->id)));
	return entry ? context_audit(c, w, who, "context.entry", entry)
		     : audit_workspace(c, w, who, "context.no_entry", NULL, NULL);
}

enum err
context_read(struct ctx *c, const struct workspace *w, const char *name, struct context_text **out)
{
	return db_one(c,
	    ROWS(context_text,
		"SELECT f.name, f.content, f.size_bytes, f.updated_at, f.sha256"
		", u.id AS `updated_by.user_id`, u.name AS `updated_by.name`,"
		" u.email AS `updated_by.email`, u.kind AS `updated_by.kind`"
		" FROM context_file f LEFT JOIN user u ON u.id = f.updated_by"
		" WHERE f.workspace_id = ? AND f.name = ?"),
	    ARGS(w->id, name), out);
}

#define CONTEXT_COUNT(F, T) F(T, INT, n)
SHAPE(context_count, CONTEXT_COUNT);

enum err
context_write(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct context_text *old, const char *name, struct bytes content)
{
	uint8_t digest[SHA256_BYTES];
	struct context_count *row;

	TRY(text_file_check(c, &content, digest));
	if (!old) {
		TRY(db_one(c,
		    ROWS(context_count,
			"SELECT COUNT(*) AS n FROM context_file WHERE workspace_id = ?"),
		    ARGS(w->id), &row));
		TRY(text_file_room(c, "The context", row->n));
	}
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO context_file"
		" (workspace_id, name, content, sha256, size_bytes, updated_at, updated_by)"
		" VALUES (?, ?, ?, ?, ?, ?, ?)"
		" ON DUPLICATE KEY UPDATE content = VALUES(content), sha256 = VALUES(sha256),"
		" size_bytes = VALUES(size_bytes), updated_at = VALUES(updated_at),"
		" updated_by = VALUES(updated_by)"),
	    ARGS(w->id, name, content, ((struct bytes){ digest, sizeof digest }),
		(int64_t)content.n, c->now,
		who->user_id),
	    NULL));
	return context_audit(c, w, who, old ? "context.changed" : "context.added", name);
}

enum err
context_remove(
    struct ctx *c, const struct workspace *w, const struct principal *who, const char *name)
{
	TRY(db_exec1(c, EXEC("DELETE FROM context_file WHERE workspace_id = ? AND name = ?"),
	    ARGS(w->id, name)));
	TRY(db_exec(c,
	    EXEC("UPDATE workspace SET context_entry = NULL WHERE id = ? AND context_entry = ?"),
	    ARGS(w->id, name), NULL));
	return context_audit(c, w, who, "context.removed", name);
}

/* ---- when other things change ---- */

USERS(USER_UNSET(context_file, updated_by))
WORKSPACE_ROWS(context_file, "")
FOLLOWS(context, USERS_FOLLOW, { WORKSPACE_PURGED, workspace_purged });
