/* SPDX-License-Identifier: Apache-2.0
 * One hop of a request that leaves: what egress.c and egress_many.c share, and nobody else sees. */
#ifndef VITRINE_EGRESS_HOP_H
#define VITRINE_EGRESS_HOP_H
#include "base/buf.h"
#include "ext/egress.h"

#include <curl/curl.h>

enum { EGRESS_HEAD_BYTES = 64 << 10, EGRESS_CONNECT_S = 5 };

/* What has come of an answer. */
struct egress_sink {
	const struct conf *conf;
	struct buf body, head; /* head: of the last hop, when keep_head is set */
	bool keep_head;
	size_t max, body_n, head_n; /* body_n: with what was given away already */
	bool head_done, encoded;
	bool refused; /* the last address was not asked */
	bool asked;   /* some address of the hop was */
};

/* Sets the options that hold for every redirect hop; who sends it sets the URL of each. */
void egress_prepare(
    struct ctx *c, CURL *curl, const struct egress_req *req, struct egress_sink *sink);
bool egress_not_redirected(const struct egress_req *);
/* Each hop is judged as the first. What was asked for by https must not go on in the clear. Why it
 * must not be asked, or NULL. */
const char *egress_hop_wrong(
    struct ctx *c, const struct egress_req *req, const char *from, const char *url);
void egress_hop_begin(struct egress_sink *);
/* What a hop has answered: *next is where to go on, or NULL when this is the answer, as a redirect
 * is of a request that has none to follow. */
void egress_hop_answer(struct ctx *c, const struct egress_req *req, CURL *curl,
    struct egress_sink *sink, struct egress_res *res, char **next);
#endif
