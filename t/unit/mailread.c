/* SPDX-License-Identifier: Apache-2.0
 * What an e-mail says: heads and parts as programs write them, and as none does. */
#include "tap.h"

#include "base/buf.h"
#include "base/ctx.h"
#include "base/str.h"
#include "ext/apart.h"
#include "ext/mailread.h"

/* All that it says, in one text. */
static const char *
said_of(struct ctx *c, const struct mail_content *s)
{
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "%s|%s|%s|%s|%s|%s", s->from, s->name, s->subject, s->id, s->machine, s->text);
	for (size_t i = 0; i < s->to.n; i++)
		buf_fmt(&b, "|to %s", s->to.v[i]);
	for (size_t i = 0; i < s->dropped.n; i++)
		buf_fmt(&b, "|file %s", s->dropped.v[i]);
	return buf_done(&b);
}

static const char *
parsed(struct ctx *c, const char *bytes, size_t n)
{
	struct mail_content said;

	return mailread_parse(c, bytes, n, &said) ? c->message : said_of(c, &said);
}

#define FROM "From: jo@fernhill.example\n"
#define TEXT "Content-Type: text/plain; charset=utf-8\n"
#define PARTS(kind) "Content-Type: multipart/" kind "; boundary=b\n\n"
#define PLAIN "--b\nContent-Type: text/plain\n\nplain\n"
#define HTML "--b\nContent-Type: text/html\n\n<p>rich <b>text</b>\n"
#define PDF "--b\nContent-Type: application/pdf; name=\"a.pdf\"\nContent-Disposition: attachment; filename=\"a.pdf\"\nContent-Transfer-Encoding: base64\n\nAAAA\n"

