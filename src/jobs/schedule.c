/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/schedule.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "jobs/cron.h"

enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY, FIELDS };
enum { ALL_WEEK = 0x7f, MONDAY_TO_FRIDAY = 0x3e };

static const char *const weekday_names[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday",
	"Friday", "Saturday" };

/* ---- parts of an expression ---- */

static bool
fields_split(void *owner, const char *schedule, const char *field[FIELDS])
{
	const char *meaning = cron_shortcut(schedule);
	char *p = mem_strdup(owner, meaning ? meaning : schedule);

	for (int i = 0; i < FIELDS; i++) {
		p += strspn(p, " \t");
		if (!*p)
			return false;
		field[i] = p;
		p += strcspn(p, " \t");
		if (*p)
			*p++ = '\0';
	}
	return !p[strspn(p, " \t")];
}

/* Reads a number, which may have leading zeros. */
static bool
number_read(const char *s, int64_t lo, int64_t hi, int64_t *out)
{
	size_t n = strspn(s, "0123456789");

	if (!n || n > 2 || s[n])
		return false;
	*out = n == 2 ? (s[0] - '0') * 10 + s[1] - '0' : s[0] - '0';
	return *out >= lo && *out <= hi;
}

/* Reads "*" with a step that divides the whole: an interval of 7 minutes would restart with each
 * hour. */
static bool
every_read(const char *s, int64_t whole, int64_t *out)
{
	return str_starts(s, "*/") && number_read(s + 2, 1, whole - 1, out) && whole % *out == 0;
}

static bool
weekday_read(const char *s, int64_t *out)
{
	for (int64_t i = 0; i < 7; i++)
		if (strlen(s) == 3 && strncasecmp(s, weekday_names[i], 3) == 0) {
			*out = i;
			return true;
		}
	return number_read(s, 0, 7, out);
}

/* The days of a list ("mon,3-5") as bits; 0: not a list of days. */
static unsigned
weekdays_read(void *owner, const char *list)
{
	char *rest = mem_strdup(owner, list), *part;
	unsigned days = 0;

	while ((part = str_split(&rest, ','))) {
		char *last = part, *first = str_split(&last, '-');
		int64_t from, to;

		if (!weekday_read(first, &from) || !weekday_read(last ? last : first, &to) ||
		    from > to)
			return 0;
		for (; from <= to; from++)
			days |= 1u << from % 7;
	}
	return days;
}

/* ---- the choices of a form ---- */

static const char *
kind_of(void *owner, const char *const field[FIELDS], struct schedule_choice *to)
{
	bool no_day = str_eq(field[DAY], "*"), no_weekday = str_eq(field[WEEKDAY], "*");

	if (!number_read(field[MINUTE], 0, 59, &to->minute) || !str_eq(field[MONTH], "*"))
		return NULL;
	if (str_eq(field[HOUR], "*"))
		return no_day && no_weekday ? "hour" : NULL;
	if (!number_read(field[HOUR], 0, 23, &to->hour))
		return NULL;
	if (no_weekday)
		return no_day ? "day" : number_read(field[DAY], 1, 31, &to->day) ? "month" : NULL;
	if (!no_day)
		return NULL;
	if (weekday_read(field[WEEKDAY], &to->weekday)) {
		to->weekday %= 7;
		return "week";
	}
	return weekdays_read(owner, field[WEEKDAY]) == MONDAY_TO_FRIDAY ? "weekdays" : NULL;
}

bool
schedule_read(void *owner, const char *schedule, struct schedule_choice *out)
{
	const char *field[FIELDS];
	struct schedule_choice found = { 0 };

	if (!fields_split(owner, schedule, field))
		return false;
	found.kind = kind_of(owner, field, &found);
	if (found.kind)
		*out = found;
	return found.kind != NULL;
}

const char *
schedule_write(void *owner, const struct schedule_choice *s)
{
	long long minute = s->minute, hour = s->hour;

	if (str_eq(s->kind, "hour"))
		return mem_printf(owner, "%lld * * * *", minute);
	if (str_eq(s->kind, "weekdays"))
		return mem_printf(owner, "%lld %lld * * 1-5", minute, hour);
	if (str_eq(s->kind, "week"))
		return mem_printf(
		    owner, "%lld %lld * * %lld", minute, hour, (long long)s->weekday);
	if (str_eq(s->kind, "month"))
		return mem_printf(owner, "%lld %lld %lld * *", minute, hour, (long long)s->day);
	return mem_printf(owner, "%lld %lld * * *", minute, hour);
}

/* ---- in words ---- */

enum { JOINED = 24 };
struct joined {
	const char *v[JOINED];
	size_t n;
};

/* "a, b and c". */
static const char *
joined_words(void *owner, const struct joined *all)
{
	struct buf b = BUF(owner);

	for (size_t i = 0; i < all->n; i++)
		buf_fmt(&b, "%s%s", str_and(i, all->n), all->v[i]);
	return buf_done(&b);
}

