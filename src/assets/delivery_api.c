/* SPDX-License-Identifier: Apache-2.0
 * Delivery links for programs; who has passed a link's gate; and the files, for both. Source:
 * interface, "Asset library". */
#include "assets/delivery_api.h"

#include "assets/asset_api.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/email.h"
#include "base/passhash.h"
#include "base/sniff.h"
#include "base/str.h"
#include "core/user.h"
#include "http/quota.h"

static LIMIT(LIM_DELIVERY, "delivery", OF_ALL, FAILURES, delivery_guesses_per_address,
    "wrong guesses", 900);
static LIMIT(LIM_DELIVERY_ALL, "delivery_all", OF_ALL, FAILURES, delivery_guesses_per_hour,
    "wrong guesses");
static LIMIT(LIM_DELIVERY_CODE_NETWORK, "delivery_code_network", OF_ALL, ALL,
    delivery_codes_per_network, "codes asked for from your network");
static LIMIT(LIM_DELIVERY_CODE, "delivery_code", OF_ALL, ALL, delivery_codes_per_hour,
    "codes for an e-mail address");
static LIMIT(LIM_DELIVERY_CODE_ALL, "delivery_code_all", OF_ALL, ALL, delivery_codes_in_all,
    "codes for a delivery", 86400);

const char *
delivery_secret(const struct req *r)
{
	return req_param(r, "delivery");
}

const char *
delivery_path(const struct req *r)
{
	return mem_printf(r->c->mem, "/d/%s", delivery_secret(r));
}

bool
delivery_is_open(struct req *r, const struct delivery *d)
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

void
delivery_hide(struct req *r)
{
	reply_header(r, "X-Robots-Tag", "noindex, nofollow");
	reply_header(r, "Referrer-Policy", "no-referrer");
}

const char *
delivery_file_path(struct req *r, const struct delivered *f)
{
	struct buf b = BUF(r->c->mem);

	buf_fmt(&b, "/d/%s/file/%s/", delivery_secret(r), f->id);
	buf_url(&b, f->name);
	return buf_done(&b);
}

const char *
delivery_sender(const struct delivery *d)
{
	return *d->maker_name ? d->maker_name : d->maker_email;
}

SHAPE_DEFINE(delivery_key, DELIVERY_KEY);

static enum err
password_try(struct req *r)
{
	const struct delivery_key *in = r->in;
	struct delivery_trial *t = r->prepared;

	t->right = passhash_check(in->password, t->d->password);
	return E_OK;
}

/* Strangers must not use up the codes of the recipients: requests are counted by network, and only
 * mailed codes count for the link. */
static enum err
code_request_count(struct req *r, const struct delivery *d, const char *email)
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

enum err
delivery_prepare(struct req *r)
{
	struct delivery_trial *t = r->prepared = mem_new(r->c->mem, struct delivery_trial);
	const struct delivery_key *in = r->in;
	bool password;

	*t = (struct delivery_trial){ 0 };
	TRY(delivery_find(r->c, delivery_secret(r), &t->d));
	if (str_eq(t->d->gate, "none"))
		return E_OK;
	password = str_eq(t->d->gate, "password");
	if (password ? !in->password : !in->email || !email_read(r->c->mem, in->email))
		return fail(r->c, E_INVALID, password
			? "password: enter the password"
			: "email: enter your e-mail address");
	if (!password && !in->code)
		return code_request_count(r, t->d, in->email);
	/* We count before the check. A visitor who passes gets a cookie and isn't asked again. */
	TRY(quota_take_for(r, LIM_DELIVERY,
	    mem_printf(r->c->mem, "%s:%s", t->d->id, network_of(r))));
	/* A code has a few tries of its own, so wrong codes don't use up the tries of the link for
	 * others. */
	if (!password)
		return delivery_code_try(r->c, t->d, in->email, in->code, &t->right);
	TRY(quota_take_for(r, LIM_DELIVERY_ALL, t->d->id));
	return quota_cpu(r, false, password_try);
}

