/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "http/await.h"
#include "http/quota.h"
#include "http/req.h"
#include "site/seen.h"
#include "site/version.h"

static enum err
h_problems(struct req *r)
{
	struct page_problems *p;

	TRY(seen_problems(r->c, r->art, &p));
	return reply_noun(r, p);
}

#define SEEN_QUERY(F, T) \
	F(T, INT, wait, .lo = 0, .hi = SEEN_WAIT_S, \
		.doc = "Seconds to wait if a browser is about to open it")
SHAPE(seen_query, SEEN_QUERY);

static enum err
version_named(struct req *r, int64_t *no)
{
	struct version *v;

	*no = req_param_no(r, "no");
	return version_get(r->c, r->art, *no, &v);
}

static enum err
h_seen(struct req *r)
{
	const struct seen_query *q = r->query;
	struct awaited a;
	struct seen *s;
	int64_t no;

	TRY(version_named(r, &no));
	await_begin(r, seen_subject(r->c->mem, r->art->id, no), &a);
	TRY(seen_get(r->c, r->art, no, &s));
	if (str_eq(s->status, "waiting") && q->wait) {
		if (!a.back)
			TRY(seen_await(r->c, r->art, no));
		TRY(await(r, &a, q->wait, NULL));
	}
	return reply_noun(r, s);
}

static enum err
h_seen_again(struct req *r)
{
	struct seen *s;
	int64_t no;

	TRY(version_named(r, &no));
	TRY(seen_again(r->c, r->art, no, &s));
	return reply_noun(r, s);
}

#define PICTURE_QUERY(F, T) \
	F(T, INT, width, .lo = PHONE_WIDTH, .hi = SEEN_WIDTH, \
		.doc = "1280, or 390: as on a phone. Default: 1280")
SHAPE(picture_query, PICTURE_QUERY);

static enum err
h_picture(struct req *r)
{
	const struct picture_query *q = r->query;
	int64_t no, width = q->width ? q->width : SEEN_WIDTH;
	const char *sha256;

	TRY(version_named(r, &no));
	if (width != SEEN_WIDTH && width != PHONE_WIDTH)
		return fail(r->c, E_INVALID, "width: must be 1280 or 390");
	TRY(seen_picture(r->c, r->art, no, width, &sha256));
	TRY(reply_object(r, sha256, "image/png",
	    mem_printf(r->c->mem, "%s-v%lld.png", r->art->slug, (long long)no), true));
	reply_header(r, "Cache-Control", "private, no-store");
	return E_OK;
}

static LIMIT(LIM_SEEN, "seen", OF_ARTIFACT, ALL, seen_per_minute, "looks at its versions", 60);

static const struct route seen_routes[] = {
/*  method path                                          who
    body           reply                         handler */
  { GET,  "/v1/artifacts/{art}/problems",                ART_EDIT,
    TAKES_NOTHING, GIVES("problems", page_problems), h_problems,
    .scope = ARTIFACTS_READ,
    .doc = "Get what went wrong when the live version was opened in a browser" },
  { GET,  "/v1/artifacts/{art}/versions/{no}/seen",      ART_EDIT,
    TAKES_NOTHING, GIVES("seen", seen),              h_seen,
    .scope = ARTIFACTS_READ, .query = &seen_query_shape,
    .doc = "Get what a browser saw of a version" },
  { POST, "/v1/artifacts/{art}/versions/{no}/seen",      ART_EDIT,
    TAKES_NOTHING, GIVES("seen", seen),              h_seen_again,
    .scope = ARTIFACTS_READ, .limit = LIM_SEEN, .success = 202,
    .doc = "Have a version opened in a browser, also a draft, and again" },
  { GET,  "/v1/artifacts/{art}/versions/{no}/picture",   ART_EDIT,
    TAKES_NOTHING, GIVES_BYTES,                      h_picture,
    .scope = ARTIFACTS_READ, .query = &picture_query_shape,
    .doc = "Get the picture of a version that a browser opened" },
};
ROUTES(seen, "What a browser saw",
    "A browser of the service's opens each version that goes live, and others on request: what it "
    "looks like, what breaks, what is missing, how it fits a phone.");
