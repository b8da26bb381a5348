/* SPDX-License-Identifier: Apache-2.0
 * What signing in rests on: hashes of passwords, sealed secrets, tokens, codes, sites, pages. */
#include "tap.h"

#include "base/id.h"
#include "base/passhash.h"
#include "base/seal.h"
#include "base/str.h"
#include "base/suffix.h"
#include "core/artifact.h"
#include "http/page.h"
#include "people/device.h"

#include <sys/stat.h>
#include <unistd.h>

static struct ctx *c;

static void
passwords(void)
{
	const char *hash = passhash_new(c->mem, "пароль 123"), *again = passhash_new(c->mem, "пароль 123");
	char long_one[PASSHASH_MAX + 2];

	memset(long_one, 'x', sizeof long_one - 1);
	long_one[sizeof long_one - 1] = '\0';
	ok(str_starts(hash, "$y$"), "yescrypt");
	ok(strcmp(hash, again) != 0, "salted");
	ok(passhash_check("пароль 123", hash) && !passhash_check("пароль 124", hash) && !passhash_check("", hash), "checked");
	ok(!passhash_check("x", NULL), "no hash is no match");
	ok(!passhash_check(long_one, hash), "nor is what is too long");
	ok(!passhash_check("x", "*0") && !passhash_check("x", "") && !passhash_check("*0", "*0"), "nor a hash that is none");
}

static void
seals(void)
{
	const char *dir = mkdtemp(mem_strdup(c->mem, "/tmp/vitrine-seal-XXXXXX")), *path = mem_printf(c->mem, "%s/key", dir), *why = NULL;
	const char *sealed;
	char *bad;
	struct stat st;

	ok(seal_prepare(path, &why) && stat(path, &st) == 0 && st.st_size == 32 && (st.st_mode & 0777) == 0600, "a key is made, its owner's alone");
	sealed = seal_close(c->mem, "a:1", "the secret");
	is_str(seal_open(c->mem, "a:1", sealed), "the secret", "opened");
	ok(!strstr(sealed, "secret") && strcmp(sealed, seal_close(c->mem, "a:1", "the secret")) != 0, "and never twice alike");
	ok(!seal_open(c->mem, "a:2", sealed), "not for another purpose");
	for (size_t i = 0; i < strlen(sealed); i += 7) {
		bad = mem_strdup(c->mem, sealed);
		bad[i] = bad[i] == 'A' ? 'B' : 'A';
		if (seal_open(c->mem, "a:1", bad))
			ok(false, "not when a character is changed");
	}
	ok(!seal_open(c->mem, "a:1", "") && !seal_open(c->mem, "a:1", "AAAA") && !seal_open(c->mem, "a:1", "no base64!"), "nor what is no box");
	ok(seal_prepare(path, &why) && str_eq(seal_open(c->mem, "a:1", sealed), "the secret"), "the key is kept");
	truncate(path, 31);
	ok(!seal_prepare(path, &why) && why, "half a key is refused");
	ok(!seal_prepare("/nonexistent/key", &why), "and a place that is none");
	unlink(path);
	rmdir(dir);
}

static void
codes(void)
{
	is_str(device_user_code(c, "bcdf ghjk"), "BCDF-GHJK", "typed in any form");
	is_str(device_user_code(c, "BCDF-GHJK"), "BCDF-GHJK", "as printed");
	ok(!device_user_code(c, "BCDF-GHJ") && !device_user_code(c, "BCDF-GHJKL") && !device_user_code(c, "ACDF-GHJK") && !device_user_code(c, "") &&
	    !device_user_code(c, NULL), "what is no code");
	ok(token_valid(token_new(c->mem, "ses_"), "ses_") && !token_valid(token_new(c->mem, "ses_"), "so_"), "a secret is of one kind");
	is_str(str_date(c->mem, 1767322996), "January 2, 2026, 03:03 UTC", "a date for people");
}

static void
sites(void)
{
	ok(suffix_same_site("app.example.org", "pages.example.org") && suffix_same_site("example.co.uk", "a.b.example.co.uk"), "one registrable domain");
	ok(!suffix_same_site("app.example.org", "pages.example.net") && !suffix_same_site("a.co.uk", "b.co.uk") &&
	    !suffix_same_site("a.github.io", "b.github.io"), "two");
}

#define ITEM(F, T) F(T, STR, name) F(T, INT, n)
SHAPE_DECLARE(item, ITEM);
SHAPE_DEFINE(item, ITEM);

/* An artifact as a card shows it. */
#define SHOWN(F, T) \
	ARTIFACT(F, T) \
	F(T, INT,  views) \
	F(T, INT,  view_days) \
	F(T, STR,  lies_in) \
	F(T, BOOL, may_move)
SHAPE_DECLARE(shown, SHOWN);
SHAPE_DEFINE(shown, SHOWN);

static void
pages(void)
{
	const struct shell shell = { .base = "https://v.example", .now = 1767322996 };
	struct shown a = { .id = "art_1", .name = "A & B", .url = "https://a.example/", .visibility = "public", .version_no = 12345, .updated_at = shell.now - 7300 };
	struct page_error e = { .title = "<b>\"x\" & 'y'", .message = "" };
	const char *html = page_render(c->mem, "error", &page_error_shape, &e, &shell);

	ok(strstr(html, "<h1>&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;</h1>"), "what is shown is escaped");
	ok(!strstr(html, "sign in"), "what is not set is not shown");
	e.signin = "https://x/?a=\"><script>";
	html = page_render(c->mem, "error", &page_error_shape, &e, &shell);
	ok(strstr(html, "href=\"https://x/?a=&quot;&gt;&lt;script&gt;\""), "in attributes too");
	ok(!strstr(html, "{{"), "no tag is left");
	ok(page_wrong(c->mem, "error", &item_shape) && page_wrong(c->mem, "none", &item_shape) && !page_wrong(c->mem, "error", &page_error_shape),
	    "a template that asks for what is not there is found");
	html = page_render(c->mem, "card", &shown_shape, &a, &shell);
	ok(strstr(html, "A &amp; B</a><span class=\"badge ok\"><svg") && strstr(html, "#globe") && !strstr(html, "Private"), "a part of a page, by a word");
	ok(strstr(html, "<small>a.example</small>") && strstr(html, "Version 12,345,"), "an address in short, a number with its thousands");
	ok(strstr(html, "<time datetime=\"2026-01-02T01:01:36Z\" title=\"January 2, 2026 at 01:01 UTC\">2 hours ago</time>"), "a time as people tell it");
	a.updated_at = shell.now - 400 * 86400;
	ok(strstr(page_render(c->mem, "card", &shown_shape, &a, &shell), ">November 28, 2024</time>"), "one of another year has its year");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	passwords();
	seals();
	codes();
	sites();
	pages();
	ctx_end(c);
	return done();
}
