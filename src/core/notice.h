/* SPDX-License-Identifier: Apache-2.0
 * The notice that a page shows about the change that led to it, by a word in its address
 * (?done=published). */
#ifndef VITRINE_NOTICE_H
#define VITRINE_NOTICE_H
struct ctx;

/* NULL for a word that is none, or for NULL. */
const char *notice_text(struct ctx *, const char *word);
#endif
