/* SPDX-License-Identifier: Apache-2.0
 * What a second factor and a password's strength rest on: RFC 6238's own examples, QR codes, weak passwords. */
#include "tap.h"

#include "base/ctx.h"
#include "base/otp.h"
#include "base/qr.h"
#include "base/str.h"
#include "base/strength.h"

static struct ctx *c;

/* RFC 6238, appendix B: SHA-1, of whose eight digits an app shows the last six. */
static const char secret[] = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
static const struct {
	int64_t at;
	const char *code;
} vectors[] = { { 59, "94287082" }, { 1111111109, "07081804" }, { 1111111111, "14050471" },
	{ 1234567890, "89005924" }, { 2000000000, "69279037" }, { 20000000000, "65353130" } };

static void
codes(void)
{
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		int64_t at = vectors[i].at;
		const char *code = vectors[i].code + 2;

		is_str(otp_code(c->mem, secret, at), code, "a code of the RFC");
		is_int(otp_step(secret, code, at, -1), at / 30, "is of its step");
		is_int(otp_step(secret, code, at + 30, -1), at / 30, "a step later, too");
		is_int(otp_step(secret, code, at - 30, -1), at / 30, "and a step early");
		is_int(otp_step(secret, code, at + 60, -1), -1, "but not two late");
		is_int(otp_step(secret, code, at - 90, -1), -1, "nor early by more than one");
		is_int(otp_step(secret, code, at, at / 30), -1, "nor again");
		is_int(otp_step(secret, code, at, at / 30 - 1), at / 30, "the step before being used is nothing to it");
	}
}

static void
no_codes(void)
{
	static const char *const none[] = { "", "0", "28708", "2870820", "94287082", "287 82", "-87082", "287082 ", "abcdef", "287083" };

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		is_int(otp_step(secret, none[i], 59, -1), -1, "no code");
	is_int(otp_step("", "287082", 59, -1), -1, "no code of an empty secret");
	is_int(otp_step("not base32!", "287082", 59, -1), -1, "nor of what is none");
	ok(!otp_code(c->mem, "1", 59), "which makes no code");
	is_int(otp_step(secret, "287082", 0, -1), 1, "nor does the beginning of time matter");
}

static void
secrets(void)
{
	const char *one = otp_secret_new(c->mem), *other = otp_secret_new(c->mem);

	is_int((long long)strlen(one), 32, "160 bits");
	ok(strspn(one, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == 32, "as people type them");
	ok(strcmp(one, other) != 0, "another each time");
	ok(otp_step(one, otp_code(c->mem, one, 1000000), 1000000, -1) == 1000000 / 30, "good for codes");
	is_str(otp_address(c->mem, "Vitrine app.example.org", "ann+x@example.org", secret),
	    "otpauth://totp/Vitrine%20app.example.org:ann%2Bx%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	    "&issuer=Vitrine%20app.example.org&algorithm=SHA1&digits=6&period=30", "the address that apps read");
}

static void
pictures(void)
{
	const char *svg = qr_svg(c->mem, "otpauth://totp/x");
	char long_one[2400];

	ok(str_starts(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 33 33\" ") && str_ends(svg, "</svg>\n"), "a picture of 25 modules and a border of 4");
	ok(strstr(svg, "fill=\"#fff\" d=\"M0 0h33v33H0z\""), "white to its edge, on a dark page too");
	ok(strstr(svg, "\"M4 4h7v1H4z"), "begins with a corner's mark");
	ok(!strstr(svg, "style") && !strstr(svg, "script") && !strstr(svg, "otpauth"), "without style, script or the text itself");
	memset(long_one, 'x', sizeof long_one - 1);
	long_one[sizeof long_one - 1] = '\0';
	ok(!qr_svg(c->mem, long_one), "what is too long has none");
}

static void
strengths(void)
{
	static const struct {
		const char *password, *why;
	} weak[] = { { "password12", "common word" }, { "Password1!", "common word" }, { "drowssap11", "common word" },
		{ "qwertyuiop", "common word" }, { "1234567890", "pattern" }, { "abcdefghijkl", "pattern" },
		{ "annannann1x", "different" }, { "aaaaaaaaaaaa", "backwards" }, { "amanaplanacanalpanama", "backwards" },
		{ "mary had a little lamb", "e-mail address" }, { "24yraMyram", "e-mail address" }, { "          ", "" } };
	static const char *const fit[] = { "correct horse", "battery staple", "новый пароль", "パスワードパスワード",
		"tr0ub4dor&3", "knows the way", "x7!pQ0zL#v", "cannot stop dancing" };

	ok(strength_has_dictionary(), "there is a dictionary");
	for (size_t i = 0; i < sizeof weak / sizeof *weak; i++) {
		const char *why = strength_wrong(weak[i].password, "mary");

		ok(why && strstr(why, weak[i].why), mem_printf(c->mem, "%s is weak: %s", weak[i].password, why ? why : "-"));
	}
	for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
		is_str(strength_wrong(fit[i], "mary"), NULL, fit[i]);
	is_str(strength_wrong("cannot stop dancing", "ann"), NULL, "a name of three letters is in too many words");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	codes();
	no_codes();
	secrets();
	pictures();
	strengths();
	ctx_end(c);
	return done();
}
