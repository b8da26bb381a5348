/* SPDX-License-Identifier: Apache-2.0
 * Of the text of an e-mail, what its sender wrote: without the mail that it answers, as programs
 * put it below, and without the signature. */
#ifndef VITRINE_OWNWORDS_H
#define VITRINE_OWNWORDS_H

/* Lines that end in LF. What is answered between quoted lines stays with these, and so does what
 * was forwarded. Where nothing would be left, all of it is. */
const char *own_words(void *owner, const char *text);
#endif
