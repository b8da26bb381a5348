/* SPDX-License-Identifier: Apache-2.0
 * What signing in rests on: hashes of passwords, sealed secrets, tokens, codes, sites, pages. */
#include "tap.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/passhash.h"
#include "base/seal.h"
#include "base/str.h"
#include "base/suffix.h"
#include "core/artifact.h"
#include "http/page.h"
#include "people/device.h"

#include <errno.h>
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

static bool
keys_are(const char *key, const char *other, const char **why)
{
	return seal_prepare(c->mem, &(struct conf){ .key_file = key, .other_key_file = other }, why);
}

static void
seals(void)
{
	const char *dir = mkdtemp(mem_strdup(c->mem, "/tmp/vitrine-seal-XXXXXX")), *path = mem_printf(c->mem, "%s/key", dir), *next = mem_printf(c->mem, "%s/next", dir), *why = NULL;
	const char *sealed, *old, *id;
	struct stat st;
	enum seal_key by;
	char *bad;

	ok(keys_are(path, "-", &why) && stat(path, &st) == 0 && st.st_size == 32 && (st.st_mode & 0777) == 0600, "a key is made, its owner's alone");
	sealed = seal_close(c->mem, "a:1", "the secret");
	is_str(seal_open(c->mem, "a:1", sealed), "the secret", "opened");
	ok(!strstr(sealed, "secret") && strcmp(sealed, seal_close(c->mem, "a:1", "the secret")) != 0, "and never twice alike");
	ok(!seal_open(c->mem, "a:2", sealed), "not for another purpose");
	for (size_t i = 0; i < strlen(sealed); i++) {
		bad = mem_strdup(c->mem, sealed);
		bad[i] = bad[i] == 'A' ? 'B' : 'A';
		if (seal_open(c->mem, "a:1", bad))
			ok(false, "not when a character is changed");
	}
	ok(!seal_open(c->mem, "a:1", "") && !seal_open(c->mem, "a:1", "AAAA") && !seal_open(c->mem, "a:1", "no base64!"), "nor what is no box");
	id = mem_strdup(c->mem, seal_key_id(SEAL_KEY));
	ok(strlen(id) == SEAL_ID_CHARS && !seal_key_id(SEAL_OTHER_KEY), "a key has an id");
	is_str(seal_id_of(c->mem, sealed), id, "which what is sealed names");
	old = sealed + SEAL_ID_CHARS + 1;
	ok(!seal_id_of(c->mem, old) && str_eq(seal_open(c->mem, "a:1", old), "the secret"), "without it, as it was stored before, it is opened, too");
	ok(keys_are(path, "-", &why) && str_eq(seal_open(c->mem, "a:1", sealed), "the secret"), "the key is kept");

	ok(!keys_are(next, path, &why) && strstr(why, "key_file: ") == why && access(next, F_OK), "while there are two, none is made");
	ok(seal_key_new(next) && stat(next, &st) == 0 && st.st_size == 32 && (st.st_mode & 0777) == 0600, "unless by name");
	ok(!seal_key_new(next) && errno == EEXIST, "once");
	ok(!keys_are(path, path, &why) && strstr(why, "the same key"), "the same key twice is refused");
	ok(keys_are(path, next, &why) && str_eq(seal_id_of(c->mem, seal_close(c->mem, "a:1", "x")), id), "the other key doesn't seal");
	ok(keys_are(next, path, &why) && str_eq(seal_key_id(SEAL_OTHER_KEY), id) && !str_eq(seal_key_id(SEAL_KEY), id), "exchanged, they are so");
	is_str(seal_open_by(c->mem, "a:1", sealed, &by), "the secret", "what was sealed before is opened");
	ok(by == SEAL_OTHER_KEY, "by the other key");
	is_str(seal_open_by(c->mem, "a:1", old, &by), "the secret", "also without an id");
	ok(by == SEAL_OTHER_KEY, "by the other key as well");
	sealed = mem_printf(c->mem, "%s.%s", seal_key_id(SEAL_KEY), old);
	ok(!seal_open_by(c->mem, "a:1", sealed, &by) && by == SEAL_NO_KEY, "but not by another than it names");
	ok(keys_are(next, "-", &why) && !seal_open(c->mem, "a:1", old), "nor when it is gone");
	truncate(path, 31);
	ok(!keys_are(path, "-", &why) && strstr(why, "too short"), "half a key is refused");
	ok(!keys_are(next, path, &why) && strstr(why, "other_key_file: ") == why, "of either");
	ok(!keys_are("/nonexistent/key", "-", &why) && strstr(why, "No such file"), "and a place that is none");
	is_str(seal_open(c->mem, "a:1", seal_close(c->mem, "a:1", "kept")), "kept", "what was there stays then");
	unlink(path);
	unlink(next);
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
	const char *html = page_render(c->mem, "error", &page_error_shape, &e, &shell, NULL);

	ok(strstr(html, "<h1>&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;</h1>"), "what is shown is escaped");
	ok(!strstr(html, "sign in"), "what is not set is not shown");
	e.signin = "https://x/?a=\"><script>";
	html = page_render(c->mem, "error", &page_error_shape, &e, &shell, NULL);
	ok(strstr(html, "href=\"https://x/?a=&quot;&gt;&lt;script&gt;\""), "in attributes too");
	ok(!strstr(html, "{{"), "no tag is left");
	ok(page_wrong(c->mem, "error", &item_shape, NULL) && page_wrong(c->mem, "none", &item_shape, NULL) && !page_wrong(c->mem, "error", &page_error_shape, NULL),
	    "a template that asks for what is not there is found");
	html = page_render(c->mem, "card", &shown_shape, &a, &shell, NULL);
	ok(strstr(html, "A &amp; B</a><span class=\"badge ok\"><svg") && strstr(html, "#globe") && !strstr(html, "Private"), "a part of a page, by a word");
	ok(strstr(html, "<small>a.example</small>") && strstr(html, "Version 12,345,"), "an address in short, a number with its thousands");
	ok(strstr(html, "<time datetime=\"2026-01-02T01:01:36Z\" title=\"January 2, 2026 at 01:01 UTC\">2 hours ago</time>"), "a time as people tell it");
	a.updated_at = shell.now - 400 * 86400;
	ok(strstr(page_render(c->mem, "card", &shown_shape, &a, &shell, NULL), ">November 28, 2024</time>"), "one of another year has its year");
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
