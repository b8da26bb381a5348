/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/check.h"

SHAPE_DEFINE(billing_odd, BILLING_ODD);

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
		" UNION ALL SELECT m.workspace_id, 'its history tells of another sum than its"
		" invoices' FROM (SELECT workspace_id, SUM(amount_cents) AS sum"
		" FROM subscription_move GROUP BY workspace_id) m"
		" LEFT JOIN (SELECT workspace_id, SUM(amount_cents) AS sum FROM invoice"
		" WHERE status = 'paid' GROUP BY workspace_id) i"
		" ON i.workspace_id = m.workspace_id"
		" WHERE COALESCE(m.sum, 0) <> COALESCE(i.sum, 0)"),
	    NOARGS, out);
}
