/* SPDX-License-Identifier: Apache-2.0
 * A hop of an outgoing request. Used by egress.c and egress_many.c only. */
#ifndef VITRINE_EGRESS_HOP_H
#define VITRINE_EGRESS_HOP_H
#include "base/buf.h"
#include "ext/egress.h"

#include <curl/curl.h>

enum { EGRESS_HEAD_BYTES = 64 << 10, EGRESS_CONNECT_S = 5 };

/* The received part of an answer. */
struct egress_sink {
	const struct conf *conf;
	struct buf body, head; /* head: of the last hop, if keep_head is set */
	bool keep_head;
	size_t max, body_n, head_n; /* body_n counts bytes already returned, too */
	bool head_done, encoded;
	bool refused; /* the last address was refused */
	bool asked;   /* at least one address of the hop was allowed */
};

/* Sets the options that are the same for all hops. The caller sets the URL of each. */
void egress_prepare(
    struct ctx *c, CURL *curl, const struct egress_req *req, struct egress_sink *sink);
bool egress_not_redirected(const struct egress_req *);
/* Returns why a hop must not be requested, or NULL. from is the previous hop's URL or NULL: a
 * redirect from https to http is refused. */
const char *egress_hop_wrong(
    struct ctx *c, const struct egress_req *req, const char *from, const char *url);
void egress_hop_begin(struct egress_sink *);
/* Reads a hop's answer. *next is where to go on; NULL if this is the final answer, such as a
 * redirect for a request that follows none. */
void egress_hop_answer(struct ctx *c, const struct egress_req *req, CURL *curl,
    struct egress_sink *sink, struct egress_res *res, char **next);
#endif
