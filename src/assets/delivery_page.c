/* SPDX-License-Identifier: Apache-2.0
 * The pages of a delivery link: its gate, its list, its files. None needs an account. Source:
 * interface, "Asset library". */
#include "assets/delivery.h"

#include "assets/asset_api.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/email.h"
#include "base/passhash.h"
#include "base/sniff.h"
#include "base/str.h"
#include "core/branding.h"
#include "core/user.h"
#include "http/quota.h"

#define PASS_COOKIE "vitrine_delivery"

static const char *
secret_of(const struct req *r)
{
	return req_param(r, "delivery");
}

static const char *
page_path(const struct req *r)
{
	return mem_printf(r->c->mem, "/d/%s", secret_of(r));
}

static bool
is_open(struct req *r, const struct delivery *d)
{
	struct cookies passes;

	if (str_eq(d->gate, "none"))
		return true;
	req_cookies(r, PASS_COOKIE, &passes);
	for (size_t i = 0; i < passes.n; i++)
		if (delivery_passes(r->c, d, passes.v[i]))
			return true;
	return false;
}

/* Keeps the page out of search engines, and its address out of Referer headers. */
static void
keep_quiet(struct req *r)
{
	reply_header(r, "X-Robots-Tag", "noindex, nofollow");
	reply_header(r, "Referrer-Policy", "no-referrer");
}

/* ---- the page ---- */

#define DELIVERY_ROW(F, T) \
	F(T, OBJ,  file,     .sub = &delivered_shape) \
	F(T, STR,  kind,     .doc = "As core/filename.h has it") \
	F(T, STR,  picture,  .doc = "Path of what is drawn of it, or NULL") \
	F(T, BOOL, playable) \
	F(T, BOOL, pdf)
SHAPE(delivery_row, DELIVERY_ROW);

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
	F(T, LIST, files,   .sub = &delivery_row_shape) \
	F(T, OBJ,  lead,    .sub = &delivery_row_shape, .doc = "The first to be shown large") \
	F(T, OBJ,  brand,   .sub = &branding_shape, .doc = "Of the workspace that it comes from") \
	F(T, STR,  report,  .doc = "Where to report what a page does")
SHAPE(delivery_page, DELIVERY_PAGE);

static const char *
file_path(struct req *r, const struct delivered *f)
{
	struct buf b = BUF(r->c->mem);

	buf_fmt(&b, "/d/%s/file/%s/", secret_of(r), f->id);
	buf_url(&b, f->name);
	return buf_done(&b);
}

static struct delivery_row
row_of(struct req *r, struct delivered *f)
{
	const char *kind = file_kind(f->mime_type);
	const char *preview =
	    f->preview ? mem_printf(r->c->mem, "/d/%s/preview/%s", secret_of(r), f->id) : NULL;

	return (struct delivery_row){ .file = f,
		.kind = kind,
		.picture = file_is_thumbnail(f->mime_type, f->size) ? file_path(r, f) : preview,
		.playable = sniff_shows(f->mime_type) && str_in(kind, "film|sound"),
		.pdf = str_eq(f->mime_type, "application/pdf") };
}

static struct delivery_row *
lead_of(const struct list *rows)
{
	struct delivery_row *v = rows->v;

	for (size_t i = 0; i < rows->n; i++)
		if (v[i].picture || (v[i].playable && str_eq(v[i].kind, "film")))
			return &v[i];
	return NULL;
}

static const char *
sender_of(const struct delivery *d)
{
	return *d->maker_name ? d->maker_name : d->maker_email;
}

