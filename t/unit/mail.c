/* SPDX-License-Identifier: Apache-2.0
 * E-mail as bytes, and its texts. */
#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"
#include "core/mail.h"
#include "ext/mailtext.h"
#include "tap.h"

#include <unistd.h>

static struct ctx *c;
static size_t length;

static struct mail_message
message(void)
{
	return (struct mail_message){ .id = "out_1", .id_host = "app.example.org", .from = "Vitrine <no-reply@example.org>",
		.to = "ann@example.org", .subject = "Hello", .text = "one\n", .html = "<p>one</p>\n", .date = 1767323045 };
}

static const char *
compose(struct mail_message m)
{
	const char *out = NULL;

	if (mail_compose(c, &m, &out, &length))
		return NULL;
	return out;
}

/* A header's value with its folds, or NULL. */
static const char *
header_of(const char *mail, const char *name)
{
	const char *at = strstr(mem_printf(c->mem, "\r\n%s", mail), mem_printf(c->mem, "\r\n%s: ", name)), *end;

	if (!at)
		return NULL;
	at += strlen(name) + 4;
	for (end = at; !(end[0] == '\r' && end[1] == '\n' && end[2] != ' ' && end[2] != '\t'); end++)
		;
	return mem_strndup(c->mem, at, (size_t)(end - at));
}

/* Undoes encoded words as RFC 2047 says: the white space between two is not part of the text. NULL if a word is too long or not UTF-8. */
static const char *
words_decode(const char *s)
{
	struct buf b = BUF(c->mem);

	while (*s) {
		const char *end = strstr(s, "?=");
		size_t n = 0;
		char *text;

		if (!str_starts(s, "=?UTF-8?B?") || !end || end + 2 - s > 75)
			return NULL;
		text = mem_array(c->mem, char, strlen(s) + 1);
		if (!crypto_unbase64(s + 10, (size_t)(end - s - 10), (uint8_t *)text, &n) || !str_utf8_valid(text, n))
			return NULL;
		buf_add(&b, text, n);
		s = end + 2;
		if (str_starts(s, "\r\n ="))
			s += 3;
		else if (*s)
			return NULL;
	}
	return buf_done(&b);
}

static int
hex(char ch)
{
	return isdigit((unsigned char)ch) ? ch - '0' : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* The nth part (0, 1), decoded; NULL on an escape that is none. */
static const char *
part_decode(const char *mail, int nth)
{
	struct buf b = BUF(c->mem);
	const char *at = mail;

	for (int i = 0; i <= nth; i++)
		at = strstr(at, "quoted-printable\r\n\r\n") + 20;
	for (; strncmp(at, "\r\n--=_", 6); at++) {
		if (*at != '=')
			buf_chr(&b, *at);
		else if (at[1] == '\r' && at[2] == '\n')
			at += 2;
		else if (hex(at[1]) < 0 || hex(at[2]) < 0)
			return NULL;
		else {
			buf_chr(&b, (char)(hex(at[1]) << 4 | hex(at[2])));
			at += 2;
		}
	}
	return buf_done(&b);
}

static bool
lines_fit(const char *mail)
{
	for (const char *p = mail; *p;) {
		const char *end = strstr(p, "\r\n");

		if (!end || end - p > 76)
			return false;
		for (; p < end; p++)
			if (*p == '\r' || *p == '\n' || (unsigned char)*p > 126 || (*p < ' ' && *p != '\t'))
				return false;
		p = end + 2;
	}
	return true;
}

static void
subjects(void)
{
	static const char *const texts[] = { "Анна открыла вам доступ к «Отчёту о продажах за третий квартал две тысячи двадцать шестого года»",
		"东京都的年度报告已经与您共享,请尽快查看并提出意见,谢谢您的合作与支持",
		"🎉👩‍👩‍👧‍👦 party 🎂🎂🎂🎂🎂🎂🎂🎂🎂🎂🎂🎂🎂🎂🎂🎂🎂🎂", "é", " leading and trailing ", "=?UTF-8?Q?already?=",
		"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsversammlungsprotokoll",
		"a long one in plain ASCII that would not fit on a single line of seventy-six bytes" };
	struct mail_message m = message();

	is_str(header_of(compose(m), "Subject"), "Hello", "a plain subject stays readable");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char *mail;

		m.subject = texts[i];
		mail = compose(m);
		is_str(words_decode(header_of(mail, "Subject")), texts[i], "a subject comes back whole");
		ok(lines_fit(mail), "its lines are short ASCII");
	}
	m = message();
	m.from = "Витрина <no-reply@example.org>";
	ok(str_starts(header_of(compose(m), "From"), "=?UTF-8?B?") && str_ends(header_of(compose(m), "From"), "?=\r\n <no-reply@example.org>"),
	    "a sender's name is encoded");
	m.to = "ann@пример.example";
	is_str(header_of(compose(m), "To"), "ann@xn--e1afmkfd.example", "an international host goes in its ASCII form");
}

