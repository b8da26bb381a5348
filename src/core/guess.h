/* SPDX-License-Identifier: Apache-2.0
 * Guesses which statement finds an artifact. Most requests are about an artifact of the caller's
 * own outside any workspace, which a short statement finds in a round trip of 34 us; the statement
 * that reads all facts takes 54 us. We guess the statement that found the artifact for this caller
 * the last time. A wrong guess costs one statement and never changes the answer. Absent and hidden
 * artifacts are guessed alike, so the time doesn't tell them apart. Each process has one table,
 * which is never freed. */
#ifndef VITRINE_GUESS_H
#define VITRINE_GUESS_H
#include "db/db.h"

enum guessed {
	GUESS_OWN,
	GUESS_FACTS,
	GUESS_GRANTS /* with grants (core/reach.h), for people outside the artifact's workspace */
};
struct guess {
	uint64_t key;
	enum guessed first;
};
/* who: the caller, or the digest of their token or cookie. what: an id or a slug. */
struct guess guess_of(struct bytes who, const char *what);
/* Remembers which statement found the artifact. */
void guess_learn(const struct guess *, enum guessed);
#endif
