/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/refund.h"

#include "base/clock.h"
#include "base/str.h"
#include "db/db.h"

enum { REFUND_FIRST_S = 300, REFUND_MOST_S = 86400 };

#define REFUND(F, T) \
	F(T, STR, payment_id) \
	F(T, INT, tries)
SHAPE(refund, REFUND);

enum err
refund_add(struct ctx *c, const char *payment_id, const char *workspace_id, const char *why)
{
	return db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO billing_refund (payment_id, workspace_id, why, made_at, due_at)"
		" VALUES (?, ?, ?, ?, ?)"),
	    ARGS(payment_id, workspace_id, why, c->now, c->now), NULL);
}

enum err
refund_said(struct ctx *c, const char *payment_id, bool *yes)
{
	struct refund *row;

	TRY(db_find(c,
	    ROWS(refund, "SELECT payment_id, tries FROM billing_refund WHERE payment_id = ?"),
	    ARGS(payment_id), &row));
	*yes = row != NULL;
	return E_OK;
}

enum err
refunds_due(struct ctx *c, int64_t limit, struct strs *payment_ids)
{
	struct refund_list rows;

	TRY(db_all(c,
	    ROWS(refund,
		"SELECT payment_id, tries FROM billing_refund WHERE due_at <= ?"
		" ORDER BY due_at LIMIT ?"),
	    ARGS(c->now, limit), &rows));
	*payment_ids = (struct strs){ mem_array(c->mem, const char *, rows.n + 1), 0 };
	for (size_t i = 0; i < rows.n; i++) {
		int64_t next = c->now +
		    wait_doubled(REFUND_FIRST_S, rows.v[i].tries, REFUND_MOST_S);
		int64_t mine;

		TRY(db_exec(c,
		    EXEC(
			"UPDATE billing_refund SET due_at = ?, tries = tries + 1"
			" WHERE payment_id = ? AND due_at <= ?"),
		    ARGS(next, rows.v[i].payment_id, c->now), &mine));
		if (mine)
			payment_ids->v[payment_ids->n++] = rows.v[i].payment_id;
	}
	return E_OK;
}

enum err
refund_send(struct ctx *c, const char *payment_id)
{
	struct payment p;

	TRY(payment_refund(c, payment_id, &p));
	return db_exec(c,
	    EXEC("UPDATE billing_refund SET due_at = NULL, outcome = ? WHERE payment_id = ?"),
	    ARGS(p.outcome == PAYMENT_REFUNDED ? "went back"
		    : p.outcome == PAYMENT_ABSENT ? "the provider knows no such payment"
						  : p.why,
		payment_id),
	    NULL);
}