static void
bodies(void)
{
	static const char text[] = ".\n..two\nFrom here\n=3D=\ntab\t\nspace \n\n"
	                           "a line that is much longer than seventy-six bytes, with a dot exactly where it breaks....................\n"
	                           "слово и ещё слово и ещё слово и ещё слово 😀😀😀😀😀😀😀😀😀😀😀😀\n--=_x--\nend\n";
	struct mail_message m = message();
	struct buf crlf = BUF(c->mem);
	const char *mail;

	for (const char *p = text; *p; p++)
		buf_add(&crlf, *p == '\n' ? "\r\n" : p, *p == '\n' ? 2 : 1);
	m.text = text;
	mail = compose(m);
	ok(lines_fit(mail), "lines are at most 76 bytes of ASCII");
	is_str(mem_printf(c->mem, "%s\r\n", part_decode(mail, 0)), buf_done(&crlf), "the text comes back whole");
	is_str(part_decode(mail, 1), "<p>one</p>", "so does the HTML");
	ok(!strstr(mail, "\r\n.") && !strstr(mail, "\r\nFrom here"), "no line begins with a dot or From");
	ok(!strstr(mail, " \r\n") && !strstr(mail, "\t\r\n"), "nor ends in white space");
	ok(!strstr(mail, "\r\n--=_x"), "a body can't hold a boundary");
	m.text = "\xff\n";
	ok(!compose(m), "a text that is not UTF-8 is refused");
}

static void
headers(void)
{
	const char *mail = compose(message());

	is_str(header_of(mail, "Date"), "Fri, 02 Jan 2026 03:04:05 +0000", "Date");
	is_str(header_of(mail, "Message-ID"), "<out_1@app.example.org>", "Message-ID");
	is_str(header_of(mail, "Auto-Submitted"), "auto-generated", "Auto-Submitted");
	is_str(header_of(mail, "MIME-Version"), "1.0", "MIME-Version");
	is_str(mail, compose(message()), "the same message gives the same bytes");
	is_int((long long)length, (long long)strlen(mail), "and their number");
	ok(str_starts(mail, "From: \"Vitrine\"\r\n <no-reply@example.org>\r\n"), "From");
}

static void
thread(void)
{
	static const char *const ids[] = { "", "a", "@", "a@", "@b", "a b@c", "a@b>", "<a@b", "a@b\r\nBcc: c@d", "a@\xe9", "\"a\"@b", "a@b,c@d", NULL };
	struct mail_message m = message();
	char longest[300];

	ok(!header_of(compose(m), "References") && !header_of(compose(m), "In-Reply-To"), "what is about nothing answers nothing");
	m.thread = "tkt_1";
	is_str(header_of(compose(m), "In-Reply-To"), "<tkt_1@app.example.org>", "mails about one thing have something in common");
	is_str(header_of(compose(m), "References"), "<tkt_1@app.example.org>", "... twice");
	m.answers = "a+b.c/d$1@mail.example.org";
	is_str(header_of(compose(m), "In-Reply-To"), "<a+b.c/d$1@mail.example.org>", "one that answers another names it");
	is_str(header_of(compose(m), "References"), "<tkt_1@app.example.org>\r\n <a+b.c/d$1@mail.example.org>", "... behind what they have in common");
	for (int i = 0; ids[i]; i++) {
		m.answers = ids[i];
		ok(!compose(m) && c->err == E_INVALID, "an id is refused");
	}
	memset(longest, 'a', sizeof longest);
	snprintf(longest + MAIL_ID_BYTES - 2, 10, "@b");
	m.answers = longest;
	ok(compose(m) != NULL, "the longest id");
	snprintf(longest + MAIL_ID_BYTES - 1, 10, "@b");
	ok(!compose(m), "one that is longer is refused");
	m.answers = NULL;
	m.thread = "tkt 1";
	ok(!compose(m), "what is no word is refused");
}

