/* SPDX-License-Identifier: Apache-2.0 */
#include "base/unicode.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <utf8proc.h>

/* Copies a text that utf8proc has made into owner's memory, and frees it. made is NULL only for
 * bytes that aren't UTF-8. */
static char *
text_adopt(void *owner, utf8proc_uint8_t *made)
{
	char *out = mem_strdup(owner, made ? (const char *)made : "");

	free(made);
	return out;
}

bool
unicode_is_nfc(const char *s)
{
	utf8proc_uint8_t *nfc = utf8proc_NFC((const utf8proc_uint8_t *)s);
	bool yes = nfc && str_eq((const char *)nfc, s);

	free(nfc);
	return yes;
}

char *
unicode_nfc(void *owner, const char *s)
{
	return text_adopt(owner, utf8proc_NFC((const utf8proc_uint8_t *)s));
}

const char *
unicode_composed(void *owner, const char *s)
{
	const char *composed;

	if (str_is_ascii(s))
		return s;
	composed = unicode_nfc(owner, s);
	return str_eq(composed, s) ? s : composed;
}

static utf8proc_int32_t
without_reserved(utf8proc_int32_t ch, void *unused)
{
	/* Unicode has reserved these to be ignored, but utf8proc leaves them in a text. */
	bool reserved = ch == 0x2065 || (ch >= 0xfff0 && ch <= 0xfff8) || ch == 0xe0000 ||
	    (ch >= 0xe0002 && ch <= 0xe001f) || (ch >= 0xe0080 && ch <= 0xe00ff) ||
	    (ch >= 0xe01f0 && ch <= 0xe0fff);

	(void)unused;
	return reserved ? 0xad : ch; /* a soft hyphen, which is ignored */
}

char *
unicode_casefold_nfkc(void *owner, const char *s)
{
	utf8proc_uint8_t *out;

	/* A publish folds hundreds of paths, most of them in ASCII. */
	if (str_is_ascii(s))
		return str_lower(mem_strdup(owner, s));
	utf8proc_map_custom((const utf8proc_uint8_t *)s, 0, &out,
	    UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
		UTF8PROC_CASEFOLD | UTF8PROC_IGNORE,
	    without_reserved, NULL);
	return text_adopt(owner, out);
}

char *
unicode_unmarked(void *owner, const char *s)
{
	utf8proc_uint8_t *out;

	utf8proc_map((const utf8proc_uint8_t *)s, 0, &out,
	    UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT |
		UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK);
	return text_adopt(owner, out);
}

uint32_t
unicode_lower(uint32_t ch)
{
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)ch);
}

uint32_t
unicode_upper(uint32_t ch)
{
	return (uint32_t)utf8proc_toupper((utf8proc_int32_t)ch);
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

/* Converts UTF-16 of that byte order. Surrogates without a partner become U+FFFD. */
static char *
utf16_text(void *owner, const unsigned char *bytes, size_t *n, bool little)
{
	enum { HIGH = 0xd800, LOW = 0xdc00, END = 0xe000, REPLACED = 0xfffd, PLANE_1 = 0x10000 };
	size_t units = *n / 2, made = 0;
	char *out = mem_grow(owner, NULL, units * 3 + 1);

	for (size_t i = 0; i < units; i++) {
		utf8proc_int32_t ch = bytes[2 * i + little] << 8 | bytes[2 * i + !little], low = 0;

		if (ch >= HIGH && ch < LOW && i + 1 < units)
			low = bytes[2 * i + 2 + little] << 8 | bytes[2 * i + 2 + !little];
		if (low >= LOW && low < END) {
			ch = PLANE_1 + ((ch - HIGH) << 10) + low - LOW;
			i++;
		} else if (ch >= HIGH && ch < END) {
			ch = REPLACED;
		}
		made += (size_t)utf8proc_encode_char(ch, (utf8proc_uint8_t *)out + made);
	}
	out[made] = '\0';
	*n = made;
	return out;
}

const char *
unicode_text(void *owner, const char *bytes, size_t *n)
{
	bool little = *n >= 2 && !memcmp(bytes, "\xff\xfe", 2);

	if (little || (*n >= 2 && !memcmp(bytes, "\xfe\xff", 2))) {
		*n -= 2;
		return utf16_text(owner, (const unsigned char *)bytes + 2, n, little);
	}
	if (*n < 3 || memcmp(bytes, "\xef\xbb\xbf", 3) != 0)
		return bytes;
	*n -= 3;
	return bytes + 3;
}

char *
unicode_line(void *owner, const char *bytes, size_t size)
{
	size_t n = size;
	const char *text;

	while (n && !bytes[n - 1])
		n--;
	/* A line end in UTF-16 has one more byte, which is a NUL. */
	n += n < size && n % 2;
	text = unicode_text(owner, bytes, &n);
	return mem_strndup(owner, text, strcspn(text, "\r\n"));
}
