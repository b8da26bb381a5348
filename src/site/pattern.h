/* SPDX-License-Identifier: Apache-2.0
 * What the rules of _redirects and _headers are for: a path that may have placeholders for whole
 * segments (/blog/:year/:name) and a star at its end for the rest. It may be written URL-encoded.
 * Source: Netlify's documentation of redirects. */
#ifndef VITRINE_PATTERN_H
#define VITRINE_PATTERN_H
#include "base/ctx.h"

/* What a rule can name: placeholders of its path, and those of its query. */
enum { PATTERN_NAMES = 20, PATTERN_QUERY_NAMES = 4 };

/* What the placeholders stand for; the star is "splat". Nothing is ended by NUL. */
struct captures {
	struct {
		const char *name, *value;
		size_t name_n, value_n;
	} v[PATTERN_NAMES];
	size_t n;
};


/* Adds one, unless there are PATTERN_NAMES already; cap may be NULL. */
void pattern_capture(
    struct captures *cap, const char *name, size_t name_n, const char *value, size_t value_n);
bool pattern_match(const char *pattern, const char *url, struct captures *cap); /* cap: or NULL */
/* The same, and adds to *steps what it took. */
bool pattern_touch(const char *pattern, const char *url, int64_t *steps);
const char *pattern_wrong(const char *pattern); /* NULL, or why it is none */
#endif
