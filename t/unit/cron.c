/* SPDX-License-Identifier: Apache-2.0
 * Schedules: what is one and what is said of what is none; the next time in zones whose clocks change; and all of it against a plain model, which looks
 * at every minute around each change of the clocks in turn, by the C library's zones. */
#include "base/mem.h"
#include "base/zone.h"
#include "jobs/cron.h"
#include "tap.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *mem;

static const struct cron *
cron_of(const char *text)
{
	const struct cron *cron;

	return cron_parse(mem, text, &cron) ? NULL : cron;
}

/* "2026-03-29T00:59:30Z" */
static int64_t
instant(const char *text)
{
	struct tm tm = { 0 };

	if (sscanf(text, "%d-%d-%dT%d:%d:%d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec) < 5)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return timegm(&tm);
}

static void
next_is(const char *schedule, const char *zone, const char *after, const char *want, const char *name)
{
	const struct cron *cron = cron_of(schedule);
	int64_t at = cron ? cron_next(cron, zone, instant(after)) : -1;
	char got[32] = "none";
	struct tm tm;

	if (at)
		strftime(got, sizeof got, "%Y-%m-%dT%H:%MZ", gmtime_r(&(time_t){ at }, &tm));
	if (!is_str(got, want, name))
		printf("# %s in %s after %s\n", schedule, zone, after);
}

static void
forms(void)
{
	static const char *const fine[] = { "* * * * *", "0 0 1 1 0", "59 23 31 12 7", "*/15 * * * *", "5-59/10 0-23/2 1-31/5 1-12/3 0-6/2", "0,15,30 9 * * *",
		"0 9 * * mon-fri", "0 9 * JAN-mar,oct Sun,TUE", "0 0 * * fri-sun", "0 0 * * 5-7", "  0   0 * * *  ", "@hourly", "@DAILY", "@midnight", "@weekly", "@monthly",
		"@yearly", "@annually", "00 007 * * *", "*/59 */23 */31 */12 */7", "*,5 * * * *", NULL };
	static const char *const wrong[][2] = { { "", "five fields" }, { "* * * *", "five fields" }, { "* * * * * *", "five fields" }, { "0 0 * * * root", "five fields" },
		{ "60 * * * *", "minute \"60\"" }, { "* 24 * * *", "hour \"24\"" }, { "* * 0 * *", "day of the month \"0\"" }, { "* * 32 * *", "day of the month \"32\"" },
		{ "* * * 13 *", "month \"13\"" }, { "* * * * 8", "day of the week \"8\"" }, { "-1 * * * *", "minute \"-1\"" }, { "1- * * * *", "minute \"1-\"" },
		{ "5-1 * * * *", "ends before it begins" }, { "* 22-2 * * *", "ends before it begins" }, { "*/0 * * * *", "a step from 1 to 59" },
		{ "*/60 * * * *", "a step from 1 to 59" }, { "* */24 * * *", "a step from 1 to 23" }, { "*/ * * * *", "a step" }, { "*/-5 * * * *", "a step" },
		{ "5/10 * * * *", "such as 5-59/10" }, { "*5 * * * *", "after the *" }, { "** * * * *", "after the *" }, { "1,,2 * * * *", "minute \"\"" }, { ", * * * *", "minute" },
		{ "a * * * *", "numbers from 0 to 59" }, { "mon * * * *", "minute \"mon\"" }, { "0 0 * * monday", "day of the week \"monday\"" }, { "0 0 L * *", "day of the month \"L\"" },
		{ "0 0 ? * *", "\"?\"" }, { "0 0 * * 5#3", "\"5#3\"" }, { "0 0 15W * *", "\"15W\"" }, { "1.5 * * * *", "\"1.5\"" }, { "+1 * * * *", "\"+1\"" }, { "0x1 * * * *", "\"0x1\"" },
		{ "4294967297 * * * *", "minute" }, { "99999999999999999999999999 * * * *", "minute" }, { "*/99999999999999999999 * * * *", "step" }, { "@reboot", "@daily" },
		{ "@every 5m", "@hourly" }, { "@", "unknown shortcut" }, { "@daily ", "unknown shortcut" }, { "0 0 * * *\t", "\"*\t\"" }, { "0\t0 * * *", "minute" }, { "\xc3\xa9 * * * *", "\"\xc3\xa9\"" },
		{ "1-2-3 * * * *", "1-2-3" }, { "1-5/2/2 * * * *", "step" }, { "1~5 * * * *", "1~5" }, { "0 0 * jann *", "month \"jann\"" } };
	const struct cron *cron;

	for (int i = 0; fine[i]; i++)
		ok(!cron_parse(mem, fine[i], &cron), fine[i]);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const char *why = cron_parse(mem, wrong[i][0], &cron);

		if (!ok(why && strstr(why, wrong[i][1]), mem_printf(mem, "refused, saying %s", wrong[i][1])))
			printf("# %s: %s\n", wrong[i][0], why ? why : "(accepted)");
	}
}

static void
plain(void)
{
	next_is("* * * * *", "UTC", "2026-01-01T00:00:00Z", "2026-01-01T00:01Z", "the next minute");
	next_is("* * * * *", "UTC", "2025-12-31T23:59:59Z", "2026-01-01T00:00Z", "after seconds, too");
	next_is("0 0 * * *", "UTC", "2026-01-01T00:00:00Z", "2026-01-02T00:00Z", "never the time itself");
	next_is("0 0 * * *", "UTC", "2025-12-31T23:59:59Z", "2026-01-01T00:00Z", "a second before it");
	next_is("30 9 * * mon-fri", "UTC", "2026-01-02T09:30:00Z", "2026-01-05T09:30Z", "over a weekend");
	next_is("0 0 29 2 *", "UTC", "2025-01-01T00:00:00Z", "2028-02-29T00:00Z", "29 February");
	next_is("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "none", "no year of five has one");
	next_is("0 0 30 2 *", "UTC", "2026-01-01T00:00:00Z", "none", "30 February");
	next_is("0 0 31 4,6,9,11 *", "UTC", "2026-01-01T00:00:00Z", "none", "the 31st of months that have 30 days");
	next_is("0 0 31 * *", "UTC", "2026-01-31T00:00:00Z", "2026-03-31T00:00Z", "the 31st");
	next_is("0 0 13 * fri", "UTC", "2026-01-01T00:00:00Z", "2026-01-02T00:00Z", "a 13th or a Friday");
	next_is("0 0 13 * fri", "UTC", "2026-01-09T00:00:00Z", "2026-01-13T00:00Z", "the 13th of these");
	next_is("0 0 30 2 mon", "UTC", "2026-02-10T00:00:00Z", "2026-02-16T00:00Z", "a day that never is, or a Monday");
	next_is("0 0 */2 * mon", "UTC", "2026-01-01T00:00:00Z", "2026-01-05T00:00Z", "what begins with * narrows: an odd day that is a Monday");
	next_is("0 0 1-31 * mon", "UTC", "2026-01-01T00:00:00Z", "2026-01-02T00:00Z", "a range of all days does not");
	next_is("0 0 * * 7", "UTC", "2026-01-01T00:00:00Z", "2026-01-04T00:00Z", "7 is Sunday");
	next_is("0 0 * * sat-sun", "UTC", "2026-01-03T00:00:00Z", "2026-01-04T00:00Z", "to Sunday");
	next_is("0 0 * * 6-7", "UTC", "2026-01-04T00:00:00Z", "2026-01-10T00:00Z", "and no day else");
	next_is("7-59/13 3 * * *", "UTC", "2026-01-01T03:07:00Z", "2026-01-01T03:20Z", "steps begin where the range does");
	next_is("@weekly", "UTC", "2026-01-01T00:00:00Z", "2026-01-04T00:00Z", "@weekly");
	next_is("@monthly", "UTC", "2026-01-01T00:00:00Z", "2026-02-01T00:00Z", "@monthly");
	next_is("@yearly", "UTC", "2026-01-01T00:00:00Z", "2027-01-01T00:00Z", "@yearly");
	next_is("@hourly", "Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-01-01T00:30Z", "@hourly where hours begin at the half");
	next_is("0 9 * * *", "America/New_York", "2026-07-01T00:00:00Z", "2026-07-01T13:00Z", "a zone in summer");
	next_is("0 9 * * *", "America/New_York", "2026-12-01T00:00:00Z", "2026-12-01T14:00Z", "in winter");
	next_is("0 0 * * *", "Pacific/Kiritimati", "2026-01-01T00:00:00Z", "2026-01-01T10:00Z", "14 hours ahead");
	next_is("0 0 1 1 *", "America/New_York", "2150-06-01T00:00:00Z", "2151-01-01T05:00Z", "rules hold beyond what the files list");
	next_is("0 12 1 7 *", "Europe/Dublin", "2150-01-01T00:00:00Z", "2150-07-01T11:00Z", "in summer, too");
	next_is("0 0 1 1 *", "Nowhere/City", "2026-01-01T00:00:00Z", "none", "no zone, no time");
}

/* What one would say at the wall on the day itself. */
static void
changes(void)
{
	next_is("30 1 * * *", "Europe/Dublin", "2026-03-28T12:00:00Z", "2026-03-29T01:00Z", "Dublin, spring: what is left out runs at the first instant after");
	next_is("30 1 * * *", "Europe/Dublin", "2026-03-29T01:00:00Z", "2026-03-30T00:30Z", "and not again");
	next_is("30 1 * * *", "Europe/Dublin", "2026-10-24T12:00:00Z", "2026-10-25T00:30Z", "Dublin, autumn: the first time");
	next_is("30 1 * * *", "Europe/Dublin", "2026-10-25T00:30:00Z", "2026-10-26T01:30Z", "and not the second");
	next_is("*/30 * * * *", "Europe/Dublin", "2026-10-25T00:30:00Z", "2026-10-25T01:00Z", "every half hour goes on");
	next_is("30 * * * *", "Europe/Dublin", "2026-10-25T00:30:00Z", "2026-10-25T01:30Z", "every hour, in both of them");
	next_is("*/10 2 * * *", "America/New_York", "2026-03-08T00:00:00Z", "2026-03-09T06:00Z", "by the clock on the wall there is no such hour");
	next_is("0,30 2 * * *", "America/New_York", "2026-03-08T00:00:00Z", "2026-03-08T07:00Z", "of fixed times in it one is made up for");
	next_is("0,30 2,3 * * *", "America/New_York", "2026-03-08T07:00:00Z", "2026-03-08T07:30Z", "and the others are as ever");
	next_is("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-03T15:30Z", "Lord Howe, half an hour left out");
	next_is("45 1 * * *", "Australia/Lord_Howe", "2026-04-03T20:00:00Z", "2026-04-04T14:45Z", "half an hour twice: the first");
	next_is("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T14:45:00Z", "2026-04-05T15:15Z", "not the second");
	next_is("15 1 * * *", "Australia/Lord_Howe", "2026-04-04T14:15:00Z", "2026-04-05T14:45Z", "what comes once comes once");
	next_is("0 0 * * *", "America/Havana", "2026-03-07T12:00:00Z", "2026-03-08T05:00Z", "Havana: midnight is left out");
	next_is("0 0 * * *", "Africa/Casablanca", "2026-03-21T12:00:00Z", "2026-03-22T00:00Z", "Casablanca, which goes back for Ramadan");
	next_is("0 9 30 12 *", "Pacific/Apia", "2011-12-29T00:00:00Z", "2012-12-29T19:00Z", "Apia left a day out, which is a correction");
	next_is("30 23 * * *", "Pacific/Apia", "2011-12-30T09:30:00Z", "2011-12-31T09:30Z", "and goes on by the clock");
	next_is("30 2 29 3 *", "Europe/Berlin", "2026-01-01T00:00:00Z", "2026-03-29T01:00Z", "of a day that has no such time");
	next_is("59 2 * * sun", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00Z", "of a day of the week");
	next_is("30 2 * * mon", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T00:30Z", "none of another day");
}

static void
names(void)
{
	static const char *const fine[] = { "UTC", "Etc/UTC", "Europe/Dublin", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "America/Port-au-Prince", NULL };
	static const char *const wrong[] = { "", "utc", "Europe", "Europe/", "Europe/Atlantis", "/etc/localtime", "../../../etc/passwd", "Europe/../UTC", "./UTC", "localtime", "posixrules",
		"posix/UTC", "right/UTC", "zone.tab", "tzdata.zi", "UTC0", "<+03>-3", "EST5EDT,M3.2.0,M11.1.0", ":UTC", "UTC ", " UTC", "UTC\n", "europe/dublin",
		"Europe/Dublin/", "UTC/", "Europe//Dublin", "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL };

	for (int i = 0; fine[i]; i++)
		ok(cron_zone_valid(fine[i]), fine[i]);
	/* Debian 13 has it in a package of its own. */
	ok(cron_zone_valid("EST5EDT") == !access("/usr/share/zoneinfo/EST5EDT", F_OK), "EST5EDT, where it is installed");
	for (int i = 0; wrong[i]; i++)
		if (!ok(!cron_zone_valid(wrong[i]), "what is no zone's name"))
			printf("# %s\n", wrong[i]);
}

/* ---- the model ---- */

enum { MINUTES = 4 * 1440, BEFORE = 2 * 1440, EXPRESSIONS = 80, SAID = 5 };

/* One field as it was made: the values, whether it begins with *, and its text. */
struct made {
	bool on[64], star;
	char text[200];
};
static const int bounds[5][2] = { { 0, 59 }, { 0, 23 }, { 1, 31 }, { 1, 12 }, { 0, 6 } };

static uint32_t seed = 20260329;
static int
roll(int n)
{
	seed = seed * 1664525 + 1013904223;
	return (int)(seed >> 8) % n;
}

static void
made_item(struct made *m, int lo, int hi, bool may_star)
{
	int from = lo + roll(hi - lo + 1), to = from + roll(hi - from + 1), step = 1 + roll(hi);
	const char *comma = *m->text ? "," : "";
	size_t n = strlen(m->text);
	int kind = roll(4);

	if (kind == 0 && !n && may_star) {
		m->star = true;
		from = lo;
		to = hi;
		snprintf(m->text, sizeof m->text, "*/%d", step);
	} else if (kind == 1) {
		snprintf(m->text + n, sizeof m->text - n, "%s%d-%d/%d", comma, from, to, step);
	} else if (kind == 2) {
		step = 1;
		snprintf(m->text + n, sizeof m->text - n, "%s%d-%d", comma, from, to);
	} else {
		to = from;
		snprintf(m->text + n, sizeof m->text - n, "%s%d", comma, from);
	}
	for (int i = from; i <= to; i += step)
		m->on[i] = true;
}

/* Mostly hours of the night, when clocks change. */
static void
made_field(struct made *m, int field)
{
	int lo = bounds[field][0], hi = bounds[field][1];
	bool night = field == 1 && roll(2);

	*m = (struct made){ 0 };
	if (roll(100) < (field < 2 ? 15 : 75)) {
		*m = (struct made){ .star = true, .text = "*" };
		for (int i = lo; i <= hi; i++)
			m->on[i] = true;
		return;
	}
	for (int items = 1 + roll(3); items; items--)
		made_item(m, lo, night ? 3 : hi, !night);
}

struct model {
	struct made field[5];
	char text[1100];
};

static void
model_make(struct model *m)
{
	for (int i = 0; i < 5; i++)
		made_field(&m->field[i], i);
	snprintf(m->text, sizeof m->text, "%s %s %s %s %s", m->field[0].text, m->field[1].text, m->field[2].text, m->field[3].text, m->field[4].text);
}

static bool
model_fits(const struct model *m, int64_t wall_minute)
{
	static struct tm tm;
	static int64_t of = -1;
	bool day, weekday;

	if (of != wall_minute / 1440)
		gmtime_r(&(time_t){ wall_minute * 60 }, &tm);
	of = wall_minute / 1440;
	tm.tm_hour = (int)(wall_minute % 1440 / 60);
	tm.tm_min = (int)(wall_minute % 60);
	if (!m->field[0].on[tm.tm_min] || !m->field[1].on[tm.tm_hour] || !m->field[3].on[tm.tm_mon + 1])
		return false;
	day = m->field[2].on[tm.tm_mday];
	weekday = m->field[4].on[tm.tm_wday];
	return m->field[2].star || m->field[4].star ? day && weekday : day || weekday;
}

/* For each minute from `begin` on, whether the job runs at it. wall has the minute that the clock shows at each, and one before. */
static void
model_run(const struct model *m, const int64_t *wall, bool *runs)
{
	bool fixed = !m->field[0].star && !m->field[1].star;
	int64_t seen = wall[0]; /* the latest that was shown */

	for (int i = 1; i < MINUTES; i++) {
		int64_t jump = wall[i] - wall[i - 1] - 1;

		runs[i] = model_fits(m, wall[i]);
		if (fixed && jump > 0 && jump < 180)
			for (int64_t missed = wall[i] - jump; missed < wall[i]; missed++)
				runs[i] |= model_fits(m, missed);
		if (jump <= -180)
			seen = wall[i] - 1;
		if (fixed && wall[i] <= seen)
			runs[i] = false;
		seen = wall[i] > seen ? wall[i] : seen;
	}
}

static int
model_compare(const struct model *m, const char *zone, int64_t begin, const int64_t *wall, bool *runs)
{
	const struct cron *cron = cron_of(m->text);
	int64_t at = begin;
	int i = 1;

	if (!cron) {
		printf("# refused: %s\n", m->text);
		return 1;
	}
	model_run(m, wall, runs);
	while (i < MINUTES) {
		int64_t next = cron_next(cron, zone, at), want;

		while (i < MINUTES && !runs[i])
			i++;
		want = i < MINUTES ? begin + 60 * (int64_t)i : 0;
		if (want ? next != want : next && next < begin + 60 * (int64_t)MINUTES) {
			printf("# %s in %s after %lld: %lld, not %lld\n", m->text, zone, (long long)at, (long long)next, (long long)want);
			return 1;
		}
		at = next;
		i++;
	}
	return 0;
}

/* Around one change, or any other time, of a zone. */
static int
model_window(const char *zone, int64_t around, int expressions)
{
	static int64_t wall[MINUTES];
	static bool runs[MINUTES];
	int64_t begin = around - around % 60 - 60 * (int64_t)BEFORE;
	int wrong = 0;

	setenv("TZ", zone, 1);
	tzset();
	for (int i = 0; i < MINUTES; i++) {
		struct tm tm;
		time_t at = begin + 60 * (int64_t)i;

		localtime_r(&at, &tm);
		wall[i] = (at + tm.tm_gmtoff) / 60;
	}
	for (int i = 0; i < expressions && wrong < SAID; i++) {
		struct model m;
		void *own = mem, *here = mem_root("model");

		mem = here;
		model_make(&m);
		wrong += model_compare(&m, zone, begin, wall, runs);
		mem = own;
		mem_free(here);
	}
	return wrong;
}

static void
model(void)
{
	static const char *const zones[] = { "Europe/Dublin", "Europe/Berlin", "America/New_York", "America/St_Johns", "America/Havana", "America/Santiago", "America/Nuuk",
		"America/Sao_Paulo", "Asia/Beirut", "Asia/Kathmandu", "Asia/Gaza", "Africa/Casablanca", "Africa/Cairo", "Australia/Lord_Howe", "Australia/Sydney", "Antarctica/Troll",
		"Pacific/Chatham", "Pacific/Apia", "Pacific/Norfolk", "Asia/Pyongyang" };
	int windows = 0, wrong = 0;

	for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
		const struct zone *z = zone_find(zones[i]);
		struct zone_span s = zone_at(z, 1262304000 /* 2010 */);

		/* To 2012, when Apia lost a day and North Korea's clocks were still; then the present, and what rules will say when no file lists it. */
		while (s.end < 1356998400) {
			wrong += model_window(zones[i], s.end, 20);
			windows++;
			s = zone_at(z, s.end);
		}
		for (int64_t from = 1767225600 /* 2026 */; from < 4733510400; from = from < 1800000000 ? 4701974400 /* 2119 */ : 4733510400) {
			s = zone_at(z, from);
			for (int n = 0; n < 2 && s.end < from + 366 * 86400; n++, windows++) {
				wrong += model_window(zones[i], s.end, EXPRESSIONS);
				s = zone_at(z, s.end);
			}
		}
		wrong += model_window(zones[i], 1772000000, 60);
		windows++;
	}
	is_int(wrong, 0, mem_printf(mem, "the model agrees about %d changes of clocks and times between them", windows));
	ok(windows > 80, "of which there are many");
}

/* The zones themselves: each name of the system's list, hour by hour through years. */
static void
offsets(void)
{
	FILE *list = fopen("/usr/share/zoneinfo/zone1970.tab", "r");
	char line[300], name[100];
	int zones = 0, wrong = 0;

	while (list && fgets(line, sizeof line, list)) {
		const struct zone *z;

		if (*line == '#' || sscanf(line, "%*s %*s %99s", name) != 1)
			continue;
		z = zone_find(name);
		zones++;
		setenv("TZ", name, 1);
		tzset();
		for (int64_t at = 0; z && at < 4733510400; at += at > 1767225600 && at < 1798761600 ? 3600 : 86400 * 9 + 1) {
			struct tm tm;

			localtime_r(&(time_t){ at }, &tm);
			if (zone_at(z, at).offset != tm.tm_gmtoff && wrong++ < SAID)
				printf("# %s at %lld: %lld, not %ld\n", name, (long long)at, (long long)zone_at(z, at).offset, tm.tm_gmtoff);
		}
		wrong += !z;
	}
	if (list)
		fclose(list);
	is_int(wrong, 0, "offsets are the C library's");
	ok(zones > 250, "in every zone");
}

int
main(void)
{
	mem = mem_root("test");
	forms();
	plain();
	changes();
	names();
	offsets();
	model();
	mem_free(mem);
	return done();
}
