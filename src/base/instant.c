/* SPDX-License-Identifier: Apache-2.0 */
#include "base/instant.h"

#include "base/civil.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

static bool
time_digits(const char **at, int n, int *out)
{
	for (*out = 0; n; n--, (*at)++) {
		if (!isdigit((unsigned char)**at))
			return false;
		*out = *out * 10 + (**at - '0');
	}
	return true;
}

/* Parses "2026-01-02T03:04:05" into Unix seconds. Years are 0000 to 9999. */
static bool
time_seconds(const char **at, int64_t *out)
{
	int year, month, day, hour, minute, second;

	if (!time_digits(at, 4, &year) || *(*at)++ != '-' || !time_digits(at, 2, &month) ||
	    *(*at)++ != '-' || !time_digits(at, 2, &day) || !**at || !strchr("Tt ", *(*at)++) ||
	    !time_digits(at, 2, &hour) || *(*at)++ != ':' || !time_digits(at, 2, &minute) ||
	    *(*at)++ != ':' || !time_digits(at, 2, &second))
		return false;
	if (!civil_valid(year, month, day) || hour > 23 || minute > 59 || second > 59)
		return false;
	*out = civil_days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
	return true;
}

/* Parses "Z" or "+02:00", which must end the text, into seconds to subtract. */
static bool
time_offset(const char *p, int64_t *out)
{
	int hours, minutes, sign = *p == '-' ? -1 : 1;

	*out = 0;
	if ((*p == 'Z' || *p == 'z') && !p[1])
		return true;
	if (*p != '+' && *p != '-')
		return false;
	p++;
	if (!time_digits(&p, 2, &hours) || *p++ != ':' || !time_digits(&p, 2, &minutes) || *p ||
	    hours > 23 || minutes > 59)
		return false;
	*out = sign * (hours * 3600 + minutes * 60);
	return true;
}

/* Parses ".5" into nanoseconds: at most nine digits; 0 if there is no fraction. */
static bool
time_fraction(const char **at, uint64_t *nanos)
{
	const char *from = *at + 1;

	*nanos = 0;
	if (**at != '.')
		return true;
	for (*at = from; isdigit((unsigned char)**at); (*at)++)
		if (*at - from >= 9)
			return false;
	for (int i = 0; i < 9; i++)
		*nanos = *nanos * 10 + (uint64_t)(i < *at - from ? from[i] - '0' : 0);
	return *at > from;
}

bool
instant_read(const char *text, int64_t *unix_s, uint64_t *nanos)
{
	int64_t offset;

	if (!time_seconds(&text, unix_s) || !time_fraction(&text, nanos) ||
	    !time_offset(text, &offset))
		return false;
	*unix_s -= offset;
	return true;
}

bool
str_from_rfc3339(const char *s, int64_t *unix_s)
{
	uint64_t nanos;

	return instant_read(s, unix_s, &nanos);
}
