/* SPDX-License-Identifier: Apache-2.0
 * The second factor of sign-ins by password: a code of an authenticator app (base/otp.h), or one of
 * ten recovery codes. It is on or off for a person. Each code works once: of an app's, the time
 * step is kept with which the last one was proven; a recovery code's row goes. */
#ifndef VITRINE_FACTOR_H
#define VITRINE_FACTOR_H
#include "base/principal.h"
#include "core/mail.h"
#include "core/user.h"

enum { FACTOR_LOGIN_S = 600, FACTOR_TRIES = 5, RECOVERY_CODES = 10 };

#define FACTOR(F, T) \
	F(T, TIME, on_at) \
	F(T, INT,  left, .doc = "Unused recovery codes")
SHAPE_DECLARE(factor, FACTOR);
enum err factor_get(struct ctx *c, const char *user_id, struct factor **out); /* NULL: off */

/* ---- setting it up, in one session and within half an hour ---- */

/* Makes a new secret; one that was begun before is dropped. */
enum err factor_setup_begin(struct ctx *c, const char *session_id);
/* *out NULL: none was begun, or it is too old. */
enum err factor_setup_secret(struct ctx *c, const char *session_id, const char **out);
/* Turns it on when the code is one of the secret's, and gives the recovery codes, which are not to
 * be had again. codes->n is 0 when the code is wrong or nothing is set up. E_CONFLICT when it is on
 * already. */
enum err factor_turn_on(
    struct ctx *c, const struct principal *who, const char *code, struct strs *codes);

/* ---- codes ---- */

enum factor_proof {
	FACTOR_WRONG,    /* or used, or the factor is off */
	FACTOR_CODE,     /* of the app */
	FACTOR_RECOVERY,
	FACTOR_SEALED    /* the secret can't be opened: the key file was replaced */
};
/* True if the text has the form of a recovery code. */
bool factor_is_recovery(const char *typed);
/* Takes a code. Of two transactions with the same code one is told FACTOR_WRONG. Who has used a
 * recovery code is told by e-mail. Spaces and hyphens in the code mean nothing. */
enum err factor_prove(
    struct ctx *c, const struct user *, const char *typed, enum factor_proof *out);
enum err factor_renew_recovery(struct ctx *c, const char *user_id, struct strs *codes);
/* E_NOT_FOUND when it is off. Sign-ins that wait for a code are over. The person is told. */
enum err factor_turn_off(struct ctx *c, const struct user *);

/* ---- sign-ins that wait for a code ---- */

#define FACTOR_LOGIN(F, T) \
	F(T, OBJ, user,  .sub = &user_shape) \
	F(T, STR, next) \
	F(T, INT, tries)
SHAPE_DECLARE(factor_login, FACTOR_LOGIN);

/* *cookie is a secret for the browser, without which the code is not taken; good for
 * FACTOR_LOGIN_S. next may be NULL. */
enum err factor_login_begin(
    struct ctx *c, const char *user_id, const char *next, const char **cookie);
/* *out NULL: there is none, it is too old, or it has had FACTOR_TRIES. */
enum err factor_login_get(struct ctx *c, const char *cookie, struct factor_login **out);
/* Counts a try. *out is as the row is then, locked to the commit, or NULL as above. */
enum err factor_login_try(struct ctx *c, const char *cookie, struct factor_login **out);
/* After the last wrong try: whoever has the account is told that somebody knows the password. */
enum err factor_login_failed(struct ctx *c, const char *cookie, const struct factor_login *);
enum err factor_login_end(struct ctx *c, const char *cookie);
/* All of a person's, whose password has changed. */
enum err factor_logins_end(struct ctx *c, const char *user_id);
#endif
