/* SPDX-License-Identifier: Apache-2.0
 * What needs Unicode's tables. unicode.c alone sees ICU. Input is valid UTF-8. */
#ifndef VITRINE_UNICODE_H
#define VITRINE_UNICODE_H
#include <stdbool.h>

void unicode_open(void); /* once, before fork: the transliterator takes 30 ms to open */
bool unicode_is_nfc(const char *s);
/* For comparing names that people would take for the same. */
char *unicode_casefold_nfkc(void *owner, const char *s);
/* Any script to ASCII letters in lower case; other characters are kept. */
char *unicode_ascii(void *owner, const char *s);
/* A host name as DNS and mail carry it: labels outside ASCII as xn--… (UTS 46, IDNA 2008). NULL if
 * it has no such form. */
char *unicode_host_ascii(void *owner, const char *host);
#endif
