/* SPDX-License-Identifier: Apache-2.0
 * Finds the sender's own words in the text of an e-mail: without the signature, and without the
 * e-mail that it answers, as programs put it below. */
#ifndef VITRINE_OWNWORDS_H
#define VITRINE_OWNWORDS_H

/* Returns lines that end in LF. Quoted lines stay if the sender answers between them, or forwards
 * them. If nothing would be left, returns the whole text. */
const char *own_words(void *owner, const char *text);
#endif
