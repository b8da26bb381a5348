/* SPDX-License-Identifier: Apache-2.0 */
#include "base/otp.h"

#include "base/buf.h"
#include "base/crypto.h"
#include "base/mem.h"

#include <liboath/oath.h>

enum { SECRET_BYTES = 20, SKEW = 1 };

const char *
otp_secret_new(void *owner)
{
	char raw[SECRET_BYTES], *text, *out;

	crypto_random(raw, sizeof raw);
	if (oath_base32_encode(raw, sizeof raw, &text, NULL) != OATH_OK)
		abort();
	out = mem_strdup(owner, text);
	free(text);
	return out;
}

static bool
code_of_step(const char *secret, int64_t step, char out[OTP_DIGITS + 1])
{
	char *raw;
	size_t n;
	bool made;

	if (oath_init() != OATH_OK ||
	    oath_base32_decode(secret, strlen(secret), &raw, &n) != OATH_OK)
		return false;
	made = oath_totp_generate(
		   raw, n, (time_t)(step * OTP_STEP_S), OTP_STEP_S, 0, OTP_DIGITS, out) == OATH_OK;
	free(raw);
	return made;
}

const char *
otp_code(void *owner, const char *secret, int64_t unix_s)
{
	char code[OTP_DIGITS + 1];

	return code_of_step(secret, unix_s / OTP_STEP_S, code) ? mem_strdup(owner, code) : NULL;
}

int64_t
otp_step(const char *secret, const char *code, int64_t unix_s, int64_t after)
{
	int64_t now = unix_s / OTP_STEP_S, found = -1;
	char is[OTP_DIGITS + 1];

	if (strlen(code) != OTP_DIGITS)
		return -1;
	/* Goes from the latest step down, so that of two steps with one code the earlier is found.
	 * The later one can then be used once more. */
	for (int64_t step = now + SKEW; step >= now - SKEW; step--)
		if (step > after && code_of_step(secret, step, is) &&
		    crypto_equal(is, code, OTP_DIGITS))
			found = step;
	return found;
}

const char *
otp_address(void *owner, const char *issuer, const char *account, const char *secret)
{
	issuer = form_encoded(owner, issuer);
	return mem_printf(owner,
	    "otpauth://totp/%s:%s?secret=%s&issuer=%s&algorithm=SHA1&digits=%d&period=%d", issuer,
	    form_encoded(owner, account), secret, issuer, OTP_DIGITS, OTP_STEP_S);
}
