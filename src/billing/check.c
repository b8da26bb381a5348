/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/check.h"

SHAPE_DEFINE(billing_odd, BILLING_ODD);

#define GRACE_DAYS_S "1209600"

/* What a live subscription gives, as subscription_paid_until() has it. */
#define PAID_UNTIL \
	"CASE WHEN s.cancelled_at IS NOT NULL THEN s.ends_at" \
	" WHEN a.card_id IS NOT NULL THEN s.period_end + " GRACE_DAYS_S " ELSE s.period_end END"

enum err
billing_check(struct ctx *c, struct billing_odd_list *out)
{
	return db_all(c,
	    ROWS(billing_odd,
		"SELECT a.workspace_id AS id, 'its invoices are not numbered from 1 without a gap'"
		" AS why FROM billing_account a"
		" LEFT JOIN invoice i ON i.workspace_id = a.workspace_id"
		" GROUP BY a.workspace_id, a.last_invoice_no"
		" HAVING COUNT(i.id) <> a.last_invoice_no"
		" OR COALESCE(MAX(i.no), 0) <> a.last_invoice_no"
		" UNION ALL SELECT workspace_id, 'a subscription of its is live and has ended, or"
		" is neither' FROM subscription"
		" WHERE (ended_at IS NULL) <> (live_of <=> workspace_id)"
		" UNION ALL SELECT w.id, 'what it has for payment is not what its subscription"
		" says; the next change of that mends it' FROM workspace w"
		" LEFT JOIN subscription s ON s.live_of = w.id"
		" LEFT JOIN billing_account a ON a.workspace_id = w.id"
		" WHERE NOT (w.paid_plan <=> s.plan_id AND w.paid_seats <=> s.seats"
		" AND w.paid_until <=> " PAID_UNTIL ")"
		" UNION ALL SELECT m.workspace_id, 'its history tells of another sum than its"
		" invoices' FROM (SELECT workspace_id, SUM(amount_cents) AS sum"
		" FROM subscription_move GROUP BY workspace_id) m"
		" LEFT JOIN (SELECT workspace_id, SUM(amount_cents) AS sum FROM invoice"
		" WHERE status = 'paid' GROUP BY workspace_id) i"
		" ON i.workspace_id = m.workspace_id"
		" WHERE COALESCE(m.sum, 0) <> COALESCE(i.sum, 0)"),
	    NOARGS, out);
}
