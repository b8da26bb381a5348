/* SPDX-License-Identifier: Apache-2.0
 * Reads _redirects and _headers in Netlify's format. A line that we don't understand is skipped
 * with a warning, without an error. Results live in c->mem. */
#ifndef VITRINE_RULES_H
#define VITRINE_RULES_H
#include "base/shape.h"

enum { RULES_BYTES = 64 << 10 }; /* lines beyond this size are ignored */
struct redirects;
struct headers;
struct redirect_hit {
	int status; /* 301 302 303 307 308; 200: show `to` in place; 404: with `to` as the page */
	const char *to; /* encoded: ready for a Location header; for 200 and 404 a path of this
			 * site */
	bool force; /* the redirect applies even if a file exists */
};

enum err rules_redirects_parse(struct ctx *c, const char *text, size_t n, struct redirects **out);
/* url: only keeps rules for it, so that the visitor of one page doesn't pay for a thousand; NULL:
 * all. */
enum err rules_headers_parse(
    struct ctx *c, const char *text, size_t n, const char *url, struct headers **out);
/* Appends warnings about the file to *out, for the publish reply; path is "_redirects" or
 * "_headers". For a longer file, text has its first RULES_BYTES + 1 bytes, as for the other two. */
enum err
rules_warnings(struct ctx *c, const char *path, const char *text, size_t n, struct strs *out);

/* Finds the first rule for url ("/…", decoded) and query (without "?", undecoded). Skips rules
 * without force if exists says that there is a file, and rules that would redirect an address to
 * itself or upward. Source: Netlify's "Redirect options". */
bool redirects_match(void *owner, const struct redirects *, const char *url, const char *query,
    bool exists, struct redirect_hit *out);
void
headers_for(void *owner, const struct headers *, const char *url, struct pair **out, size_t *n);
/* True if a rule concerns the file at url, so that a worker has to answer for it instead of nginx.
 * *steps grows by the work: the rules, and the bytes of url that each was compared with. */
bool headers_touch(const struct headers *, const char *url, int64_t *steps);
bool redirects_force_touch(const struct redirects *, const char *url, int64_t *steps);
/* True if there is no rule at all. */
bool rules_none(const struct redirects *, const struct headers *);

/* The headers that _headers may set, ended by NULL. nginx passes only headers that its
 * configuration names. */
extern const char *const rules_header_names[];
#endif
