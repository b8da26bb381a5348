/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/mailtext.h"

#include "base/buf.h"
#include "base/crypto.h"
#include "base/str.h"
#include "base/unicode.h"

enum { LINE = 76, WORD_BYTES = 39, PLAIN_BYTES = 60 };

enum err
mail_address(struct ctx *c, const char *what, const char *address, const char **out)
{
	const char *host;

	if (!str_email(address))
		return fail(c, E_INVALID,
		    "%s: must be a single plain e-mail address such as name@example.org", what);
	host = unicode_host_ascii(c->mem, strchr(address, '@') + 1);
	if (!host)
		return fail(c, E_INVALID, "%s: the part after @ isn't a host name", what);
	*out = mem_printf(
	    c->mem, "%.*s%s", (int)(strchr(address, '@') + 1 - address), address, host);
	return str_email(*out)
	    ? E_OK
	    : fail(c, E_INVALID, "%s: is too long once encoded for e-mail", what);
}

/* ---- header ---- */

static bool
is_plain_ascii(const char *s)
{
	size_t n = strlen(s);

	if (!n || n > PLAIN_BYTES || *s == ' ' || s[n - 1] == ' ' || strstr(s, "=?"))
		return false;
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			return false;
	return true;
}

/* Appends s as encoded words, one a line. RFC 2047 section 2: a word has at most 75 bytes and
 * doesn't split a character. */
static void
encoded_words(struct buf *b, const char *s)
{
	size_t n = strlen(s);
	uint32_t cp;

	do {
		size_t take = 0, len;

		while (take < n && (len = str_utf8(s + take, n - take, &cp)) &&
		    take + len <= WORD_BYTES)
			take += len;
		buf_fmt(b, "=?UTF-8?B?%s?=", crypto_base64(b->owner, s, take));
		s += take;
		n -= take;
		if (n)
			buf_str(b, "\r\n ");
	} while (n);
}

static enum err
header_from(struct ctx *c, struct buf *b, const char *mailbox)
{
	const char *name, *address;

	if (!str_plain(mailbox) || !str_mailbox(c->mem, mailbox, &name, &address))
		return fail(c, E_INVALID, "from: must be an e-mail address, or Name <address>");
	TRY(mail_address(c, "from", address, &address));
	if (!name) {
		buf_fmt(b, "From: %s\r\n", address);
		return E_OK;
	}
	buf_str(b, "From: ");
	if (is_plain_ascii(name))
		buf_fmt(b, "\"%s\"", name);
	else
		encoded_words(b, name);
	buf_fmt(b, "\r\n <%s>\r\n", address);
	return E_OK;
}

static bool
is_id(const char *s)
{
	return *s && strlen(s) <= 200 &&
	    strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
	    strlen(s);
}

bool
mail_id_valid(const char *id)
{
	const char *at = strchr(id, '@');

	if (!at || at == id || !at[1] || strlen(id) > MAIL_ID_BYTES)
		return false;
	for (const char *s = id; *s; s++)
		if (*s <= ' ' || *s > '~' || strchr("<>\"(),;\\", *s))
			return false;
	return true;
}

/* Adds the headers by which mail programs group a conversation. */
static enum err
header_thread(struct ctx *c, struct buf *b, const struct mail_message *m)
{
	if (!m->thread)
		return E_OK;
	if (!is_id(m->thread))
		return fail(c, E_INVALID, "thread: must be a word");
	if (!m->answers) {
		buf_fmt(b, "In-Reply-To: <%s@%s>\r\nReferences: <%s@%s>\r\n", m->thread,
		    m->id_host, m->thread, m->id_host);
		return E_OK;
	}
	if (!mail_id_valid(m->answers))
		return fail(c, E_INVALID, "answers: must be the id of an e-mail");
	buf_fmt(b, "In-Reply-To: <%s>\r\nReferences: <%s@%s>\r\n <%s>\r\n", m->answers,
	    m->thread, m->id_host, m->answers);
	return E_OK;
}

