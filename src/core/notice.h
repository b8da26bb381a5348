/* SPDX-License-Identifier: Apache-2.0
 * What a page says of the change that led to it, by a word in its address (?done=published). */
#ifndef VITRINE_NOTICE_H
#define VITRINE_NOTICE_H
const char *notice_text(const char *word); /* NULL for a word that is none, or for NULL */
#endif
