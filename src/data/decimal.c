/* SPDX-License-Identifier: Apache-2.0 */
#include "data/decimal.h"

enum { PART = 1000000000, PART_DIGITS = 9, QUOTIENT_DIGITS = 30, PLAIN_DIGITS = 80 };

/* Makes room for the parts from low to high. */
static size_t
sum_reach(void *owner, struct decimal_sum *s, int low, int high)
{
	int from = s->n && s->low < low ? s->low : low;
	int to = s->n && s->low + (int)s->n - 1 > high ? s->low + (int)s->n - 1 : high;
	unsigned n = (unsigned)(to - from + 1);
	int64_t *v;

	if (n == s->n)
		return 0;
	v = mem_array(owner, int64_t, n);
	if (s->n)
		memcpy(v + (s->low - from), s->v, s->n * sizeof *v);
	mem_free(s->v);
	*s = (struct decimal_sum){ v, from, n };
	return n * sizeof *v;
}

static int
part_of(int place)
{
	return place >= 0 ? place / PART_DIGITS : -((PART_DIGITS - 1 - place) / PART_DIGITS);
}

size_t
decimal_add(void *owner, struct decimal_sum *sum, const struct cell_pairs *number)
{
	static const int64_t ten[PART_DIGITS] = { 1, 10, 100, 1000, 10000, 100000, 1000000,
		10000000, 100000000 };
	int place = number->exponent - 2; /* of the last digit of a pair */
	size_t grown = 0;
	int low, high;

	if (!number->n)
		return 0;
	low = part_of(place - 2 * ((int)number->n - 1));
	high = part_of(place);
	if (!sum->n || low < sum->low || high >= sum->low + (int)sum->n)
		grown = sum_reach(owner, sum, low, high);
	for (size_t i = 0; i < number->n; i++, place -= 2) {
		int part = part_of(place);
		int64_t v = number->v[i] * ten[place - part * PART_DIGITS];

		sum->v[part - sum->low] += number->minus ? -v : v;
	}
	return grown;
}

/* Makes all parts 0 to 10^9 - 1. Returns true if the sum is negative; then they are those of its
 * opposite. out has two parts more. */
static bool
parts_settle(const struct decimal_sum *s, int64_t *out)
{
	bool minus = false;

	for (int round = 0; round < 2; round++) {
		int64_t carry = 0;

		for (unsigned i = 0; i < s->n + 2; i++) {
			int64_t v = (i < s->n ? (minus ? -s->v[i] : s->v[i]) : 0) + carry;

			carry = v / PART - (v % PART < 0);
			out[i] = v - carry * PART;
		}
		if (carry >= 0)
			return minus;
		minus = true;
	}
	return minus;
}

/* Divides n digits by `by`. Returns the number of digits of the quotient, at most room. The first n
 * have the places of the dividend's. */
static size_t
digits_divide(char *d, size_t n, size_t room, int64_t by)
{
	size_t i, significant = 0;
	__int128 rest = 0;
	bool up;

	for (i = 0; i < n || (rest && significant <= QUOTIENT_DIGITS && i < room); i++) {
		rest = rest * 10 + (i < n ? d[i] - '0' : 0);
		d[i] = (char)('0' + (int)(rest / by));
		rest %= by;
		significant += significant || d[i] != '0';
	}
	if (!rest)
		return i;
	/* The last digit only rounds. A carry ends at the zero that each number begins with. */
	up = d[--i] >= '5';
	for (size_t k = i; up && k-- > 0;) {
		up = d[k] == '9';
		d[k] = up ? '0' : (char)(d[k] + 1);
	}
	return i;
}

/* d: digits, of which the first `point` are before the point; point may be negative. */
static const char *
digits_write(void *owner, bool minus, const char *d, int64_t n, int64_t point)
{
	struct buf b = BUF(owner);

	while (n && *d == '0') {
		d++;
		n--;
		point--;
	}
	while (n && d[n - 1] == '0')
		n--;
	if (!n)
		return "0";
	if (minus)
		buf_chr(&b, '-');
	if (point > PLAIN_DIGITS || point < -PLAIN_DIGITS) {
		buf_fmt(&b, "%c%s%.*s", *d, n > 1 ? "." : "", (int)n - 1, d + 1);
		buf_fmt(&b, "e%lld", (long long)point - 1);
		return buf_done(&b);
	}
	if (point <= 0)
		buf_str(&b, "0.");
	for (int64_t i = point; i < 0; i++)
		buf_chr(&b, '0');
	for (int64_t i = 0; i < n || i < point; i++) {
		if (i == point && i)
			buf_chr(&b, '.');
		buf_chr(&b, i < n ? d[i] : '0');
	}
	return buf_done(&b);
}

const char *
decimal_text(void *owner, const struct decimal_sum *sum, int64_t by)
{
	enum { MORE = 60 };
	size_t parts = sum->n + 2, n = 1 + parts * PART_DIGITS;
	int64_t *v = mem_array(owner, int64_t, parts);
	char *d = mem_array(owner, char, n + MORE + 1);
	bool minus = parts_settle(sum, v);
	int64_t point = 1 + ((int64_t)parts + sum->low) * PART_DIGITS;

	d[0] = '0';
	for (size_t i = 0; i < parts; i++) {
		char part[PART_DIGITS + 1];

		snprintf(part, sizeof part, "%09lld", (long long)v[i]);
		memcpy(d + 1 + (parts - 1 - i) * PART_DIGITS, part, PART_DIGITS);
	}
	if (by > 1)
		n = digits_divide(d, n, n + MORE, by);
	return digits_write(owner, minus, d, (int64_t)n, point);
}
