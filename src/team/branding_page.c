/* SPDX-License-Identifier: Apache-2.0
 * The page of how a workspace shows itself: its logo, what its branding says, its own host, and a
 * preview of what others see of them. */
#include "base/email.h"
#include "base/str.h"
#include "core/branding.h"

#include "http/form.h"
#include "team/logo_api.h"
#include "team/subdomain.h"
#include "team/workspace_page.h"

#define BRANDING_FORM(F, T) \
	F(T, STR,  display_name,  .hi = 120) \
	F(T, STR,  color,         .hi = 40) \
	F(T, STR,  support_email, .hi = 254) \
	F(T, STR,  footer,        .hi = 200) \
	F(T, BOOL, hide_vitrine)
SHAPE(branding_form, BRANDING_FORM);

/* Returns what was typed without blanks around it; NULL if that is nothing. */
static const char *
brand_typed(struct req *r, const char *typed)
{
	return typed ? str_given(str_trimmed(r->c->mem, typed)) : NULL;
}

static enum err
h_ws_branding_save(struct req *r)
{
	const struct branding_form *in = r->in;
	struct branding_new brand = { .display_name = brand_typed(r, in->display_name),
		.color = brand_typed(r, in->color),
		.support_email = brand_typed(r, in->support_email),
		.footer = brand_typed(r, in->footer),
		.hide_vitrine = in->hide_vitrine };

	if (in->hide_vitrine)
		TRY(ws_page_plan_need(r, FEATURE_CUSTOM_BRANDING, "hide_vitrine"));
	if (brand.support_email &&
	    !(brand.support_email = email_read(r->c->mem, brand.support_email)))
		return fail(r->c, E_INVALID,
		    "support_email: must be one e-mail address, such as help@example.org");
	TRY(branding_set(r->c, r->ws, r->who, &brand));
	return form_done(r, NULL);
}

static enum err
subdomain_find(struct req *r, struct shown *out)
{
	struct subdomain *s = mem_new(r->c->mem, struct subdomain);

	_Static_assert(SUBDOMAIN_KEPT_S == 30 * 86400, "the question below says 30 days");
	_Static_assert(LOGO_BYTES == 1 << 20, "ws_branding.html says 1.0 MB");
	subdomain_tell(r->c, r->ws, s);
	*out = SHOWN(subdomain, s);
	return E_OK;
}

static enum err
h_ws_logo_set(struct req *r)
{
	TRY(logo_set(r->c, r->ws, r->who, r->prepared));
	return form_done(r, NULL);
}

/* ---- its own host ---- */

/* Turning it off is asked for on a page of its own. */
static enum err
h_ws_subdomain_on(struct req *r)
{
	enum err e;

	TRY(ws_page_plan_need(r, FEATURE_SUBDOMAIN, "enabled"));
	e = subdomain_set(r->c, r->ws, r->who, true);
	if (e == E_SLUG_TAKEN)
		return fail(r->c, E_SLUG_TAKEN,
		    "enabled: an artifact already has this address; "
		    "change this workspace’s short name under General, or the artifact’s address");
	TRY(e);
	return form_done(r, NULL);
}

#define BRANDING_AT "/w/{ws}/branding"
#define SUBDOMAIN_AT "/w/{ws}/subdomain"
static const struct route branding_page_routes[] = {
  { SHOWN_PAGE(BRANDING_AT, WS_MEMBER, "ws_branding"),
    .shows = SHOWS({ "brand", "GET /v1/workspaces/{ws}/branding" },
	{ "subdomain", .find = subdomain_find, .of = &subdomain_shape }, SHOW_PLAN),
    .title = "Branding",
    .query = &tab_query_shape, .doc = "How it shows itself" },
  { FORM(BRANDING_AT, WS_ADMIN, branding_form, h_ws_branding_save),
    .then = BRANDING_AT "?done=saved", .again = BRANDING_AT, .doc = "Change it" },
  { POST, BRANDING_AT "/logo",        WS_ADMIN,
    TAKES_IMAGE,                GIVES_REDIRECT,          h_ws_logo_set,
    .then = BRANDING_AT "?done=logo_set", .again = BRANDING_AT, .slow = true,
    .max_body = BODY_PICTURE, .prepare = logo_receive,
    .doc = "Upload its logo" },
  { POST, BRANDING_AT "/logo/remove", DOES("DELETE /v1/workspaces/{ws}/logo"),
    .then = BRANDING_AT "?done=logo_removed", .again = BRANDING_AT, .doc = "Remove its logo" },
  { FORM(SUBDOMAIN_AT, WS_ADMIN, subdomain_new, h_ws_subdomain_on),
    .then = BRANDING_AT "?done=subdomain_on", .again = BRANDING_AT,
    .doc = "Turn its own host on" },
  { POST, SUBDOMAIN_AT "/off", DOES("DELETE /v1/workspaces/{ws}/subdomain"),
    .ask = ASK("Turn off {host}?",
	"Its front page disappears at once. Artifacts stay at the addresses they have "
	"without it, and for 30 days the addresses with it lead there.",
	"Turn off address", BRANDING_AT, .find = subdomain_find),
    .then = BRANDING_AT "?done=subdomain_off", .doc = "Turn it off" },
};
ROUTES(branding_page, "Pages: branding",
    "What people see in the browser of how a workspace shows itself.");
