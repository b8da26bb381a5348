/* SPDX-License-Identifier: Apache-2.0
 * Matches paths with the patterns of _redirects and _headers: placeholders for a segment or a part
 * of one (/blog/:year-:month/:name.html), and stars for anything. A pattern may be URL-encoded.
 * Sources: the documentation of redirects by Netlify and by Cloudflare Pages. */
#ifndef VITRINE_PATTERN_H
#define VITRINE_PATTERN_H
#include "base/ctx.h"

/* Maximum of placeholders in a rule’s path and in its query. */
enum { PATTERN_NAMES = 20, PATTERN_QUERY_NAMES = 4 };
enum { PATTERN_STEPS = 1 << 14 }; /* steps for one match; a pattern that needs more doesn't match */

/* The values of the placeholders; the star is named "splat". They aren’t NUL-terminated. */
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
/* Adds the number of compared bytes to *steps. */
bool pattern_touch(const char *pattern, const char *url, struct captures *cap, int64_t *steps);
bool pattern_names(const char *pattern, const char *name, size_t n); /* true if it captures name */
const char *pattern_wrong(const char *pattern); /* NULL, or the reason why the pattern is invalid */
#endif
