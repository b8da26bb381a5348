/* SPDX-License-Identifier: Apache-2.0
 * Tickets by mail. From: is no proof of anything, so a mail joins a ticket by the address that it
 * went to, which only those who got an answer have, or else opens one of a mailbox. */
#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "ext/mailtext.h"
#include "tickets/thread.h"

enum { HOUR_S = 3600, MAILS_HOURLY = 60, NAME_CHARS = 120 };

const char *
ticket_address(struct ctx *c, const char *mail_key)
{
	const char *address = c->conf->support_address, *at = strchr(address, '@');

	return at ? mem_printf(c->mem, "%.*s+%s%s", (int)(at - address), address, mail_key, at)
		  : NULL;
}

#define MAIL_TICKET(F, T) F(T, ID, id, .arg = "tkt_")
SHAPE(mail_ticket, MAIL_TICKET);

enum err
ticket_of_address(struct ctx *c, const char *address, const char **id)
{
	const char *ours = c->conf->support_address, *at = strchr(ours, '@'), *key;
	size_t local = at ? (size_t)(at - ours) : 0;
	struct mail_ticket *row;

	*id = NULL;
	/* Mail programs and servers may change the case of an address. */
	if (!at || strlen(address) != strlen(ours) + 1 + SUPPORT_KEY_CHARS ||
	    strncasecmp(address, ours, local) != 0 || address[local] != '+' ||
	    strcasecmp(address + local + 1 + SUPPORT_KEY_CHARS, at) != 0)
		return E_OK;
	key = str_lower(mem_strndup(c->mem, address + local + 1, SUPPORT_KEY_CHARS));
	TRY(db_find(c, ROWS(mail_ticket, "SELECT id FROM ticket WHERE mail_key = ?"), ARGS(key),
	    &row));
	*id = row ? row->id : NULL;
	return E_OK;
}

/* ---- reading an e-mail ---- */

/* Returns a line within the length limit, whatever the mail says. */
static const char *
line_of(struct ctx *c, const char *text, size_t chars, const char *instead)
{
	const char *line = str_cut(c->mem, str_one_line(c->mem, text ? text : ""), chars);

	return line[strspn(line, " ")] ? line : instead;
}

static const char *
body_of(struct ctx *c, const char *text)
{
	struct buf b = BUF(c->mem);

	for (; *text; text++)
		if (*text != '\r')
			buf_chr(&b, *text);
	text = buf_done(&b);
	if (!text[strspn(text, " \t\n")])
		return "(no text)";
	return str_chars(text) <= TICKET_BODY_CHARS
	    ? text
	    : mem_printf(c->mem, "%s…", str_cut(c->mem, text, TICKET_BODY_CHARS - 1));
}

static const char *
dropped_of(struct ctx *c, const struct strs *names)
{
	struct buf b = BUF(c->mem);

	if (!names->n)
		return NULL;
	buf_chr(&b, '[');
	for (size_t i = 0; i < names->n; i++) {
		buf_str(&b, i ? "," : "");
		buf_json(&b, line_of(c, names->v[i], NAME_CHARS, "?"));
	}
	buf_chr(&b, ']');
	return buf_done(&b);
}

#define MAILED_NOW(F, T) F(T, INT, n)
SHAPE(mailed_now, MAILED_NOW);

static enum err
mailed_before(struct ctx *c, const struct ticket_mail *m, bool *before)
{
	struct mailed_now *row;

	TRY(db_find(c,
	    ROWS(mailed_now, "SELECT 1 AS n FROM ticket_message WHERE mail_digest = ?"),
	    ARGS(m->digest), &row));
	*before = row != NULL;
	return E_OK;
}

/* ---- opening one ---- */

static enum err
mailbox_check(struct ctx *c, const char *email)
{
	struct mailed_now *row;

	TRY(db_one(c,
	    ROWS(mailed_now,
		"SELECT COUNT(*) AS n FROM ticket WHERE requester_email = ? AND created_at > ?"),
	    ARGS(email, c->now - HOUR_S), &row));
	return row->n < TICKETS_MAILED_HOURLY
	    ? E_OK
	    : fail(c, E_RATE_LIMITED,
		  "%s has opened %d tickets within an hour, the most there can be",
		  email, TICKETS_MAILED_HOURLY);
}

enum err
ticket_mail_open(struct ctx *c, const struct ticket_mail *m, const char **id)
{
	const char *name = line_of(c, m->name, NAME_CHARS, NULL), *address;
	struct ticket_seen t = { .id = id_new(c->mem, "tkt_"),
		.subject = line_of(c, m->subject, TICKET_SUBJECT_CHARS, "(no subject)"),
		.origin = "email",
		.mail_key = ticket_key_new(c),
		.mail_id = m->id };
	struct ticket_put first = { .id = id_new(c->mem, "msg_"),
		.body = body_of(c, m->body),
		.channel = "email",
		.dropped = dropped_of(c, &m->dropped),
		.digest = m->digest };
	bool before;

	*id = NULL;
	TRY(mail_address(c, "from", m->from, &address));
	TRY(mailed_before(c, m, &before));
	if (before)
		return E_OK;
	t.requester_email = first.author_email = email_fold(c, m->from);
	TRY(mailbox_check(c, t.requester_email));
	TRY(ticket_insert(c, &t, name));
	TRY(ticket_put(c, &t, &first));
	*id = t.id;
	return ticket_tell_new(c, &t, name ? name : t.requester_email, first.body);
}

/* ---- adding to one ---- */

static enum err
thread_check(struct ctx *c, const struct ticket_seen *t)
{
	struct mailed_now *row;

	TRY(db_one(c,
	    ROWS(mailed_now,
		"SELECT COUNT(*) AS n FROM ticket_message WHERE ticket_id = ? AND no > ?"
		" AND channel = 'email' AND NOT staff AND created_at > ?"),
	    ARGS(t->id, t->messages - MAILS_HOURLY, c->now - HOUR_S), &row));
	return row->n < MAILS_HOURLY
	    ? E_OK
	    : fail(c, E_RATE_LIMITED,
		  "The ticket has got %d e-mails within an hour, the most there can be",
		  MAILS_HOURLY);
}

enum err
ticket_mail_add(
    struct ctx *c, const char *ticket_id, const struct ticket_mail *m, const char **id)
{
	struct ticket_put put = { .id = id_new(c->mem, "msg_"),
		.body = body_of(c, m->body),
		.channel = "email",
		.dropped = dropped_of(c, &m->dropped),
		.digest = m->digest };
	const char *from = email_fold(c, m->from), *address;
	struct ticket_seen *t;
	bool before;

	*id = NULL;
	TRY(mail_address(c, "from", m->from, &address));
	TRY(mailed_before(c, m, &before));
	if (before)
		return E_OK;
	TRY(ticket_find(c, ticket_id, NULL, true, &t));
	if (!t)
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(thread_check(c, t));
	if (t->requester_id && str_eq(t->requester_email, from))
		put.author_id = t->requester_id;
	else
		put.author_email = from;
	TRY(ticket_put(c, t, &put));
	*id = put.id;
	TRY(ticket_move(c, t, "open"));
	if (m->id)
		TRY(db_exec(c, EXEC("UPDATE ticket SET mail_id = ? WHERE id = ?"),
		    ARGS(m->id, t->id), NULL));
	return ticket_tell_more(c, t, from, put.body);
}
