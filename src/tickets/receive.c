/* SPDX-License-Identifier: Apache-2.0
 * The sender of an e-mail chooses all of its contents. So we recognize a repeated e-mail by all of
 * them: with the Message-ID alone, somebody could block another person's e-mail by sending one with
 * the same id. */
#include "tickets/receive.h"

#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"
#include "ext/mailread.h"
#include "ext/mailtext.h"
#include "store/rounds.h"
#include "tickets/ownwords.h"
#include "tickets/ticket.h"

enum { TRIES = 5, HEAD_BYTES = 64 << 10, TRIED_S = 14 * 86400 };

/* ---- e-mails from us, or from no person ---- */

static bool
is_our_address(struct ctx *c, const char *address)
{
	const char *ours = c->conf->support_address, *at = strchr(ours, '@'), *name, *from;
	size_t local = at ? (size_t)(at - ours) : 0;
	const char *domain = strchr(address, '@');

	if (str_mailbox(c->mem, c->conf->mail_from, &name, &from) && strcasecmp(address, from) == 0)
		return true;
	/* The part after a + is ignored. */
	return at && domain && strcasecmp(domain, at) == 0 &&
	    strncasecmp(address, ours, local) == 0 && strchr("@+", address[local]);
}

/* base_url's host, as in the ids of our own mail. */
static bool
is_our_id(struct ctx *c, const char *id)
{
	const char *host = c->conf->base_url + strlen("https://"), *at = strchr(id, '@');

	return at && str_starts(id, "out_") &&
	    strcasecmp(at + 1, mem_strndup(c->mem, host, strcspn(host, ":/"))) == 0;
}

static const char *
ignored_why(struct ctx *c, const struct mail_content *mail)
{
	const char *address;

	if (*mail->machine)
		return mail->machine;
	if (!*mail->from || mail_address(c, "from", mail->from, &address)) {
		ctx_forgive(c);
		return "no sender that could be answered";
	}
	if (is_our_address(c, mail->from) || is_our_id(c, mail->id))
		return "ours";
	return strncasecmp(mail->from, "mailer-daemon@", 14) == 0 ? "null sender" : NULL;
}

/* ---- into a ticket ---- */

static struct ticket_mail
mail_of(struct ctx *c, const struct mail_content *mail)
{
	uint8_t *digest = mem_array(c->mem, uint8_t, SHA256_BYTES);
	struct sha256 *all = crypto_sha256_begin(c->mem);

	for (const char *const *s = (const char *const[]){ mail->id, mail->from, mail->subject,
		 mail->text, NULL };
	    *s; s++)
		crypto_sha256_add(all, *s, strlen(*s) + 1);
	crypto_sha256_end(all, digest);
	return (struct ticket_mail){ .from = mail->from,
		.name = *mail->name ? mail->name : NULL,
		.subject = mail->subject,
		.body = own_words(c->mem, mail->text),
		.dropped = mail->dropped,
		.digest = { digest, SHA256_BYTES },
		.id = *mail->id ? mail->id : NULL };
}

/* An e-mail to a ticket that is deleted or full opens a new one. */
static enum err
mail_store(struct ctx *c, const struct mail_content *mail, const struct ticket_mail *m,
    struct ticket_received *out)
{
	const char *ticket = NULL;
	enum err e = E_NOT_FOUND;

	for (size_t i = 0; i < mail->to.n && !ticket; i++)
		TRY(ticket_of_address(c, mail->to.v[i], &ticket));
	out->got = TICKET_GOT_MORE;
	if (ticket)
		e = ticket_mail_add(c, ticket, m, &out->id);
	if (e == E_NOT_FOUND || e == E_LIMIT_REACHED) {
		ctx_forgive(c);
		out->got = TICKET_GOT_NEW;
		e = ticket_mail_open(c, m, &out->id);
	}
	TRY(e);
	if (!out->id)
		out->got = TICKET_GOT_AGAIN;
	return E_OK;
}

/* ---- e-mails that take too long to read ---- */

static size_t
head_size(const char *bytes, size_t n)
{
	const char *lf = memmem(bytes, n, "\n\n", 2), *crlf = memmem(bytes, n, "\r\n\r\n", 4),
		   *end = !lf || (crlf && crlf < lf) ? crlf : lf;
	size_t head = end ? (size_t)(end - bytes) : n;

	return head < HEAD_BYTES ? head : HEAD_BYTES;
}

/* The machine may have been busy, so the mail server is asked to try once more. The second time we
 * read only the head, so that the ticket at least names the sender. */
static enum err
mail_read(struct ctx *c, const char *bytes, size_t n, struct mail_content *mail)
{
	enum err e = mailread(c, bytes, n, mail);
	uint8_t digest[SHA256_BYTES];
	int64_t first_time;

	if (e != E_LIMIT_REACHED)
		return e;
	ctx_forgive(c);
	crypto_sha256(bytes, n, digest);
	TRY(db_exec(c, EXEC("INSERT IGNORE INTO mail_tried (digest, tried_at) VALUES (?, ?)"),
	    ARGS(((struct bytes){ digest, sizeof digest }), c->now), &first_time));
	if (first_time)
		return fail(c, E_UNAVAILABLE,
		    "reading it takes too much memory or time; send it again");
	e = mailread(c, bytes, head_size(bytes, n), mail);
	mail->text = "(Reading this e-mail took too much memory or time. Its text is missing.)";
	return e == E_LIMIT_REACHED ? fail(c, E_INVALID, "%s", ctx_why(c)) : e;
}

static enum err
tried_sweep(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM mail_tried WHERE tried_at <= ? LIMIT ?"),
	    ARGS(c->now - TRIED_S, limit), removed);
}

ROUNDS(ticket_receive, { "mails that took too long", .rows = tried_sweep });

enum err
ticket_receive(struct ctx *c, const char *bytes, size_t n, struct ticket_received *out)
{
	struct mail_content mail;
	struct ticket_mail m;
	enum err e = mail_read(c, bytes, n, &mail);

	*out = (struct ticket_received){ .got = TICKET_GOT_IGNORED };
	if (e == E_INVALID) {
		out->why = mem_strdup(c->mem, ctx_why(c));
		return ctx_forgive(c);
	}
	TRY(e);
	if ((out->why = ignored_why(c, &mail)))
		return E_OK;
	m = mail_of(c, &mail);
	/* E_CONFLICT: two deliveries of the same e-mail raced. */
	for (int i = 0; i < TRIES; i++) {
		e = db_begin(c);
		if (!e)
			e = db_end(c, mail_store(c, &mail, &m, out));
		if (!e || (!c->replay && e != E_CONFLICT))
			break;
		ctx_again(c);
	}
	return e;
}
