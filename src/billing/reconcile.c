/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/reconcile.h"

#include "base/str.h"
#include "billing/checkout.h"
#include "billing/event.h"
#include "db/db.h"

SHAPE_DEFINE(reconciled, RECONCILED);

enum {
	AGAIN_LEAST_S = 600,
	AGAIN_MOST_S = 7 * 86400,
	INVOICE_S = 180 * 86400, /* during which a payment can be charged back */
	TRY_S = 7 * 86400,
};

#define LINK_COLUMNS \
	"'link' AS kind, link_id AS id, HEX(nonce_sha256) AS row, 0 AS no, made_at AS since," \
	" check_at"
#define TRY_COLUMNS \
	"'try' AS kind, CONCAT(t.invoice_id, '.', t.no) AS id, t.invoice_id AS row, t.no," \
	" t.at AS since, t.check_at"
#define INVOICE_COLUMNS \
	"'invoice' AS kind, payment_id AS id, id AS row, 0 AS no," \
	" COALESCE(paid_at, created_at) AS since, check_at"

enum err
reconcile_due(struct ctx *c, const char *kind, int64_t limit, struct reconciled_list *out)
{
	if (str_eq(kind, "link"))
		return db_all(c,
		    ROWS(reconciled,
			"SELECT " LINK_COLUMNS " FROM billing_checkout WHERE check_at <= ?"
			" ORDER BY check_at LIMIT ?"),
		    ARGS(c->now, limit), out);
	if (str_eq(kind, "try"))
		return db_all(c,
		    ROWS(reconciled,
			"SELECT " TRY_COLUMNS " FROM invoice_try t WHERE t.check_at <= ?"
			" ORDER BY t.check_at LIMIT ?"),
		    ARGS(c->now, limit), out);
	return db_all(c,
	    ROWS(reconciled,
		"SELECT " INVOICE_COLUMNS " FROM invoice WHERE check_at <= ?"
		" ORDER BY check_at LIMIT ?"),
	    ARGS(c->now, limit), out);
}

enum err
reconcile_of(struct ctx *c, const char *kind, const char *workspace_id, struct reconciled_list *out)
{
	if (str_eq(kind, "link"))
		return db_all(c,
		    ROWS(reconciled,
			"SELECT " LINK_COLUMNS " FROM billing_checkout WHERE workspace_id = ?"
			" AND check_at IS NOT NULL ORDER BY made_at"),
		    ARGS(workspace_id), out);
	if (str_eq(kind, "try"))
		return db_all(c,
		    ROWS(reconciled,
			"SELECT " TRY_COLUMNS " FROM invoice i"
			" STRAIGHT_JOIN invoice_try t ON t.invoice_id = i.id"
			" WHERE i.workspace_id = ? AND t.check_at IS NOT NULL ORDER BY t.at"),
		    ARGS(workspace_id), out);
	return db_all(c,
	    ROWS(reconciled,
		"SELECT " INVOICE_COLUMNS " FROM invoice WHERE workspace_id = ?"
		" AND check_at IS NOT NULL ORDER BY created_at"),
	    ARGS(workspace_id), out);
}

/* ---- one row ---- */

/* Sets check_at to next, or to NULL if next is 0 or the row no longer matters. *mine is false if
 * another runner has leased the row meanwhile. */
static enum err
check_set(struct ctx *c, const struct reconciled *r, int64_t before, int64_t next, bool *mine)
{
	int64_t n;
	enum err e;

	if (str_eq(r->kind, "link"))
		e = db_exec(c,
		    EXEC("UPDATE billing_checkout SET check_at = IF(used_at IS NULL, NULLIF(?, 0),"
			 " NULL) WHERE nonce_sha256 = UNHEX(?) AND check_at = ?"),
		    ARGS(next, r->row, before), &n);
	else if (str_eq(r->kind, "try"))
		e = db_exec(c,
		    EXEC("UPDATE invoice_try SET check_at = IF(state = 'paid' OR state ="
			 " 'declined', NULL, NULLIF(?, 0)) WHERE invoice_id = ? AND no = ?"
			 " AND check_at = ?"),
		    ARGS(next, r->row, r->no, before), &n);
	else
		e = db_exec(c,
		    EXEC("UPDATE invoice SET check_at = IF(status = 'paid' OR status = 'open',"
			 " NULLIF(?, 0), NULL) WHERE id = ? AND check_at = ?"),
		    ARGS(next, r->row, before), &n);
	*mine = !e && n;
	return e;
}

