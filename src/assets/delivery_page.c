/* SPDX-License-Identifier: Apache-2.0
 * The page of a delivery link: its gate, its list of files. It needs no account. Source:
 * interface, "Asset library". */
#include "assets/delivery_api.h"
#include "base/str.h"
#include "core/branding.h"
#include "http/quota.h"

/* ---- the page ---- */

#define DELIVERY_PAGE(F, T) \
	F(T, STR,  gate,    .doc = "password, domain, or code: one is on its way. " \
		"Then nothing but what follows is said; NULL: it is open") \
	F(T, STR,  email) \
	F(T, STR,  name) \
	F(T, STR,  sender) \
	F(T, STR,  message) \
	F(T, BOOL, several) \
	F(T, INT,  bytes,   .doc = "Of all files") \
	F(T, TIME, until) \
	F(T, LIST, files,   .sub = &delivered_shape) \
	F(T, OBJ,  lead,    .sub = &delivered_shape, .doc = "The first to be shown large") \
	F(T, OBJ,  brand,   .sub = &branding_shape, .doc = "Of the workspace that it comes from")
SHAPE(delivery_page, DELIVERY_PAGE);

static enum err
page_fill(struct req *r, const struct delivery *d, struct delivery_page *page)
{
	struct delivered_list files;
	struct branding *brand = NULL;

	TRY(delivery_files(r->c, d, &files));
	if (d->workspace_id)
		TRY(branding_get(r->c, d->workspace_id, &brand));
	*page = (struct delivery_page){ .name = d->name,
		.sender = delivery_sender(d),
		.message = d->message,
		.until = d->expires_at,
		.several = files.n > 1,
		.files = { files.v, files.n },
		.brand = brand };
	for (size_t i = files.n; i--;) {
		struct delivered *f = &files.v[i];

		delivery_file_dress(r, f);
		page->bytes += f->size;
		if (f->picture || (f->playable && str_eq(f->kind, "film")))
			page->lead = f;
	}
	return E_OK;
}

/* ---- the gate ---- */

static struct delivery_page
gate_page(const struct delivery *d, const char *email)
{
	return (struct delivery_page){
		.gate = email ? "code" : d->gate, .email = email
	};
}

static enum err
h_delivery(struct req *r)
{
	struct delivery_page page;
	struct delivery *d;

	TRY(delivery_find(r->c, delivery_secret(r), &d));
	delivery_hide(r);
	page = gate_page(d, NULL);
	if (!delivery_is_open(r, d))
		return reply_page(r, 0, &page);
	TRY(page_fill(r, d, &page));
	if (delivery_is_looked_at(r, d))
		TRY(delivery_opened(r->c, d));
	return reply_page(r, 0, &page);
}

static enum err
let_in(struct req *r, const struct delivery *d)
{
	reply_cookie(r, PASS_COOKIE, delivery_pass(r->c, d), delivery_path(r), PASS_HOURS * 3600);
	return reply_redirect(r, delivery_path(r));
}

static enum err
refuse(struct req *r, const struct delivery *d, const char *email, const char *why)
{
	struct delivery_page page = gate_page(d, email);

	return reply_refused(r, 403, why, &page);
}

static enum err
h_open(struct req *r)
{
	const struct delivery_key *in = r->in;
	const struct delivery_trial *t = r->prepared;
	struct delivery_page page;

	delivery_hide(r);
	if (str_eq(t->d->gate, "none"))
		return reply_redirect(r, delivery_path(r));
	if (str_eq(t->d->gate, "password"))
		return t->right ? let_in(r, t->d)
				: refuse(r, t->d, NULL, "password: Wrong password. Try again.");
	if (!in->code) {
		page = gate_page(t->d, in->email);
		TRY(delivery_code_ask(r->c, t->d, in->email));
		return reply_page(r, 0, &page);
	}
	return t->right ? let_in(r, t->d)
			: refuse(r, t->d, in->email,
			   "code: Wrong or expired code. Try again, or ask for another one.");
}

static const struct route delivery_page_routes[] = {
  { PAGE("/d/{delivery}", PUBLIC, delivery, h_delivery), .doc = "A delivery, or its gate" },
  { FORM_PAGE("/d/{delivery}", PUBLIC, delivery_key, delivery, h_open), .again = "/d/{delivery}",
    .slow = true, .prepare = delivery_prepare, .doc = "Pass a delivery's gate" },
  { GET,  "/d/{delivery}/zip",                   PUBLIC,
    TAKES_NOTHING,            GIVES_STREAM,                     h_delivery_zip,
    .slow = true, .limit = LIM_EXPORT, .doc = "All of its files as a .zip" },
  { GET,  "/d/{delivery}/preview/{delivered}",   PUBLIC,
    TAKES_NOTHING,            GIVES_BYTES,                      h_delivery_preview,
    .doc = "A picture of a file of a delivery" },
  { GET,  "/d/{delivery}/file/{delivered}",      PUBLIC,
    TAKES_NOTHING,            GIVES_BYTES,                      h_delivery_file,
    .doc = "Download a file of a delivery" },
  { GET,  "/d/{delivery}/file/{delivered}/{+}",  PUBLIC,
    TAKES_NOTHING,            GIVES_BYTES,                      h_delivery_file_named,
    .doc = "The same, by an address that ends with its name" },
};
ROUTES(delivery_page, "Pages: deliveries", "What delivery links lead to, in the browser.");
