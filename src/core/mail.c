/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mail.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "core/follow.h"
#include "core/letterhead.h"
#include "core/mailpot.h"
#include "core/user.h"
#include "ext/mailtext.h"
#include "store/rounds.h"

SHAPE_DEFINE(mail_brand, MAIL_BRAND);
SHAPE_DEFINE(mail_values, MAIL_VALUES);
SHAPE_DEFINE(mail_failed, MAIL_FAILED);

#define MAIL_PAYLOAD(F, T) \
	F(T, STR, template, .flags = F_REQ) \
	F(T, INT, queued_at, .flags = F_REQ) \
	F(T, OBJ, values, .flags = F_REQ, .sub = &mail_values_shape) \
	F(T, STR, typed, .flags = F_OPT, .lo = 1, .hi = 254) \
	F(T, ID, sender_id, .flags = F_OPT, .arg = "usr_")
SHAPE(mail_payload, MAIL_PAYLOAD);

enum { DAY_S = 86400, KEEP_FAILED_S = 30 * DAY_S };

#define POT(name, ...) static const struct pot name##_pot = { #name, __VA_ARGS__ };
#include "core/nouns.def"

/* In a body, an empty line separates paragraphs and {name} stands for a value, {service} for our
 * host. A paragraph that is only {link} becomes the button, one that is only {message} a quotation.
 * The ending says what happens when the message is ignored. */
struct template {
	const char *name, *subject, *body, *button, *ending;
	const struct pot *pot;
	bool ours; /* the operator wrote the message: its addresses become links */
};
#define OWNER_ENDING "You’re receiving this because you own the artifact."
static const struct template templates[MAIL_TEMPLATES] = {
#define MAIL(template, ...) [MAIL_##template] = { __VA_ARGS__ },
#include "core/nouns.def"
};

/* ---- text ---- */

enum form { SUBJECT, TEXT, HTML };

static void
add_text(struct buf *b, enum form form, const char *s)
{
	if (form != HTML) {
		buf_str(b, s);
		return;
	}
	for (char *rest = mem_strdup(b->owner, s), *line; (line = str_split(&rest, '\n'));) {
		buf_html(b, line);
		if (rest)
			buf_str(b, "<br>\n");
	}
}

/* Returns the value of a {name}, escaped for the format; NULL if it is empty. */
static const char *
value_of(
    struct ctx *c, const char *name, size_t n, const struct mail_values *values, enum form form)
{
	if (n == strlen("service") && !memcmp(name, "service", n))
		return mail_host(c);
	for (size_t i = 0; i < mail_values_shape.n; i++) {
		const struct field *f = &mail_values_shape.fields[i];
		const char *value;

		if (strlen(f->name) != n || memcmp(f->name, name, n) != 0)
			continue;
		value = *(const char *const *)((const char *)values + f->off);
		return value && form != SUBJECT ? mail_inert(c, value) : value;
	}
	return NULL;
}

/* Appends s with its values inserted. Braces in a value stay as they are. E_INVALID if a value is
 * missing. */
static enum err
text_expand(
    struct ctx *c, struct buf *b, const char *s, const struct mail_values *values, enum form form)
{
	while (*s) {
		size_t n = strcspn(s, "{"), name;
		const char *value;

		add_text(b, form, mem_strndup(c->mem, s, n));
		s += n;
		if (!*s)
			break;
		name = strcspn(s, "}") - 1;
		value = value_of(c, s + 1, name, values, form);
		if (!value)
			return fail(c, E_INVALID, "%.*s: is required by this e-mail",
			    (int)name, s + 1);
		add_text(b, form, value);
		s += name + 2;
	}
	return E_OK;
}

static enum err
link_url(struct ctx *c, const char *path, const char **out)
{
	*out = path ? mem_printf(c->mem, "%s%s", c->conf->base_url, path) : NULL;
	if (!path || path[0] != '/' || path[1] == '/' || strpbrk(path, "'\n") ||
	    !str_http_url(*out))
		return fail(c, E_INVALID,
		    "link: must be a path on this installation that begins with a single slash");
	return E_OK;
}

