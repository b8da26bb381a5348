/* SPDX-License-Identifier: Apache-2.0
 * Time-based one-time passwords (RFC 6238) as authenticator apps make them: HMAC-SHA-1, steps of 30
 * seconds, six digits. Only otp.c sees liboath. A secret is base32 text without padding, the form
 * in which people type it and in which it is stored, sealed. */
#ifndef VITRINE_OTP_H
#define VITRINE_OTP_H
#include <stdbool.h>
#include <stdint.h>

enum { OTP_STEP_S = 30, OTP_DIGITS = 6 };

const char *otp_secret_new(void *owner); /* 160 random bits */
/* The code of the time step that unix_s lies in. NULL when the secret is none. */
const char *otp_code(void *owner, const char *secret, int64_t unix_s);
/* The time step (unix_s / OTP_STEP_S) whose code it is: that of unix_s, the one before or the one
 * after, since clocks differ and people type slowly. Steps up to `after` are passed over, so that a
 * code works once. -1: none of them. */
int64_t otp_step(const char *secret, const char *code, int64_t unix_s, int64_t after);
/* The otpauth: address that an app reads from a QR code. */
const char *
otp_address(void *owner, const char *issuer, const char *account, const char *secret);
#endif
