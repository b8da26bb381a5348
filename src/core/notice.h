/* SPDX-License-Identifier: Apache-2.0
 * The notice on a page about the change that led to it, by a word in the page's address
 * (?done=published). */
#ifndef VITRINE_NOTICE_H
#define VITRINE_NOTICE_H
struct ctx;

/* NULL for an unknown word, or for NULL. */
const char *notice_text(struct ctx *, const char *word);
#endif