#define RECONCILE_STILL(F, T) F(T, INT, n)
SHAPE(reconcile_still, RECONCILE_STILL);

/* Sets *yes if there is something to ask the provider about: an unused link, a lost try, a paid
 * invoice. charges_lost() lists busy charges. */
static enum err
still_open(struct ctx *c, const struct reconciled *r, bool *yes)
{
	struct reconcile_still *s;

	if (str_eq(r->kind, "link"))
		TRY(db_one(c,
		    ROWS(reconcile_still,
			"SELECT COUNT(*) AS n FROM billing_checkout"
			" WHERE nonce_sha256 = UNHEX(?) AND used_at IS NULL"
			" AND link_id IS NOT NULL"),
		    ARGS(r->row), &s));
	else if (str_eq(r->kind, "try"))
		TRY(db_one(c,
		    ROWS(reconcile_still,
			"SELECT COUNT(*) AS n FROM invoice_try"
			" WHERE invoice_id = ? AND no = ? AND state = 'lost'"),
		    ARGS(r->row, r->no), &s));
	else
		TRY(db_one(c,
		    ROWS(reconcile_still,
			"SELECT COUNT(*) AS n FROM invoice"
			" WHERE id = ? AND status = 'paid' AND payment_id IS NOT NULL"),
		    ARGS(r->row), &s));
	*yes = s->n > 0;
	return E_OK;
}

static enum err
ask_and_settle(struct ctx *c, const struct reconciled *r, const char **says, bool *decided)
{
	struct payment p;
	bool yes;

	*decided = true;
	TRY(still_open(c, r, &yes));
	if (!yes)
		return E_OK;
	TRY(str_eq(r->kind, "link") ? payment_by_link(c, r->id, &p)
		: str_eq(r->kind, "try") ? payment_by_key(c, r->id, &p)
					 : payment_find(c, r->id, &p));
	*decided = p.outcome != PAYMENT_PENDING;
	/* An approved payment is no news for an invoice that is paid already. */
	if (p.outcome == PAYMENT_REFUNDED ||
	    (p.outcome == PAYMENT_APPROVED && !str_eq(r->kind, "invoice")))
		return payment_settle(c, &p, NULL, says);
	return E_OK;
}

enum err
reconcile(struct ctx *c, const struct reconciled *r, const char **says)
{
	int64_t age = c->now - r->since, next;
	int64_t age_most = str_eq(r->kind, "link") ? CHECKOUT_KEPT_S
	    : str_eq(r->kind, "try")		    ? TRY_S
						    : INVOICE_S;
	bool mine, decided;

	*says = NULL;
	/* A row is due again after as long as it is old, within bounds. */
	next = c->now +
	    (age < AGAIN_LEAST_S	  ? AGAIN_LEAST_S
		    : age > AGAIN_MOST_S ? AGAIN_MOST_S
					 : age);
	TRY(check_set(c, r, r->check_at, next, &mine));
	if (!mine)
		return E_OK;
	TRY(ask_and_settle(c, r, says, &decided));
	/* Only a decision of the provider ends the checks; while it is down, old rows stay due. */
	return decided && c->now - r->since > age_most ? check_set(c, r, next, 0, &mine) : E_OK;
}

/* ---- a charge, to its end ---- */

enum err
charge_end(struct ctx *c, struct charge *charge)
{
	enum err sent = charge_send(c, charge), e;
	const char *why = sent ? mem_strdup(c->mem, ctx_why(c)) : NULL;

	/* A charge that was never sent must not stay open. */
	if (sent && charge->came != CHARGE_LOST)
		return sent;
	if (sent)
		ctx_again(c);
	e = charge_settle_alone(c, charge);
	return e || !sent ? e : fail(c, sent, "%s", why);
}
