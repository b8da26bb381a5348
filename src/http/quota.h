/* SPDX-License-Identifier: Apache-2.0
 * The limits in a route's row, and those that a handler adds. http/limit.h counts. */
#ifndef VITRINE_QUOTA_H
#define VITRINE_QUOTA_H
#include "base/conf.h"
#include "http/limit.h"
#include "http/req.h"

#include <stddef.h>

enum whose { OF_USER, OF_ADDRESS, OF_CALLER /* the user, else the address */, OF_ARTIFACT,
	OF_AGENT /* the program that a person has connected, else the user */, OF_ALL };
enum counted { SUCCESSES, FAILURES, ALL };
struct limit {
	const char *name;
	enum whose whose;
	enum counted counted;
	size_t most; /* offset of the setting in struct conf */
	const char *what;
	int64_t window_s; /* 0: an hour */
};
/* Defines a limit, in the file of its routes. It is an array of one, so that a route gives the bare
 * name. */
#define LIMIT(word, name, whose, counted, setting, ...) \
	const struct limit word[1] = { { name, whose, counted, offsetof(struct conf, setting), \
	    __VA_ARGS__ } }
extern const struct limit LIM_EXPORT[1], LIM_DATA[1], LIM_ACCESS[1], LIM_COMMENT[1],
    LIM_PICTURED[1];

/* Counts the request in the row's limits, once; E_RATE_LIMITED if none is left. An artifact's limit
 * counts only after authorise(), so this is called again then, and by a handler that finds the
 * artifact itself and sets r->art. */
enum err quota_take(struct req *);
void quota_return(struct req *);   /* after the reply is known: uncounts what doesn't count */
/* Counts one more, under a key of the handler's. quota_return() treats it like the row's limits. */
enum err quota_take_for(struct req *, const struct limit *, const char *key);
/* Uncounts what the handler took after the first `kept`, because its transaction was lost. */
void quota_return_taken(struct req *, size_t kept);
/* Calls work(), which keeps a processor busy (a password hash), in one of limit_enter()'s places.
 * For rows that are .slow. known: as in share_hash(). E_UNAVAILABLE if too many are waiting, or for
 * too long. */
enum err quota_cpu(struct req *, bool known, enum err (*work)(struct req *));
/* For limits that refuse nothing: quota_note() counts one; quota_spent() tells whether the maximum
 * is reached. */
void quota_note(struct req *, const struct limit *, const char *key);
bool quota_spent(struct req *, const struct limit *, const char *key);
#endif
