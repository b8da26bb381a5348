/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mailpot.h"

#include "base/crypto.h"
#include "base/str.h"
#include "core/follow.h"
#include "db/db.h"

enum { DAY_S = 86400, SUBJECT_CHARS = 255 /* of the column */ };

/* Counts one e-mail; *counted is false if `max` have been counted today. The first statement
 * inserts and locks the row, so that of two transactions that want the last place, one waits. */
static enum err
budget_count(struct ctx *c, const char *kind, const char *subject, int max, bool *counted)
{
	int64_t day = c->now / DAY_S, changed;

	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO mail_budget (kind, subject, day, used) VALUES (?, ?, ?, 0)"
		" ON DUPLICATE KEY UPDATE used = used"),
	    ARGS(kind, subject, day), NULL));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE mail_budget SET used = used + 1"
		" WHERE kind = ? AND subject = ? AND day = ? AND used < ?"),
	    ARGS(kind, subject, day, max), &changed));
	*counted = changed == 1;
	return E_OK;
}

/* A budget that an e-mail counts against. */
struct payer {
	const char *kind, *subject;
	int daily;
	const char *whose; /* after "50 e-mails today" */
};

/* Counts on all budgets, or on none, because the caller may continue without the e-mail. */
static enum err
payers_pay(struct ctx *c, const struct payer *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool counted;

		TRY(budget_count(c, all[i].kind, all[i].subject, all[i].daily, &counted));
		if (counted)
			continue;
		for (size_t k = 0; k < i; k++)
			TRY(db_exec(c,
			    EXEC(
				"UPDATE mail_budget SET used = used - 1"
				" WHERE kind = ? AND subject = ? AND day = ?"),
			    ARGS(all[k].kind, all[k].subject, c->now / DAY_S), NULL));
		return fail(c, E_RATE_LIMITED,
		    "The daily limit of %d e-mails %s has been reached; try again tomorrow (UTC)",
		    all[i].daily, all[i].whose);
	}
	return E_OK;
}

/* Returns the subject of the pot in mail_budget: the address, or the address with its sender. */
static const char *
pot_subject(struct ctx *c, const struct pot *pot, const char *sender, const char *to)
{
	uint8_t digest[SHA256_BYTES];
	const char *pair;

	if (pot->by == BY_ADDRESS || !sender)
		return to;
	pair = mem_printf(c->mem, "%s %s", sender, to);
	if (strlen(pair) <= SUBJECT_CHARS)
		return pair;
	crypto_sha256(pair, strlen(pair), digest);
	return crypto_hex(c->mem, digest, sizeof digest);
}

#define MAIL_OWN(F, T) F(T, BOOL, own)
SHAPE(mail_own, MAIL_OWN);

enum err
mailpot_pay(
    struct ctx *c, const struct pot *pot, const struct mail_cause *cause, const char *to)
{
	const char *sender = cause->sender_id ? cause->sender_id : cause->artifact_id;
	struct mail_own *own = NULL;
	struct payer all[3];
	size_t n = 0;

	if (pot->about_artifacts && cause->sender_id)
		all[n++] = (struct payer){
			"user", cause->sender_id, USER_DAILY, "sent on your behalf"
		};
	if (pot->about_artifacts && cause->artifact_id)
		all[n++] = (struct payer){
			"artifact", cause->artifact_id, ARTIFACT_DAILY, "about this artifact"
		};
	/* The artifact's owner and the members of its workspace are no strangers. */
	if (pot->by == BY_STRANGER && cause->artifact_id)
		TRY(db_find(c,
		    ROWS(mail_own,
			"SELECT TRUE AS own FROM user u JOIN artifact a ON a.id = ?"
			" LEFT JOIN member m"
			" ON m.workspace_id = a.workspace_id AND m.user_id = u.id"
			" WHERE u.email = ? AND (u.id = a.owner_id OR m.user_id IS NOT NULL)"),
		    ARGS(cause->artifact_id, to), &own));
	if (!own)
		all[n++] = (struct payer){ pot->kind, pot_subject(c, pot, sender, to), pot->daily,
			pot->by == BY_ADDRESS ? "of this kind to this address"
					      : "of this kind from you to this address" };
	return payers_pay(c, all, n);
}

/* ---- many at once ---- */

#define MAIL_USED(F, T) \
	F(T, STR, subject) \
	F(T, INT, used)
SHAPE(mail_used, MAIL_USED);

