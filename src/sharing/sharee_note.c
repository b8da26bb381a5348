/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/sharee_note.h"

#include "base/str.h"
#include "core/audit.h"
#include "core/follow.h"

SHAPE_DEFINE(sharee_note, SHAREE_NOTE);
SHAPE_DEFINE(sharee_note_text, SHAREE_NOTE_TEXT);

#define NOTE_CLIENT(F, T) \
	F(T, STR, name) \
	F(T, INT, notes)
SHAPE(note_client, NOTE_CLIENT);

static enum err
client_find(struct ctx *c, const struct workspace *w, const char *id, struct note_client **out)
{
	return db_one(c,
	    ROWS(note_client,
		"SELECT s.name, (SELECT COUNT(*) FROM sharee_note n WHERE n.sharee_id = s.id)"
		" AS notes FROM sharee s WHERE s.id = ? AND s.workspace_id = ?"),
	    ARGS(id, w->id), out);
}

#define NOTE_SELECT(columns) \
	"SELECT n.name, " columns ", n.updated_at, u.id AS `updated_by.user_id`," \
	" u.name AS `updated_by.name`, u.email AS `updated_by.email`," \
	" u.kind AS `updated_by.kind`" \
	" FROM sharee_note n LEFT JOIN user u ON u.id = n.updated_by WHERE n.sharee_id = ?"

enum err
sharee_note_list(struct ctx *c, const struct workspace *w, const char *sharee_id,
    const struct page_query *q, struct sharee_note_list *out, const char **next)
{
	struct note_client *client;

	if (q->cursor && !text_file_name_valid(q->cursor))
		return fail_cursor(c);
	TRY(client_find(c, w, sharee_id, &client));
	return db_part(c,
	    ROWS(sharee_note,
		NOTE_SELECT("n.size_bytes") " AND n.name > ? ORDER BY n.name LIMIT ?"),
	    ARGS(sharee_id, q->cursor ? q->cursor : ""), q->limit, out, next, last->name);
}

enum err
sharee_note_find(struct ctx *c, const struct workspace *w, const char *sharee_id,
    const char *name, struct sharee_note_text **out)
{
	struct note_client *client;

	TRY(client_find(c, w, sharee_id, &client));
	return db_find(c,
	    ROWS(sharee_note_text, NOTE_SELECT("n.content, n.sha256") " AND n.name = ?"),
	    ARGS(sharee_id, name), out);
}

enum err
sharee_note_read(struct ctx *c, const struct workspace *w, const char *sharee_id,
    const char *name, struct sharee_note_text **out)
{
	TRY(sharee_note_find(c, w, sharee_id, name, out));
	return *out ? E_OK : fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

static enum err
note_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct note_client *client, const char *name)
{
	return audit_add(c, w->id, who,
	    &(struct audit){ .action = action, .type = "sharee_note", .id = name, .name = name,
		.after = audit_facts(c, "client", client->name) });
}

enum err
sharee_note_write(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *sharee_id, const struct sharee_note_text *old, const char *name,
    struct bytes content)
{
	uint8_t sha256[SHA256_BYTES];
	struct note_client *client;

	TRY(text_file_check(c, &content, sha256));
	TRY(client_find(c, w, sharee_id, &client));
	if (!old)
		TRY(text_file_room(c, "The client", client->notes));
	TRY(db_exec(c,
	    EXEC("INSERT INTO sharee_note"
		 " (sharee_id, name, content, sha256, size_bytes, updated_at, updated_by)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?)"
		 " ON DUPLICATE KEY UPDATE content = VALUES(content), sha256 = VALUES(sha256),"
		 " size_bytes = VALUES(size_bytes), updated_at = VALUES(updated_at),"
		 " updated_by = VALUES(updated_by)"),
	    ARGS(sharee_id, name, content, ((struct bytes){ sha256, sizeof sha256 }),
		(int64_t)content.n, c->now, who->user_id),
	    NULL));
	return note_audit(
	    c, w, who, old ? "sharee_note.changed" : "sharee_note.added", client, name);
}

enum err
sharee_note_remove(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *sharee_id, const char *name)
{
	struct note_client *client;

	TRY(client_find(c, w, sharee_id, &client));
	TRY(db_exec1(c, EXEC("DELETE FROM sharee_note WHERE sharee_id = ? AND name = ?"),
	    ARGS(sharee_id, name)));
	return note_audit(c, w, who, "sharee_note.removed", client, name);
}

/* ---- when other things change; the foreign key deletes a client's notes ---- */

USERS(USER_UNSET(sharee_note, updated_by))
FOLLOWS(sharee_note, USERS_FOLLOW);
