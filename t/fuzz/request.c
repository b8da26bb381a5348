/* SPDX-License-Identifier: Apache-2.0
 * What a request's own text is read by: the path against routes, the query into a shape, cookies. */
#include "base/str.h"
#include "core/slug.h"
#include "http/describe.h"
#include "http/req.h"
#include "http/who.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define WANTED(F, T) \
	F(T, STR,  q,      .hi = 200) \
	F(T, SLUG, slug,   .hi = 63) \
	F(T, INT,  limit,  .lo = 1, .hi = 200, .def = "50") \
	F(T, BOOL, flag) \
	F(T, WORD, action, .arg = "approve|deny")
SHAPE_DECLARE(wanted, WANTED);
SHAPE_DEFINE(wanted, WANTED);

static const struct route things_routes[] = { { .method = GET, .path = "/auth/view/{slug}/{no}/{+}", .query = &wanted_shape },
	{ .method = POST, .path = "/v1/things/{slug}/parts/{no}" }, { .method = GET, .path = "/v1/things" } };
ROUTES(things, "Fuzz");
const struct route_list *const route_lists[] = { &things_routes_list, NULL };

/* No page is made here and nobody is judged; only routes_check() would ask. */
WHO(PUBLIC, "public", ANYBODY);
const struct page_alone pages_alone[] = { { NULL } };

int64_t
body_bytes(const struct conf *conf, enum body_size size)
{
	(void)conf, (void)size;
	return 1 << 20;
}

static bool
path_fits(const char *part)
{
	return *part != '\0';
}

const struct param_kind param_kinds[] = {
	{ "slug", "slug", NULL, slug_valid, "[^/]+" },
	{ "no", "version_no", NULL, param_number_fits, "[0-9]+" },
	{ "+", "path", NULL, path_fits, ".+" },
	{ NULL },
};

struct page_asked;
const char *
page_wrong(void *owner, const char *name, const struct shape *shape, const struct page_asked *asked)
{
	(void)owner, (void)name, (void)shape, (void)asked;
	return NULL;
}

const struct shape confirm_page_shape;

enum err
form_ask(struct req *r)
{
	(void)r;
	return E_OK;
}

enum err
shows_reply(struct req *r)
{
	(void)r;
	return E_OK;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *text = mem_strndup(c->mem, (const char *)data, n);
	struct param p[PATH_PARAMS] = { 0 };
	char *env[] = { mem_printf(c->mem, "HTTP_COOKIE=%s", text), NULL };
	struct req r = { .c = c, .env = env, .uri = text, .route = &things_routes[0] };
	struct cookies cookies;
	unsigned allowed;

	req_cookies(&r, "vitrine_access", &cookies);
	for (size_t i = 0; i < cookies.n; i++)
		if (strchr(cookies.v[i], ';'))
			abort();
	if (req_read_query(&r) == E_OK) {
		const struct wanted *in = r.query;

		if (in->limit < 1 || in->limit > 200 || (in->q && (!str_plain(in->q) || str_chars(in->q) > 200)) || (in->action && !str_in(in->action, "approve|deny")))
			abort();
	}
	if (*text == '/' && route_near(c->mem, GET, text) == &things_routes[0])
		abort();
	if (route_find(c->mem, GET, text, p, &allowed) == &things_routes[0] && (!slug_valid(p[0].value) || strspn(p[1].value, "0123456789") != strlen(p[1].value)))
		abort();
	ctx_end(c);
	return 0;
}
