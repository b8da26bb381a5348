/* SPDX-License-Identifier: Apache-2.0 */
#include "base/unicode.h"

#include "base/mem.h"

#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utrans.h>

static UTransliterator *to_ascii;

void
unicode_open(void)
{
	static const UChar rules[] =
	    u"Any-Latin; NFKD; [:Nonspacing Mark:] Remove; Latin-ASCII; Lower";
	UErrorCode e = U_ZERO_ERROR;

	if (!to_ascii)
		to_ascii = utrans_openU(rules, -1, UTRANS_FORWARD, NULL, 0, NULL, &e);
	if (U_FAILURE(e))
		abort();
}

/* Converts s to UTF-16 in a buffer with room for the text to grow. *n and *room count units. */
static UChar *
utf8_to_utf16(void *owner, const char *s, int32_t *n, int32_t *room)
{
	UErrorCode e = U_ZERO_ERROR;
	UChar *out;

	*room = (int32_t)strlen(s) * 8 + 64;
	out = mem_array(owner, UChar, (size_t)*room);
	u_strFromUTF8(out, *room, n, s, -1, &e);
	if (U_FAILURE(e))
		*n = 0;
	return out;
}

static char *
utf16_to_utf8(void *owner, const UChar *s, int32_t n)
{
	UErrorCode e = U_ZERO_ERROR;
	int32_t room = n * 3 + 1;
	char *out = mem_array(owner, char, (size_t)room);

	u_strToUTF8(out, room, NULL, s, n, &e);
	return out;
}

bool
unicode_is_nfc(const char *s)
{
	UErrorCode e = U_ZERO_ERROR;
	const UNormalizer2 *nfc = unorm2_getNFCInstance(&e);
	void *scratch = mem_root("nfc");
	int32_t n, room;
	UChar *text = utf8_to_utf16(scratch, s, &n, &room);
	bool yes = unorm2_isNormalized(nfc, text, n, &e) && U_SUCCESS(e);

	mem_free(scratch);
	return yes;
}

static char *
unicode_form(void *owner, const UNormalizer2 *form, const char *s)
{
	UErrorCode e = U_ZERO_ERROR;
	void *scratch = mem_root("normal form");
	int32_t n, room;
	UChar *text = utf8_to_utf16(scratch, s, &n, &room), *out;
	char *result;

	/* Folding turns one character into 18 at most. */
	room = n * 18 + 1;
	out = mem_array(scratch, UChar, (size_t)room);
	n = unorm2_normalize(form, text, n, out, room, &e);
	result = utf16_to_utf8(owner, out, U_SUCCESS(e) ? n : 0);
	mem_free(scratch);
	return result;
}

char *
unicode_nfc(void *owner, const char *s)
{
	UErrorCode e = U_ZERO_ERROR;

	return unicode_form(owner, unorm2_getNFCInstance(&e), s);
}

char *
unicode_casefold_nfkc(void *owner, const char *s)
{
	UErrorCode e = U_ZERO_ERROR;

	return unicode_form(owner, unorm2_getNFKCCasefoldInstance(&e), s);
}

char *
unicode_ascii(void *owner, const char *s)
{
	UErrorCode e = U_ZERO_ERROR;
	void *scratch = mem_root("ascii");
	int32_t n, room, limit;
	UChar *text = utf8_to_utf16(scratch, s, &n, &room);
	char *result;

	unicode_open();
	limit = n;
	utrans_transUChars(to_ascii, text, &n, room, 0, &limit, &e);
	result = utf16_to_utf8(owner, text, U_SUCCESS(e) ? n : 0);
	mem_free(scratch);
	return result;
}

char *
unicode_host_ascii(void *owner, const char *host)
{
	const uint32_t options = UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_CHECK_BIDI |
	    UIDNA_CHECK_CONTEXTJ | UIDNA_USE_STD3_RULES;
	UErrorCode e = U_ZERO_ERROR;
	UIDNA *idna = uidna_openUTS46(options, &e);
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	char out[256];
	int32_t n;

	if (U_FAILURE(e))
		return NULL;
	n = uidna_nameToASCII_UTF8(idna, host, -1, out, sizeof out, &info, &e);
	uidna_close(idna);
	return U_SUCCESS(e) && !info.errors && n > 0 && n < (int32_t)sizeof out
	    ? mem_strndup(owner, out, (size_t)n)
	    : NULL;
}

static char *
without_spaces(char *s)
{
	size_t n;

	s += strspn(s, " ");
	n = strlen(s);
	while (n && s[n - 1] == ' ')
		s[--n] = '\0';
	return s;
}

char *
unicode_name(void *owner, const char *s)
{
	return without_spaces(unicode_nfc(owner, s));
}

char *
unicode_name_key(void *owner, const char *s)
{
	return without_spaces(unicode_casefold_nfkc(owner, s));
}
