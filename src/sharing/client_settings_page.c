/* SPDX-License-Identifier: Apache-2.0
 * The page of a client's name, logo, color, and the data that programs store about it. */
#include "base/json.h"
#include "base/str.h"
#include "core/way.h"
#include "http/form.h"
#include "sharing/client_page.h"
#include "sharing/properties.h"
#include "team/logo_api.h"

/* ---- the page ---- */

#define CLIENT_SETTINGS_PAGE(F, T) \
	CLIENT_TOP(F, T) \
	F(T, STR, properties, .doc = "One a line") \
	F(T, INT, logo_bytes, .doc = "That a logo may have")
SHAPE(client_settings_page, CLIENT_SETTINGS_PAGE);

static enum err
h_client_settings(struct req *r)
{
	struct client_settings_page page = { .logo_bytes = SHAREE_LOGO_BYTES, .tab = "settings" };
	struct sharee *s;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	page.client = s;
	TRY(properties_told(r->c, s->properties, &page.properties));
	return reply_page(r, 0, &page);
}

#define CLIENT_SETTINGS_FORM(F, T) \
	F(T, STR, name,       .flags = F_REQ, .lo = 1, .hi = SHAREE_CHARS) \
	F(T, STR, type,       .flags = F_REQ, .lo = 1, .hi = 40) \
	F(T, STR, color,      .hi = 40) \
	F(T, STR, properties, .flags = F_LONG, .hi = 2 * SHAREE_PROPERTIES_BYTES)
SHAPE(client_settings_form, CLIENT_SETTINGS_FORM);

/* Builds the edit that the API would get, so that its rules apply. */
static enum err
settings_read(struct req *r, struct sharee_edit **out)
{
	const struct client_settings_form *in = r->in;
	struct buf b = BUF(r->c->mem);
	const char *properties;
	struct json *json;
	void *edit;

	if (in->color && *in->color && !str_color(in->color))
		return fail(r->c, E_INVALID,
		    "color: must be # and six hexadecimal digits, such as #1a2b3c");
	TRY(properties_read(r->c, in->properties, &properties));
	buf_str(&b, "{\"name\":");
	buf_json(&b, in->name);
	buf_str(&b, ",\"type\":");
	buf_json(&b, in->type);
	buf_fmt(&b, ",\"properties\":%s,\"branding\":{\"color\":", properties);
	buf_json(&b, in->color && *in->color ? in->color : NULL);
	buf_str(&b, "}}");
	TRY(json_parse(r->c, buf_done(&b), b.n, &json));
	TRY(shape_read(r->c, &sharee_edit_shape, json, &edit));
	*out = edit;
	return E_OK;
}

static enum err
h_client_settings_save(struct req *r)
{
	struct sharee_edit *edit = NULL;
	struct sharee *s;

	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	TRY(settings_read(r, &edit));
	TRY(sharee_change(r->c, r->ws, r->who, s, edit, NULL));
	return form_done(r, NULL);
}

/* ---- its logo ---- */

static enum err
p_client_logo(struct req *r)
{
	return logo_receive_small(r, SHAREE_LOGO_BYTES);
}

/* Sets the logo that prepare() received. A row without prepare() removes the logo. */
static enum err
h_client_logo(struct req *r)
{
	struct sharee_branding_new brand = { .has.logo = r->prepared ? ABSENT : NULLED };
	struct sharee *s;

	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	TRY(sharee_change(r->c, r->ws, r->who, s,
	    &(struct sharee_edit){ .branding = &brand, .has.branding = GIVEN }, r->prepared));
	return form_done(r, NULL);
}

#define SETTINGS "/w/{ws}/clients/{shr}/settings"
static const struct route client_settings_page_routes[] = {
  { PAGE(SETTINGS, WS_ADMIN, client_settings, h_client_settings), .title = "Settings",
    .query = &tab_query_shape, .doc = "A client's name, logo, color, and properties" },
  { FORM(SETTINGS, SHARE_ADMIN, client_settings_form, h_client_settings_save),
    .then = SETTINGS "?done=saved", .again = SETTINGS, .doc = "Change them" },
  { POST, SETTINGS "/logo",        SHARE_ADMIN,
    TAKES_IMAGE,                      GIVES_REDIRECT,              h_client_logo,
    .then = SETTINGS "?done=logo_set", .again = SETTINGS, .slow = true, .max_body = BODY_PICTURE,
    .prepare = p_client_logo,
    .doc = "Upload its logo" },
  { FORM(SETTINGS "/logo/remove", SHARE_ADMIN, button, h_client_logo),
    .then = SETTINGS "?done=logo_removed", .again = SETTINGS, .doc = "Remove its logo" },
};
ROUTES(client_settings_page, "Pages: clients' settings",
    "What admins change about a client in the browser.");
