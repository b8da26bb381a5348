/* SPDX-License-Identifier: Apache-2.0
 * Functions that need Unicode's tables. They take valid UTF-8. unicode.c has those
 * that the client needs, too, by utf8proc; script.c has the others, by ICU. Nothing else includes
 * these libraries. */
#ifndef VITRINE_UNICODE_H
#define VITRINE_UNICODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the transliterator, which takes 30 ms. A program that forks calls this first, so that its
 * children share it; otherwise the first use opens it. */
void unicode_open(void);
bool unicode_is_nfc(const char *s);
char *unicode_nfc(void *owner, const char *s);
/* Returns the text in NFC: s itself if it is in NFC. */
const char *unicode_composed(void *owner, const char *s);
/* Returns equal texts for names that people would confuse. */
char *unicode_casefold_nfkc(void *owner, const char *s);
/* Returns the text in lower case and without marks on its letters: "grosse" for "Größe". */
char *unicode_unmarked(void *owner, const char *s);
/* Return a character's form in lower case and in capitals, or itself. */
uint32_t unicode_lower(uint32_t ch);
uint32_t unicode_upper(uint32_t ch);
/* unicode_name() returns a name in the form that we store: NFC, without spaces around it.
 * unicode_name_key() returns a text that is equal for names that people would confuse, "" for a
 * name that shows nothing. */
char *unicode_name(void *owner, const char *s);
char *unicode_name_key(void *owner, const char *s);
/* Transliterates any script to lower-case ASCII. Keeps characters that have no ASCII form. */
char *unicode_ascii(void *owner, const char *s);
/* Returns the host name as DNS and mail carry it: non-ASCII labels as xn--… (UTS 46, IDNA 2008).
 * NULL if it has no such form. */
char *unicode_host_ascii(void *owner, const char *host);
/* Returns the host name with its xn-- labels as people read them, except those that mix scripts, by
 * which one name could look like another. */
char *unicode_host_readable(void *owner, const char *host);
/* Converts bytes of a character set, given by its name, to UTF-8. Bytes that aren't characters
 * become U+FFFD. Returns NULL if the set is unknown. */
char *unicode_from(void *owner, const char *charset, const char *bytes, size_t n, size_t *out_n);
/* Takes *n bytes that an editor or program has written. Removes a byte order mark, and converts
 * UTF-16 with such a mark to UTF-8. Returns a pointer into bytes, or a text in owner. */
const char *unicode_text(void *owner, const char *bytes, size_t *n);
/* Returns the first line of such a text, without its end. At least the last of size bytes must be
 * NUL. */
char *unicode_line(void *owner, const char *bytes, size_t size);
/* Splits a text into the characters by which search compares: in compatibility form, without case,
 * decomposed (Hangul into jamo), digits as 0 to 9, without the marks on Latin, Greek, Cyrillic,
 * Arabic and Hebrew letters; other marks are letters. Each has its bytes [from, to) in the text;
 * the bytes of a dropped character belong to the letter before it. Returns how many. */
enum letter_kind {
	LETTER_NONE, /* neither letter nor digit */
	LETTER_DIGIT,
	LETTER_PLAIN, /* lower-case, or of a script without case */
	LETTER_CAPITAL,
	LETTER_DENSE, /* Han, kana, Thai, Lao, Khmer: scripts without spaces between words */
	LETTER_MARK   /* a mark on a dense letter */
};
struct letter {
	uint32_t ch;
	enum letter_kind kind;
	size_t from, to;
};
size_t unicode_letters(void *owner, const char *s, struct letter **out);
#endif
