/* SPDX-License-Identifier: Apache-2.0
 * Routes that compare two versions. */
#include "core/artifact.h"
#include "http/req.h"
#include "site/compare.h"

static enum err
h_compare(struct req *r)
{
	struct compared *told;

	TRY(compare_files(r->c, r->art, r->query, &told));
	if (told->next_cursor)
		reply_header(r, "Link", "<%s>; rel=\"next\"",
		    req_next(r, told->next_cursor, "cursor"));
	return reply_flat(r, told);
}

static enum err
h_compare_text(struct req *r)
{
	struct compared_text *told;

	TRY(compare_text(r->c, r->art, r->query, &told));
	return reply_noun(r, told);
}

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
};
ROUTES(compare, "Differences between versions",
    "Which files differ between two versions of an artifact, and which lines of a text.");
