/* SPDX-License-Identifier: Apache-2.0
 * Paths, slugs, addresses, media types, rules, ids, base64, usages. */
#include "base/crypto.h"
#include "base/email.h"
#include "base/id.h"
#include "base/mime.h"
#include "base/path.h"
#include "base/sniff.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/usage.h"
#include "core/filename.h"
#include "core/slug.h"
#include "data/cell.h"
#include "data/rowpolicy.h"
#include "http/multipart.h"
#include "site/derive.h"
#include "site/rules.h"
#include "tap.h"

#include <sys/mman.h>
#include <unistd.h>

static struct ctx *c;

static void
slugs(void)
{
	static const char *const names[][2] = { { "Привет, мир", "privet-mir" }, { "Übergrößen Straße", "ubergrossen-strasse" }, { "東京", "dong-jing" },
		{ "Đà Nẵng", "da-nang" }, { "Don't panic!", "dont-panic" }, { "  --a--  ", "a" }, { "😀", "" } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		is_str(slug_from_name(c->mem, names[i][0]), names[i][1], "a slug is made from a name");
	ok(slug_valid("a-b-2") && !slug_valid("a--b") && !slug_valid("-a") && !slug_valid("a-") && !slug_valid("A") && !slug_valid(""), "the grammar of slugs");
	ok(slug_reserved("api") && slug_reserved("2024") && !slug_reserved("apis"), "reserved slugs");
	ok(slug_valid(slug_random(c->mem, 12)) && slug_valid(slug_with_tail(c->mem, "x", 5)), "made slugs are valid");
}

static void
advice(void)
{
	is_str(str_unadvised(c->mem, "a; b; GET /v1/x says; how /v1/y"), "a; b", "an error without its advice");
	ok(!str_unadvised(c->mem, "a; b") && !str_unadvised(c->mem, "see GET /v1/x; soon"), "one that has none");
}

static void
paths(void)
{
	const char *decomposed = "e\xcc\x81/e\xcc\x81.html";
	const char *fine[] = { "a", "a/b.html", ".well-known/x", "файл.html", "a b/c", "…", NULL };
	const char *wrong[] = { "", "/a", "a/", "a//b", ".", "..", "a/../b", "a\\b", "c:d", "a\x01", "\xe2\x80\x8b", ".GIT/x", "_m", "a.", NULL };
	const char *twins[] = { "a/B.html", "x", "a/b.html" }, *clash[] = { "a-b", "A", "a/c" }, *fine_set[] = { "a", "a.b", "a-b/c", "b/a" };

	for (int i = 0; fine[i]; i++)
		ok(path_check(c, "p", &fine[i]) == E_OK, "a path is accepted");
	for (int i = 0; wrong[i]; i++)
		ok(path_check(c, "p", &wrong[i]) == E_INVALID, "a path is refused");
	ok(path_check(c, "p", &decomposed) == E_OK, "a Mac's name is accepted");
	is_str(decomposed, "\xc3\xa9/\xc3\xa9.html", "... and composed");
	ok(path_set_check(c, twins, 3) == E_INVALID, "twins but for case are refused");
	ok(path_set_check(c, clash, 3) == E_INVALID, "a file that is also a folder is refused");
	ok(path_set_check(c, fine_set, 4) == E_OK, "others are not");
}

static void
addresses(void)
{
	ok(str_email("a.b+c@example.org") && str_email("x@a.b"), "e-mail addresses");
	ok(!str_email("a@b") && !str_email("a@@b.c") && !str_email("a b@c.d") && !str_email("a@b.c\r\nBcc: x@y.z") && !str_email(".a@b.c") &&
	    !str_email("a,b@c.d") && !str_email("<a@b.c>") && !str_email("a@[127.0.0.1]") && !str_email("a@-b.c"), "what is none");
	ok(str_http_url("https://example.org/a?b#c") && !str_http_url("javascript:alert(1)") && !str_http_url("https://u@h/") && !str_http_url("http://"),
	    "http addresses");
	ok(!str_plain("a\xe2\x80\xae") && !str_plain("a\xc2\x85") && str_plain("Grüße 😀"), "plain text");
	ok(!str_plain("\u200e") && !str_plain("\u200f") && !str_plain("\u061c") && !str_plain("\u202a") && !str_plain("\u2066") && !str_plain("\u2069") &&
	    !str_plain("\u2028") && !str_plain("\xc2\x80") && !str_plain("a\tb"), "a line has no marks, isolates, separators and controls");
	ok(str_plain_lines("a\tb\r\nc \u200f") && !str_plain_lines("a\u202e") && !str_plain_lines("\u2068") && !str_plain_lines("\x1b[2J") && !str_plain_lines("\xc2\x9b") &&
	    !str_plain_lines("\x7f") && !str_plain_lines("\xff"), "several lines have line ends, and no other controls");
	ok(!str_plain("\xef\xbf\xbe") && !str_plain("\xef\xb7\x90") && !str_plain("\xf4\x8f\xbf\xbf") && !str_plain_lines("\xf0\x9f\xbf\xbe") && str_plain("\ufffd"), "noncharacters are no text");
	ok(!str_plain_lines("a\rb") && !str_plain_lines("a\r"), "nor is a line that is gone back over");
	is_str(str_cut(c->mem, "a", 0), "", "a text is cut");
	is_str(str_cut(c->mem, "aé😀b", 3), "aé😀", "... between characters");
	is_str(str_cut(c->mem, "aé", 9), "aé", "... unless it is shorter");
	is_str(str_one_line(c->mem, " a\n\t b\u202e" "c  \xff" "d\xf0\x9f"), "a b c d", "one line is left of several");
}

static const char *
typed(const char *s)
{
	const char *out = email_read(c->mem, s);

	return out ? out : email_wrong(c->mem, s);
}

static void
mailboxes(void)
{
	static const char *const same[] = { "e@exämple.org", "e@EXÄMPLE.org", "e@xn--exmple-cua.org", "e@XN--Exmple-CUA.Org", "e@exa\u0308mple.org",
		" e@exämple.org\u00a0", "\ufeffe@exämple.org\u200b", "\u3000e@exämple。org\u00ad\r\n" };

	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		is_str(typed(same[i]), "e@xn--exmple-cua.org", "one person, however the address is typed");
	is_str(typed("Ann.B@Example.ORG"), "Ann.B@example.org", "a plain one");
	is_str(typed("a\u200b@example.org"), "has an invisible character (U+200B) in the address; type it again", "what nobody sees within it is named");
	is_str(typed("a b@example.org"), "a b@example.org isn't an e-mail address", "none");
	is_str(typed("a@xn--a.org"), "a@xn--a.org isn't an e-mail address", "a domain that no registry has");
	is_str(typed("a@exa\u2488mple.org"), "a@exa\u2488mple.org isn't an e-mail address", "what UTS 46 disallows");
	is_str(typed("a@example.org."), "a@example.org. isn't an e-mail address", "a dot too many");
	is_str(typed(""), "this isn't an e-mail address", "nothing");
}

static void
portable_names(void)
{
	static const char *const names[][2] = { { "a.pdf", "a.pdf" }, { "nul", "_nul" }, { "Com1.txt", "_Com1.txt" }, { "comma.txt", "comma.txt" }, { "lpt10", "lpt10" },
		{ "a. ", "a__" }, { "...", "___" }, { "a<b>\"c|d?*.txt", "a_b__c_d__.txt" }, { "aux .x.y", "_aux .x.y" }, { "name with dot.", "name with dot_" } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		is_str(filename_portable(c->mem, names[i][0]), names[i][1], "a name that Windows takes");
}

static void
several_mailboxes(void)
{
	static const char *const fields[][2] = { { "a@x.org", "a@x.org" }, { "a@x.org, b@x.org", "a@x.org,b@x.org" }, { "a@x.org;b@x.org;", "a@x.org,b@x.org" },
		{ "a@x.org b@x.org\r\nc@x.org", "a@x.org,b@x.org,c@x.org" }, { "Ann B. <a@x.org>; \"B, Ben\" <b@x.org>", "a@x.org,b@x.org" },
		{ "<a@x.org>b@x.org\u00a0c@x.org", "a@x.org,b@x.org,c@x.org" }, { "Ann, b@x.org", "Ann,b@x.org" }, { "no address", "no address" },
		{ "a@x.org Ben <b@x.org>", "a@x.org,b@x.org" }, { "Ben b@x.org", "Ben,b@x.org" }, { "Ann\nBen <b@x.org>", "Ann,b@x.org" }, { "<a@x.org", "a@x.org" },
		{ "\"a", "\"a" } };

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		is_str(emails_typed(c->mem, fields[i][0]), fields[i][1], "each address that was typed, and what is none");
	ok(!emails_typed(c->mem, " ;,\r\n"), "nothing was typed");
}

static void
types(void)
{
	is_str(mime_of("a/b.HTML"), "text/html; charset=utf-8", "type by extension");
	is_str(sniff_mime("a.html", "\x89PNG\r\n\x1a\n...", 11), "image/png", "bytes prove a type, whatever the name");
	is_str(sniff_mime("a.png", "<script>", 8), "application/octet-stream", "a name that bytes don't keep");
	is_str(sniff_mime("a.mp3", "\xff\xfb\x90", 3), "audio/mpeg", "a short mark counts with its name");
	is_str(sniff_mime("a.txt", "\xff\xfb\x90", 3), "text/plain", "and not without");
	is_str(sniff_mime("a.PNG", "", 0), "application/octet-stream", "no bytes prove nothing");
	is_str(sniff_mime("README", "x", 1), "application/octet-stream", "neither does a name without extension");
	for (const struct mime_row *row = mime_table; row->ext; row++)
		if (sniff_shows(sniff_mime(mem_printf(c->mem, "a.%s", row->ext), "text", 4)))
			ok(false, mem_printf(c->mem, "a.%s with the bytes of a text is shown", row->ext));
	for (const struct mime_row *row = mime_table; row->ext; row++)
		if (sniff_shows(row->mime) && !str_eq(sniff_sent_as(row->mime), row->mime))
			ok(false, mem_printf(c->mem, "%s is shown as another type", row->mime));
	is_str(sniff_sent_as("text/javascript"), "application/octet-stream", "code is sent as bytes");
	is_str(sniff_sent_as("application/rss+xml"), "application/octet-stream", "and so is what may have a style that runs");
	is_str(sniff_sent_as("image/svg+xml"), "image/svg+xml", "a drawing as what it is");
	is_str(mime_of("a.b/c"), "application/octet-stream", "none without one");
	ok(mime_valid("text/html; charset=utf-8") && !mime_valid("text") && !mime_valid("a/b\r\nc: d") && !mime_valid("a/b;"), "valid media types");
	is_str(mime_canonical(c->mem, "Text/HTML"), "text/html; charset=utf-8", "canonical");
}

static char *
many_rules(struct ctx *c)
{
	char *text = mem_zalloc(c->mem, 40000);

	for (int i = 0, at = 0; i < 1002; i++)
		at += snprintf(text + at, 40000 - (size_t)at, "/%d\n  Link: <%d>\n", i, i);
	return text;
}

static void
rules(void)
{
	static const char text[] = "# c\n/old /new\n/b/:y/*  /a/:splat/:y 302\n/f /g 302!\n/x https://h/ 200\n/q a=:v /r/:v\n/*  /any 404\n";
	struct redirects *r;
	struct headers *h;
	struct redirect_hit hit;
	struct strs warned = { 0 };
	struct pair *extra;
	size_t n;
	int64_t steps = 0;

	rules_redirects_parse(c, text, strlen(text), &r);
	ok(redirects_match(c->mem, r, "/old", "", false, &hit) && hit.status == 301 && str_eq(hit.to, "/new"), "a redirect");
	ok(redirects_match(c->mem, r, "/b/7/x/y", "", false, &hit) && str_eq(hit.to, "/a/x/y/7"), "with placeholders");
	ok(redirects_match(c->mem, r, "/f", "", true, &hit) && hit.force, "a forced one wins over a file");
	ok(!redirects_match(c->mem, r, "/old", "", true, &hit), "others do not");
	ok(redirects_match(c->mem, r, "/q", "a=2", false, &hit) && str_eq(hit.to, "/r/2"), "by query");
	ok(redirects_match(c->mem, r, "/zzz", "", false, &hit) && hit.status == 404, "and a catch-all");
	rules_warnings(c, "_redirects", text, strlen(text), &warned);
	is_int((long long)warned.n, 1, "proxying is not honoured, and said");
	rules_headers_parse(c, "/a/*\n  X-Frame-Options: DENY\n  Set-Cookie: x\n/b\n  Link: <x>\n", 60, NULL, &h);
	headers_for(c->mem, h, "/a/b", &extra, &n);
	ok(n == 1 && str_eq(extra[0].name, "X-Frame-Options") && str_eq(extra[0].value, "DENY"), "headers by path");
	rules_headers_parse(c, "/a/*\n  Link: <a>\n/b\n  Link: <b>\n", 32, "/b", &h);
	headers_for(c->mem, h, "/b", &extra, &n);
	ok(n == 1 && str_eq(extra[0].value, "<b>") && !headers_touch(h, "/a/x", &steps), "for one address its own are read alone");
	rules_headers_parse(c, many_rules(c), strlen(many_rules(c)), NULL, &h);
	headers_for(c->mem, h, "/999", &extra, &n);
	ok(n == 1 && !headers_touch(h, "/1000", &steps), "after a thousand rules no more, and the last keeps its own headers");
	rules_headers_parse(c, "/a/*\n  X-Frame-Options: DENY\n", 29, NULL, &h);
	steps = 0;
	ok(headers_touch(h, "/a/x", &steps) && !headers_touch(h, "/c", &steps) && steps > 0, "and only there");
}

static struct span
in_file(const char *bytes, size_t n)
{
	int fd = memfd_create("body", 0);

	return (struct span){ .fd = fd, .n = write(fd, bytes, n) };
}

/* Wherever a delimiter falls in the windows through which a form is read. */
static void
long_forms(void)
{
	static const char head[] = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n", tail[] = "\r\n--B\r\n"
	                           "Content-Disposition: form-data; name=\"b\"\r\n\r\nend\r\n--B--\r\n";
	enum { WINDOW = 1 << 18, AROUND = 150 };
	const size_t most = WINDOW + sizeof head + sizeof tail;
	char *body = mem_zalloc(c->mem, most);
	const char *end = NULL;
	struct part p[3];
	size_t n, wrong = 0;

	memset(body, '\r', most);
	memcpy(body, head, sizeof head - 1);
	for (size_t size = WINDOW - AROUND; size < WINDOW; size++) {
		struct span s;

		memcpy(body + sizeof head - 1 + size, tail, sizeof tail - 1);
		s = in_file(body, sizeof head - 1 + size + sizeof tail - 1);
		wrong += multipart_parse(c, "multipart/form-data; boundary=B", s, p, 3, &n) || n != 2 || p[0].bytes.n != (int64_t)size ||
			part_read(c, &p[1], &end) || strcmp(end, "end") != 0;
		close(s.fd);
		memset(body + sizeof head - 1, '\r', most - sizeof head);
	}
	ok(!wrong, "a form is read alike wherever its delimiters lie");
}

static void
forms(void)
{
	static const char body[] = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--B\r\n"
	                           "Content-Disposition: form-data; name=\"f\"; filename=\"x%22y\"\r\nContent-Type: a/b\r\n\r\n\r\n--Bx\r\n--B--\r\n";
	const char *bytes = NULL;
	struct part p[3];
	size_t n;

	ok(multipart_parse(c, "multipart/form-data; boundary=B", in_file(body, strlen(body)), p, 3, &n) != E_OK, "a boundary must be followed by a line end");
	static const char fine[] = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n--B\r\n"
	                           "Content-Disposition: form-data; name=\"f\"; filename=\"x%22y\"\r\nContent-Type: a/b\r\n\r\n\r\n--B--\r\n";
	ok(multipart_parse(c, "multipart/form-data; boundary=B", in_file(fine, strlen(fine)), p, 3, &n) == E_OK && n == 2, "a form");
	ok(p[0].bytes.n == 3 && part_read(c, &p[0], &bytes) == E_OK && p[1].bytes.n == 0, "its parts");
	is_str(bytes, "one", "with their bytes");
	is_str(p[1].filename, "x\"y", "a file name");
	ok(multipart_parse(c, "multipart/form-data; boundary=B", (struct span){ .fd = -1, .n = sizeof fine - 1, .bytes = fine }, p, 3, &n) == E_OK &&
	    n == 2 && part_read(c, &p[0], &bytes) == E_OK && strcmp(bytes, "one") == 0, "the same in memory");
	ok(multipart_parse(c, "multipart/form-data", in_file(fine, strlen(fine)), p, 3, &n) == E_INVALID, "no boundary");
	ok(multipart_parse(c, "multipart/form-data; boundary=B", in_file(fine, strlen(fine) - 6), p, 3, &n) == E_INVALID, "no final boundary");
	ok(multipart_parse(c, "multipart/form-data; boundary=B", in_file(fine, strlen(fine)), p, 1, &n) == E_INVALID, "too many parts");
}

static void
pages(void)
{
	static const char *const html[][2] = { { "<!doctype html><html><head><title>", "<!doctype html><html><head>@<title>" }, { "<p>x", "@<p>x" },
		{ "<!-- <head> --><!DOCTYPE html>\n<p>", "<!-- <head> --><!DOCTYPE html>@\n<p>" },
		{ "<head a='>'><meta charset=utf-8><title>", "<head a='>'><meta charset=utf-8>@<title>" } };
	struct page_tags tags = { .title = "a\"<b>" };
	const char *out;
	size_t n;

	for (size_t i = 0; i < 4; i++) {
		const char *at = strchr(html[i][1], '@');

		derive_entry(c->mem, html[i][0], strlen(html[i][0]), &tags, &out, &n);
		ok(strncmp(out, html[i][1], (size_t)(at - html[i][1])) == 0 && str_starts(out + (at - html[i][1]), "<meta property=\"og:title\" content=\"a&quot;&lt;b&gt;\">") &&
		    str_ends(out, at + 1), "tags stand in the head");
	}
	derive_entry(c->mem, "x", 1, &(struct page_tags){ 0 }, &out, &n);
	is_int((long long)n, 1, "nothing is inserted when there is nothing to say");
}

static bool
policy_good(const char *expr)
{
	size_t at;

	const struct expr *e;

	return !expr_parse(c->mem, expr, true, &e, &at);
}

static const char *
repeated(const char *open, const char *middle, const char *close, int n)
{
	struct buf b = BUF(c->mem);

	for (int i = 0; i < n; i++)
		buf_str(&b, open);
	buf_str(&b, middle);
	for (int i = 0; i < n; i++)
		buf_str(&b, close);
	return buf_done(&b);
}

static void
policies(void)
{
	ok(policy_good(repeated("(row.a == 1) or ", "row.b", "", 20)), "brackets side by side are not deep");
	ok(policy_good(repeated("row.a in [1, 2] and ", "row.b in []", "", 16)) && !policy_good("row.a in [[1]]"), "nor are lists, which hold no lists");
	ok(policy_good(repeated("(", "row.a", ")", 16)) && !policy_good(repeated("(", "row.a", ")", 17)), "sixteen deep is the end");
	ok(policy_good(repeated("row.a and ", "row.a", "", 49)) && !policy_good(repeated("row.a and ", "row.a", "", 50)), "fifty values are the end");
	ok(!policy_good("(row.a") && !policy_good("row.a)") && !policy_good("1 in [1") && !policy_good("(row.a]") && !policy_good("()"), "brackets close");
	ok(!policy_good("viewer.id") && !policy_good("not 'a'") && !policy_good("1") && !policy_good("null") && policy_good("true and not row.a"), "a value alone is true or false");
	ok(!policy_good("row.a == 1.2.3") && !policy_good("row.a == 01") && !policy_good("row.a == 1e500") && policy_good("row.a == -1.5e3"), "numbers are JSON's");
	ok(policy_good("row.a <= 1 and row.a >= 0 and 1 > row.b and row.c != 'x' and \"y\" in [row.d, viewer.id]"), "every comparison");
}

static void
cards(void)
{
	const char *svg = derive_card_svg(c->mem, "a\xef\xbf\xbe" "b\xef\xbf\xbf" "c\x01 <é😀>", "host");

	ok(strstr(svg, ">abc &lt;é😀&gt;<") != NULL, "what XML can't write is left out of the card");
}

static bool
fits(const char *usage, const char *line, struct usage *out)
{
	char *rest = mem_strdup(c->mem, line), *argv[20];
	int argc = 0;

	while (rest && *rest)
		argv[argc++] = str_split(&rest, ' ');
	return usage_read(usage, "[--url URL] [--quiet]", argc, argv, out);
}

static void
usages(void)
{
	static const char one[] = "DIR|FILE [TO] --user EMAIL [--draft] [--days N]";
	static const char *const good[] = { "a --user u", "--user u a", "a b --user=u", "a --user u --draft --days 3 --quiet", "--url=x a --user u", "- --user -", "a --user u --", "--user u -- --draft" };
	static const char *const bad[] = { "", "a", "a --user", "--user u", "a b c --user u", "a --user u --days", "a --user u --draft=1", "a --user u --user v",
		"a --user u --day 3", "a --user u --dra", "a --user u -- --draft b", "a --user u --quiet --quiet", "a a a a a a a a a a --user u" };
	struct usage u;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		ok(fits(one, good[i], &u), good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(!fits(one, bad[i], &u), bad[i]);
	ok(fits(one, "a --days=3 b --user u --draft", &u) && u.n == 2, "options stand anywhere");
	is_str(u.args[1], "b", "what is no option, in order");
	is_str(usage_option(&u, "--days"), "3", "a value");
	is_str(usage_option(&u, "--draft"), "", "an option without one");
	ok(!usage_option(&u, "--quiet"), "one that was not given");
	ok(fits(one, "--user u -- --draft --days", &u) && u.n == 2 && !usage_option(&u, "--draft"), "behind two dashes all are arguments");
	ok(!fits(one, "a --user", &u), "an option without its value");
	is_str(u.lacking, "--user", "... is told");
	ok(fits("", "", &u) && fits("", "--quiet", &u) && !fits("", "a", &u), "a command without arguments");
	ok(fits("[--purge] [--yes]", "--yes", &u) && !fits("[--purge] [--yes]", "--purge yes", &u), "options one after the other");
}

static void
slips(void)
{
	static const struct {
		const char *sent, *meant;
		size_t slips;
	} all[] = { { "name", "name", 0 }, { "nmae", "name", 1 }, { "naem", "name", 1 }, { "nam", "name", 1 },
		{ "namee", "name", 1 }, { "mame", "name", 1 }, { "visibilty", "visibility", 1 }, { "visbilty", "visibility", 2 },
		{ "vsbilty", "visibility", 3 }, { "mode", "mime", 2 }, { "ab", "ac", 1 }, { "", "a", 1 },
		{ "a", "", 1 }, { "", "", 0 }, { "abcdef", "uvwxyz", 3 }, { "versions", "version", 1 } };
	char long_one[64] = { 0 };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		is_int((int64_t)str_slips(all[i].sent, all[i].meant, str_slips_most(all[i].sent)), (int64_t)all[i].slips, all[i].sent);
	memset(long_one, 'a', 48);
	is_int((int64_t)str_slips(long_one, long_one + 1, 2), 1, "48 bytes are compared");
	memset(long_one, 'a', 50);
	is_int((int64_t)str_slips(long_one, long_one + 1, 2), 3, "50 are not");
}

static void
endings(void)
{
	static const char *const all[][2] = { { "a/b.csv", "csv" }, { "a.tar.gz", "gz" }, { "a.b/c", "" }, { "c.", "" }, { "", "" }, { ".env", "env" } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		is_str(str_ending(all[i][0]), all[i][1], all[i][0]);
}

static void
column_names(void)
{
	static const char *const made[][2] = { { "First name", "First_name" }, { " 1st", "_1st" }, { "1st", "_1st" }, { "Größe (cm)", "Grosse_cm" },
		{ "id", "id_" }, { "___", "___" }, { "!", "column" }, { "", "column" } };

	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		is_str(column_name_of(c->mem, made[i][0]), made[i][1], made[i][0]);
}

int
main(void)
{
	uint8_t raw[16];
	size_t n;
	char *token;

	unicode_open();
	c = ctx_begin(NULL, NULL);
	slugs();
	advice();
	paths();
	addresses();
	mailboxes();
	several_mailboxes();
	portable_names();
	types();
	rules();
	forms();
	slips();
	long_forms();
	pages();
	usages();
	policies();
	cards();
	endings();
	column_names();
	ok(crypto_unbase64("TWE=", 4, raw, &n) && n == 2 && !crypto_unbase64("TWF=", 4, raw, &n) && !crypto_unbase64("TQ=", 3, raw, &n) &&
	    !crypto_unbase64("T Q=", 4, raw, &n) && !crypto_unbase64("====", 4, raw, &n), "base64 is strict");
	ok(id_valid(id_new(c->mem, "art_"), "art_") && !id_valid("art_x", "art_"), "ids");
	token = token_new(c->mem, "so_");
	ok(token_valid(token, "so_"), "a token");
	token[10] = token[10] == 'a' ? 'b' : 'a';
	ok(!token_valid(token, "so_"), "a typing error is found without a look-up");
	ok(str_eq(str_count(c->mem, 1, "row"), "1 row") && str_eq(str_count(c->mem, 0, "row"), "0 rows") && str_eq(str_count(c->mem, 1461, "row"), "1,461 rows") &&
		str_eq(str_number(c->mem, -999), "-999") && str_eq(str_number(c->mem, -1000000), "-1,000,000"),
	    "counts for people");
	ok(policy_good("row.owner == viewer.email and not (viewer.role in ['a', \"b\"] or row.n < 3)"), "a row policy");
	ok(!policy_good("row.owner = viewer.email") && !policy_good("viewer.password == 'x'") && !policy_good("row.a; DROP") && !policy_good(""), "what is none");
	ctx_end(c);
	return done();
}
