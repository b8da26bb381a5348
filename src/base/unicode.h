/* SPDX-License-Identifier: Apache-2.0
 * Functions that need Unicode's tables; they take valid UTF-8. Only unicode.c sees ICU. */
#ifndef VITRINE_UNICODE_H
#define VITRINE_UNICODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opening the transliterator takes 30 ms: who forks opens it before, so that all have it; others
 * have it opened when it is first needed. */
void unicode_open(void);
bool unicode_is_nfc(const char *s);
char *unicode_nfc(void *owner, const char *s);
/* The text in NFC: s itself if it is. */
const char *unicode_composed(void *owner, const char *s);
/* Names that people would take for the same give equal results. */
char *unicode_casefold_nfkc(void *owner, const char *s);
/* A name of a thing as it is kept: in NFC, without the spaces around it, by which nobody would see
 * names differ. And what is equal for names that people would take for the same; "" for one that
 * shows nothing. */
char *unicode_name(void *owner, const char *s);
char *unicode_name_key(void *owner, const char *s);
/* Transliterates any script to lower-case ASCII; characters without an ASCII form are kept. */
char *unicode_ascii(void *owner, const char *s);
/* The host name as DNS and mail carry it: labels outside ASCII as xn--… (UTS 46, IDNA 2008). NULL
 * when it has no such form. */
char *unicode_host_ascii(void *owner, const char *host);
/* Bytes of another character set, by the name that a page gives it, as UTF-8; what stands for no
 * character becomes U+FFFD. NULL when that set is not known. */
char *unicode_from(void *owner, const char *charset, const char *bytes, size_t n, size_t *out_n);
/* A text that some editor or program wrote, *n bytes: without the byte order mark that it begins
 * with, and as UTF-8 where that is one of UTF-16. Returns a place in bytes, or a text of owner. */
const char *unicode_text(void *owner, const char *bytes, size_t *n);
/* The first line of such a text, without its end. The size bytes end with a NUL at least. */
char *unicode_line(void *owner, const char *bytes, size_t size);
/* The characters that a text is searched by: in compatible form, without case, taken apart (Hangul
 * into its jamo), digits as 0 to 9, and without the marks on letters of Latin, Greek, Cyrillic,
 * Arabic and Hebrew; other marks are letters. Each with the bytes of the text that it is from; what
 * is left out counts to the one before. */
enum letter_kind {
	LETTER_NONE, /* neither letter nor digit */
	LETTER_DIGIT,
	LETTER_PLAIN, /* of a script without cases, or small */
	LETTER_CAPITAL,
	LETTER_DENSE, /* of Han, kana, Thai, Lao, Khmer: no spaces stand between words */
	LETTER_MARK   /* on a dense one */
};
struct letter {
	uint32_t ch;
	enum letter_kind kind;
	size_t from, to;
};
size_t unicode_letters(void *owner, const char *s, struct letter **out);
#endif