static const struct {
	const char *mail, *want, *name;
} cases[] = {
	{ "From: Jo Fern <jo@fernhill.example>\nTo: help@support.example\nSubject: Nightly job\nMessage-ID: <a.1@fernhill.example>\n\nIt fails.\n", "jo@fernhill.example|Jo Fern|Nightly job|a.1@fernhill.example||It fails.\n|to help@support.example", "a plain mail" },
	{ "From x Tue Mar  3 09:14:00 2026\nReturn-Path: <jo@fernhill.example>\nDelivered-To: help+k@support.example\nX-Original-To: h@o.example\nCc: A <a@x.example>, b@x.example\n" FROM "\nx", "jo@fernhill.example|||||x|to help+k@support.example|to h@o.example|to a@x.example|to b@x.example", "as a mail server gives it" },
	{ "from: jo@fernhill.example\r\nsubject: two\r\n lines\r\n\r\nx\r\ny\rz\r\n", "jo@fernhill.example||two lines|||x\ny\nz\n", "lines as they end" },
	{ "Subject: no sender\n\nx", "||no sender|||x", "without a sender" },
	{ "", "it is no e-mail", "nothing" },
	{ "\n\n", "|||||", "nearly nothing" },
	{ "just text", "it is no e-mail", "no head" },
	/* who */
	{ "From: \"Fern, Jo \\\"J\\\"\" <jo@fernhill.example>\n\n", "jo@fernhill.example|Fern, Jo \"J\"||||", "a quoted name" },
	{ "From: =?UTF-8?Q?J=C3=B6_Fern?= <jo@fernhill.example>\n\n", "jo@fernhill.example|J\xc3\xb6 Fern||||", "an encoded name" },
	{ "From: =?utf-8?Q?a=40evil.example=3E=2C?= <jo@fernhill.example>\n\n", "jo@fernhill.example|a@evil.example>,||||", "... which is no address" },
	{ "From: a@x.example, b@x.example\n\n", "a@x.example|||||", "several senders: the first, and nobody's name" },
	{ "From: team: a@x.example;\n\n", "a@x.example|||||", "a group" },
	{ "From: a@x.example\nFrom: b@x.example\n\n", "a@x.example|||||", "two heads of senders: the first" },
	{ "From: undisclosed:;\n\n", "|||||", "nobody" },
	{ "From: a@x.example\nMessage-ID: a@b\n\n", "a@x.example|||||", "an id without brackets is none" },
	{ "From: a@x.example\nMessage-ID: <a b@c>\n\n", "a@x.example|||||", "nor one with a space" },
	{ "From: a@x.example\nMessage-ID:\n <a@b>\n\n", "a@x.example|||a@b||", "one on the next line" },
	/* about what */
	{ FROM "Subject: =?iso-8859-1?Q?caf=E9?= =?iso-8859-1?q?_x?= y\n\n", "jo@fernhill.example||caf\xc3\xa9 x y|||", "encoded words: the space between two is none" },
	{ FROM "Subject: =?UTF-8?B?4oKs4g==?=\n =?UTF-8?B?gqw=?=\n\n", "jo@fernhill.example||\xe2\x82\xac\xe2\x82\xac|||", "a character parted between two" },
	{ FROM "Subject: =?gb2312?B?xOO6ww==?=\n\n", "jo@fernhill.example||\xe4\xbd\xa0\xe5\xa5\xbd|||", "a character set of Chinese" },
	{ FROM "Subject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\n\n", "jo@fernhill.example||\xe6\x97\xa5\xe6\x9c\xac|||", "of Japanese, which looks like ASCII" },
	{ FROM "Subject: =?koi8-r*ru?q?=F0=F2=E9?=\n\n", "jo@fernhill.example||\xd0\x9f\xd0\xa0\xd0\x98|||", "with a language" },
	{ FROM "Subject: =?martian?q?caf=E9?= =?x =? =?utf-8?z?a?= =?utf-8?q?a\n\n", "jo@fernhill.example||caf\xc3\xa9 =?x =? =?utf-8?z?a?= =?utf-8?q?a|||", "sets that nobody knows, and words that are none" },
	{ FROM "Subject: =?utf-8?q?a=0D=0ABcc:_b=00c=E2=80=AEd?=\n\n", "jo@fernhill.example||a Bcc: bcd|||", "no line ends in them" },
	{ FROM "Subject: caf\xe9\n\n", "jo@fernhill.example||caf\xc3\xa9|||", "bytes as they shouldn't be" },
	{ FROM "Subject: one\nSubject: two\n\n", "jo@fernhill.example||one|||", "two subjects: the first" },
	/* text */
	{ FROM "Content-Type: text/plain; charset=iso-8859-15\n\n\xa4 5\n", "jo@fernhill.example|||||\xe2\x82\xac 5\n", "a character set" },
	{ FROM "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nca=\nf=C3=A9 =3D\n", "jo@fernhill.example|||||caf\xc3\xa9 =\n", "quoted-printable" },
	{ FROM "Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\naABpAA==\n", "jo@fernhill.example|||||hi", "UTF-16 in base64" },
	{ FROM TEXT "\ncaf\xe9 \xff\n", "jo@fernhill.example|||||caf\xc3\xa9 \xc3\xbf\n", "what says UTF-8 and isn't" },
	{ FROM "Content-Type: text/plain; charset=martian\n\ncaf\xe9\n", "jo@fernhill.example|||||caf\xc3\xa9\n", "an unknown set" },
	{ FROM "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nYQBiG1sxbWPigK5kCWUKZg==\n", "jo@fernhill.example|||||ab[1mcd\te\nf", "no control characters" },
	{ FROM "Content-Type: text/plain; format=flowed\n\nOne \nline.\n\n> quoted \n> too\n>> deeper \n> not\n-- \nJo\n", "jo@fernhill.example|||||One line.\n\n> quoted too\n>> deeper \n> not\n-- \nJo\n", "flowed text" },
	{ FROM "Content-Type: text/plain; format=flowed; delsp=yes\n\n\xe6\x97\xa5 \n\xe6\x9c\xac\n", "jo@fernhill.example|||||\xe6\x97\xa5\xe6\x9c\xac\n", "... of what has no spaces" },
	{ FROM "Content-Type: text/html\n\n<style>p{}</style><p>One <b>*two*</b><br>three_x 1.5<script>x</script><p hidden>no<ul><li>a</ul><blockquote>q</blockquote><pre>c *d*</pre><a href=https://x.example/y>here</a> <a href=https://x.example>https://x.example</a> <a href=mailto:a@x.example>a@x.example</a>", "jo@fernhill.example|||||One *two*\nthree_x 1.5\n\n- a\n\n> q\n\nc *d*\n\nhere (https://x.example/y) https://x.example a@x.example", "HTML, as text" },
	{ FROM "Content-Type: text/html; charset=koi8-r\n\n<p>\xf0\xf2\xe9", "jo@fernhill.example|||||\xd0\x9f\xd0\xa0\xd0\x98", "... of another character set" },
	/* parts */
	{ FROM PARTS("alternative") PLAIN HTML "--b--\n", "jo@fernhill.example|||||plain", "the plain form of two" },
	{ FROM PARTS("alternative") HTML PLAIN "--b--\n", "jo@fernhill.example|||||plain", "... in any order" },
	{ FROM PARTS("alternative") "--b\nContent-Type: text/plain\n\n \n" HTML "--b--\n", "jo@fernhill.example|||||rich text", "HTML where the plain one is blank" },
	{ FROM PARTS("alternative") "--b\nContent-Type: text/calendar\n\nx\n" HTML "--b--\n", "jo@fernhill.example|||||rich text|file text/calendar", "or isn't there" },
	{ FROM PARTS("mixed") PLAIN PDF HTML "--b--\n", "jo@fernhill.example|||||plain\n\nrich text|file a.pdf", "what is mixed is read one after the other" },
	{ FROM PARTS("alternative") PLAIN "--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: text/html\n\nx\n--c\nContent-Type: image/png; name=p.png\n\nx\n--c--\n--b--\n", "jo@fernhill.example|||||plain|file p.png", "Apple Mail: files in the other form are told" },
	{ FROM PARTS("related") HTML "--b\nContent-Type: image/png\nContent-ID: <i>\n\nx\n--b--\n", "jo@fernhill.example|||||rich text|file image/png", "a picture without a name is told as what it is" },
	{ FROM PARTS("signed") PLAIN "--b\nContent-Type: application/pgp-signature\n\nx\n--b--\n", "jo@fernhill.example|||||plain", "a signed one" },
	{ FROM "Content-Type: multipart/encrypted; boundary=b; protocol=\"application/pgp-encrypted\"\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--b\nContent-Type: application/octet-stream\n\nx\n--b--\n", "jo@fernhill.example||||||file an encrypted message", "one that can't be read" },
	{ FROM PARTS("mixed") PLAIN "--b\nContent-Type: message/rfc822\n\nFrom: x@x.example\nSubject: =?utf-8?q?caf=C3=A9?=\n\nnot read\n--b--\n", "jo@fernhill.example|||||plain|file caf\xc3\xa9.eml", "a mail in it is a file" },
	{ FROM PARTS("mixed") PLAIN "--b\nContent-Type: text/plain; name=log.txt\nContent-Disposition: attachment\n\nnot read\n--b--\n", "jo@fernhill.example|||||plain|file log.txt", "so is text that is attached" },
	{ FROM PARTS("mixed") "--b\nContent-Type: application/x; name=\"=?gb2312?B?xOO6ww==?=.pdf\"\n\n--b\nContent-Disposition: attachment; filename*=UTF-8''caf%C3%A9.pdf\nContent-Type: a/b\n\n--b\nContent-Type: a/b; name=\"../../etc/x\\\\y\"\n\n--b--\n", "jo@fernhill.example||||||file \xe4\xbd\xa0\xe5\xa5\xbd.pdf|file caf\xc3\xa9.pdf|file ../../etc/x\\y", "names of files" },
	{ FROM PARTS("mixed") PLAIN, "jo@fernhill.example|||||plain\n", "no end" },
	{ FROM "Content-Type: multipart/mixed\n\n" PLAIN, "jo@fernhill.example|||||--b\nContent-Type: text/plain\n\nplain\n", "no boundary" },
	{ FROM "Content-Type: ;;=\nContent-Transfer-Encoding: wrong\n\nx\n", "jo@fernhill.example||||||file application/octet-stream", "a type that is none" },
	/* machines */
	{ FROM "Auto-Submitted: auto-replied (vacation)\n\nx", "jo@fernhill.example||||auto-submitted|", "an answer by itself" },
	{ FROM "Auto-Submitted: No\n\nx", "jo@fernhill.example|||||x", "one that isn't" },
	{ FROM "Precedence: Bulk\n\nx", "jo@fernhill.example||||precedence|", "bulk" },
	{ FROM "Precedence: first-class\n\nx", "jo@fernhill.example|||||x", "no bulk" },
	{ FROM "List-Id: <l.x.example>\n\nx", "jo@fernhill.example||||list|", "a list" },
	{ FROM "X-Autoreply: yes\n\nx", "jo@fernhill.example||||autoreply|", "another answer by itself" },
	{ "Return-Path: <>\n" FROM "\nx", "jo@fernhill.example||||null sender|", "from nobody" },
	{ FROM "X-Vitrine-Event: ticket_reply\n\nx", "jo@fernhill.example||||ours|", "our own" },
	{ FROM "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n" PLAIN "--b--\n", "jo@fernhill.example||||report|", "a report" },
};

