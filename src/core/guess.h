/* SPDX-License-Identifier: Apache-2.0
 * What most requests are about is the caller's own and in no workspace. Then a short statement
 * finds it, where the one that knows all roles costs the database twice as much. Which of the two
 * is asked first is guessed from what the same caller found under the same name the last time, as a
 * processor guesses a branch: a wrong guess costs a statement, never an answer. Of who turned out
 * to be outside of somebody's workspace, it is one that knows grants (core/reach.h). What is absent
 * and what is hidden are guessed alike, so the time that it takes tells nobody which it was. One
 * table a process; nothing frees it. */
#ifndef VITRINE_GUESS_H
#define VITRINE_GUESS_H
#include "db/db.h"

enum guessed {
	GUESS_OWN,
	GUESS_ROLES,
	GUESS_GRANTS, /* and nothing else */
	GUESS_ALL     /* grants and roles */
};
struct guess {
	uint64_t key;
	enum guessed first;
};
/* who: the caller, or what they show, such as the digest of a token. what: an id or a slug. */
struct guess guess_of(struct bytes who, const char *what);
/* How it was. */
void guess_learn(const struct guess *, enum guessed);
#endif
