/* SPDX-License-Identifier: Apache-2.0
 * Words as they are kept and looked for, and words that differ by a letter or two. */
#include "base/buf.h"
#include "base/str.h"
#include "search/fold.h"
#include "search/near.h"
#include "tap.h"

static struct ctx *c;

static const char *
folded(const char *text)
{
	struct words all = fold(c->mem, text, FOLD_WORDS);
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < all.n; i++)
		buf_fmt(&b, "%s%s", i ? " " : "", all.v[i].text);
	return buf_done(&b);
}

static void
folding(void)
{
	static const char *const texts[][2] = { { "Übersicht 2026", "ubersicht 2026" }, { "UBERSICHT", "ubersicht" }, { "Straße", "strasse" },
		{ "Отчёт за март", "отчет за март" }, { "Ὀδυσσεύς", "οδυσσευσ" }, { "تَقْرِير", "تقرير" }, { "שָׁלוֹם", "שלום" }, { "İstanbul", "istanbul" },
		{ "東京都庁", "東京 京都 都庁 庁" }, { "京", "京" }, { "ｶﾞｲﾄﾞ", "カ\u3099イ イト\u3099 ト\u3099" }, { "ラーメン", "ラー ーメ メン ン" },
		{ "รายงาน", "รา าย ยง งา าน น" }, { "東京Tower", "東京 京 tower" }, { "reportQ3Final", "reportq3final report q 3 final" },
		{ "XMLFile", "xmlfile xml file" }, { "e-mail_list", "e mail list" }, { "100%", "100" }, { "% _ * \" ' \\", "" }, { "😀🚀", "" },
		{ "😀 Launch 🚀", "launch" }, { "٢٠٢٦", "2026" }, { "ﬁle", "file" }, { "ＡＢＣ", "abc" }, { "co\u00adop", "coop" }, { "हिन्दी", "हिन्दी" }, { "", "" },
		{ "\u0301\u0301", "" }, { "v2", "v2 v 2" } };
	struct buf marks = BUF(c->mem), long_one = BUF(c->mem), many = BUF(c->mem);
	struct words words;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		is_str(folded(texts[i][0]), texts[i][1], texts[i][0]);
	is_str(folded("한국"), folded("\u1112\u1161\u11ab\u1100\u116e\u11a8"), "Hangul is its jamo");
	ok(str_starts(folded("한국"), folded("한ㄱ")), "and what is typed of a syllable begins it");
	buf_str(&marks, "z");
	for (int i = 0; i < 200; i++)
		buf_str(&marks, "\u0301");
	buf_str(&marks, "oo");
	is_str(folded(buf_done(&marks)), "zoo", "two hundred marks do no harm");
	buf_str(&long_one, "\u0915");
	for (int i = 0; i < 200; i++)
		buf_str(&long_one, "\u093c");
	words = fold(c->mem, buf_done(&long_one), FOLD_WORDS);
	ok(words.n == 1 && words.v[0].letters == FOLD_LETTERS && str_chars(words.v[0].text) == FOLD_LETTERS, "nor on a letter that keeps them");
	for (int i = 0; i < 500; i++)
		buf_fmt(&many, "w%d ", i);
	ok(fold(c->mem, buf_done(&many), FOLD_WORDS).n == FOLD_WORDS, "of many words the first are taken");
	words = fold(c->mem, "Der Übersichtsplan", FOLD_WORDS);
	ok(words.n == 2 && words.v[1].from == 4 && words.v[1].to == strlen("Der Übersichtsplan"), "a word knows where it is from");
	words = fold(c->mem, "Cafe\u0301!", FOLD_WORDS);
	ok(words.n == 1 && words.v[0].to == strlen("Cafe\u0301"), "with its marks");
}

static bool
meet(const char *asked, const char *word)
{
	struct strs a = near_asked(c->mem, asked), b = near_kept(c->mem, word);

	for (size_t i = 0; i < a.n; i++)
		for (size_t k = 0; k < b.n; k++)
			if (str_eq(a.v[i], b.v[k]))
				return true;
	return false;
}

