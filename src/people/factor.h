/* SPDX-License-Identifier: Apache-2.0
 * The second factor of sign-ins by password: a code of an authenticator app (base/otp.h), or one of
 * ten recovery codes. A person turns it on or off. Each code works once: we store the time step of
 * the last code of the app, and delete the row of a used recovery code. */
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

/* Makes a new secret, and drops the one of an earlier attempt. */
enum err factor_setup_begin(struct ctx *c, const char *session_id);
/* *out is NULL if no setup was begun, or it is too old. */
enum err factor_setup_secret(struct ctx *c, const char *session_id, const char **out);
/* Turns it on if the code fits the secret, and returns the recovery codes, which can't be read
 * again. codes->n is 0 if the code is wrong or no setup was begun. E_CONFLICT if it is already
 * on. */
enum err factor_turn_on(
    struct ctx *c, const struct principal *who, const char *code, struct strs *codes);

/* ---- codes ---- */

enum factor_proof {
	FACTOR_WRONG,    /* or used before, or the factor is off */
	FACTOR_CODE,     /* of the app */
	FACTOR_RECOVERY,
	FACTOR_SEALED    /* the secret can't be decrypted: the key file was replaced */
};
/* True if the text has the form of a recovery code. */
bool factor_is_recovery(const char *typed);
/* Consumes a code. If two transactions use the same code, one gets FACTOR_WRONG. The use of a
 * recovery code is mailed to the person. Spaces and hyphens in the code are ignored. */
enum err factor_prove(
    struct ctx *c, const struct user *, const char *typed, enum factor_proof *out);
enum err factor_renew_recovery(struct ctx *c, const char *user_id, struct strs *codes);
/* E_NOT_FOUND if it is off. Ends sign-ins that wait for a code, and mails the person. */
enum err factor_turn_off(struct ctx *c, const struct user *);

/* ---- sign-ins that wait for a code ---- */

#define FACTOR_LOGIN(F, T) \
	F(T, OBJ, user,  .sub = &user_shape) \
	F(T, STR, next) \
	F(T, INT, tries)
SHAPE_DECLARE(factor_login, FACTOR_LOGIN);

/* *cookie is a secret for the browser, needed with the code; valid for FACTOR_LOGIN_S seconds. next
 * may be NULL. */
enum err factor_login_begin(
    struct ctx *c, const char *user_id, const char *next, const char **cookie);
/* *out is NULL if there is none, it is too old, or it has had FACTOR_TRIES tries. */
enum err factor_login_get(struct ctx *c, const char *cookie, struct factor_login **out);
/* Counts a try and locks the row. *out is the row afterwards, or NULL as above. */
enum err factor_login_try(struct ctx *c, const char *cookie, struct factor_login **out);
/* After the last wrong try: mails the account's owner that somebody knows the password. */
enum err factor_login_failed(struct ctx *c, const char *cookie, const struct factor_login *);
enum err factor_login_end(struct ctx *c, const char *cookie);
/* Ends all of a person's, because the password has changed. */
enum err factor_logins_end(struct ctx *c, const char *user_id);
#endif