/* ---- the files ---- */

/* Redirects a browser to the gate; programs get E_GATE. */
static enum err
gate_reply(struct req *r)
{
	const char *accept = req_header(r, "HTTP_ACCEPT");

	if (accept && strstr(accept, "text/html"))
		return reply_redirect(r, delivery_path(r));
	return fail(r->c, E_GATE, "%s", err_table[E_GATE].text);
}

/* *f stays NULL if the request was answered with the gate. */
static enum err
file_find(struct req *r, struct delivered **f)
{
	struct delivery *d;

	delivery_hide(r);
	TRY(delivery_file(r->c, delivery_secret(r), req_param(r, "delivered"), &d, f));
	if (!delivery_is_open(r, d)) {
		/* The reply takes as long whether or not the link has the file. */
		if (*f)
			TRY(delivery_find(r->c, delivery_secret(r), &d));
		*f = NULL;
		return gate_reply(r);
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

enum err
h_delivery_file(struct req *r)
{
	return file_send(r, NULL);
}

enum err
h_delivery_file_named(struct req *r)
{
	return file_send(r, req_param(r, "+"));
}

enum err
h_delivery_preview(struct req *r)
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

enum err
h_delivery_zip(struct req *r)
{
	struct delivered_list *files = mem_new(r->c->mem, struct delivered_list);
	struct delivery *d;

	delivery_hide(r);
	TRY(delivery_find(r->c, delivery_secret(r), &d));
	if (!delivery_is_open(r, d))
		return gate_reply(r);
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
		    r->c->mem, "%s%s", r->c->conf->base_url, delivery_file_path(r, &files.v[i]));
	*look = (struct delivery_look){ .name = d->name,
		.sender = delivery_sender(d),
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

	TRY(delivery_find(r->c, delivery_secret(r), &d));
	if (!delivery_is_open(r, d))
		return fail(r->c, E_GATE, "%s", err_table[E_GATE].text);
	TRY(look_fill(r, d, &look));
	return reply_noun(r, &look);
}

static enum err
h_pass(struct req *r)
{
	const struct delivery_key *in = r->in;
	const struct delivery_trial *t = r->prepared;
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
	reply_cookie(r, PASS_COOKIE, passed.pass, delivery_path(r), PASS_HOURS * 3600);
	return reply_flat(r, &passed);
}

static const struct route delivery_routes[] = {
  { GET,  "/v1/deliveries/{delivery}",           PUBLIC,
    TAKES_NOTHING,            GIVES("delivery", delivery_look), h_look,
    .doc = "What a delivery link without a gate shows" },
  { POST, "/v1/deliveries/{delivery}",           PUBLIC,
    TAKES(delivery_key),      GIVES_FLAT(delivery_passed),      h_pass,
    .slow = true, .prepare = delivery_prepare,
    .doc = "Pass a delivery's gate, by its password, or by the code that is mailed to email" },
};
ROUTES(delivery, "Deliveries", "What delivery links lead to, for programs.");

/* ---- for the page ---- */

void
delivery_file_dress(struct req *r, struct delivered *f)
{
	f->kind = file_kind(f->mime_type);
	f->playable = sniff_shows(f->mime_type) && str_in(f->kind, "film|sound");
	if (file_is_thumbnail(f->mime_type, f->size))
		f->picture = delivery_file_path(r, f);
	else if (f->preview)
		f->picture = mem_printf(r->c->mem, "%s/preview/%s", delivery_path(r), f->id);
}

bool
delivery_is_looked_at(const struct req *r, const struct delivery *d)
{
	static const char *const ahead[] = { "HTTP_SEC_PURPOSE", "HTTP_PURPOSE", "HTTP_X_MOZ" };

	for (size_t i = 0; i < sizeof ahead / sizeof *ahead; i++)
		if (req_header(r, ahead[i]))
			return false;
	return !r->head && !str_eq(req_env(r, "VITRINE_VIEW_BY"), "b") &&
	    !(r->who && str_eq(r->who->user_id, d->maker_id));
}
