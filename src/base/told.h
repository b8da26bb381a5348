/* SPDX-License-Identifier: Apache-2.0
 * Tells processes of this machine that something happened to a subject, such as a version that a
 * browser has seen. The file `told` in data_dir has counters that all processes map; subjects that
 * share one wake each other, so whoever is woken looks again. A process that can't map it is told
 * nothing, and its waits last their full time. */
#ifndef VITRINE_TOLD_H
#define VITRINE_TOLD_H
#include "base/conf.h"
#include "base/ctx.h"

enum { TOLD_PLACES = 1024 };

unsigned told_place(const char *subject); /* of its counter, below TOLD_PLACES */
/* Read the count before you look for what is awaited: if something happened since, it changes. */
unsigned told_count(const struct conf *, unsigned place);
void told_tell(const struct conf *, const char *subject);
/* told_expect(): somebody waits until then (Unix seconds) for what is told by told_later().
 * told_expected(): whether anybody on this machine does; else nobody needs to find out whom to
 * tell. */
void told_expect(const struct conf *, int64_t until);
bool told_expected(const struct ctx *c);
/* Tells it when c's transaction has committed. */
void told_later(struct ctx *c, const char *subject);
void told_send(struct ctx *c); /* for db/db.c: tells them now, and forgets them */
#endif