/* ---- the look: tables and inline styles, since mail programs have no others ---- */

static const char html_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">"
    "<meta name=\"supported-color-schemes\" content=\"light dark\">\n"
    "<style>:root{color-scheme:light dark}\n"
    "@media (prefers-color-scheme:dark){"
    ".bg{background:#0c1211!important}"
    ".card{background:#131b1a!important;border-color:#293534!important}\n"
    ".ink{color:#e9f0ee!important}.soft{color:#9fb0ad!important}"
    ".go{background:#45c4b4!important}.go a{color:#05211d!important}"
    "a.plain{color:#45c4b4!important}}</style>\n<title>";
static const char html_top[] =
    "</title></head>\n<body class=\"bg\" style=\"margin:0;padding:0;background:#fafcfb\">\n"
    "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" "
    "class=\"bg\" style=\"background:#fafcfb;"
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif\">\n"
    "<tr><td align=\"center\" style=\"padding:32px 16px\">\n"
    "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" "
    "style=\"max-width:520px\">\n"
    "<tr><td style=\"padding:0 4px 16px\">"
    "<table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\"><tr>";
static const char html_card[] =
    "<tr><td class=\"card\" style=\"padding:32px;background:#ffffff;border:1px solid #dce3e1;"
    "border-radius:";
static const char html_title[] =
    "\">\n"
    "<h1 class=\"ink\" style=\"margin:0;font-size:22px;line-height:1.3;font-weight:600;" INK "\">";
static const char html_paragraph[] =
    "<p class=\"ink\" style=\"margin:16px 0 0;font-size:16px;line-height:1.55;" INK "\">";
static const char html_quotation[] =
    "<blockquote class=\"soft\" style=\"margin:16px 0 0;padding:0 0 0 16px;"
    "border-left:3px solid #dce3e1;font-size:16px;line-height:1.55;" SOFT "\">";
static const char html_button[] =
    "<table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" "
    "style=\"margin:20px 0 0\"><tr>"
    "<td class=\"go\" style=\"border-radius:6px;background:#0a6b62\"><a href=\"";
static const char html_label[] =
    "\" style=\"display:inline-block;padding:12px 22px;font-size:16px;font-weight:600;"
    "color:#ffffff;text-decoration:none\">";
static const char html_address[] =
    "</a></td></tr></table>\n"
    "<p class=\"soft\" style=\"margin:20px 0 0;font-size:14px;line-height:1.55;" SOFT "\">";
static const char html_ending[] =
    "</td></tr>\n"
    "<tr><td class=\"soft\" style=\"padding:16px 4px;font-size:13px;line-height:1.5;" SOFT "\">";
static const char html_foot[] =
    "</td></tr>\n</table>\n</td></tr>\n</table>\n</body></html>\n";

/* The button, and below it the full address for mail programs that show no button. */
static enum err
button_add(struct ctx *c, struct buf *text, struct buf *html, const struct mail_values *values,
    const char *label)
{
	const char *url, *until = "";

	TRY(link_url(c, values->link, &url));
	if (values->until)
		until = mem_printf(c->mem, "The link works once, until %s.", values->until);
	buf_fmt(text, "%s:\n%s\n\n%s%s", label, url, until, *until ? "\n\n" : "");
	buf_str(html, html_button);
	buf_html(html, url);
	buf_str(html, html_label);
	buf_html(html, label);
	buf_str(html, html_address);
	buf_html(html, until);
	buf_str(html,
	    " If the button doesn’t work, open this address:<br><a class=\"plain\" href=\"");
	buf_html(html, url);
	buf_str(html, "\" style=\"color:#0a6b62;word-break:break-all\">");
	buf_html(html, url);
	buf_str(html, "</a></p>\n");
	return E_OK;
}

