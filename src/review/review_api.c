/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/artifacts/{art}/reviews. Source: review/README.md. */
#include "http/req.h"
#include "review/review.h"

static enum err
h_review_list(struct req *r)
{
	return reply_list_of(r, struct review_list, review_list, r->art, r->who, r->query);
}

static enum err
review_reply(struct req *r, const char *id)
{
	struct review *out;

	TRY(review_get(r->c, r->art, r->who, id, &out));
	return reply_noun(r, out);
}

static enum err
h_review_get(struct req *r)
{
	return review_reply(r, req_param(r, "rvw"));
}

static enum err
h_review_ask(struct req *r)
{
	const char *id;

	TRY(review_ask_people(r->c, r->art, r->who, r->in, &id));
	reply_header(r, "Location", "/v1/artifacts/%s/reviews/%s", r->art->id, id);
	return review_reply(r, id);
}

static enum err
h_review_answer(struct req *r)
{
	TRY(review_answer_it(r->c, r->art, r->who, req_param(r, "rvw"), r->in));
	return review_reply(r, req_param(r, "rvw"));
}

static enum err
h_review_close(struct req *r)
{
	TRY(review_close(r->c, r->art, r->who, req_param(r, "rvw")));
	return review_reply(r, req_param(r, "rvw"));
}

static const struct route review_routes[] = {
/*  method path                                         who
    body                  reply                          handler */
  { GET,  "/v1/artifacts/{art}/reviews",              ART_GIVEN,
    TAKES_NOTHING,        GIVES_LIST("reviews", review), h_review_list,
    .scope = ARTIFACTS_READ, .query = &page_query_shape,
    .doc = "List the reviews, newest first; without a role, only those that ask you" },
  { POST, "/v1/artifacts/{art}/reviews",              ART_EDIT,
    TAKES(review_new),    GIVES("review", review),       h_review_ask,
    .scope = ARTIFACTS_PUBLISH, .success = 201, .no_agents = true,
    .doc = "Ask people and clients to approve a version",
    .did = "Asked for a review of" },
  { GET,  "/v1/artifacts/{art}/reviews/{rvw}",        ART_GIVEN,
    TAKES_NOTHING,        GIVES("review", review),       h_review_get,
    .scope = ARTIFACTS_READ, .doc = "Get one review: who has answered what, and does it apply" },
  { POST, "/v1/artifacts/{art}/reviews/{rvw}/answer", ART_ANSWER,
    TAKES(review_answer), GIVES("review", review),       h_review_answer,
    .whole = true, .no_agents = true,
    .doc = "Approve the version, or send it back; also decides a pending approval of it" },
  { POST, "/v1/artifacts/{art}/reviews/{rvw}/close",  ART_LEAVE,
    TAKES_NOTHING,        GIVES("review", review),       h_review_close,
    .no_agents = true, .doc = "Close an open review; for who asked, and the owner" },
};
ROUTES(review, "Reviews",
    "Named people and clients approve exactly the bytes of a version, or send it back. A review "
    "ends when all have answered, at its time, when it is closed, or when a version with other "
    "bytes is published.");
