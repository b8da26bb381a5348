/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/past.h"

#include "base/str.h"

SHAPE_DEFINE(note_past, NOTE_PAST);

/* The present text has the number after the last kept one. */
#define PAST(columns, which) \
	"SELECT e.no, e.at, u.id AS `by.user_id`, u.name AS `by.name`, u.email AS `by.email`," \
	" u.kind AS `by.kind`, e.learned, e.current, e.size" columns " FROM" \
	" (SELECT no, at, learned, FALSE AS current, size_bytes AS size, user_id, content" \
	" FROM note_edit WHERE note_id = ? UNION ALL" \
	" SELECT 1 + COALESCE((SELECT MAX(no) FROM note_edit WHERE note_id = n.id), 0)," \
	" n.updated_at, n.origin = 'learned' AND NOT n.edited, TRUE, n.size_bytes, n.updated_by," \
	" x.content FROM note n JOIN note_text x ON x.note_id = n.id WHERE n.id = ?) e" \
	" LEFT JOIN user u ON u.id = e.user_id" which

enum err
note_past_list(struct ctx *c, const struct note *n, struct note_past_list *out)
{
	return db_all(c, ROWS(note_past, PAST("", " ORDER BY e.no DESC")), ARGS(n->id, n->id), out);
}

enum err
note_past_get(struct ctx *c, const struct note *n, int64_t no, struct note_past **out)
{
	TRY(db_find(c, ROWS(note_past, PAST(", e.content", " WHERE e.no = ?")),
	    ARGS(n->id, n->id, no), out));
	return *out ? E_OK : fail(c, E_NOT_FOUND, "no: the note's history has no such entry");
}
