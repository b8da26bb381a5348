/* SPDX-License-Identifier: Apache-2.0
 * Device login: a program asks, a person approves in a browser, and the program's next poll gets a
 * token, once. We store only digests of both codes. Source: interface, "Device login";
 * people/README.md; RFC 8628. */
#ifndef VITRINE_DEVICE_H
#define VITRINE_DEVICE_H
#include "core/session.h"

#define DEVICE_NEW(F, T) \
	F(T, EMAIL, expected_email, .flags = F_NUL, \
		.doc = "Who is expected to sign in: the address is prefilled, " \
		       "and signing in with another one gives a warning")
SHAPE_DECLARE(device_new, DEVICE_NEW);

#define DEVICE(F, T) \
	F(T, STR, device_code,      .doc = "Secret of the program; don't show it to the person") \
	F(T, STR, user_code, \
		.doc = "Code for the person to compare, such as XXXX-XXXX, " \
		       "or XXXX-XXXX-XXXX while many wrong codes are being tried") \
	F(T, STR, verification_uri) \
	F(T, STR, verification_uri_complete) \
	F(T, INT, interval,         .doc = "Seconds between polls") \
	F(T, INT, expires_in)
SHAPE_DECLARE(device, DEVICE);

#define DEVICE_TOKEN(F, T) \
	F(T, WORD, status,   .arg = "pending|approved|denied|expired") \
	F(T, INT,  interval, .flags = F_OPT) \
	F(T, STR,  token,    .flags = F_OPT) \
	F(T, ID,   user_id,  .flags = F_OPT, .arg = "usr_") \
	F(T, STR,  warn,     .flags = F_OPT, \
		.doc = "Set if someone other than expected_email signed in")
SHAPE_DECLARE(device_token, DEVICE_TOKEN);

/* A waiting login, as its page shows it. */
#define DEVICE_LOGIN(F, T) \
	F(T, STR,  device_hash) \
	F(T, WORD, state, .arg = "pending|approved|denied") \
	F(T, STR,  expected_email) \
	F(T, STR,  address) \
	F(T, STR,  agent) \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at) \
	F(T, INT,  poll_s) \
	F(T, INT,  kept_polls) \
	F(T, ID,   user_id, .arg = "usr_") \
	F(T, STR,  sealed_token) \
	F(T, STR,  warn)
SHAPE_DECLARE(device_login, DEVICE_LOGIN);

/* Begins a login. guessed_at: there are so many wrong codes now that the new one is made longer. */
enum err device_begin(struct ctx *c, const char *expected_email, const struct origin *,
    bool guessed_at, struct device **out);
/* Polls. Outside any transaction, because a poll that comes too soon must be recorded although it
 * fails: E_SLOW_DOWN with *interval, which grows by 5 s, and is 5 s again after three polls in a
 * row that waited long enough. E_INVALID for text that can't be a code. */
enum err device_poll(struct ctx *c, const char *device_code, struct device_token *out);
/* *out is NULL if no such code waits. Case, spaces and the hyphen don't matter. lock: locks the
 * row, inside a transaction. */
enum err device_find(struct ctx *c, const char *user_code, bool lock, struct device_login **out);
/* Returns the code with hyphens; NULL if it can't be one. */
const char *
device_user_code(struct ctx *c, const char *typed);
/* Returns the warning for both sides if somebody other than the expected person approves, else
 * NULL. */
const char *device_warning(struct ctx *c, const struct device_login *, const struct principal *by);
enum err device_approve(
    struct ctx *c, const struct device_login *, const struct principal *by, const char **token);
enum err device_deny(struct ctx *c, const struct device_login *);
#endif
