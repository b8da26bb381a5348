/* SPDX-License-Identifier: Apache-2.0 */
#include "site/pwa.h"

#include "base/dataurl.h"
#include "base/json.h"
#include "base/mime.h"
#include "base/png.h"
#include "base/str.h"
#include "ext/egress.h"

SHAPE_DEFINE(publish_pwa, PUBLISH_PWA);
SHAPE_DEFINE(pwa_kept, PWA_KEPT);

enum { ICON_SIDE = 192, ICON_BYTES = 5 << 20, ICON_S = 10 };

static enum err
icon_fetch(struct ctx *c, const char *url, const char **bytes, size_t *n)
{
	struct egress_req req = {
		.url = url, .max_bytes = ICON_BYTES, .timeout_s = ICON_S, .max_redirects = 3
	};
	struct egress_res *res;

	if (egress_send(c, &req, &res))
		return fail(c, E_INVALID,
		    "pwa.icon: couldn't be fetched from %s; send it as a data: URL", url);
	if (res->status != 200)
		return fail(c, E_INVALID,
		    "pwa.icon: %s returned status %d; send the icon as a data: URL",
		    url, (int)res->status);
	*bytes = res->body;
	*n = res->body_n;
	return E_OK;
}

static enum err
icon_read(struct ctx *c, const char *icon, struct pwa_made *made)
{
	enum err e;

	if (!icon)
		return E_OK;
	if (str_starts(icon, "data:"))
		e = data_url_parse(c, "pwa.icon", "png", icon, &made->icon, &made->icon_n);
	else if (str_http_url(icon))
		e = icon_fetch(c, icon, &made->icon, &made->icon_n);
	else
		e = fail(c, E_INVALID, "pwa.icon: must be a data: URL or an absolute URL of a PNG");
	return e;
}

enum err
pwa_make(struct ctx *c, const char *artifact_name, const struct publish_pwa *pwa,
    const char *entrypoint, struct pwa_made **out, const char **kept)
{
	struct pwa_kept *keep;
	unsigned w = 0, h = 0;

	*out = NULL;
	*kept = NULL;
	if (!pwa || !pwa->enabled)
		return E_OK;
	*out = mem_new(c->mem, struct pwa_made);
	keep = mem_new(c->mem, struct pwa_kept);
	keep->name = pwa->name ? pwa->name : artifact_name;
	keep->short_name = pwa->short_name ? pwa->short_name : keep->name;
	*kept = shape_text(c->mem, &pwa_kept_shape, keep);
	TRY(icon_read(c, pwa->icon, *out));
	if ((*out)->icon)
		TRY(png_check(c, "pwa.icon", (*out)->icon, (*out)->icon_n, &w, &h));
	if (!mime_is_html(mime_of(entrypoint)))
		strs_add(c->mem, &(*out)->reasons,
		    mem_printf(c->mem, "the entry page, %s, isn't HTML", entrypoint));
	if (!(*out)->icon)
		strs_add(c->mem, &(*out)->reasons,
		    "there is no icon: send pwa.icon, a PNG of at least 192x192");
	else if (w < ICON_SIDE || h < ICON_SIDE)
		strs_add(c->mem, &(*out)->reasons,
		    mem_printf(c->mem, "the icon is %ux%u; it must be at least 192x192", w, h));
	return E_OK;
}
