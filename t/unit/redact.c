/* SPDX-License-Identifier: Apache-2.0
 * Secrets struck out of texts: the same however the bytes are cut. */
#include "tap.h"

#include "base/mem.h"
#include "base/redact.h"

static const char *
struck(void *mem, const char *text, size_t step)
{
	struct redact r = REDACT(mem);
	struct buf out = BUF(mem);
	size_t n = strlen(text);

	redact_add(&r, "p\"ss/word");
	redact_add(&r, "p\"ss/word, the longer one");
	redact_add(&r, "short");
	redact_add(&r, NULL);
	for (size_t at = 0; at < n; at += step) {
		size_t more = n - at < step ? n - at : step;

		redact(&r, text + at, more, at + more == n, &out);
	}
	return buf_done(&out);
}

static const struct {
	const char *text, *want, *name;
} examples[] = {
	{ "", "", "nothing" },
	{ "no secret, though it is short", "no secret, though it is short", "what has none stays" },
	{ "p\"ss/word", "[secret]", "it alone" },
	{ "a p\"ss/wordp\"ss/word z", "a [secret][secret] z", "twice" },
	{ "p\"ss/word, the longer one", "[secret]", "the longest that fits" },
	{ "p\"ss/word, the longer two", "[secret], the longer two", "or the shorter" },
	{ "pp\"ss/wor p\"ss/wor", "pp\"ss/wor p\"ss/wor", "a beginning alone stays" },
	{ "{\"x\":\"p\\\"ss/word\"}", "{\"x\":\"[secret]\"}", "in JSON" },
	{ "<b>p&quot;ss/word</b>", "<b>[secret]</b>", "in HTML" },
	{ "?k=p%22ss%2Fword&l", "?k=[secret]&l", "in an address" },
	{ "cCJzcy93b3Jk", "[secret]", "in base64, at its beginning" },
	{ "eHAic3Mvd29yZA==", "eH[secret]A==", "in base64, a byte behind it" },
	{ "eHhwInNzL3dvcmQ=", "eHh[secret]Q=", "in base64, two bytes behind it" },
};

int
main(void)
{
	void *mem = mem_root("test");

	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		for (size_t step = 1; step <= 40; step = step < 4 ? step + 1 : step * 10)
			is_str(struck(mem, examples[i].text, step), examples[i].want, examples[i].name);
	mem_free(mem);
	return done();
}
