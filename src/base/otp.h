/* SPDX-License-Identifier: Apache-2.0
 * Time-based one-time passwords (RFC 6238) as authenticator apps make them: HMAC-SHA-1, steps of 30
 * seconds, six digits. A secret is base32 text without padding; people type it so, and the database
 * stores it so, sealed. Only otp.c includes liboath. */
#ifndef VITRINE_OTP_H
#define VITRINE_OTP_H
#include <stdbool.h>
#include <stdint.h>

enum { OTP_STEP_S = 30, OTP_DIGITS = 6 };

const char *otp_secret_new(void *owner); /* 160 random bits */
/* Returns the code of the time step that contains unix_s (Unix seconds); NULL if the secret is
 * invalid. */
const char *otp_code(void *owner, const char *secret, int64_t unix_s);
/* Returns the time step (unix_s / OTP_STEP_S) whose code this is: the one of unix_s, the one before
 * or the one after, because clocks differ and people type slowly. Ignores steps up to `after`, so
 * that a code works once. Returns -1 if none matches. */
int64_t otp_step(const char *secret, const char *code, int64_t unix_s, int64_t after);
/* Returns the otpauth: address that an app reads from a QR code. */
const char *
otp_address(void *owner, const char *issuer, const char *account, const char *secret);
#endif
