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

static bool
name_byte(const char *p)
{
	unsigned char ch = (unsigned char)*p;

	return isalnum(ch) || ch == '_' || ch >= 0x80 || (ch == '-' && p[1] != ':');
}

/* Returns the length of the name at ":", 0 if there is none. Within a segment a name begins with a
 * letter, so that a port isn't one. */
static size_t
name_bytes(const char *p)
{
	size_t n = 0;

	if (*p != ':' || (p[-1] != '/' && !isalpha((unsigned char)p[1])))
		return 0;
	while (name_byte(p + 1 + n))
		n++;
	return n;
}

/* A place to continue from if the match fails: the wildcard before it takes one byte more. */
struct wild {
	const char *pattern, *url; /* NULL: no such wildcard yet */
	size_t cap_n;
};

struct walk {
	const char *pattern, *url;
	struct captures *cap;
	struct wild star, name; /* the last of each kind: no earlier one could help */
};

static void
wild_open(struct walk *w, struct wild *wild, const char *name, size_t name_n, size_t value_n)
{
	pattern_capture(w->cap, name, name_n, w->url, value_n);
	w->pattern += *w->pattern == '*' ? 1 : 1 + name_n;
	w->url += value_n;
	*wild = (struct wild){ w->pattern, w->url, w->cap ? w->cap->n : 0 };
}

static bool
wild_grow(struct walk *w, struct wild *wild)
{
	if (!wild->pattern || !*wild->url)
		return false;
	if (w->cap) {
		w->cap->n = wild->cap_n;
		w->cap->v[w->cap->n - 1].value_n++;
	}
	w->pattern = wild->pattern;
	w->url = ++wild->url;
	return true;
}

/* Matches the pattern's next byte, which may be URL-encoded. */
static bool
byte_match(struct walk *w)
{
	const char *s = w->pattern;
	bool encoded = *s == '%' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2]);
	char hex[3] = "", byte = *s;

	if (encoded) {
		memcpy(hex, s + 1, 2);
		byte = (char)strtol(hex, NULL, 16);
	}
	if (!*s || *w->url != byte)
		return false;
	w->pattern += encoded ? 3 : 1;
	w->url++;
	return true;
}

/* Matches one byte, or a wildcard. Returns false at the end: *matched says if the URL fits. */
static bool
walk_step(struct walk *w, bool *matched)
{
	size_t n = name_bytes(w->pattern);
	bool star = *w->pattern == '*';

	*matched = false;
	if (star && !w->pattern[1]) {
		pattern_capture(w->cap, "splat", 5, w->url, strlen(w->url));
		*matched = true;
		return false;
	}
	if (star) {
		wild_open(w, &w->star, "splat", 5, 0);
		w->name.pattern = NULL;
		return true;
	}
	if (!*w->url) {
		/* "/blog/", with or without a star after it, also matches "/blog". */
		if (str_eq(w->pattern, "/*"))
			pattern_capture(w->cap, "splat", 5, "", 0);
		*matched = !*w->pattern || str_in(w->pattern, "/|/*");
		return false;
	}
	if (n && *w->url != '/') {
		wild_open(w, &w->name, w->pattern + 1, n, 1);
		return true;
	}
	*matched = !*w->pattern && str_eq(w->url, "/");
	if (*matched)
		return false;
	if ((!n && byte_match(w)) ||
	    (w->name.pattern && *w->name.url != '/' && wild_grow(w, &w->name)))
		return true;
	w->name.pattern = NULL;
	return wild_grow(w, &w->star);
}

bool
pattern_touch(const char *pattern, const char *url, struct captures *cap, int64_t *steps)
{
	struct walk w = { .pattern = pattern, .url = url, .cap = cap };
	const int64_t until = *steps + PATTERN_STEPS;
	bool matched = false;

	if (cap)
		cap->n = 0;
	while (++*steps < until && walk_step(&w, &matched))
		;
	return matched;
}

bool
pattern_match(const char *pattern, const char *url, struct captures *cap)
{
	int64_t steps = 0;

	return pattern_touch(pattern, url, cap, &steps);
}

bool
pattern_names(const char *pattern, const char *name, size_t n)
{
	for (const char *p = pattern; *p; p++)
		if ((*p == '*' && n == 5 && memcmp(name, "splat", n) == 0) ||
		    (name_bytes(p) == n && memcmp(p + 1, name, n) == 0))
			return true;
	return false;
}

const char *
pattern_wrong(const char *pattern)
{
	size_t names = 0;

	if (*pattern != '/')
		return strstr(pattern, "://")
		    ? "a rule must start with a path such as /old; "
		      "rules for whole domains aren't supported"
		    : "a rule must start with a path such as /old";
	for (const char *p = pattern; *p; p++)
		names += *p == '*' || name_bytes(p);
	return names > PATTERN_NAMES - PATTERN_QUERY_NAMES ? "more than 16 placeholders" : NULL;
}
