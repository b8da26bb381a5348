/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/cron.h"

#include "base/civil.h"
#include "base/str.h"

#include <string.h>

enum {
	MINUTE_S = 60,
	DAY_MINUTES = 1440,
	AHEAD_S = 5 * 366 * 86400,
	/* Debian's cron takes a larger change of the clock as a correction, and so do we. */
	CHANGE_S = 3 * 3600
};

enum part { MINUTE, HOUR, DAY, MONTH, WEEKDAY, PARTS };

static const struct part_kind {
	const char *name;
	unsigned lo, hi;
	const char *names; /* three letters each, beginning with lo */
} part_kinds[PARTS] = {
	[MINUTE] = { "minute", 0, 59, "" },
	[HOUR] = { "hour", 0, 23, "" },
	[DAY] = { "day of the month", 1, 31, "" },
	[MONTH] = { "month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
	[WEEKDAY] = { "day of the week", 0, 7, "sunmontuewedthufrisat" },
};

struct cron {
	uint64_t bits[PARTS]; /* bit 0 of WEEKDAY is Sunday */
	bool any[PARTS];      /* begins with * */
};

/* ---- reading ---- */

static const char *
part_wrong(void *owner, const struct part_kind *k, const char *item, const char *why)
{
	return mem_printf(owner, "%s \"%s\" %s", k->name, str_cut(owner, item, 40), why);
}

/* Reads a number or a name; returns its end, or NULL. */
static const char *
value_read(const struct part_kind *k, const char *p, unsigned *out)
{
	unsigned n = 0;

	for (unsigned i = 0; k->names[3 * i]; i++)
		if (strncasecmp(p, k->names + 3 * i, 3) == 0) {
			*out = k->lo + i;
			return p + 3;
		}
	if (*p < '0' || *p > '9')
		return NULL;
	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (unsigned)(*p - '0');
		if (n > k->hi)
			return NULL;
	}
	*out = n;
	return n >= k->lo ? p : NULL;
}

/* A range such as fri-sun ends with Sunday as 7, so that it doesn't end before it begins. */
static const char *
range_read(void *owner, const struct part_kind *k, const char *item, unsigned *lo, unsigned *hi,
    const char **rest)
{
	const char *p = value_read(k, item, lo);

	*hi = *lo;
	if (p && *p == '-') {
		bool sunday = k->hi == 7 && strncasecmp(p + 1, "sun", 3) == 0;

		p = value_read(k, p + 1, hi);
		*hi = sunday && *lo ? 7 : *hi;
	}
	if (!p || (*p && *p != '/'))
		return part_wrong(owner, k, item,
		    mem_printf(owner,
			"must consist of *, numbers from %u to %u%s, ranges such as %u-%u, "
			"and steps such as */%u",
			k->lo, k->hi, *k->names ? " or names" : "", k->lo, k->lo + 4, k->lo + 5));
	if (*hi < *lo)
		return part_wrong(owner, k, item, "ends before it begins; write two ranges");
	*rest = p;
	return NULL;
}

/* Reads "*", "5" or "mon-fri", with a step such as "/2" except after a single value. */
static const char *
item_read(void *owner, const struct part_kind *k, const char *item, uint64_t *bits)
{
	unsigned lo = k->lo, hi = k->hi - (k->hi == 7), step = 1;
	const char *rest = item + 1, *wrong;
	int64_t n;

	if (*item != '*') {
		wrong = range_read(owner, k, item, &lo, &hi, &rest);
		if (wrong)
			return wrong;
	}
	if (*rest == '/') {
		if (*item != '*' && !memchr(item, '-', (size_t)(rest - item)))
			return part_wrong(owner, k, item,
			    "has a step, which is allowed only after * or a range, "
			    "such as 5-59/10");
		if (!str_int(rest + 1, &n) || n < 1 || n > k->hi)
			return part_wrong(owner, k, item,
			    mem_printf(owner, "must have a step from 1 to %u", k->hi));
		step = (unsigned)n;
		rest = "";
	}
	if (*rest)
		return part_wrong(owner, k, item, "has extra characters after the *");
	for (unsigned i = lo; i <= hi; i += step)
		*bits |= UINT64_C(1) << i;
	return NULL;
}

static const char *
part_read(void *owner, const struct part_kind *k, char *text, uint64_t *bits)
{
	const char *item, *wrong;

	while ((item = str_split(&text, ','))) {
		wrong = item_read(owner, k, item, bits);
		if (wrong)
			return wrong;
	}
	if (k->hi == 7 && *bits & 1 << 7)
		*bits = (*bits | 1) & ~(UINT64_C(1) << 7);
	return NULL;
}

