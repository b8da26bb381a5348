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
/* Returns html with the tags in its head, before its own, because programs that make previews take
 * the first. Returns the input itself if there is nothing to insert, or if it is UTF-16. */
void derive_entry(void *owner, const char *html, size_t n, const struct page_tags *,
    const char **out, size_t *out_n);

/* Returns the text of a page's <title> near its start, on one line; NULL if it has none or isn't
 * UTF-8. */
const char *derive_title(void *owner, const char *html);

/* True if browsers load the page's manifest without cookies. */
bool derive_manifest_closed(void *owner, const char *html);

/* True if page is html with an insertion where derive_entry() makes it. */
bool derive_entry_is(const char *html, size_t n, const char *page, size_t page_n);

struct manifest_in {
	const char *name, *short_name;
	bool icons;
};
const char *derive_manifest(void *owner, const struct manifest_in *);
const char *derive_service_worker(void *owner, const char *cache_key);
const char *derive_register(void);
/* Returns a 1200x630 SVG, shown for an artifact without a picture. */
const char *derive_card_svg(void *owner, const char *name, const char *host);
#endif