static enum err
header_add(struct ctx *c, struct buf *b, const struct mail_message *m)
{
	time_t t = m->date;
	const char *to;
	struct tm tm;
	char date[64];

	if (!is_id(m->id) || !is_id(m->id_host))
		return fail(c, E_INVALID,
		    "id: must contain only letters, digits, \"_\", \"-\" and \".\"");
	if (!str_plain(m->subject))
		return fail(c, E_INVALID,
		    "subject: must be one line of UTF-8 without control characters");
	TRY(header_from(c, b, m->from));
	TRY(mail_address(c, "to", m->to, &to));
	buf_fmt(b, "To: %s\r\n", to);
	if (m->reply_to) {
		TRY(mail_address(c, "reply_to", m->reply_to, &to));
		buf_fmt(b, "Reply-To: %s\r\n", to);
	}
	buf_str(b, "Subject: ");
	if (is_plain_ascii(m->subject))
		buf_str(b, m->subject);
	else if (*m->subject)
		encoded_words(b, m->subject);
	buf_str(b, "\r\n");
	gmtime_r(&t, &tm);
	strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S +0000", &tm);
	buf_fmt(b,
	    "Date: %s\r\nMessage-ID: <%s@%s>\r\nAuto-Submitted: auto-generated\r\n"
	    "MIME-Version: 1.0\r\n",
	    date, m->id, m->id_host);
	TRY(header_thread(c, b, m));
	if (m->event && !is_id(m->event))
		return fail(c, E_INVALID, "event: must be a word");
	if (m->event)
		buf_fmt(b, "X-Vitrine-Event: %s\r\n", m->event);
	if (m->stop && (!str_http_url(m->stop) || strpbrk(m->stop, "<> ")))
		return fail(c, E_INVALID, "stop: must be an address on the web");
	if (m->stop)
		buf_fmt(b,
		    "List-Unsubscribe: <%s>\r\n"
		    "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
		    m->stop);
	return E_OK;
}

/* ---- body: RFC 2045 section 6.7 ---- */

struct qp {
	struct buf *out;
	size_t column;
};

static void
qp_unit(struct qp *q, const char *unit, bool last)
{
	size_t n = strlen(unit);

	if (q->column + n > LINE - (last ? 0u : 1u)) {
		buf_str(q->out, "=\r\n");
		q->column = 0;
		/* Some mail servers alter a line that begins with a dot or "From ", so its first
		 * letter is encoded. */
		if (*unit == '.')
			unit = "=2E";
		else if (*unit == 'F')
			unit = "=46";
		n = strlen(unit);
	}
	buf_str(q->out, unit);
	q->column += n;
}

static void
qp_line(struct buf *out, const char *s, size_t n)
{
	struct qp q = { .out = out };
	char unit[4];

	for (size_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];
		bool last = i + 1 == n;
		bool plain = (ch >= '!' && ch <= '~' && ch != '=') ||
		    ((ch == ' ' || ch == '\t') && !last);

		if (!q.column && (ch == '.' || ch == 'F'))
			plain = false;
		snprintf(unit, sizeof unit, plain ? "%c" : "=%02X", ch);
		qp_unit(&q, unit, last);
	}
	buf_str(out, "\r\n");
}

static void
part_add(struct buf *b, const char *boundary, const char *type, const char *body)
{
	buf_fmt(b,
	    "--%s\r\nContent-Type: %s; charset=utf-8\r\n"
	    "Content-Transfer-Encoding: quoted-printable\r\n\r\n",
	    boundary, type);
	while (*body) {
		size_t n = strcspn(body, "\n");

		qp_line(b, body, n && body[n - 1] == '\r' ? n - 1 : n);
		body += n + (body[n] == '\n');
	}
}

enum err
mail_compose(struct ctx *c, const struct mail_message *m, const char **out, size_t *n)
{
	struct buf b = BUF(c->mem);
	uint8_t sha256[SHA256_BYTES];
	const char *boundary;

	if (!str_utf8_valid(m->text, strlen(m->text)) || !str_utf8_valid(m->html, strlen(m->html)))
		return fail(c, E_INVALID, "text: must be UTF-8");
	TRY(header_add(c, &b, m));
	/* Quoted-printable text never has "=_", so no body can contain the boundary. */
	crypto_sha256(m->id, strlen(m->id), sha256);
	boundary = mem_printf(c->mem, "=_%s", crypto_hex(c->mem, sha256, 12));
	buf_fmt(&b, "Content-Type: multipart/alternative;\r\n boundary=\"%s\"\r\n\r\n", boundary);
	part_add(&b, boundary, "text/plain", m->text);
	part_add(&b, boundary, "text/html", m->html);
	buf_fmt(&b, "--%s--\r\n", boundary);
	*out = buf_done(&b);
	*n = b.n;
	return E_OK;
}
