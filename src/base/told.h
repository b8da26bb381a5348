/* SPDX-License-Identifier: Apache-2.0
 * Tells processes of this machine that something happened to a subject, such as a version that a
 * browser has seen. The file `told` in data_dir has counters that all processes map; subjects that
 * share one wake each other, so whoever is woken looks again. A process that can't map it is told
 * nothing, and its waits last their full time. */
#ifndef VITRINE_TOLD_H
#define VITRINE_TOLD_H
#include "base/conf.h"

enum { TOLD_PLACES = 1024 };

unsigned told_place(const char *subject); /* of its counter, below TOLD_PLACES */
/* Read the count before you look for what is awaited: if something happened since, it changes. */
unsigned told_count(const struct conf *, unsigned place);
void told_tell(const struct conf *, const char *subject);
#endif
