/* SPDX-License-Identifier: Apache-2.0
 * Reads _redirects and _headers in Netlify's format. A line that is not understood is skipped with
 * a warning and is never a failure. Results live in c->mem. */
#ifndef VITRINE_RULES_H
#define VITRINE_RULES_H
#include "base/shape.h"

enum { RULES_BYTES = 64 << 10 }; /* of a longer file the lines that fit hold */
struct redirects;
struct headers;
struct redirect_hit {
	int status; /* 301 302 303 307 308; 200: show `to` in place; 404: with `to` as the page */
	const char *to; /* encoded: fit for a Location; 200 and 404: a path of this site */
	bool force; /* also where a file exists */
};

enum err rules_redirects_parse(struct ctx *c, const char *text, size_t n, struct redirects **out);
/* url: only the rules that concern it are kept, and a visitor of one page need not pay for a
 * thousand; NULL: all. */
enum err rules_headers_parse(
    struct ctx *c, const char *text, size_t n, const char *url, struct headers **out);
/* Appends to *out the warnings about the file that the publish reply shows; path is "_redirects" or
 * "_headers". Of a longer file text has the first RULES_BYTES + 1, as for the other two. */
enum err
rules_warnings(struct ctx *c, const char *path, const char *text, size_t n, struct strs *out);

/* Finds the first rule for url ("/…", decoded) and query (without "?", as it came). Rules without
 * force are passed over when exists says that a file is there, as are rules that would lead from an
 * address to itself or upward. Source: Netlify's "Redirect options". */
bool redirects_match(void *owner, const struct redirects *, const char *url, const char *query,
    bool exists, struct redirect_hit *out);
void
headers_for(void *owner, const struct headers *, const char *url, struct pair **out, size_t *n);
/* True when a rule concerns the file at url, so that a worker has to answer for it instead of
 * nginx. *steps grows by what looking took: the rules, and the bytes of url that each was compared
 * with. */
bool headers_touch(const struct headers *, const char *url, int64_t *steps);
bool redirects_force_touch(const struct redirects *, const char *url, int64_t *steps);

/* The headers that _headers may set, ended by NULL. The list is closed, since nginx passes only
 * headers that its configuration names. */
extern const char *const rules_header_names[];
#endif