static enum err
page_fill(struct req *r, const struct delivery *d, struct delivery_page *page)
{
	const char *terms = r->c->conf->terms_url;
	struct delivered_list files;
	struct branding *brand = NULL;
	struct list rows;

	TRY(delivery_files(r->c, d, &files));
	if (d->workspace_id)
		TRY(branding_get(r->c, d->workspace_id, &brand));
	rows = list_made(r->c->mem, &files, f, row_of(r, f));
	*page = (struct delivery_page){ .name = d->name,
		.sender = sender_of(d),
		.message = d->message,
		.several = files.n > 1,
		.until = d->expires_at,
		.files = rows,
		.lead = lead_of(&rows),
		.brand = brand,
		.report = str_eq(terms, "-") ? NULL : terms };
	for (size_t i = 0; i < files.n; i++)
		page->bytes += files.v[i].size;
	return E_OK;
}

/* Programs that check an address or draw a preview of it, which nginx tells by views.conf, are
 * nobody who opened it; nor is a browser that fetches ahead. */
static bool
is_looked_at(const struct req *r, const struct delivery *d)
{
	static const char *const ahead[] = { "HTTP_SEC_PURPOSE", "HTTP_PURPOSE", "HTTP_X_MOZ" };

	for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++)
		if (req_header(r, ahead[i]))
			return false;
	return !r->head && !str_eq(req_env(r, "VITRINE_VIEW_BY"), "b") &&
	    !(r->who && str_eq(r->who->user_id, d->maker_id));
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

	TRY(delivery_find(r->c, secret_of(r), &d));
	keep_quiet(r);
	page = gate_page(d, NULL);
	if (!is_open(r, d))
		return reply_page(r, 0, &page);
	TRY(page_fill(r, d, &page));
	if (is_looked_at(r, d))
		TRY(delivery_opened(r->c, d));
	return reply_page(r, 0, &page);
}

#define DELIVERY_KEY(F, T) \
	F(T, STR, password, .flags = F_SECRET, .hi = 1024) \
	F(T, STR, email,    .hi = 254) \
	F(T, STR, code,     .hi = 20)
SHAPE(delivery_key, DELIVERY_KEY);

/* The result of prepare(), before the transaction. */
struct trial {
	struct delivery *d;
	bool right;
};

static enum err
password_try(struct req *r)
{
	const struct delivery_key *in = r->in;
	struct trial *t = r->prepared;

	t->right = passhash_check(in->password, t->d->password);
	return E_OK;
}

/* Counted before the check. A visitor who has passed has a cookie and isn't asked again. A code has
 * a few tries of its own, so wrong codes don't use up the tries of the link for others. */
static enum err
guess_take(struct req *r, const struct delivery *d, bool password)
{
	TRY(quota_take_for(r, LIM_DELIVERY,
	    mem_printf(r->c->mem, "%s:%s", d->id, network_of(r))));
	return password ? quota_take_for(r, LIM_DELIVERY_ALL, d->id) : E_OK;
}

/* Strangers must not use up the codes of the recipients: requests are counted by network, and only
 * mailed codes count for the link. */
static enum err
code_take(struct req *r, const struct delivery *d, const char *email)
{
	const char *from = network_of(r), *whose = email_fold(r->c, email);

	TRY(quota_take_for(
	    r, LIM_DELIVERY_CODE_NETWORK, mem_printf(r->c->mem, "%s:%s", d->id, from)));
	TRY(quota_take_for(r, LIM_DELIVERY_CODE,
	    mem_printf(r->c->mem, "%s:%s:%s", d->id, whose, from)));
	if (!delivery_mails(r->c, d, whose) ||
	    (d->recipient && str_eq(email_fold(r->c, d->recipient), whose)))
		return E_OK;
	return quota_take_for(r, LIM_DELIVERY_CODE_ALL, d->id);
}

static enum err
p_open(struct req *r)
{
	struct trial *t = r->prepared = mem_new(r->c->mem, struct trial);
	const struct delivery_key *in = r->in;
	bool password;

	*t = (struct trial){ 0 };
	TRY(delivery_find(r->c, secret_of(r), &t->d));
	if (str_eq(t->d->gate, "none"))
		return E_OK;
	password = str_eq(t->d->gate, "password");
	if (password ? !in->password : !in->email || !email_read(r->c->mem, in->email))
		return fail(r->c, E_INVALID, password
			? "password: enter the password"
			: "email: enter your e-mail address");
	if (!password && !in->code)
		return code_take(r, t->d, in->email);
	TRY(guess_take(r, t->d, password));
	return password
	    ? quota_cpu(r, false, password_try)
	    : delivery_code_try(r->c, t->d, in->email, in->code, &t->right);
}

