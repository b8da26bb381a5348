/* SPDX-License-Identifier: Apache-2.0 */
#include "base/typed.h"

#include "base/civil.h"
#include "base/mem.h"
#include "base/str.h"

#include <strings.h>

enum { TIME_CHARS = 64 };

/* ---- numbers ---- */

/* Returns the bytes of a space or apostrophe between groups of digits at p. */
static size_t
group_mark(const char *p)
{
	static const char *const marks[] = { " ", "'", "\u00a0", "\u202f", "\u2009", "\u2019" };

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (str_starts(p, marks[i]))
			return strlen(marks[i]);
	return 0;
}

static size_t
digits_at(const char *p)
{
	size_t n = 0;

	while (p[n] >= '0' && p[n] <= '9')
		n++;
	return n;
}

static bool
number_add(struct typed_number *out, const char *p, size_t n)
{
	if (out->n + n >= sizeof out->text)
		return false;
	memcpy(out->text + out->n, p, n);
	out->n += n;
	out->text[out->n] = '\0';
	return true;
}

/* Reads the digits before the decimal mark: 1260, or in groups of three such as 1,260. */
static bool
number_whole(const char **at, char decimal, bool loose, struct typed_number *out)
{
	const char *p = *at, *mark;
	size_t n = digits_at(p), between;

	if (!n) {
		*at = p;
		return *p == decimal && number_add(out, "0", 1);
	}
	if (*p == '0' && n > 1 && !loose)
		return false;
	for (; *p == '0' && n > 1; n--)
		p++;
	if (!number_add(out, p, n))
		return false;
	mark = p + n;
	between = *mark == (decimal == '.' ? ',' : '.') ? 1 : group_mark(mark);
	p += n;
	if (between && n <= 3 && digits_at(p + between) == 3 && (loose || **at != '0'))
		while (!strncmp(p, mark, between) && digits_at(p + between) == 3) {
			out->mark |= *mark == ',' || *mark == '.';
			if (!number_add(out, p + between, 3))
				return false;
			p += between + 3;
		}
	*at = p;
	return true;
}

bool
typed_number_read(const char *p, char decimal, bool loose, struct typed_number *out)
{
	size_t n;

	out->n = 0;
	out->fraction = out->mark = out->exponent = false;
	if (*p == '-' || str_starts(p, "\u2212")) {
		number_add(out, "-", 1);
		p += *p == '-' ? 1 : 3;
	} else if (*p == '+' && loose) {
		p++;
	}
	if (!number_whole(&p, decimal, loose, out))
		return false;
	if (*p == decimal) {
		n = digits_at(p + 1);
		if (!n || !number_add(out, ".", 1) || !number_add(out, p + 1, n))
			return false;
		out->fraction = out->mark = true;
		p += 1 + n;
	}
	if ((*p == 'e' || *p == 'E') && (loose || out->fraction || p[1] == '+' || p[1] == '-')) {
		n = p[1] == '+' || p[1] == '-' ? 2 : 1;
		if (!digits_at(p + n) || digits_at(p + n) > 4 ||
		    !number_add(out, p, n + digits_at(p + n)))
			return false;
		p += n + digits_at(p + n);
		out->exponent = true;
	}
	return !*p;
}

/* ---- dates and times ---- */

/* Reads a number of 1 to `most` digits. */
static bool
part_read(const char **p, size_t most, int *out, size_t *chars)
{
	*chars = digits_at(*p);
	*out = 0;
	if (!*chars || *chars > most)
		return false;
	for (size_t i = 0; i < *chars; i++)
		*out = *out * 10 + *(*p)++ - '0';
	return true;
}

static bool
offset_fits(const char *p)
{
	if ((*p == 'Z' || *p == 'z') && !p[1])
		return true;
	return (*p == '+' || *p == '-') && digits_at(p + 1) == 2 && p[3] == ':' &&
	    digits_at(p + 4) == 2 && !p[6];
}

