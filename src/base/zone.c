/* SPDX-License-Identifier: Apache-2.0 */
#include "base/zone.h"

#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "/usr/share/zoneinfo/"
enum {
	FILE_BYTES = 256 << 10,
	HEAD_BYTES = 44,
	LAST_YEAR = 2200,
	RULED_CHANGES = 2 * (LAST_YEAR - 1970 + 1),
	DAY_S = 86400
};

struct change {
	int64_t at;
	int64_t offset; /* seconds ahead of UTC, from `at` on */
};

struct zone {
	struct zone *next;
	const char *name;
	int64_t first; /* the offset before all changes */
	struct change *changes;
	size_t n;
};

/* ---- days ---- */

/* Returns the days from 1970-01-01 to the first of a month (0 … 11). Counts years from March, so
 * that a leap day is the last day of its year. */
static int64_t
month_begin(int64_t year, int month)
{
	int64_t y = month < 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400;
	int64_t of_era = y - era * 400, of_year = (153 * ((month + 10) % 12) + 2) / 5;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* ---- the rule at the end of a file, in the form of POSIX's TZ ---- */

struct day_rule {
	/* M: a weekday of a month; J: a day number without 29 February; D: a day number */
	char kind;
	int month, week, day;
	int64_t time; /* seconds from the start of that day; may fall on another day */
};
struct rule {
	int64_t usual, summer;
	struct day_rule begin, end; /* of summer time */
};

static bool
rule_number(const char **p, int64_t most, int64_t *out)
{
	if (!isdigit((unsigned char)**p))
		return false;
	for (*out = 0; isdigit((unsigned char)**p) && *out <= most; ++*p)
		*out = *out * 10 + **p - '0';
	return *out <= most;
}

/* Parses [+-]h[:m[:s]]. */
static bool
rule_time(const char **p, int64_t *out)
{
	int64_t sign = **p == '-' ? -1 : 1, part, unit = 3600;

	*p += **p == '-' || **p == '+';
	if (!rule_number(p, 167, &part))
		return false;
	for (*out = part * unit; **p == ':' && unit > 1; *out += part * unit) {
		++*p;
		unit /= 60;
		if (!rule_number(p, 59, &part))
			return false;
	}
	*out *= sign;
	return true;
}

static bool
rule_name(const char **p)
{
	const char *from = *p;

	if (**p == '<') {
		*p += strcspn(*p, ">");
		*p += **p == '>';
	} else {
		while (isalpha((unsigned char)**p))
			++*p;
	}
	return *p - from >= 3;
}

/* Parses ,Mm.w.d or ,Jn or ,n, each with an optional /time. */
static bool
rule_day(const char **p, struct day_rule *out)
{
	int64_t month, week, day;

	if (*(*p)++ != ',')
		return false;
	if (**p == 'M') {
		++*p;
		if (!rule_number(p, 12, &month) || month < 1 || *(*p)++ != '.' ||
		    !rule_number(p, 5, &week) || week < 1 || *(*p)++ != '.' ||
		    !rule_number(p, 6, &day))
			return false;
		*out = (struct day_rule){ 'M', (int)month - 1, (int)week, (int)day, 0 };
	} else {
		char kind = **p == 'J' ? 'J' : 'D';

		*p += kind == 'J';
		if (!rule_number(p, 365, &day) || (kind == 'J' && !day))
			return false;
		*out = (struct day_rule){ kind, 0, 0, (int)day, 0 };
	}
	out->time = 7200;
	return **p != '/' || (++*p, rule_time(p, &out->time));
}

/* Returns false if the rule is malformed. A zone without summer time gets usual == summer. */
static bool
rule_read(const char *p, struct rule *out)
{
	*out = (struct rule){ 0 };
	if (!rule_name(&p) || !rule_time(&p, &out->usual))
		return false;
	out->usual = -out->usual; /* POSIX counts west of UTC */
	out->summer = out->usual;
	if (!*p)
		return true;
	if (!rule_name(&p))
		return false;
	out->summer = out->usual + 3600;
	if (*p != ',') {
		if (!rule_time(&p, &out->summer))
			return false;
		out->summer = -out->summer;
	}
	return rule_day(&p, &out->begin) && rule_day(&p, &out->end) && !*p;
}

/* Returns the local time of the rule in a year, as seconds since 1970 by the wall clock. */
static int64_t
rule_instant(const struct day_rule *r, int64_t year)
{
	int64_t day;

	if (r->kind == 'M') {
		int64_t first = month_begin(year, r->month);
		int64_t next = month_begin(year + (r->month == 11), (r->month + 1) % 12);

		day = first + (r->day - (first + 4) % 7 + 7) % 7 + 7 * (r->week - 1);
		day -= day >= next ? 7 : 0;
	} else {
		bool leaps = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

		day = month_begin(year, 0) + r->day - (r->kind == 'J');
		day += r->kind == 'J' && r->day >= 60 && leaps;
	}
	return day * DAY_S + r->time;
}

static void
change_add(struct zone *z, int64_t at, int64_t offset)
{
	const struct change *last = z->n ? &z->changes[z->n - 1] : NULL;

	if ((last && at <= last->at) || offset == (last ? last->offset : z->first))
		return;
	z->changes[z->n++] = (struct change){ at, offset };
}

static void
rule_follow(struct zone *z, const struct rule *r)
{
	if (r->usual == r->summer)
		return;
	for (int64_t year = 1970; year <= LAST_YEAR; year++) {
		int64_t begin = rule_instant(&r->begin, year) - r->usual;
		int64_t end = rule_instant(&r->end, year) - r->summer;

		if (begin < end) {
			change_add(z, begin, r->summer);
			change_add(z, end, r->usual);
		} else {
			change_add(z, end, r->usual);
			change_add(z, begin, r->summer);
		}
	}
}

/* ---- the file ---- */

struct counts {
	uint64_t leap, time, type, chars, std, ut;
};

static uint64_t
number_at(const uint8_t *p, size_t bytes)
{
	uint64_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n = n << 8 | p[i];
	return n;
}

static bool
head_read(const uint8_t *p, size_t n, struct counts *out)
{
	if (n < HEAD_BYTES || memcmp(p, "TZif", 4) != 0 || p[4] < '2')
		return false;
	*out = (struct counts){ .ut = number_at(p + 20, 4),
		.std = number_at(p + 24, 4),
		.leap = number_at(p + 28, 4),
		.time = number_at(p + 32, 4),
		.type = number_at(p + 36, 4),
		.chars = number_at(p + 40, 4) };
	return out->type > 0;
}

static uint64_t
block_bytes(const struct counts *k, uint64_t time_bytes)
{
	return k->time * (time_bytes + 1) + k->type * 6 + k->chars + k->leap * (time_bytes + 4) +
	    k->std + k->ut;
}

static int64_t
type_offset(const uint8_t *types, uint64_t i)
{
	return (int32_t)(uint32_t)number_at(types + i * 6, 4);
}

/* The second block has 64-bit times. The rule at the end gives the changes after them. */
static bool
zone_read(struct zone *z, const uint8_t *p, size_t n)
{
	struct counts k;
	const uint8_t *end = p + n, *index, *types;
	const char *text;
	struct rule rule;

	if (!head_read(p, n, &k) || block_bytes(&k, 4) > n - HEAD_BYTES)
		return false;
	p += HEAD_BYTES + block_bytes(&k, 4);
	if (!head_read(p, (size_t)(end - p), &k) ||
	    block_bytes(&k, 8) + 2 > (size_t)(end - p) - HEAD_BYTES)
		return false;
	p += HEAD_BYTES;
	index = p + k.time * 8;
	types = index + k.time;
	z->first = type_offset(types, 0);
	z->changes = mem_array(z, struct change, k.time + RULED_CHANGES);
	for (uint64_t i = 0; i < k.time; i++) {
		if (index[i] >= k.type)
			return false;
		change_add(z, (int64_t)number_at(p + i * 8, 8), type_offset(types, index[i]));
	}
	p += block_bytes(&k, 8);
	text = mem_strndup(z, (const char *)p + 1, strcspn((const char *)p + 1, "\n"));
	if (*p != '\n' || (*text && !rule_read(text, &rule)))
		return false;
	if (*text)
		rule_follow(z, &rule);
	return true;
}

static struct zone *
zone_load(const char *name)
{
	struct zone *z = mem_new(NULL, struct zone);
	void *mem = mem_root("zone file");
	const char *path = mem_printf(mem, FOLDER "%s", name);
	int fd = mem_fd(mem, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
	uint8_t *bytes = mem_zalloc(mem, FILE_BYTES);
	ssize_t got = fd < 0 ? -1 : read(fd, bytes, FILE_BYTES - 1);
	bool ok;

	z->name = mem_strdup(z, name);
	/* A NUL follows the file's bytes. */
	ok = zone_read(z, bytes, got < 0 ? 0 : (size_t)got);
	mem_free(mem);
	if (ok)
		return z;
	mem_free(z);
	return NULL;
}

const struct zone *
zone_find(const char *name)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
	static struct zone *known;
	struct zone *z;

	/* Names of zones begin with a capital; other files in the folder don't. */
	if (!isupper((unsigned char)*name) || strlen(name) > ZONE_NAME || strstr(name, "//") ||
	    name[strspn(name, letters)])
		return NULL;
	/* A zone that was found moves to the front: most callers ask for the same one again. */
	for (struct zone **at = &known; (z = *at); at = &z->next)
		if (str_eq(z->name, name)) {
			*at = z->next;
			z->next = known;
			known = z;
			return z;
		}
	z = zone_load(name);
	if (!z)
		return NULL;
	z->next = known;
	known = z;
	return z;
}

struct zone_span
zone_at(const struct zone *z, int64_t at)
{
	/* changes before lo are past, changes from hi on are in the future */
	size_t lo = 0, hi = z->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (z->changes[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (struct zone_span){
		.begin = lo ? z->changes[lo - 1].at : INT64_MIN,
		.end = lo < z->n ? z->changes[lo].at : INT64_MAX,
		.offset = lo ? z->changes[lo - 1].offset : z->first,
		.before = lo > 1 ? z->changes[lo - 2].offset : z->first,
	};
}