static enum err
let_in(struct req *r, const struct delivery *d)
{
	reply_cookie(r, PASS_COOKIE, delivery_pass(r->c, d), page_path(r), PASS_HOURS * 3600);
	return reply_redirect(r, page_path(r));
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
	const struct trial *t = r->prepared;
	struct delivery_page page;

	keep_quiet(r);
	if (str_eq(t->d->gate, "none"))
		return reply_redirect(r, page_path(r));
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

/* ---- the files ---- */

/* Redirects a browser to the gate. */
static enum err
gate_tell(struct req *r)
{
	const char *accept = req_header(r, "HTTP_ACCEPT");

	if (accept && strstr(accept, "text/html"))
		return reply_redirect(r, page_path(r));
	return fail(r->c, E_GATE, "%s", err_table[E_GATE].text);
}

/* *f stays NULL if the request was answered with the gate. */
static enum err
file_find(struct req *r, struct delivered **f)
{
	struct delivery *d;

	keep_quiet(r);
	TRY(delivery_file(r->c, secret_of(r), req_param(r, "delivered"), &d, f));
	if (!is_open(r, d)) {
		/* Takes as long as for a file of the link, so that time tells nothing. */
		if (*f)
			TRY(delivery_find(r->c, secret_of(r), &d));
		*f = NULL;
		return gate_tell(r);
	}
	return *f ? E_OK : fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

static enum err
file_send(struct req *r, const char *name)
{
	struct delivered *f;

	TRY(file_find(r, &f));
	if (!f)
		return E_OK;
	if (name && !str_eq(name, f->name))
		return fail(r->c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	return asset_file_reply(r, f->sha256, f->mime_type, f->name);
}

static enum err
h_file(struct req *r)
{
	return file_send(r, NULL);
}

static enum err
h_file_named(struct req *r)
{
	return file_send(r, req_param(r, "+"));
}

static enum err
h_preview(struct req *r)
{
	struct delivered *f;

	TRY(file_find(r, &f));
	return f ? asset_preview_reply(r, f->sha256) : E_OK;
}

static enum err
zip_write(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	(void)c;
	return req_write(arg, bytes, n);
}

static enum err
zip_send(struct req *r, void *files)
{
	return delivery_zip(r->c, files, zip_write, r);
}

static enum err
h_zip(struct req *r)
{
	struct delivered_list *files = mem_new(r->c->mem, struct delivered_list);
	struct delivery *d;

	keep_quiet(r);
	TRY(delivery_find(r->c, secret_of(r), &d));
	if (!is_open(r, d))
		return gate_tell(r);
	TRY(delivery_files(r->c, d, files));
	return reply_stream(r, "application/zip", mem_printf(r->c->mem, "%s.zip", d->name),
	    zip_send, files);
}

/* ---- for programs ---- */

#define DELIVERY_LOOK(F, T) \
	F(T, STR,  name) \
	F(T, STR,  sender) \
	F(T, DATETIME, expires_at, .wire = "expiresAt", .flags = F_NUL) \
	F(T, LIST, files, .sub = &delivered_shape)
SHAPE(delivery_look, DELIVERY_LOOK);

#define DELIVERY_PASSED(F, T) \
	F(T, OBJ, delivery, .flags = F_NUL, .sub = &delivery_look_shape, \
		.doc = "null: a code is mailed to the address, if it can open this") \
	F(T, STR, pass,     .flags = F_NUL, \
		.doc = "Send it as the cookie " PASS_COOKIE ", here and for the files, " \
		       "for 12 hours")
SHAPE(delivery_passed, DELIVERY_PASSED);

static enum err
look_fill(struct req *r, const struct delivery *d, struct delivery_look *look)
{
	struct delivered_list files;

	TRY(delivery_files(r->c, d, &files));
	for (size_t i = 0; i < files.n; i++)
		files.v[i].url = mem_printf(
		    r->c->mem, "%s%s", r->c->conf->base_url, file_path(r, &files.v[i]));
	*look = (struct delivery_look){ .name = d->name,
		.sender = sender_of(d),
		.expires_at = d->expires_at,
		.files = { files.v, files.n },
		.has = { .expires_at = d->has.expires_at } };
	return E_OK;
}

static enum err
h_look(struct req *r)
{
	struct delivery_look look;
	struct delivery *d;

	TRY(delivery_find(r->c, secret_of(r), &d));
	if (!is_open(r, d))
		return fail(r->c, E_GATE, "%s", err_table[E_GATE].text);
	TRY(look_fill(r, d, &look));
	return reply_noun(r, &look);
}

static enum err
h_pass(struct req *r)
{
	const struct delivery_key *in = r->in;
	const struct trial *t = r->prepared;
	struct delivery_passed passed = { 0 };
	struct delivery_look look;

	if (str_eq(t->d->gate, "domain") && !in->code) {
		TRY(delivery_code_ask(r->c, t->d, in->email));
		return reply_flat(r, &passed);
	}
	if (!str_eq(t->d->gate, "none") && !t->right)
		return fail(r->c, E_DENIED, "%s: isn't right%s", in->code ? "code" : "password",
		    in->code ? ", or has expired; send email alone for another" : "");
	TRY(look_fill(r, t->d, &look));
	passed.delivery = &look;
	passed.pass = delivery_pass(r->c, t->d);
	reply_cookie(r, PASS_COOKIE, passed.pass, page_path(r), PASS_HOURS * 3600);
	return reply_flat(r, &passed);
}

static const struct route delivery_routes[] = {
  { GET,  "/v1/deliveries/{delivery}",           PUBLIC,
    TAKES_NOTHING,            GIVES("delivery", delivery_look), h_look,
    .doc = "What a delivery link without a gate shows" },
  { POST, "/v1/deliveries/{delivery}",           PUBLIC,
    TAKES(delivery_key),      GIVES_FLAT(delivery_passed),      h_pass,
    .slow = true, .prepare = p_open,
    .doc = "Pass a delivery's gate, by its password, or by the code that is mailed to email" },
};
ROUTES(delivery, "Deliveries", "What delivery links lead to, for programs.");

static const struct route delivery_page_routes[] = {
  { GET,  "/d/{delivery}",                       PUBLIC,
    TAKES_NOTHING,            GIVES_PAGE(delivery),             h_delivery,
    .doc = "A delivery, or its gate" },
  { POST, "/d/{delivery}",                       PUBLIC,
    TAKES_FORM(delivery_key), GIVES_PAGE(delivery),             h_open,
    .again = "/d/{delivery}", .slow = true, .prepare = p_open,
    .doc = "Pass a delivery's gate" },
  { GET,  "/d/{delivery}/zip",                   PUBLIC,
    TAKES_NOTHING,            GIVES_STREAM,                     h_zip,
    .slow = true, .limit = LIM_EXPORT, .doc = "All of its files as a .zip" },
  { GET,  "/d/{delivery}/preview/{delivered}",   PUBLIC,
    TAKES_NOTHING,            GIVES_BYTES,                      h_preview,
    .doc = "A picture of a file of a delivery" },
  { GET,  "/d/{delivery}/file/{delivered}",      PUBLIC,
    TAKES_NOTHING,            GIVES_BYTES,                      h_file,
    .doc = "Download a file of a delivery" },
  { GET,  "/d/{delivery}/file/{delivered}/{+}",  PUBLIC,
    TAKES_NOTHING,            GIVES_BYTES,                      h_file_named,
    .doc = "The same, by an address that ends with its name" },
};
ROUTES(delivery_page, "Pages: deliveries", "What delivery links lead to, in the browser.");
