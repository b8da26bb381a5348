/* SPDX-License-Identifier: Apache-2.0
 * The runner ends open reviews whose time is over, and looks who can still answer. It soon looks at
 * reviews whose people may have lost rights (review.c), and finds the end of a grant by time within
 * REVIEW_LOOK_S seconds. */
#include "base/str.h"
#include "core/reach.h"
#include "db/db.h"
#include "review/entry.h"
#include "store/rounds.h"

enum { STATEMENTS = 25 };

#define PLACE(F, T) \
	F(T, ID, workspace_id, .arg = "wsp_") \
	F(T, BOOL, closed) \
	TIER_ROW(F, T)
SHAPE(place, PLACE);

/* Notes which entries can't be answered any more, or can again. While the plan doesn't include
 * sharing, or the workspace is in the trash, entries stay. */
static enum err
entries_look(struct ctx *c, const struct review *r, const struct place *at)
{
	bool sleeps = at->closed || (at->workspace_id && !reach_shares(c, TIER_ROW_OF(at))), can;
	struct review_entry_list all;
	struct reviewer_list people;

	TRY(db_all(c,
	    ROWS(review_entry,
		"SELECT o.n, o.kind, o.subject_id, u.id AS user_id, o.gone FROM review_asked o"
		" LEFT JOIN user u ON u.id = o.subject_id AND u.disabled_at IS NULL"
		" WHERE o.review_id = ? AND o.answer IS NULL ORDER BY o.n"),
	    ARGS(r->id), &all));
	for (size_t i = 0; i < all.n; i++) {
		const struct review_entry *o = &all.v[i];

		can = false;
		if (!str_eq(o->kind, "person")) {
			TRY(reviewers_of_client(c, at->workspace_id, o->subject_id, &people));
			for (size_t k = 0; k < people.n && !can; k++)
				TRY(reviewer_can(c, r->artifact_id, people.v[k].id, &can));
		} else if (o->user_id) {
			TRY(reviewer_can(c, r->artifact_id, o->user_id, &can));
		}
		if (o->gone == !can || (!can && sleeps))
			continue;
		TRY(db_exec1(c,
		    EXEC("UPDATE review_asked SET gone = ? WHERE review_id = ? AND n = ?"),
		    ARGS(!can, r->id, o->n)));
	}
	return E_OK;
}

/* Looks at one review, unless somebody has answered or closed it since it was found. */
static enum err
review_look(struct ctx *c, const struct review *found)
{
	const struct artifact a = { .id = found->artifact_id };
	struct review *r;
	struct place *at;

	TRY(db_find(c,
	    ROWS(place,
		"SELECT a.workspace_id, a.closed, " TIER_COLUMNS("w") " FROM artifact a"
		" LEFT JOIN workspace w ON w.id = a.workspace_id WHERE a.id = ? FOR UPDATE"),
	    ARGS(a.id), &at));
	TRY(review_hold(c, a.id, found->id, &r));
	if (!at || !r || !str_eq(r->status, "open"))
		return E_OK;
	if (r->due_at <= c->now)
		return review_end(c, a.id, r, "expired", NULL, NULL);
	TRY(db_exec1(c, EXEC("UPDATE review SET look_at = ? WHERE id = ?"),
	    ARGS(c->now + REVIEW_LOOK_S, r->id)));
	TRY(entries_look(c, r, at));
	return review_settle(c, &a, r, NULL, NULL);
}

/* Looks at each review in a transaction of its own. A review counts as many rows, because it takes
 * many statements. */
static enum err
reviews_look(struct ctx *c, int64_t limit, int64_t *done)
{
	struct review_list rows;

	TRY(db_all(c,
	    ROWS(review,
		"SELECT id, artifact_id FROM review WHERE wake_at <= ? ORDER BY wake_at LIMIT ?"),
	    ARGS(c->now, limit / STATEMENTS + 1), &rows));
	*done = (int64_t)rows.n * STATEMENTS;
	for (size_t i = 0; i < rows.n; i++) {
		TRY(db_begin(c));
		TRY(db_end(c, review_look(c, &rows.v[i])));
	}
	return E_OK;
}

ROUNDS(review, { "reviews", .rows = reviews_look });
