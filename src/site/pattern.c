/* SPDX-License-Identifier: Apache-2.0 */
#include "site/pattern.h"

#include "base/str.h"

void
pattern_capture(
    struct captures *cap, const char *name, size_t name_n, const char *value, size_t value_n)
{
	if (!cap || cap->n == PATTERN_NAMES)
		return;
	cap->v[cap->n].name = name;
	cap->v[cap->n].name_n = name_n;
	cap->v[cap->n].value = value;
	cap->v[cap->n++].value_n = value_n;
}

/* The next byte of a pattern, which may be written URL-encoded. */
static char
pattern_byte(const char **pattern)
{
	const char *s = *pattern;
	char hex[3] = "";

	*pattern += 1;
	if (*s != '%' || !isxdigit((unsigned char)s[1]) || !isxdigit((unsigned char)s[2]))
		return *s;
	*pattern += 2;
	memcpy(hex, s + 1, 2);
	return (char)strtol(hex, NULL, 16);
}

/* "/blog/", with a star behind it or without, is for "/blog" as well. */
static bool
pattern_ended(const char *pattern, struct captures *cap)
{
	if (str_eq(pattern, "/*"))
		pattern_capture(cap, "splat", 5, "", 0);
	return str_in(pattern, "/|/*");
}

/* *url moves on to where it stopped to match. */
static bool
pattern_walk(const char *pattern, const char **url, struct captures *cap)
{
	if (cap)
		cap->n = 0;
	while (*pattern) {
		if (*pattern == '*') {
			pattern_capture(cap, "splat", 5, *url, strlen(*url));
			return true;
		}
		if (!**url)
			return pattern_ended(pattern, cap);
		if (*pattern == ':' && pattern[-1] == '/') {
			size_t name_n = strcspn(pattern, "/"), value_n = strcspn(*url, "/");

			if (!value_n)
				return false;
			pattern_capture(cap, pattern + 1, name_n - 1, *url, value_n);
			pattern += name_n;
			*url += value_n;
		} else if (pattern_byte(&pattern) != *(*url)++) {
			return false;
		}
	}
	return !**url || str_eq(*url, "/");
}

bool
pattern_match(const char *pattern, const char *url, struct captures *cap)
{
	return pattern_walk(pattern, &url, cap);
}

bool
pattern_touch(const char *pattern, const char *url, int64_t *steps)
{
	const char *at = url;
	bool yes = pattern_walk(pattern, &at, NULL);

	*steps += 1 + (at - url);
	return yes;
}

const char *
pattern_wrong(const char *pattern)
{
	const char *star = strchr(pattern, '*');
	size_t names = star ? 1 : 0;

	if (*pattern != '/')
		return "a rule must start with a path such as /old; "
		       "rules for whole domains aren't supported";
	if (star && star[1])
		return "* is allowed only at the end of a path";
	for (const char *p = strstr(pattern, "/:"); p; p = strstr(p + 1, "/:"))
		names++;
	return names > PATTERN_NAMES - PATTERN_QUERY_NAMES ? "more than 16 placeholders" : NULL;
}