/* Reads the sender’s remaining budget and locks their row. */
static enum err
sender_left(struct ctx *c, const char *sender_id, int64_t *left)
{
	struct mail_used *row;

	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO mail_budget (kind, subject, day, used) VALUES ('user', ?, ?, 0)"
		" ON DUPLICATE KEY UPDATE used = used"),
	    ARGS(sender_id, c->now / DAY_S), NULL));
	TRY(db_one(c,
	    ROWS(mail_used,
		"SELECT used FROM mail_budget"
		" WHERE kind = 'user' AND subject = ? AND day = ? FOR UPDATE"),
	    ARGS(sender_id, c->now / DAY_S), &row));
	*left = row->used < USER_DAILY ? USER_DAILY - row->used : 0;
	return E_OK;
}

/* Counts the addresses with this value in `paid`, or undoes that. */
static enum err
addresses_count(struct ctx *c, const struct pot *pot, const char *const *to, size_t n,
    const bool *paid, bool back)
{
	struct arg *v = mem_array(c->mem, struct arg, 3 * n);
	size_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		if (paid[i] == back)
			continue;
		v[3 * rows] = arg_str(pot->kind);
		v[3 * rows + 1] = arg_str(to[i]);
		v[3 * rows++ + 2] = arg_int(c->now / DAY_S);
	}
	return db_exec_many(c,
	    back
		? EXEC(
		      "INSERT INTO mail_budget (kind, subject, day, used) VALUES (?, ?, ?, 0)"
		      " ON DUPLICATE KEY UPDATE used = used - 1")
		: EXEC(
		      "INSERT INTO mail_budget (kind, subject, day, used) VALUES (?, ?, ?, 1)"
		      " ON DUPLICATE KEY UPDATE used = used + 1"),
	    v, 3, rows);
}

/* Counts all first, which locks their rows; then undoes those beyond the limit. */
enum err
mailpot_pay_many(struct ctx *c, const struct pot *pot, const char *sender_id,
    const char *const *addresses, size_t n, bool *paid)
{
	const char **to = mem_array(c->mem, const char *, n + 1);
	int64_t left, sent = 0;
	struct mail_used_list used;
	struct buf json = BUF(c->mem);

	TRY(sender_left(c, sender_id, &left));
	for (size_t i = 0; i < n; i++) {
		to[i] = pot_subject(c, pot, sender_id, addresses[i]);
		paid[i] = true;
	}
	TRY(addresses_count(c, pot, to, n, paid, false));
	/* Reads the counts, in the order of `to`. */
	buf_jsons(&json, to, n);
	TRY(db_all(c,
	    ROWS(mail_used,
		"SELECT b.subject, b.used FROM JSON_TABLE(?, '$[*]' COLUMNS (i FOR ORDINALITY,"
		" e VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$')) j"
		" JOIN mail_budget b ON b.kind = ? AND b.subject = j.e AND b.day = ? ORDER BY j.i"),
	    ARGS(buf_done(&json), pot->kind, c->now / DAY_S), &used));
	if (used.n != n)
		return fail_here(c, "%zu of %zu addresses counted", used.n, n);
	for (size_t i = 0; i < n; i++) {
		paid[i] = used.v[i].used <= pot->daily && sent < left;
		sent += paid[i];
	}
	TRY(addresses_count(c, pot, to, n, paid, true));
	return db_exec(c,
	    EXEC(
		"UPDATE mail_budget SET used = used + ?"
		" WHERE kind = 'user' AND subject = ? AND day = ?"),
	    ARGS(sent, sender_id, c->now / DAY_S), NULL);
}

/* ---- when other things change ---- */

/* Selects a user's own count, and those of addresses that pot_subject() put after their id. */
#define OF_USER \
	"kind IN ('user', 'report', 'metric', 'delivery')" \
	" AND subject >= ? AND subject < CONCAT(?, '!')"

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	/* Adds both counts, so that linking accounts gives no second budget. */
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO mail_budget (kind, subject, day, used) SELECT f.kind,"
		" CONCAT(?, SUBSTRING(f.subject, CHAR_LENGTH(?) + 1)), f.day, f.used"
		" FROM mail_budget f WHERE " OF_USER
		" ON DUPLICATE KEY UPDATE used = mail_budget.used + VALUES(used)"),
	    ARGS(h->user_id, h->from_id, h->from_id, h->from_id), NULL));
	return db_exec(c, EXEC("DELETE FROM mail_budget WHERE " OF_USER),
	    ARGS(h->from_id, h->from_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("DELETE FROM mail_budget WHERE " OF_USER),
	    ARGS(h->user_id, h->user_id), NULL);
}

FOLLOWS(mailpot, { USER_MERGED, user_merged }, { USER_DELETED, user_deleted });
