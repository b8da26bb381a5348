/* SPDX-License-Identifier: Apache-2.0 */
#include "care/damage.h"

#include "base/str.h"
#include "core/spread.h"

enum { WHY_CHARS = 1000, SUBJECT_BYTES = 300 };

SHAPE_DEFINE(damage, DAMAGE);

enum err
damage_keep(struct ctx *c, const char *subject, const char *why)
{
	const char *text = str_utf8_valid(why, strlen(why)) ? why : "its path isn't valid UTF-8";

	return db_exec(c,
	    EXEC("INSERT INTO damage (node, subject, why, found_at, checked_at)"
		 " VALUES (?, ?, ?, ?, ?)"
		 " ON DUPLICATE KEY UPDATE why = VALUES(why), checked_at = VALUES(checked_at)"),
	    ARGS(node_name(c), mem_strndup(c->mem, subject, SUBJECT_BYTES),
		str_cut(c->mem, text, WHY_CHARS), c->now, c->now),
	    NULL);
}

enum err
damage_forget(struct ctx *c, const char *subject)
{
	return db_exec(c, EXEC("DELETE FROM damage WHERE node = ? AND subject = ?"),
	    ARGS(node_name(c), subject), NULL);
}

enum err
damage_list(struct ctx *c, int64_t most, struct list *out)
{
	return db_all(c,
	    ROWS(damage,
		"SELECT subject, why, found_at FROM damage WHERE node = ?"
		" ORDER BY checked_at, subject LIMIT ?"),
	    ARGS(node_name(c), most), out);
}

#define DAMAGES(F, T) F(T, INT, n)
SHAPE(damages, DAMAGES);

enum err
damage_count(struct ctx *c, int64_t *n)
{
	struct damages *row;

	TRY(db_one(c, ROWS(damages, "SELECT COUNT(*) AS n FROM damage WHERE node = ?"),
	    ARGS(node_name(c)), &row));
	*n = row->n;
	return E_OK;
}