static enum err
paragraph_add(struct ctx *c, struct buf *text, struct buf *html, const char *s,
    const struct mail_values *values, const struct template *t)
{
	const char *message = values->message;

	/* Text that a person wrote becomes a quotation, so that it can't look like ours. */
	if (str_eq(s, "{message}")) {
		if (!message || !*message)
			return E_OK;
		message = t->ours ? message : mail_inert(c, message);
		buf_str(html, html_quotation);
		add_text(html, HTML, message);
		buf_str(html, "</blockquote>\n");
		for (char *rest = mem_strdup(c->mem, message), *line;
		     (line = str_split(&rest, '\n'));)
			buf_fmt(text, "> %s\n", line);
		buf_chr(text, '\n');
		return E_OK;
	}
	if (str_eq(s, "{link}"))
		return button_add(c, text, html, values, t->button);
	TRY(text_expand(c, text, s, values, TEXT));
	buf_str(text, "\n\n");
	buf_str(html, html_paragraph);
	TRY(text_expand(c, html, s, values, HTML));
	buf_str(html, "</p>\n");
	return E_OK;
}

static enum err
head_add(
    struct ctx *c, struct buf *html, const struct template *t, const struct mail_values *values)
{
	buf_str(html, html_head);
	TRY(text_expand(c, html, t->subject, values, HTML));
	buf_str(html, html_top);
	letterhead_html(c, html, values->brand);
	buf_str(html, html_card);
	buf_str(html, letterhead_has_band(values->brand) ? "0 0 10px 10px" : "10px");
	buf_str(html, html_title);
	TRY(text_expand(c, html, t->subject, values, HTML));
	buf_str(html, "</h1>\n");
	return E_OK;
}

static enum err
ending_add(struct ctx *c, struct buf *text, struct buf *html, const struct template *t,
    const struct mail_values *values, const char *stop)
{
	TRY(text_expand(c, text, t->ending, values, TEXT));
	if (stop)
		buf_fmt(text, "\n\nUnsubscribe:\n%s", stop);
	signature_text(c, text, values->brand);
	buf_str(html, html_ending);
	TRY(text_expand(c, html, t->ending, values, HTML));
	if (stop) {
		buf_str(html, "<br><a class=\"plain\" href=\"");
		buf_html(html, stop);
		buf_str(html, "\" style=\"color:#0a6b62\">Unsubscribe</a>");
	}
	signature_html(c, html, values->brand);
	buf_str(html, html_foot);
	return E_OK;
}

enum err
mail_render(struct ctx *c, enum mail_template which, const struct mail_values *values,
    struct mail_text *out)
{
	const struct template *t = &templates[which];
	struct buf subject = BUF(c->mem), text = BUF(c->mem), html = BUF(c->mem);
	char *rest = mem_strdup(c->mem, t->body), *end;
	const char *stop = NULL;

	if (values->stop)
		TRY(link_url(c, values->stop, &stop));
	TRY(text_expand(c, &subject, t->subject, values, SUBJECT));
	TRY(head_add(c, &html, t, values));
	while (rest) {
		if ((end = strstr(rest, "\n\n")))
			*end = '\0';
		TRY(paragraph_add(c, &text, &html, rest, values, t));
		rest = end ? end + 2 : NULL;
	}
	TRY(ending_add(c, &text, &html, t, values, stop));
	*out = (struct mail_text){ t->name, buf_done(&subject), buf_done(&text), buf_done(&html),
		stop, values->reply_to, values->thread, values->answers };
	return E_OK;
}

/* ---- queueing ---- */

bool
mail_enabled(const struct ctx *c)
{
	return conf_has(c->conf->smtp_url);
}

/* Copies the values and marks every non-NULL pointer as GIVEN, so that callers need not. */
static struct mail_values *
values_given(struct ctx *c, const struct mail_values *values)
{
	struct mail_values *copy = mem_dup(c->mem, values, sizeof *values);

	for (size_t i = 0; i < mail_values_shape.n; i++) {
		const struct field *f = &mail_values_shape.fields[i];

		*((uint8_t *)copy + f->has) = *(const char **)((char *)copy + f->off) ? GIVEN
										      : ABSENT;
	}
	return copy;
}

