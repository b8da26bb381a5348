/* SPDX-License-Identifier: Apache-2.0
 * E-mail addresses as people type them. */
#ifndef VITRINE_EMAIL_H
#define VITRINE_EMAIL_H

/* Returns the address in the form in which addresses are compared, or NULL if it is none: without
 * blanks and invisible characters around it, the domain as DNS has it (UTS 46: lower case, xn--).
 * The part before the @ stays as typed. */
const char *email_read(void *owner, const char *typed);
/* Says why email_read() returned NULL, to stand behind a field's name: "… isn't an e-mail
 * address". */
const char *email_wrong(void *owner, const char *typed);
/* Returns the addresses of a field that takes several, with a comma between them; NULL if nothing
 * was typed. They may be divided by commas, semicolons, or blanks, and have names:
 * "Ann B." <ann@example.org>. Text that is neither stays as an item, which email_read() refuses. */
const char *emails_typed(void *owner, const char *typed);
#endif
