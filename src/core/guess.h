/* SPDX-License-Identifier: Apache-2.0
 * Guesses which statement finds an artifact. Most requests are about the caller's own artifact in
 * no workspace, which a short statement finds: its round trip takes 34 us, and that of the one that
 * reads all facts 54. The guess is what found it for the same caller the last time. A wrong guess
 * costs one statement and never changes the answer. Absent and hidden artifacts are guessed alike,
 * so the time doesn't tell which it was. One table in each process; nothing frees it. */
#ifndef VITRINE_GUESS_H
#define VITRINE_GUESS_H
#include "db/db.h"

enum guessed {
	GUESS_OWN,
	GUESS_FACTS,
	GUESS_GRANTS /* with grants (core/reach.h), for people outside of somebody's workspace */
};
struct guess {
	uint64_t key;
	enum guessed first;
};
/* who: the caller, or the digest of their token or cookie. what: an id or a slug. */
struct guess guess_of(struct bytes who, const char *what);
/* Remembers which statement found it. */
void guess_learn(const struct guess *, enum guessed);
#endif