static void
near(void)
{
	static const struct {
		const char *asked, *word;
		unsigned typos;
	} all[] = { { "slaes", "sales", 1 }, { "reprot", "report", 1 }, { "отчт", "отчет", 1 }, { "dashbaord", "dashboard", 1 }, { "dashbord", "dashboard", 1 },
		{ "daashboardd", "dashboard", 2 }, { "sals", "sales", 1 }, { "ssales", "sales", 1 }, { "kuberntes", "kubernetes", 1 }, { "kubrntes", "kubernetes", 2 },
		{ "qarterly", "quarterly", 1 }, { "uqarterly", "quarterly", 1 }, { "meeting", "meetings", 1 }, { "meetings", "meeting", 1 }, { "mmeeting", "meeting", 1 },
		{ "sales", "sales", 0 }, { "sael", "sales", NEAR_NOT }, { "cat", "car", NEAR_NOT }, { "2025", "2026", NEAR_NOT }, { "release2", "release3", NEAR_NOT }, { "report", "resort", 1 },
		{ "reprto", "resort", NEAR_NOT }, { "abcdefgh", "abxdexgh", 2 }, { "abcdefgh", "xbxdexgh", NEAR_NOT }, { "xxabcdefgh", "abcdefgh", 2 } };
	static const char *const letters[] = { "a", "b", "л", "é", "z" };
	unsigned seed = 7, missed = 0, counted = 0;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		ok(near_typos(all[i].asked, all[i].word, false) == all[i].typos, all[i].asked);
		ok(all[i].typos == NEAR_NOT || !all[i].typos || meet(all[i].asked, all[i].word), "and it is looked for");
	}
	ok(near_typos("dashbao", "dashboards", true) == 1, "what is typed so far may have a typo from seven letters on");
	ok(near_typos("dashbao", "dashboards", false) == NEAR_NOT, "and only what is still typed");
	ok(near_kept(c->mem, "cat").n == 0 && near_kept(c->mem, "2026").n == 0, "short words and numbers may have no typos");
	ok(near_kept(c->mem, "report").n == 7 && near_kept(c->mem, "aaaa").n == 2, "a word is kept under each form once");
	ok(near_kept(c->mem, "abcdefghij").n == 21 && near_asked(c->mem, "abcdefg").n == 29, "a long one under its beginning");
	/* Whatever differs by so much is looked for under what it is kept under. */
	for (int round = 0; round < 20000; round++) {
		const char *at[12], *other[16];
		struct buf one = BUF(c->mem), two = BUF(c->mem);
		size_t n = 4 + (seed = seed * 1103515245 + 12345) / 65536 % 8, m = n;
		int edits = n < 8 ? 1 : 2;

		for (size_t i = 0; i < n; i++) {
			at[i] = other[i] = letters[(seed = seed * 1103515245 + 12345) / 65536 % 5];
			buf_str(&one, at[i]);
		}
		for (; edits; edits--) {
			size_t where = (seed = seed * 1103515245 + 12345) / 65536 % m, what = (seed = seed * 1103515245 + 12345) / 65536 % 4;
			const char *letter = letters[(seed = seed * 1103515245 + 12345) / 65536 % 5];

			if (what == 0)
				other[where] = letter;
			if (what == 1 && where + 1 < m) {
				letter = other[where];
				other[where] = other[where + 1];
				other[where + 1] = letter;
			}
			if (what == 2) {
				for (size_t i = m++; i > where; i--)
					other[i] = other[i - 1];
				other[where] = letter;
			}
			if (what == 3 && m > 1)
				for (m--; where < m; where++)
					other[where] = other[where + 1];
		}
		for (size_t i = 0; i < m; i++)
			buf_str(&two, other[i]);
		if (near_typos(buf_done(&two), buf_done(&one), false) == NEAR_NOT || str_eq(buf_done(&one), buf_done(&two)))
			continue;
		counted++;
		missed += !meet(buf_done(&two), buf_done(&one));
	}
	ok(counted > 10000 && !missed, "of thousands of words with typos each is looked for");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	folding();
	near();
	ctx_end(c);
	return done();
}
