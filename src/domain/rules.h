/* SPDX-License-Identifier: Apache-2.0
 * _redirects and _headers in Netlify's forms. A line that is not understood is passed over with a
 * warning, never a failure. Values live in c->mem. */
#ifndef VITRINE_RULES_H
#define VITRINE_RULES_H
#include "base/shape.h"

struct redirects;
struct headers;
struct redirect_hit {
	int status; /* 301 302 303 307 308; 200: rewrite; 404: with the page to */
	const char *to; /* encoded: fit for a Location; 200 and 404: a path of this site */
	bool force; /* even where a file is */
};

enum err rules_redirects_parse(struct ctx *c, const char *text, size_t n, struct redirects **out);
enum err rules_headers_parse(struct ctx *c, const char *text, size_t n, struct headers **out);
/* What the publish reply says of them; path is "_redirects" or "_headers". Appended to *out. */
enum err
rules_warnings(struct ctx *c, const char *path, const char *text, size_t n, struct strs *out);

/* The first rule for url ("/…", decoded); query without "?", as it came. Rules without force are
 * passed over when exists, as are those that would lead from an address to itself or upward.
 * Source: Netlify's "Redirect options". */
bool redirects_match(void *owner, const struct redirects *, const char *url, const char *query,
    bool exists, struct redirect_hit *out);
void
headers_for(void *owner, const struct headers *, const char *url, struct pair **out, size_t *n);
/* Whether a file at url must go through a worker. */
bool headers_touch(const struct headers *, const char *url);
bool redirects_force_touch(const struct redirects *, const char *url);

/* The names that _headers may set: nginx passes named headers only. Ends with NULL. */
extern const char *const rules_header_names[];
void rules_print_nginx(FILE *out);
#endif
