/* SPDX-License-Identifier: Apache-2.0
 * Asks the rules and limits of a table before rows are written. */
#include "base/principal.h"
#include "base/str.h"
#include "data/row.h"

/* Cuts "rows[3]." to "rows[3]: ". */
const char *
row_whole(struct ctx *c, const char *at)
{
	size_t n = strlen(at);

	while (n && strchr(".,: ", at[n - 1]))
		n--;
	return n ? mem_printf(c->mem, "%.*s: ", (int)n, at) : "";
}

enum err
row_refused(
    struct ctx *c, const struct table_for *tf, const struct row_rule *rule, const char *at)
{
	const char *does = rule == &tf->add ? "add" : rule == &tf->delete ? "delete" : "change";

	if (!rule->name)
		return fail(c, E_DENIED,
		    "%sYou can't %s rows of %s: this requires the editor role, "
		    "or an access_policy of the artifact that allows it",
		    row_whole(c, at), does, tf->t->name);
	if (rule->unknown)
		return fail(c, E_DENIED,
		    "%saccess_policy.tables.%s.%s names the column %s, which the table doesn't "
		    "have, so nobody but the owner can do this; an editor can mend the rule",
		    row_whole(c, at), tf->t->name, rule->name, rule->unknown);
	return fail(c, E_DENIED, "%saccess_policy.tables.%s.%s doesn't let you %s this row",
	    row_whole(c, at), tf->t->name, rule->name, does);
}

enum err
row_write_check(struct ctx *c, const struct table_for *tf, const struct row_rule *rule,
    const char *at, const struct bytes *keys)
{
	return row_rule_holds(rule, &tf->columns, keys) ? E_OK : row_refused(c, tf, rule, at);
}

static enum err
column_refused(struct ctx *c, const struct table_for *tf, const char *column)
{
	size_t n = json_len(tf->limits.change_columns);
	const char **names = mem_array(c->mem, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		names[i] = json_str(json_at(tf->limits.change_columns, i));
	return fail(c, E_DENIED,
	    "%s: access_policy.tables.%s.change_columns doesn't let you change this column; %s%s",
	    column, tf->t->name, n ? "you can change " : "you can change none",
	    n ? str_some(c->mem, names, n) : "");
}

enum err
row_columns_check(struct ctx *c, const struct table_for *tf, const struct json *before,
    const struct json *after)
{
	const struct data_column *col = tf->t->columns.v;

	for (size_t i = 0; tf->limits.change_columns && i < tf->t->columns.n; i++) {
		const struct json *was = json_get(before, col[i].name);
		const struct json *is = json_get(after, col[i].name);
		bool stays = !is || (json_kind(is) == J_NULL && json_kind(was) == J_NULL) ||
		    (was && str_eq(json_text(c->mem, was), json_text(c->mem, is)));

		if (!stays && !may_change_column(&tf->limits, col[i].name))
			return column_refused(c, tf, col[i].name);
	}
	return E_OK;
}

enum err
rows_refused(struct ctx *c, const struct table_for *tf, const struct row_rule *rule)
{
	bool deletes = rule == &tf->delete;

	return rule->name
	    ? fail(c, E_DENIED,
		  "access_policy.tables.%s.%s doesn't let you %s all of these rows; none were %s",
		  tf->t->name, rule->name, deletes ? "delete" : "change",
		  deletes ? "deleted" : "changed")
	    : row_refused(c, tf, rule, "");
}

/* ---- add_per_hour ---- */

#define PACE(F, T) F(T, INT, used)
SHAPE(pace, PACE);

/* Counts rows that the caller adds. We keep the numbers of this hour and the one before. Of the
 * latter counts the part less than an hour ago, as if the rows had come evenly. */
enum err
rows_counted(struct ctx *c, const struct table_for *tf, size_t n)
{
	enum { HOUR_S = 3600 };
	const int64_t hour = c->now / HOUR_S, left = HOUR_S - c->now % HOUR_S;
	const int64_t most = tf->limits.add_per_hour;
	struct pace *p;

	if (!most || !n || !c->actor)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("INSERT INTO data_pace (table_no, user_id, hour, n, n_before)"
		 " VALUES (?, ?, ?, ?, 0) ON DUPLICATE KEY UPDATE"
		 " n_before = IF(hour = VALUES(hour), n_before, IF(hour = VALUES(hour) - 1, n, 0)),"
		 " n = IF(hour = VALUES(hour), n, 0) + VALUES(n), hour = VALUES(hour)"),
	    ARGS(table_history_no(tf->t), c->actor->user_id, hour, (int64_t)n), NULL));
	TRY(db_one(c,
	    ROWS(pace,
		"SELECT CAST(n + CEIL(n_before * ? / 3600) AS SIGNED) AS used FROM data_pace"
		" WHERE table_no = ? AND user_id = ?"),
	    ARGS(left, table_history_no(tf->t), c->actor->user_id), &p));
	if (p->used <= most)
		return E_OK;
	c->retry_after_s = left;
	c->details = mem_printf(c->mem, "{\"limit\":%lld}", (long long)most);
	return fail(c, E_RATE_LIMITED,
	    "access_policy.tables.%s.add_per_hour: a person can add at most %s an hour. "
	    "Nothing was added",
	    tf->t->name, str_count(c->mem, most, "row"));
}
