/* SPDX-License-Identifier: Apache-2.0
 * Routes that compare two versions. */
#include "base/str.h"
#include "core/artifact.h"
#include "http/quota.h"
#include "http/req.h"
#include "site/compare.h"
#include "site/comparepic.h"

static enum err
h_compare(struct req *r)
{
	struct compared *diff;

	TRY(compare_files(r->c, r->art, r->query, &diff));
	if (diff->next_cursor)
		reply_header(r, "Link", "<%s>; rel=\"next\"",
		    req_next(r, diff->next_cursor, "cursor"));
	return reply_flat(r, diff);
}

static enum err
h_compare_text(struct req *r)
{
	struct compared_text *diff;

	TRY(compare_text(r->c, r->art, r->query, &diff));
	return reply_noun(r, diff);
}

/* ---- pictures ---- */

static enum err
h_pictures(struct req *r)
{
	const struct compare_versions *q = r->query;
	struct version *from, *to;
	struct pictured *p;

	TRY(versions_pick(r->c, r->art, q->from, q->to, &from, &to));
	TRY(pictured_get(r->c, r->art, from->version_no, to->version_no, &p));
	return reply_noun(r, p);
}

static enum err
h_pictures_want(struct req *r)
{
	const struct compare_versions *in = r->in;
	struct pictured *p;

	TRY(pictured_ask(r->c, r->art, in->from, in->to, &p));
	return reply_noun(r, p);
}

#define PICTURED_QUERY(F, T) \
	COMPARE_VERSIONS(F, T) \
	F(T, WORD, side, .arg = "from|to", .def = "to") \
	F(T, STR,  path, .flags = F_REQ, .hi = 1024, .eg = "index.html")
SHAPE(pictured_query, PICTURED_QUERY);

static enum err
h_pictured(struct req *r)
{
	const struct pictured_query *q = r->query;
	bool of_from = str_eq(q->side, "from");
	struct version *from, *to;
	const char *sha256;

	TRY(versions_pick(r->c, r->art, q->from, q->to, &from, &to));
	TRY(pictured_find(
	    r->c, r->art, from->version_no, to->version_no, q->path, of_from, &sha256));
	TRY(reply_object(r, sha256, "image/png",
	    mem_printf(r->c->mem, "%s-v%lld.png", r->art->slug,
		(long long)(of_from ? from : to)->version_no),
	    true));
	reply_header(r, "Cache-Control", "private, no-store");
	return E_OK;
}

LIMIT(LIM_PICTURED, "compare_pictures", OF_ARTIFACT, ALL, seen_per_minute,
    "pictures of its versions", 60);

static const struct route compare_routes[] = {
/*  method path                                   who
    body           reply                              handler */
  { GET, "/v1/artifacts/{art}/compare",           ART_READ,
    TAKES_NOTHING, GIVES_FLAT(compared),              h_compare,
    .scope = ARTIFACTS_READ, .query = &compare_query_shape,
    .doc = "List the files that differ between two versions" },
  { GET, "/v1/artifacts/{art}/compare/text",      ART_READ,
    TAKES_NOTHING, GIVES("text", compared_text),      h_compare_text,
    .slow = true, .scope = ARTIFACTS_READ,
    .query = &compare_text_query_shape,
    .doc = "Compare the lines of one text in two versions" },
  { GET, "/v1/artifacts/{art}/compare/pictures",  ART_READ,
    TAKES_NOTHING, GIVES("pictures", pictured),       h_pictures,
    .scope = ARTIFACTS_READ, .query = &compare_versions_shape,
    .doc = "Get pictures of the pages of two versions, with what differs in them" },
  { POST, "/v1/artifacts/{art}/compare/pictures", ART_EDIT,
    TAKES(compare_versions), GIVES("pictures", pictured), h_pictures_want,
    .scope = ARTIFACTS_PUBLISH, .limit = LIM_PICTURED, .success = 202,
    .doc = "Have pictures made of the pages of two versions" },
  { GET, "/v1/artifacts/{art}/compare/picture",   ART_READ,
    TAKES_NOTHING, GIVES_BYTES,                       h_pictured,
    .scope = ARTIFACTS_READ, .query = &pictured_query_shape,
    .doc = "Get one of these pictures" },
};
ROUTES(compare, "Differences between versions",
    "Which files differ between two versions of an artifact, and which lines of a text.");