static enum err
payload_read(struct ctx *c, const char *text, enum mail_template *which, struct mail_payload **out)
{
	struct json *json;

	TRY(json_parse(c, text ? text : "", text ? strlen(text) : 0, &json));
	TRY(shape_read(c, &mail_payload_shape, json, (void **)out));
	for (*which = 0; *which < MAIL_TEMPLATES; ++*which)
		if (str_eq(templates[*which].name, (*out)->template))
			return E_OK;
	return fail(c, E_INVALID, "template: no such template: %s", (*out)->template);
}

/* Packs a mail, and renders it once, because nobody would see an error in the runner. */
static enum err
mail_pack(struct ctx *c, const struct mail *m, const char **to, const char **payload)
{
	struct mail_payload p = { .template = templates[m->template].name,
		.queued_at = c->now,
		.values = values_given(c, &m->values),
		.has = { GIVEN, GIVEN, GIVEN } };
	struct mail_payload *again;
	enum mail_template which;
	struct mail_text text;

	if (m->typed && m->sender_id) {
		p.typed = m->typed;
		p.sender_id = m->sender_id;
		p.has.typed = p.has.sender_id = GIVEN;
	}
	if (!mail_enabled(c))
		return fail_lacks(c, "This installation can't send e-mail; contact its operator");
	TRY(mail_address(c, "to", m->to, to));
	*payload = shape_text(c->mem, &mail_payload_shape, &p);
	TRY(payload_read(c, *payload, &which, &again));
	return mail_render(c, which, again->values, &text);
}

#define OUTBOX_INSERT \
	"INSERT INTO outbox (id, kind, subject, payload, due_at) VALUES (?, 'mail', ?, ?, ?)"

enum err
mail_send(struct ctx *c, const struct mail *m)
{
	const struct template *t = &templates[m->template];
	const char *to, *payload;

	TRY(mail_pack(c, m, &to, &payload));
	if (t->pot->about_artifacts && !m->sender_id && !m->artifact_id)
		return fail_here(c, "mail %s that costs nobody's budget", t->name);
	TRY(mailpot_pay(c, t->pot, &(struct mail_cause){ m->sender_id, m->artifact_id },
	    email_fold(c, m->to)));
	return db_exec(
	    c, EXEC(OUTBOX_INSERT), ARGS(id_new(c->mem, "out_"), to, payload, c->now), NULL);
}

enum err
mail_send_many(struct ctx *c, const struct mail *all, size_t n, bool *sent)
{
	const char **to = mem_array(c->mem, const char *, n + 1);
	struct arg *v = mem_array(c->mem, struct arg, 4 * n + 1);
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		to[i] = email_fold(c, all[i].to);
	if (n)
		TRY(mailpot_pay_many(
		    c, templates[all->template].pot, all->sender_id, to, n, sent));
	for (size_t i = 0; i < n; i++) {
		const char *address, *payload;

		if (!sent[i])
			continue;
		TRY(mail_pack(c, &all[i], &address, &payload));
		v[4 * rows] = arg_str(id_new(c->mem, "out_"));
		v[4 * rows + 1] = arg_str(address);
		v[4 * rows + 2] = arg_str(payload);
		v[4 * rows++ + 3] = arg_int(c->now);
	}
	return db_exec_many(c, EXEC(OUTBOX_INSERT), v, 4, rows);
}

/* ---- sending ---- */

