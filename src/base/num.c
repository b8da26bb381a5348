/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>

static locale_t
c_locale(void)
{
	static locale_t made;

	if (!made)
		made = newlocale(LC_ALL_MASK, "C", NULL);
	return made;
}

static size_t
digits_span(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && isdigit((unsigned char)s[i]))
		i++;
	return i;
}

size_t
num_span(const char *s, size_t n)
{
	size_t i = n && *s == '-', more = digits_span(s + i, n - i);

	if (!more || (s[i] == '0' && more > 1))
		return 0;
	i += more;
	if (i < n && s[i] == '.') {
		if (!(more = digits_span(s + i + 1, n - i - 1)))
			return 0;
		i += 1 + more;
	}
	if (i < n && (s[i] | 32) == 'e') {
		i++;
		i += i < n && (s[i] == '+' || s[i] == '-');
		if (!(more = digits_span(s + i, n - i)))
			return 0;
		i += more;
	}
	return i;
}

bool
num_read(const char *s, double *out)
{
	size_t n = strlen(s);

	if (!n || num_span(s, n) != n)
		return false;
	*out = strtod_l(s, NULL, c_locale());
	return true;
}

/* Writes v with so many digits. True if they read back as v. rounding: of the last digit. */
static bool
num_fits(char out[NUM_CHARS], double v, int digits, int rounding)
{
	int before = fegetround();

	fesetround(rounding);
	snprintf(out, NUM_CHARS, "%.*g", digits, v);
	fesetround(before);
	return strtod_l(out, NULL, c_locale()) == v;
}

const char *
num_write(char out[NUM_CHARS], double v)
{
	/* 15 digits survive a round trip through a normal double, and 17 always tell it from its
	 * neighbours. A subnormal may need fewer than 15. */
	int digits = fabs(v) < DBL_MIN ? 1 : DBL_DIG;
	locale_t before = uselocale(c_locale());
	char *e, *from;

	while (digits < 17 && !num_fits(out, v, digits, FE_TONEAREST)) {
		/* Above a power of two the neighbours are twice as far apart as below, so the more
		 * distant decimal may be the one that reads back. */
		if (num_fits(out, v, digits, v < 0 ? FE_DOWNWARD : FE_UPWARD))
			break;
		digits++;
	}
	if (digits == 17)
		num_fits(out, v, digits, FE_TONEAREST);
	uselocale(before);
	e = strchr(out, 'e');
	if (!e)
		return out;
	/* "1e+22" becomes "1e22", "5e-07" becomes "5e-7". */
	from = e + 2;
	e += e[1] == '-';
	while (*from == '0' && from[1])
		from++;
	memmove(e + 1, from, strlen(from) + 1);
	return out;
}
