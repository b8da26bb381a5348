/* SPDX-License-Identifier: Apache-2.0
 * Normal forms and names are those of ICU, for each character and for texts by chance; UTF-16. */
#include "base/ctx.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/unicode.h"
#include "tap.h"

#include <stdlib.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <utf8proc.h>

enum { ROOM = 400, CHARACTERS = 0x110000, TEXTS = 300000 };

static bool
is_form(const UNormalizer2 *form, const char *s, const char *made)
{
	UErrorCode e = U_ZERO_ERROR;
	UChar from[ROOM], to[ROOM];
	char want[ROOM * 3];
	int32_t n;

	u_strFromUTF8(from, ROOM, &n, s, -1, &e);
	n = unorm2_normalize(form, from, n, to, ROOM, &e);
	u_strToUTF8(want, sizeof want, NULL, to, n, &e);
	return U_SUCCESS(e) && str_eq(want, made);
}

/* ICU may know later characters than utf8proc. */
static bool
is_later(utf8proc_int32_t ch)
{
	static int known[2];
	UVersionInfo age;

	if (!known[0])
		sscanf(utf8proc_unicode_version(), "%d.%d", &known[0], &known[1]);
	u_charAge(ch, age);
	return age[0] > known[0] || (age[0] == known[0] && age[1] > known[1]);
}

static utf8proc_int32_t
by_chance(void)
{
	return 1 + rand() % (rand() % 4 ? 0x3000 : 0x1ffff);
}

static bool
differs(const char *s)
{
	UErrorCode e = U_ZERO_ERROR;
	void *owner = mem_root("a form");
	const char *nfc = unicode_nfc(owner, s);
	bool bad = !is_form(unorm2_getNFCInstance(&e), s, nfc) || unicode_is_nfc(s) != str_eq(s, nfc) ||
	    !is_form(unorm2_getNFKCCasefoldInstance(&e), s, unicode_casefold_nfkc(owner, s));

	mem_free(owner);
	return bad;
}

int
main(void)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	int wrong = 0;
	size_t n;

	srand(1);
	for (int i = 1; i < CHARACTERS + TEXTS; i++) {
		char s[ROOM] = "", *p = s;

		for (int k = i < CHARACTERS ? 1 : 2 + rand() % 5; k; k--) {
			utf8proc_int32_t ch = i < CHARACTERS ? i : by_chance();

			p += utf8proc_encode_char((ch >= 0xd800 && ch < 0xe000) || is_later(ch) ? 'x' : ch, (utf8proc_uint8_t *)p);
		}
		*p = '\0';
		if (differs(s) && wrong++ < 5)
			printf("# %s\n", s);
	}
	ok(!wrong, "NFC and folded names are those of ICU");

	n = 8;
	is_str(unicode_text(c->mem, "\xfe\xff\0a\xd8\x3d\xde\x00", &n), "a😀", "UTF-16, big end first");
	ok(n == 5, "... and its size");
	n = 9;
	is_str(unicode_text(c->mem, "\xff\xfe\x3d\xd8" "a\0\x00\xde" "x", &n), "\uFFFDa\uFFFD", "halves of a pair, and half a unit");
	n = 2;
	is_str(unicode_text(c->mem, "\xff\xfe", &n), "", "a mark alone");
	is_str(unicode_line(c->mem, "\xff\xfe" "a\0b\0\n\0\0\0", 10), "ab", "a line of UTF-16");
	ctx_end(c);
	return done();
}