/* "07:00", "07:00 and 19:00"; NULL: hours isn't a list of numbers. */
static const char *
times_words(void *owner, const char *hours, int64_t minute)
{
	char *rest = mem_strdup(owner, hours), *part;
	struct joined all = { .n = 0 };
	int64_t hour;

	while ((part = str_split(&rest, ','))) {
		if (!number_read(part, 0, 23, &hour) || all.n == JOINED)
			return NULL;
		all.v[all.n++] =
		    mem_printf(owner, "%02lld:%02lld", (long long)hour, (long long)minute);
	}
	return joined_words(owner, &all);
}

static const char *
weekdays_words(void *owner, unsigned days)
{
	struct joined all = { .n = 0 };

	if (days == ALL_WEEK)
		return "Every day";
	if (days == MONDAY_TO_FRIDAY)
		return "Every weekday";
	/* The week begins on Monday. */
	for (int i = 1; i <= 7; i++)
		if (days & 1u << i % 7)
			all.v[all.n++] = weekday_names[i % 7];
	return mem_printf(owner, "Every %s", joined_words(owner, &all));
}

/* The days on which it runs; NULL: no short words. */
static const char *
days_words(void *owner, const char *const field[FIELDS])
{
	static const char *const months[] = { "January", "February", "March", "April", "May",
		"June", "July", "August", "September", "October", "November", "December" };
	bool no_day = str_eq(field[DAY], "*"), no_month = str_eq(field[MONTH], "*");
	int64_t day, month;
	unsigned days;

	if (!str_eq(field[WEEKDAY], "*")) {
		days = weekdays_read(owner, field[WEEKDAY]);
		return days && no_day && no_month ? weekdays_words(owner, days) : NULL;
	}
	if (no_day)
		return no_month ? "Every day" : NULL;
	if (!number_read(field[DAY], 1, 31, &day))
		return NULL;
	if (no_month) {
		const char *end = day % 10 == 1 && day != 11 ? "st"
		    : day % 10 == 2 && day != 12             ? "nd"
		    : day % 10 == 3 && day != 13             ? "rd"
							     : "th";

		return mem_printf(owner, "On the %lld%s of every month", (long long)day, end);
	}
	if (!number_read(field[MONTH], 1, 12, &month))
		return NULL;
	return mem_printf(owner, "Every year on %s %lld", months[month - 1], (long long)day);
}

/* For schedules that run all day: "Every 15 minutes"; NULL: not such a schedule. */
static const char *
interval_words(void *owner, const char *const field[FIELDS])
{
	int64_t minute, n;

	if (!str_eq(field[DAY], "*") || !str_eq(field[MONTH], "*") || !str_eq(field[WEEKDAY], "*"))
		return NULL;
	if (str_eq(field[MINUTE], "*") || str_eq(field[MINUTE], "*/1"))
		return str_eq(field[HOUR], "*") ? "Every minute" : NULL;
	if (every_read(field[MINUTE], 60, &n) && str_eq(field[HOUR], "*"))
		return mem_printf(owner, "Every %lld minutes", (long long)n);
	if (!number_read(field[MINUTE], 0, 59, &minute))
		return NULL;
	if (str_in(field[HOUR], "*|*/1"))
		return minute ? mem_printf(owner, "Every hour at :%02lld", (long long)minute)
			      : "Every hour";
	if (!every_read(field[HOUR], 24, &n))
		return NULL;
	return minute ? mem_printf(owner, "Every %lld hours at :%02lld", (long long)n,
			    (long long)minute)
		      : mem_printf(owner, "Every %lld hours", (long long)n);
}

static const char *
fixed_words(void *owner, const char *const field[FIELDS])
{
	const char *days = days_words(owner, field), *times;
	int64_t minute;

	if (!days || !number_read(field[MINUTE], 0, 59, &minute))
		return NULL;
	times = times_words(owner, field[HOUR], minute);
	return times ? mem_printf(owner, "%s at %s", days, times) : NULL;
}

const char *
schedule_words(void *owner, const char *schedule, const char *zone)
{
	const char *field[FIELDS], *words = NULL, *slash = strrchr(zone, '/');
	char *city;

	if (fields_split(owner, schedule, field)) {
		words = interval_words(owner, field);
		/* These don't depend on the zone. */
		if (words && str_in(field[HOUR], "*|*/1"))
			return words;
		if (!words)
			words = fixed_words(owner, field);
	}
	/* "America/New_York" becomes "New York". */
	city = mem_strdup(owner, slash ? slash + 1 : zone);
	for (char *p = city; *p; p++)
		if (*p == '_')
			*p = ' ';
	return mem_printf(owner, "%s, %s", words ? words : schedule, city);
}