/* Reads "14:30", "14:30:05.25", "2:30 PM", and what follows. */
static bool
clock_read(const char *p, struct typed_moment *m)
{
	size_t n;
	bool twelve;

	m->second = 0;
	m->fraction_n = 0;
	if (!part_read(&p, 2, &m->hour, &n) || *p++ != ':' ||
	    !part_read(&p, 2, &m->minute, &n) || n != 2)
		return false;
	if (*p == ':') {
		p++;
		if (!part_read(&p, 2, &m->second, &n) || n != 2)
			return false;
		if (*p == '.' || *p == ',') {
			m->fraction = p + 1;
			m->fraction_n = digits_at(p + 1);
			if (!m->fraction_n || m->fraction_n > 9)
				return false;
			p += 1 + m->fraction_n;
		}
	}
	twelve = !strncasecmp(p + (*p == ' '), "am", 2) || !strncasecmp(p + (*p == ' '), "pm", 2);
	if (twelve) {
		p += *p == ' ';
		if (m->hour < 1 || m->hour > 12)
			return false;
		m->hour = m->hour % 12 + (*p == 'p' || *p == 'P' ? 12 : 0);
		p += 2;
	}
	p += *p == ' ' && p[1];
	m->has_zone = *p != '\0';
	m->zone = p;
	return m->hour < 24 && m->minute < 60 && m->second < 60 && (!*p || offset_fits(p));
}

bool
typed_moment_read(const char *p, size_t n, struct typed_moment *m)
{
	char between;

	if (n > TIME_CHARS || n < 8 || !part_read(&p, 4, &m->part[0], &m->chars[0]))
		return false;
	between = *p;
	if (!between || !strchr("-/.", between))
		return false;
	p++;
	if (!part_read(&p, 2, &m->part[1], &m->chars[1]) || *p++ != between ||
	    !part_read(&p, 4, &m->part[2], &m->chars[2]))
		return false;
	m->has_time = *p != '\0';
	m->has_zone = false;
	return !*p || ((*p == ' ' || *p == 'T' || *p == 't') && clock_read(p + 1, m));
}

bool
typed_moment_date(
    const struct typed_moment *m, enum date_order order, int *year, int *month, int *day)
{
	static const int places[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 2, 0, 1 } };
	const int *at = places[order];

	*year = m->part[at[0]];
	*month = m->part[at[1]];
	*day = m->part[at[2]];
	return m->chars[at[0]] == 4 && m->chars[at[1]] <= 2 && m->chars[at[2]] <= 2 &&
	    civil_valid(*year, *month, *day);
}

enum date_order
typed_order(const char *word)
{
	return str_eq(word, "dmy") ? ORDER_DMY : str_eq(word, "mdy") ? ORDER_MDY : ORDER_YMD;
}

const char *
typed_time_text(
    void *owner, const struct typed_moment *m, enum date_order order, const struct zone *zone)
{
	int year, month, day;
	const char *text;
	int64_t at;

	if (!typed_moment_date(m, order, &year, &month, &day))
		return NULL;
	text = mem_printf(owner, "%04d-%02d-%02dT%02d:%02d:%02d", year, month, day, m->hour,
	    m->minute, m->second);
	if (!m->has_zone && zone) {
		struct zone_span span;

		if (!str_from_rfc3339(mem_printf(owner, "%sZ", text), &at))
			return NULL;
		/* A local time may occur twice, then the first counts; or never, then the offset
		 * before the change does. */
		span = zone_at(zone, at - zone_at(zone, at).offset);
		at -= at - span.before < span.begin ? span.before : span.offset;
		text = str_rfc3339(owner, at);
		text = mem_strndup(owner, text, strlen(text) - 1);
	}
	return mem_printf(owner, "%s%s%.*s%s", text, m->fraction_n ? "." : "",
	    (int)m->fraction_n, m->fraction_n ? m->fraction : "",
	    m->has_zone ? m->zone : "Z");
}
