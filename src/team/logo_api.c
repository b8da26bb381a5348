/* SPDX-License-Identifier: Apache-2.0
 * A workspace's logo. Source: interface, "Workspaces". */
#include "team/logo_api.h"

#include "base/str.h"
#include "core/workspace.h"
#include "http/multipart.h"
#include "http/req.h"

enum { PARTS = 4 };

#define LOGO_MADE(F, T) F(T, URL, logo_url, .doc = "Public; each image has its own address")
SHAPE(logo_made, LOGO_MADE);

enum err
logo_sent(struct req *r, struct span *out)
{
	const char *type = req_env(r, "CONTENT_TYPE");
	struct part parts[PARTS];
	size_t n;

	*out = r->form;
	if (!type || strncasecmp(type, "multipart/", strlen("multipart/")) != 0)
		return E_OK;
	TRY(multipart_parse(r->c, type, r->form, parts, PARTS, &n));
	for (size_t i = 0; i < n; i++) {
		if (!str_eq(parts[i].name, "file"))
			continue;
		*out = parts[i].bytes;
		return E_OK;
	}
	return fail(r->c, E_INVALID, "file: is missing; the form needs a part with this name");
}

enum err
logo_receive(struct req *r)
{
	struct object *stored;
	struct span sent;

	TRY(logo_sent(r, &sent));
	TRY(logo_store(r->c, &sent, &stored));
	r->prepared = stored;
	return E_OK;
}

static enum err
h_logo_set(struct req *r)
{
	struct workspace *now;

	TRY(logo_set(r->c, r->ws, r->who, r->prepared));
	TRY(workspace_get(r->c, r->ws->id, r->who, false, &now));
	return reply_flat(r, &(struct logo_made){ .logo_url = now->logo_url });
}

static enum err
h_logo_remove(struct req *r)
{
	TRY(logo_remove(r->c, r->ws, r->who));
	return reply_none(r);
}

static enum err
h_logo(struct req *r)
{
	const char *sha256;

	TRY(logo_find(r->c, req_param(r, "logo"), &sha256));
	TRY(reply_object(r, sha256, "image/png", "logo.png", true));
	reply_header(r, "Cache-Control", "public, max-age=31536000, immutable");
	return E_OK;
}

enum err
logo_receive_small(struct req *r, int64_t most)
{
	char *bytes = mem_zalloc(r->c->mem, (size_t)most);
	struct object *stored;
	struct span sent;

	TRY(logo_sent(r, &sent));
	if (sent.n > most)
		return fail(r->c, E_FILE_TOO_LARGE, "file: is %s; the maximum is %s",
		    str_amount(r->c->mem, sent.n), str_amount(r->c->mem, most));
	TRY(span_read(r->c, &sent, bytes, (size_t)sent.n));
	TRY(logo_keep(r->c, "file", bytes, (size_t)sent.n, &stored));
	r->prepared = stored;
	return E_OK;
}

static const struct route logo_routes[] = {
/*  method  path                        who
    body           reply                  handler */
  { POST,   "/v1/workspaces/{ws}/logo", WS_ADMIN,
    TAKES_IMAGE,   GIVES_FLAT(logo_made), h_logo_set,
    .slow = true, .max_body = BODY_LOGO, .prepare = logo_receive,
    .doc = "Set the logo: a PNG, JPEG or WebP image, as a form or as raw bytes" },
  { DELETE, "/v1/workspaces/{ws}/logo", WS_ADMIN,
    TAKES_NOTHING, GIVES_NOTHING,         h_logo_remove,
    .doc = "Remove the logo" },
  { GET,    "/v1/logos/{logo}",         PUBLIC,
    TAKES_NOTHING, GIVES_BYTES,           h_logo,
    .doc = "Get a logo as PNG; the image at an address never changes" },
};
ROUTES(logo, "Logos",
    "The image that stands for a workspace.");