static void
injection(void)
{
	static const char *const subjects_[] = { "x\r\nBcc: e@e.org", "x\nBcc: e@e.org", "x\ry", "x\x01", "x\x7f", "x\xe2\x80\xa8y", "x\xff", NULL };
	static const char *const addresses[] = { "", "a", "a@b", "a@b.org\r\nDATA", "a@b.org\n", "\"a,b\"@x.org",
		"a@b.org,c@d.org", "<a@b.org>", "a@[127.0.0.1]", "a b@c.org",
		"a@b.org ", "a@b.org>", "a@-b.org", NULL };
	static const char *const senders[] = { "V <a@b.org>\r\nBcc: <c@d.org>", "V\r\n <a@b.org>", "V\" <a@b.org>", "V <a@b.org",
		"V <a@b.org> x", "<a@b.org><c@d.org>", "V", NULL };
	struct mail_message m;
	char longest[400];

	for (int i = 0; subjects_[i]; i++) {
		m = message();
		m.subject = subjects_[i];
		ok(!compose(m) && c->err == E_INVALID, "a subject is refused");
	}
	for (int i = 0; addresses[i]; i++) {
		m = message();
		m.to = addresses[i];
		ok(!compose(m) && c->err == E_INVALID, "an address is refused");
	}
	for (int i = 0; senders[i]; i++) {
		m = message();
		m.from = senders[i];
		ok(!compose(m) && c->err == E_INVALID, "a sender is refused");
	}
	memset(longest, 'a', sizeof longest);
	snprintf(longest + 300, 20, "@b.org");
	m = message();
	m.to = longest;
	ok(!compose(m), "an address of 300 bytes is refused");
	m = message();
	m.id = "a> <b";
	ok(!compose(m), "an id that is none is refused");
}

static void
templates(void)
{
	struct mail_values v = { .artifact = "<b>Q3</b> see https://evil.example/x", .who = "ann@example.org",
		.message = "Hi & bye\n{link} www.evil.example",
		.link = "/a?x=1&y='" };
	struct mail_text t;

	ok(mail_render(c, MAIL_ACCESS_REQUEST, &v, &t) == E_INVALID, "a link with a quote is refused");
	v.link = "//evil.example/";
	ok(mail_render(c, MAIL_ACCESS_REQUEST, &v, &t) == E_INVALID, "a link to another host is refused");
	v.link = "https://evil.example/";
	ok(mail_render(c, MAIL_ACCESS_REQUEST, &v, &t) == E_INVALID, "in full, too");
	v.link = "/a?x=1&y=2";
	if (!ok(mail_render(c, MAIL_ACCESS_REQUEST, &v, &t) == E_OK, "a link of ours is not"))
		return;
	is_str(t.subject, "ann@example.org requested access to <b>Q3</b> see https://evil.example/x", "the subject is plain text");
	ok(strstr(t.html, "&lt;b&gt;Q3&lt;/b&gt;") && !strstr(t.html, "<b>"), "a name's markup is inert in HTML");
	ok(strstr(t.html, "<blockquote ") && strstr(t.html, "\">Hi &amp; bye<br>\n{link} "), "a message is a quotation, and its braces mean nothing");
	ok(strstr(t.text, "> Hi & bye\n> {link} "), "in text, too");
	ok(strstr(t.html, "<a href=\"https://app.example.org/a?x=1&amp;y=2\""), "the button goes to base_url");
	ok(strstr(t.text, "\nhttps://app.example.org/a?x=1&y=2\n"), "so does the text's link");
	ok(!strstr(t.text, "evil.example") && !strstr(t.html, "evil.example"), "what looks like a link is none");
	v.message = NULL;
	ok(mail_render(c, MAIL_ACCESS_REQUEST, &v, &t) == E_OK && !strstr(t.html, "blockquote"), "a message can be missing");
	v.artifact = NULL;
	ok(mail_render(c, MAIL_ACCESS_REQUEST, &v, &t) == E_INVALID && strstr(c->message, "artifact"), "another value can't");
	v = (struct mail_values){ .link = "/x", .artifact = "A", .who = "w", .role = "editor", .by = "b", .when = "now", .where = "here", .what = "3 new comments",
		.until = "tomorrow", .left = "9", .subject = "S", .alert = "Too many", .now = "120", .before = "100", .limit = "above 100",
		.code = "123456", .workspace = "Northwind" };
	for (enum mail_template i = 0; i < MAIL_TEMPLATES; i++)
		ok(mail_render(c, i, &v, &t) == E_OK && *t.subject && !strpbrk(t.subject, "{}") && !strpbrk(t.text, "{}") &&
		    !strstr(t.html, "(null)") && !strstr(t.html, "{link}") && !strstr(t.html, "{service}"), "a template renders");
}