static enum err
mail_dispatch(struct ctx *c, const char *id, const char *to, const struct mail_text *text,
    int64_t date, struct smtp_reply *out)
{
	const char *host = mail_host(c), *name, *from;
	struct mail_message m = { .id = id,
		.from = c->conf->mail_from,
		.to = to,
		.subject = text->subject,
		.text = text->text,
		.html = text->html,
		.date = date,
		.event = text->event,
		.stop = text->stop,
		.reply_to = text->reply_to,
		.thread = text->thread,
		.answers = text->answers };
	struct smtp_mail mail = { .to = to };

	m.id_host = mem_strndup(c->mem, host, strcspn(host, ":/"));
	TRY(mail_compose(c, &m, &mail.bytes, &mail.n));
	if (!str_mailbox(c->mem, c->conf->mail_from, &name, &from))
		return fail(c, E_INVALID,
		    "mail_from: must be an e-mail address, or Name <address>");
	TRY(mail_address(c, "mail_from", from, &mail.from));
	TRY(mail_address(c, "to", to, &mail.to));
	return smtp_send(c, &mail, out);
}

enum err
mail_deliver(struct ctx *c, const char *id, const char *to, const char *payload, int64_t *queued_at,
    struct smtp_reply *out)
{
	enum mail_template which;
	struct mail_payload *p;
	struct mail_text text;

	*queued_at = c->now;
	TRY(payload_read(c, payload, &which, &p));
	*queued_at = p->queued_at;
	if (!mail_enabled(c)) {
		*out = (struct smtp_reply){ SMTP_DOWN, "smtp_url is not set" };
		return E_OK;
	}
	TRY(mail_render(c, which, p->values, &text));
	return mail_dispatch(c, id, to, &text, p->queued_at, out);
}

enum err
mail_test(struct ctx *c, const char *to, struct smtp_reply *out)
{
	struct mail_values none = { 0 };
	struct mail_text text;

	if (!mail_enabled(c))
		return fail(c, E_INVALID, "smtp_url is not set in %s", c->conf->path);
	TRY(mail_render(c, MAIL_TEST, &none, &text));
	return mail_dispatch(c, id_new(c->mem, "out_"), to, &text, c->now, out);
}

/* ---- failures ---- */

static enum err
give_up(struct ctx *c, const char *id, const char *why)
{
	TRY(follow(c, SENDING_FAILED, &(struct happened){ .find_id = id }));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO mail_failed (id, recipient, template, attempts, failed_at, reason)"
		" SELECT id, subject, COALESCE(LEFT(IF(JSON_VALID(payload),"
		" JSON_VALUE(payload, '$.template'), NULL), 40), ''), attempts, ?, ?"
		" FROM outbox WHERE id = ?"),
	    ARGS(c->now, why, id), NULL));
	return db_exec(c, EXEC("DELETE FROM outbox WHERE id = ?"), ARGS(id), NULL);
}

enum err
mail_give_up(struct ctx *c, const char *id, const char *why)
{
	TRY(db_begin(c));
	return db_end(c, give_up(c, id, why));
}

enum err
mail_list_failed(struct ctx *c, struct list *out)
{
	return db_all(c,
	    ROWS(mail_failed,
		"SELECT id, recipient, template, attempts, failed_at, reason FROM mail_failed"
		" ORDER BY failed_at DESC, id LIMIT 100"),
	    NOARGS, out);
}

#define COUNT(F, T) F(T, INT, n)
SHAPE(mail_count, COUNT);

enum err
mail_count_failed(struct ctx *c, int64_t since, int64_t *n)
{
	struct mail_count *count;

	TRY(db_one(c,
	    ROWS(mail_count, "SELECT COUNT(*) AS n FROM mail_failed WHERE failed_at >= ?"),
	    ARGS(since), &count));
	*n = count->n;
	return E_OK;
}

/* Deletes counts of days before yesterday. */
static enum err
mail_budget_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM mail_budget WHERE day < ? LIMIT ?"),
	    ARGS(c->now / DAY_S - 1, limit), removed);
}

static enum err
mail_failed_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM mail_failed WHERE failed_at < ? LIMIT ?"),
	    ARGS(c->now - KEEP_FAILED_S, limit), removed);
}

ROUNDS(mail, { "mail_budgets", .rows = mail_budget_reap },
    { "mails_failed", .rows = mail_failed_reap });
