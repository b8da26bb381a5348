/* SPDX-License-Identifier: Apache-2.0
 * Device login: the addresses that programs call, and the page for the person in the browser.
 * Source: interface, "Device login"; RFC 8628 for the address under /v1/oauth, whose other half is
 * oauth/oauth_api.c. */
#include "people/device.h"

#include "base/str.h"
#include "core/way.h"
#include "http/quota.h"
#include "http/req.h"
#include "people/signin_page.h"

static LIMIT(LIM_DEVICE_START, "device_start", OF_ADDRESS, ALL, device_starts_per_hour,
    "device logins");
static LIMIT(LIM_DEVICE_CODE, "device_code", OF_ADDRESS, FAILURES, device_guesses_per_hour,
    "wrong codes");
static LIMIT(LIM_DEVICE_CODE_ALL, "device_code_all", OF_ALL, FAILURES, device_guesses_in_all,
    "wrong codes");

#define DEVICE_CODE(F, T) F(T, STR, device_code, .flags = F_REQ, .lo = 1, .hi = 200)
SHAPE(device_code, DEVICE_CODE);

static enum err
login_begin(struct req *r, const char *expected_email, struct device **out)
{
	struct origin from = req_origin(r);

	return device_begin(r->c, expected_email, &from,
	    quota_spent(r, LIM_DEVICE_CODE_ALL, "all"), out);
}

static enum err
h_device_start(struct req *r)
{
	const struct device_new *in = r->in;
	struct device *d;

	TRY(login_begin(r, in ? in->expected_email : NULL, &d));
	return reply_flat(r, d);
}

static enum err
h_device_token(struct req *r)
{
	const struct device_code *in = r->in;
	struct device_token out;
	enum err e = device_poll(r->c, in->device_code, &out);

	if (e == E_SLOW_DOWN)
		reply_header(r, "Retry-After", "%lld", (long long)out.interval);
	TRY(e);
	return reply_flat(r, &out);
}

/* ---- the same, for standard clients ---- */

#define OAUTH_START(F, T) \
	F(T, STR, client_id, .hi = 200, .eg = "\"my-program\"", \
		.doc = "Any value: programs don't need to be registered") \
	F(T, STR, scope,     .hi = 1000, \
		.doc = "Ignored: a personal token can do whatever its owner can")
SHAPE(oauth_start, OAUTH_START);

static enum err
h_oauth_start(struct req *r)
{
	struct device *d;

	TRY(login_begin(r, NULL, &d));
	return reply_flat(r, d);
}

/* ---- in the browser ---- */

#define CODE_QUERY(F, T) \
	F(T, STR, code, .hi = 20, .doc = "The user_code; absent: a form asks for it")
SHAPE(code_query, CODE_QUERY);

#define CODE_FORM(F, T) \
	F(T, STR,  code,    .flags = F_REQ, .hi = 20) \
	F(T, WORD, action,  .flags = F_REQ, .arg = "approve|deny") \
	F(T, STR,  confirm, .hi = 10, .doc = "That it is not who was expected is all right")
SHAPE(code_form, CODE_FORM);

#define DEVICE_PAGE(F, T) \
	F(T, BOOL, ask) \
	F(T, BOOL, denied) \
	F(T, STR,  code) \
	F(T, STR,  email) \
	F(T, STR,  here, .doc = "Address of this page") \
	F(T, STR,  address) \
	F(T, STR,  agent) \
	F(T, TIME, created_at) \
	F(T, STR,  warn) \
	F(T, STR,  token)
SHAPE(device_page, DEVICE_PAGE);

/* Wrong codes are limited by address. The total is only counted: a limit would let anybody with
 * many addresses block device login for all. */
static enum err
code_find(struct req *r, const char *code, bool lock, struct device_login **out)
{
	TRY(device_find(r->c, code, lock, out));
	if (!*out)
		quota_note(r, LIM_DEVICE_CODE_ALL, "all");
	return E_OK;
}

static enum err
ask_again(struct req *r)
{
	return reply_refused(r, 404,
	    "No program is waiting with this code. "
	    "It may have expired; start again in the program.",
	    &(struct device_page){ .ask = true });
}

/* Shows a device login; opening the page approves nothing. A browser that isn't signed in goes to
 * the sign-in page, with the expected address filled in. */
static enum err
h_device_look(struct req *r)
{
	const struct code_query *q = r->query;
	struct device_login *d;
	struct buf to = BUF(r->c->mem);
	const char *code;

	if (!q->code)
		return reply_page(r, 0, &(struct device_page){ .ask = true });
	TRY(code_find(r, q->code, false, &d));
	if (!d)
		return ask_again(r);
	if (r->who && r->who->session_id) {
		code = device_user_code(r->c, q->code);
		return reply_page(r, 0,
		    &(struct device_page){ .code = code,
			.email = r->who->email,
			.address = d->address,
			.agent = d->agent,
			.created_at = d->created_at,
			.warn = device_warning(r->c, d, r->who),
			.here = mem_printf(r->c->mem, "/auth/device?code=%s", code) });
	}
	buf_str(&to, signin_path(r->c, r->uri));
	if (d->expected_email) {
		buf_str(&to, "&email=");
		buf_form(&to, d->expected_email);
	}
	return reply_redirect(r, buf_done(&to));
}

static enum err
h_device_decide(struct req *r)
{
	const struct code_form *in = r->in;
	struct device_page page = { 0 };
	struct device_login *d;

	TRY(code_find(r, in->code, true, &d));
	if (!d)
		return ask_again(r);
	if (str_eq(in->action, "deny")) {
		page.denied = true;
		TRY(device_deny(r->c, d));
		return reply_page(r, 0, &page);
	}
	if (device_warning(r->c, d, r->who) && !in->confirm)
		return fail(r->c, E_CONFLICT,
		    "Confirm that you started it yourself, or sign in as someone else");
	TRY(device_approve(r->c, d, r->who, &page.token));
	return reply_page(r, 0, &page);
}

static const struct route device_routes[] = {
/*  method path                             who
    body                                       reply                     handler */
  { POST, "/v1/auth/device/start",          PUBLIC,
    { BODY_JSON_OPTIONAL, &device_new_shape }, GIVES_FLAT(device),       h_device_start,
    .limit = LIM_DEVICE_START, .scope = ANY_SCOPE, .doc = "Start a device login" },
  { POST, "/v1/auth/device/token",          PUBLIC,
    TAKES(device_code),                        GIVES_FLAT(device_token), h_device_token,
    .scope = ANY_SCOPE, .no_transaction = true,
    .doc = "Poll for the token every interval seconds; it is returned once" },
  { POST, "/v1/oauth/device_authorization", PUBLIC,
    TAKES_OAUTH(oauth_start),                  GIVES_FLAT(device),       h_oauth_start,
    .limit = LIM_DEVICE_START, .scope = ANY_SCOPE,
    .doc = "Start a device login, for RFC 8628 clients" },
  { GET,  "/auth/device",                   PUBLIC,
    TAKES_NOTHING,                             GIVES_PAGE(device),       h_device_look,
    .limit = LIM_DEVICE_CODE, .query = &code_query_shape, .doc = "View a pending device login" },
  { POST, "/auth/device",                   SESSION,
    TAKES_FORM(code_form),                     GIVES_PAGE(device),       h_device_decide,
    .again = "/auth/device", .limit = LIM_DEVICE_CODE, .doc = "Approve or deny a device login" },
};
ROUTES(device, "Device login",
    "How a program gets a token: it asks, and a person approves in the browser. "
    "POST /v1/oauth/device_authorization and /v1/oauth/token do the same for RFC 8628 clients.");
