/* SPDX-License-Identifier: Apache-2.0
 * E-mail addresses as people type them. */
#ifndef VITRINE_EMAIL_H
#define VITRINE_EMAIL_H
#include <stdbool.h>

/* Returns the address in the form that we compare, or NULL if it isn't an address. Removes blanks
 * and invisible characters around it, and converts the domain to DNS form (UTS 46: lower case,
 * xn--). Keeps the part before the @ as typed. */
const char *email_read(void *owner, const char *typed);
/* True if email_read() may take it. Lets any domain pass that has letters beyond ASCII, since the
 * client has no tables to judge them by. */
bool email_likely(void *owner, const char *typed);
/* Says why email_read() returned NULL, in words that follow a field's name: "… isn't an e-mail
 * address". */
const char *email_wrong(void *owner, const char *typed);
/* Returns the addresses of a field that takes several, separated by commas; NULL if the field is
 * empty. Commas, semicolons or blanks may divide them, and each may have a name: "Ann B."
 * <ann@example.org>. Other text becomes an item, which email_read() refuses. */
const char *emails_typed(void *owner, const char *typed);
#endif
