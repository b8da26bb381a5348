/* SPDX-License-Identifier: Apache-2.0
 * Makes files from a published version: the entry page with its tags, the manifest, the service
 * worker, the card. Pure functions. */
#ifndef VITRINE_DERIVE_H
#define VITRINE_DERIVE_H
#include "base/ctx.h"

struct page_tags {
	const char *title, *description, *image_url, *url; /* NULL: none */
	const char *manifest_href;
	bool sw; /* register the service worker */
	bool other_charset; /* the page isn't UTF-8 */
};
/* html with the tags in its head, before those it has of its own: readers of previews take the
 * first. The input itself when there is nothing to insert, or when it is UTF-16. */
void derive_entry(void *owner, const char *html, size_t n, const struct page_tags *,
    const char **out, size_t *out_n);

/* The text of a page's <title>, which stands among its first bytes, on one line; NULL: it has none,
 * or isn't UTF-8. */
const char *derive_title(void *owner, const char *html);

/* Whether browsers load the manifest that the page links to without cookies. */
bool derive_manifest_closed(void *owner, const char *html);

/* Whether page is html with something inserted where derive_entry() inserts it. */
bool derive_entry_is(const char *html, size_t n, const char *page, size_t page_n);

struct manifest_in {
	const char *name, *short_name;
	bool icons;
};
const char *derive_manifest(void *owner, const struct manifest_in *);
const char *derive_service_worker(void *owner, const char *cache_key);
const char *derive_register(void);
/* A 1200x630 SVG that stands for the artifact where there is no picture. */
const char *derive_card_svg(void *owner, const char *name, const char *host);
#endif
