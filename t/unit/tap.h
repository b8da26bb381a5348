/* SPDX-License-Identifier: Apache-2.0
 * TAP for unit tests: ok(), is_str(), is_int(), and done() as the last line of main. */
#ifndef VITRINE_TAP_H
#define VITRINE_TAP_H
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

static inline bool
ok(bool good, const char *name)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++tap_count, name);
	tap_failed += !good;
	return good;
}

static inline bool
is_str(const char *got, const char *want, const char *name)
{
	bool good = got && want ? strcmp(got, want) == 0 : got == want;

	if (!ok(good, name))
		printf("#   got: %s\n#  want: %s\n", got ? got : "(null)", want ? want : "(null)");
	return good;
}

static inline bool
is_int(long long got, long long want, const char *name)
{
	if (!ok(got == want, name))
		printf("#   got: %lld\n#  want: %lld\n", got, want);
	return got == want;
}

static inline int
done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}
#endif
