/* SPDX-License-Identifier: Apache-2.0
 * Shared by the routes of delivery links for programs and by their pages. */
#ifndef VITRINE_DELIVERY_API_H
#define VITRINE_DELIVERY_API_H
#include "assets/delivery.h"
#include "http/req.h"

#define PASS_COOKIE "vitrine_delivery"

#define DELIVERY_KEY(F, T) \
	F(T, STR, password, .flags = F_SECRET, .hi = 1024) \
	F(T, STR, email,    .hi = 254) \
	F(T, STR, code,     .hi = 20)
SHAPE_DECLARE(delivery_key, DELIVERY_KEY);

/* The result of delivery_prepare(), the prepare() of rows that take a key, in r->prepared. */
struct delivery_trial {
	struct delivery *d;
	bool right;
};
enum err delivery_prepare(struct req *);

const char *delivery_secret(const struct req *); /* {delivery} of the path */
const char *delivery_path(const struct req *);   /* of its page */
const char *delivery_file_path(struct req *, const struct delivered *);
/* Returns the name or the address of its maker. */
const char *delivery_sender(const struct delivery *);
/* True if the link has no gate, or a cookie of the request passes it. */
bool delivery_is_open(struct req *, const struct delivery *);
/* Hides the reply from search engines, and its address from pages that it links to. */
void delivery_hide(struct req *);

/* Handlers that reply with bytes, or lead a browser to the gate. */
enum err h_delivery_file(struct req *);
enum err h_delivery_file_named(struct req *);
enum err h_delivery_preview(struct req *);
enum err h_delivery_zip(struct req *);
/* Adds the facts of a file that only the page shows. */
void delivery_file_dress(struct req *, struct delivered *);
/* True if a person opens the page. False for programs that check an address or draw a preview of
 * it, which nginx tells by views.conf, for a browser that fetches ahead, and for the maker. */
bool delivery_is_looked_at(const struct req *, const struct delivery *);
#endif