static size_t
times(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* What each message must have, in both of its parts. */
static void
wording(void)
{
	struct mail_values v = { .link = "/x", .artifact = "Plans", .who = "Wim", .role = "editor", .by = "Bea", .when = "now", .where = "here", .what = "3 new comments",
		.until = "tomorrow", .left = "9", .subject = "S", .alert = "Too many", .now = "120", .before = "100", .limit = "above 100",
		.code = "123456", .workspace = "Northwind" };
	struct mail_text t;

	for (enum mail_template i = 0; i < MAIL_TEST; i++) {
		if (i == MAIL_JOB || i == MAIL_DELIVERY_CODE || i == MAIL_TICKET_ANSWER || i == MAIL_TICKET_STATE)
			continue;
		mail_render(c, i, &v, &t);
		ok(times(t.text, "app.example.org") > 1 && strstr(t.html, "at app.example.org"), "it names the service");
		is_int((long long)times(t.html, "class=\"go\""), 1, "one button");
		is_int((long long)times(t.html, "<a "), 2, "the button and the address in full are its only links");
		ok(strstr(t.html, "\">https://app.example.org/x</a>") && strstr(t.text, ":\nhttps://app.example.org/x\n"), "the address in full");
		ok(strstr(t.html, "The link works once, until tomorrow.") && strstr(t.text, "The link works once, until tomorrow."), "until when");
		is_int((long long)times(t.html, "<h1 "), 1, "one heading");
		ok(!strstr(t.html, "<img") && !strstr(t.html, "<script") && !strstr(t.html, "url("), "nothing is fetched");
		ok(times(t.html, "<table ") == times(t.html, "</table>") && times(t.html, "<p ") == times(t.html, "</p>"), "what is opened is closed");
	}
	v.message = "Hello";
	mail_render(c, MAIL_JOB, &v, &t);
	is_str(t.subject, "S", "a job's mail has the subject that its maker wrote");
	ok(times(t.html, "class=\"go\"") == 0 && strstr(t.text, "> Hello\n"), "no button, and the text as a quotation");
	ok(strstr(t.text, "Bea set up this message for Plans on app.example.org") && strstr(t.html, "Bea set up"), "and who set it up");
	mail_render(c, MAIL_INVITATION, &v, &t);
	is_str(t.subject, "You are invited to Vitrine at app.example.org", "an invitation says so");
	ok(strstr(t.text, "Bea created an account for you on app.example.org") && strstr(t.html, "Bea created"), "who invites, and where");
	ok(strstr(t.text, "Choose a password:\n") && strstr(t.html, ">Choose a password</a>"), "what it is for");
	ok(strstr(t.text, "ignore this message") && strstr(t.html, "ignore this message"), "and that it can be ignored");
	mail_render(c, MAIL_WORKSPACE_INVITED, &v, &t);
	is_str(t.subject, "Bea invites you to Northwind", "an invite says who and to what");
	ok(strstr(t.text, "Your role: editor.") && strstr(t.text, "Sent by: Wim") && strstr(t.text, "Accept invitation:\n"), "... as what, from which address, and what to do");
	v.workspace = "https://evil.example";
	for (enum mail_template i = MAIL_WORKSPACE_INVITED; i <= MAIL_GOVERN_PURGED; i++)
		ok(mail_render(c, i, &v, &t) == E_OK && !strstr(t.text, "evil.example") && !strstr(t.html, "https://evil"), "a workspace's name is no link");
	v.by = "https://evil.example";
	mail_render(c, MAIL_INVITATION, &v, &t);
	ok(!strstr(t.text, "evil.example") && !strstr(t.html, "evil.example"), "an inviter's name is no link");
	v.until = NULL;
	mail_render(c, MAIL_INVITATION, &v, &t);
	ok(!strstr(t.text, "until") && !strstr(t.html, "until"), "a message that was queued without an end names none");
	mail_render(c, MAIL_FACTOR_RECOVERY, &v, &t);
	ok(strstr(t.text, "Recovery codes left: 9.") && strstr(t.html, "Recovery codes left: 9."), "how many codes are left");
}

static struct mail_brand
brand(void)
{
	return (struct mail_brand){ .name = "Nord", .color = "#0a5c9e", .logo_url = "https://app.example.org/v1/logos/0123456789abcdef0123456789abcdef",
		.support_email = "help@nord.example", .footer = "Nord Ltd, Oslo" };
}

/* E-mail of a workspace, as its branding has it. */
static void
letterheads(void)
{
	struct mail_brand b = brand();
	struct mail_values v = { .link = "/x", .who = "Wim", .role = "editor", .by = "Bea", .when = "now", .what = "CI", .until = "tomorrow", .workspace = "Nord", .brand = &b };
	struct mail_text t;

	for (enum mail_template i = MAIL_WORKSPACE_INVITED; i <= MAIL_WORKSPACE_TOKEN; i++) {
		b.hide_vitrine = false;
		mail_render(c, i, &v, &t);
		ok(strstr(t.text, "\n-- \nNord\nNord Ltd, Oslo\nQuestions? help@nord.example\nSent by Vitrine, https://app.example.org\n"), "the text ends with who they are, and whom to ask");
		ok(strstr(t.html, ">Nord <span") && strstr(t.html, "on Vitrine at app.example.org") && strstr(t.html, "<br>Nord Ltd, Oslo<br>Questions? <a class=\"soft\" href=\"mailto:help@nord.example\""), "so does the other");
		is_int((long long)times(t.html, "<img "), 1, "the logo is the only picture");
		ok(strstr(t.html, "<img src=\"https://app.example.org/v1/logos/0123456789abcdef0123456789abcdef\" alt=\"\" "), "at its address, which says nothing of who reads it");
		is_int((long long)times(t.html, "#0a5c9e"), 1, "the colour is on one strip");
		ok(strstr(t.html, "bgcolor=\"#0a5c9e\" style=\"height:6px;line-height:6px;font-size:0;border-radius:10px 10px 0 0\">&nbsp;</td>"), "which has no text");
		ok(times(t.html, "<table ") == times(t.html, "</table>") && times(t.html, "<tr>") == times(t.html, "</tr>") && times(t.html, "<td") == times(t.html, "</td>"), "what is opened is closed");
		b.hide_vitrine = true;
		mail_render(c, i, &v, &t);
		ok(!strstr(t.text, "Vitrine") && !strstr(t.html, "Vitrine") && !strstr(t.subject, "Vitrine"), "our name can be hidden");
		ok(strstr(t.text, "\nhttps://app.example.org\n") && strstr(t.html, "Sent from https://app.example.org."), "where it comes from can't");
	}
	b = (struct mail_brand){ .name = "Nord" };
	mail_render(c, MAIL_WORKSPACE_INVITED, &v, &t);
	ok(!strstr(t.html, "<img") && !strstr(t.html, "bgcolor") && !strstr(t.html, "mailto:"), "what is not set is not there");
	ok(strstr(t.text, "\n-- \nNord\nSent by Vitrine, https://app.example.org\n"), "nor in the text");
	v.brand = NULL;
	mail_render(c, MAIL_WORKSPACE_INVITED, &v, &t);
	ok(strstr(t.text, "\n-- \nVitrine, https://app.example.org\n") && strstr(t.html, ">Vitrine <span"), "without any the letterhead is ours");
}

/* What a workspace calls itself breaks out of nothing. */
static void
letterheads_of_rogues(void)
{
	struct mail_brand b = brand();
	struct mail_values v = { .link = "/x", .who = "Wim", .role = "editor", .by = "Bea", .until = "tomorrow", .brand = &b };
	struct mail_text t;

	v.workspace = b.name = "\"><script>alert(1)</script><b x='{link}' {{/brand}}";
	b.footer = "--></td></table><img src=//evil.example/x> see https://evil.example";
	b.support_email = "a?bcc=x&subject=y@nord.example";
	b.logo_url = "https://app.example.org/x\" onerror=\"alert(1)";
	ok(mail_render(c, MAIL_WORKSPACE_INVITED, &v, &t) == E_OK, "a rogue's branding renders");
	ok(!strstr(t.html, "<script") && !strstr(t.html, "<b x") && !strstr(t.html, "\" onerror") && times(t.html, "<img ") == 1, "none of it is markup");
	ok(strstr(t.html, "&lt;script&gt;alert(1)&lt;/script&gt;") && strstr(t.html, "{link}") && strstr(t.html, "{{/brand}}"), "it is text, braces too");
	ok(times(t.html, "</table>") == times(t.html, "<table ") && times(t.html, "</td>") == times(t.html, "<td"), "it closes nothing");
	ok(!strstr(t.html, "evil.example") && !strstr(t.text, "evil.example"), "and links nowhere");
	ok(strstr(t.html, "href=\"mailto:a%3Fbcc%3Dx%26subject%3Dy@nord.example\""), "an address adds no recipient and no subject");
	b = brand();
	for (size_t i = 0; i < 6; i++) {
		b.color = (const char *[]){ "#fff;}x", "red", "#0a5c9", "url(x)", "#0a5c9\"", "" }[i];
		mail_render(c, MAIL_WORKSPACE_INVITED, &v, &t);
		ok(!strstr(t.html, "bgcolor"), "what is no colour colours nothing");
	}
	b = brand();
	v.workspace = "Nord\r\nBcc: all@example.org";
	mail_render(c, MAIL_WORKSPACE_INVITED, &v, &t);
	ok(!compose((struct mail_message){ .id = "out_1", .id_host = "app.example.org", .from = "Vitrine <no-reply@example.org>", .to = "ann@example.org",
		.subject = t.subject, .text = t.text, .html = t.html, .date = 1 }), "a name of two lines makes no header");
}

/* What conf_load says of the file's text, or "good". */
static const char *
conf_says_of(const char *text)
{
	char path[] = "/tmp/vitrine-mail-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	const struct conf *conf;
	const char *why = NULL;

	fputs(text, f);
	fclose(f);
	conf = conf_load(c->mem, path, &why);
	unlink(path);
	if (conf)
		c->conf = conf;
	return conf ? "good" : strchr(why, ':') + 2;
}

static const char *
conf_says(const char *lines)
{
	return conf_says_of(mem_printf(c->mem, "base_url: https://app.example.org\ncontent_domain: pages.example.net\n%s", lines));
}

static void
settings(void)
{
	static const char *const wrong[] = { "smtp_url: smtp://h:587\n", "smtp_url: http://h\nmail_from: a@b.org\n",
		"smtp_url: smtp://u:p@h\nmail_from: a@b.org\n",
		"smtp_url: smtp://h/x\nmail_from: a@b.org\n", "smtp_url: smtp://h:0\nmail_from: a@b.org\n",
		"smtp_url: smtp://h\nmail_from: V a@b.org\n",
		"smtp_url: smtp://h\nmail_from: a@b.org\nsmtp_user: u\n", "smtp_timeout_s: 241\n", NULL };

	is_str(conf_says(""), "good", "no mail server is fine");
	is_str(conf_says("smtp_url: smtps://mail.example.org:465\nmail_from: Vitrine <no-reply@example.org>\n"), "good", "one with a sender is");
	is_str(conf_says_of(conf_print(c->mem, c->conf)), "good", "settings can be read as they are shown");
	for (int i = 0; wrong[i]; i++)
		ok(strcmp(conf_says(wrong[i]), "good") != 0, "settings that don't go together are refused");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	settings();
	subjects();
	bodies();
	headers();
	thread();
	injection();
	templates();
	wording();
	letterheads();
	letterheads_of_rogues();
	ctx_end(c);
	return done();
}