/* so many times a, then b. */
static const char *
often(struct ctx *c, const char *a, size_t times, const char *b)
{
	struct buf out = BUF(c->mem);

	for (size_t i = 0; i < times; i++)
		buf_str(&out, a);
	buf_str(&out, b);
	return buf_done(&out);
}

static const char *
read_apart(struct ctx *c, const char *mail)
{
	struct mail_content said;

	ctx_again(c);
	return mailread(c, mail, strlen(mail), &said) ? c->message : said_of(c, &said);
}

/* That it came back is what counts, whether or not it was read. */
static void
survives(struct ctx *c, const char *mail, const char *name)
{
	struct mail_content said;
	enum err e;

	ctx_again(c);
	e = mailread(c, mail, strlen(mail), &said);
	ok(e == E_OK || e == E_INVALID || e == E_LIMIT_REACHED, name);
	is_str(read_apart(c, FROM "\nx"), "jo@fernhill.example|||||x", "... and the next is read");
}

static void
bombs(void)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct buf nested = BUF(c->mem), parts = BUF(c->mem);
	const char *said;

	for (int i = 0; i < 5000; i++)
		buf_fmt(&nested, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i);
	buf_str(&nested, "\ndeep\n");
	survives(c, mem_printf(c->mem, FROM "%s", buf_done(&nested)), "parts in parts");
	survives(c, mem_printf(c->mem, FROM "%s", often(c, "Content-Type: message/rfc822\n\n", 20000, "\nx")), "mails in mails");
	for (int i = 0; i < 50000; i++)
		buf_str(&parts, "--b\nContent-Type: text/plain\n\nx\n");
	survives(c, mem_printf(c->mem, FROM PARTS("alternative") "%s--b--\n", buf_done(&parts)), "very many parts");
	survives(c, mem_printf(c->mem, FROM "%s\nx", often(c, "X: y\n", 100000, "")), "very many heads");
	survives(c, mem_printf(c->mem, FROM "To: %sx@x.example\n\nx", often(c, "a@x.example,", 50000, "")), "very many addresses");
	survives(c, mem_printf(c->mem, FROM "To: %sx\n\nx", often(c, "(", 300000, "")), "comments in comments");
	survives(c, mem_printf(c->mem, FROM "To: %sx\n\nx", often(c, "g:", 100000, "")), "groups in groups");
	survives(c, mem_printf(c->mem, FROM "Subject: %s\n\nx", often(c, "=?utf-8?q?a?= ", 50000, "")), "very many words");
	survives(c, mem_printf(c->mem, FROM "Content-Type: text/html\n\n%s", often(c, "<div>", 300000, "x")), "elements in elements");
	survives(c, mem_printf(c->mem, FROM "Content-Type: a/b; %s\n\nx", often(c, "a*0*=b;", 30000, "")), "very many parameters");
	said = read_apart(c, mem_printf(c->mem, FROM "Subject: %s\n\n%s", often(c, "s", 100000, ""), often(c, "\xc3\xa9", 300000, "")));
	is_int((long long)str_chars(said), 19 + 5 + MAIL_READ_LINE + MAIL_READ_CHARS, "what is too long is cut, between characters");
	said = read_apart(c, mem_printf(c->mem, FROM "%s\nx", often(c, "Received: x\n", 26, "")));
	is_str(said, "jo@fernhill.example||||circle|", "one that has gone in circles");
	said = read_apart(c, mem_printf(c->mem, FROM "%s\nx", often(c, "Received: x\n", 25, "")));
	is_str(said, "jo@fernhill.example|||||x", "one that has come far");
	ctx_end(c);
}

int
main(void)
{
	mailread_prepare();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ctx *c = ctx_begin(NULL, NULL);

		is_str(parsed(c, cases[i].mail, strlen(cases[i].mail)), cases[i].want, cases[i].name);
		is_str(read_apart(c, cases[i].mail), cases[i].want, "... and apart, with nothing at hand");
		ctx_end(c);
	}
	bombs();
	return done();
}