const char *
cron_shortcut(const char *word)
{
	static const struct {
		const char *word, *meaning;
	} words[] = { { "@hourly", "0 * * * *" }, { "@daily", "0 0 * * *" },
		{ "@midnight", "0 0 * * *" }, { "@weekly", "0 0 * * 0" },
		{ "@monthly", "0 0 1 * *" }, { "@yearly", "0 0 1 1 *" },
		{ "@annually", "0 0 1 1 *" } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcasecmp(words[i].word, word) == 0)
			return words[i].meaning;
	return NULL;
}

const char *
cron_parse(void *owner, const char *text, const struct cron **out)
{
	static const char few[] =
	    "must have five fields (minute, hour, day of the month, month, day of the week), "
	    "such as \"30 9 * * mon-fri\", or be a shortcut such as @daily";
	struct cron *cron = mem_new(owner, struct cron);
	char *rest = mem_strdup(owner, text), *field;
	int n = 0;

	if (*text == '@') {
		if (!cron_shortcut(text))
			return "has an unknown shortcut; use @hourly, @daily, @midnight, @weekly, "
			       "@monthly, @yearly, or @annually";
		rest = mem_strdup(owner, cron_shortcut(text));
	}
	while ((field = str_split(&rest, ' '))) {
		const char *wrong;

		if (!*field)
			continue;
		if (n == PARTS)
			return few;
		cron->any[n] = *field == '*';
		wrong = part_read(owner, &part_kinds[n], field, &cron->bits[n]);
		if (wrong)
			return wrong;
		n++;
	}
	*out = cron;
	return n == PARTS ? NULL : few;
}

bool
cron_zone_valid(const char *zone)
{
	return zone_find(zone) != NULL;
}

/* ---- local time, in minutes since 1970 as the wall clock shows it ---- */

static bool
bit_is_set(const struct cron *cron, enum part part, unsigned i)
{
	return cron->bits[part] >> i & 1;
}

static bool
day_fits(const struct cron *cron, int64_t days)
{
	int month, day;
	int64_t year;
	bool of_month, of_week;

	civil_date(days, &year, &month, &day);
	if (!bit_is_set(cron, MONTH, (unsigned)month))
		return false;
	of_month = bit_is_set(cron, DAY, (unsigned)day);
	of_week = bit_is_set(cron, WEEKDAY, (unsigned)(((days + 4) % 7 + 7) % 7));
	return cron->any[DAY] || cron->any[WEEKDAY] ? of_month && of_week : of_month || of_week;
}

/* The first matching minute of a day, from minute `from` on; DAY_MINUTES: none. */
static int64_t
minute_of_day(const struct cron *cron, int64_t from)
{
	for (int64_t hour = from / 60; hour < 24; hour++, from = hour * 60) {
		uint64_t left = cron->bits[MINUTE] >> from % 60 << from % 60;

		if (left && bit_is_set(cron, HOUR, (unsigned)hour))
			return hour * 60 + __builtin_ctzll(left);
	}
	return DAY_MINUTES;
}

static int64_t
div_down(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The first matching time from `from` on and before `to`, in seconds of the wall clock. */
static bool
wall_next(const struct cron *cron, int64_t from, int64_t to, int64_t *out)
{
	int64_t minute = div_down(from + MINUTE_S - 1, MINUTE_S);
	int64_t day = div_down(minute, DAY_MINUTES);

	for (minute -= day * DAY_MINUTES; day * DAY_MINUTES * MINUTE_S < to; day++, minute = 0) {
		int64_t at = day_fits(cron, day) ? minute_of_day(cron, minute) : DAY_MINUTES;

		*out = (day * DAY_MINUTES + at) * MINUTE_S;
		if (at < DAY_MINUTES)
			return *out < to;
	}
	return false;
}

/* ---- next time ---- */

/* The first matching time in this span of constant offset, from `from` on and before `to`. */
static bool
span_next(
    const struct cron *cron, const struct zone_span *s, int64_t from, int64_t to, int64_t *out)
{
	int64_t jump = s->begin == INT64_MIN ? 0 : s->offset - s->before, wall = from + s->offset;
	bool fixed = !cron->any[MINUTE] && !cron->any[HOUR] && jump < CHANGE_S && jump > -CHANGE_S;

	if (fixed && jump > 0 && from == s->begin &&
	    wall_next(cron, s->begin + s->before, s->begin + s->offset, out)) {
		*out = s->begin;
		return true;
	}
	if (fixed && jump < 0 && wall < s->begin + s->before)
		wall = s->begin + s->before;
	if (!wall_next(cron, wall, to + s->offset, out))
		return false;
	*out -= s->offset;
	return true;
}

int64_t
cron_next(const struct cron *cron, const char *zone, int64_t after)
{
	const struct zone *z = zone_find(zone);
	int64_t from = after + 1, end = after + AHEAD_S, at;

	while (z && from < end) {
		struct zone_span s = zone_at(z, from);
		int64_t to = s.end < end ? s.end : end;

		if (span_next(cron, &s, from, to, &at))
			return at;
		from = to;
	}
	return 0;
}
