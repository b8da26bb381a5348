/* SPDX-License-Identifier: Apache-2.0
 * Exact sums and quotients, against sums in 128 bits and by hand. */
#include "data/decimal.h"

#include "tap.h"

#include <stdlib.h>

static void *mem;

static void
add(struct decimal_sum *s, const char *number)
{
	struct bytes key;
	struct cell_pairs pairs;

	if (cell_number(mem, number, &key) && cell_pairs(key, &pairs))
		decimal_add(mem, s, &pairs);
}

/* numbers: with spaces between them. */
static void
sum_is(const char *numbers, int64_t by, const char *want)
{
	struct decimal_sum s = { 0 };
	char *copy = mem_strdup(mem, numbers), *rest = NULL;

	for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
		add(&s, one);
	is_str(decimal_text(mem, &s, by), want, numbers);
}

int
main(void)
{
	struct decimal_sum s = { 0 };
	__int128 all = 0;
	char want[60];

	mem = mem_root("decimal");
	sum_is("", 1, "0");
	sum_is("0 0.0 -0", 1, "0");
	sum_is("1.10 2.20", 1, "3.3");
	sum_is("0.1 0.2", 1, "0.3");
	sum_is("-5", 1, "-5");
	sum_is("1 -1", 1, "0");
	sum_is("1 -1000000000", 1, "-999999999");
	sum_is("-0.001 0.0005", 1, "-0.0005");
	sum_is("999999999 1", 1, "1000000000");
	sum_is("12345678901234567890123456789012345678901234567890.5 0.5", 1, "12345678901234567890123456789012345678901234567891");
	sum_is("1e-60 1", 1, "1.000000000000000000000000000000000000000000000000000000000001");
	sum_is("1e300", 1, "1e300");
	sum_is("-1.5e-300", 1, "-1.5e-300");
	sum_is("1e300 -1e300 7", 1, "7");
	sum_is("1e400 1e-400 -1e400", 1, "1e-400");
	sum_is("1 2", 2, "1.5");
	sum_is("1", 3, "0.333333333333333333333333333333");
	sum_is("2", 3, "0.666666666666666666666666666667");
	sum_is("-200", 3, "-66.6666666666666666666666666667");
	sum_is("0.999999999999999999999999999999999", 2, "0.4999999999999999999999999999999995");
	sum_is("100", 8, "12.5");
	sum_is("41", 4, "10.25");
	for (int i = 0; i < 1000000; i++)
		add(&s, "0.1");
	is_str(decimal_text(mem, &s, 1), "100000", "a tenth a million times");
	s = (struct decimal_sum){ 0 };
	srand(7);
	for (int i = 0; i < 20000; i++) {
		char one[40];
		long long v = ((long long)rand() << 20 ^ rand()) * (rand() % 2 ? 1 : -1);

		snprintf(one, sizeof one, "%llde-7", v);
		add(&s, one);
		all += v;
	}
	snprintf(want, sizeof want, "%s%lld.%07lld", all < 0 ? "-" : "", (long long)((all < 0 ? -all : all) / 10000000), (long long)((all < 0 ? -all : all) % 10000000));
	for (size_t n = strlen(want); want[n - 1] == '0'; n--)
		want[n - 1] = '\0';
	is_str(decimal_text(mem, &s, 1), want, "twenty thousand numbers of either sign");
	mem_free(mem);
	return done();
}
