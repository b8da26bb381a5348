/* SPDX-License-Identifier: Apache-2.0
 * Routes of the proxy and of its list of hosts. Source: talk/README.md. */
#include "talk/proxy.h"

#include "http/quota.h"
#include "http/req.h"
#include "http/share.h"

static enum err
h_proxy_get(struct req *r)
{
	struct proxy *now;

	TRY(proxy_get(r->c, r->art, &now));
	return reply_noun(r, now);
}

static enum err
h_proxy_set(struct req *r)
{
	TRY(proxy_set(r->c, r->art, r->in));
	return h_proxy_get(r);
}

#define FETCH_QUERY(F, T) \
	F(T, STR, url, .flags = F_REQ, .lo = 1, .hi = 2048, \
		.eg = "\"https://api.example.org/prices.json\"")
SHAPE(fetch_query, FETCH_QUERY);

static enum err
h_fetch(struct req *r)
{
	const struct fetch_query *q = r->query;
	struct proxied *got;

	TRY(share_outside(r));
	TRY(proxy_fetch(r->c, r->art, q->url, &got));
	r->status = got->status;
	r->passed_on = true;
	r->out = BUF(r->c->mem);
	buf_add(&r->out, got->body, got->body_n);
	reply_header(r, "Content-Type", "%s", got->type);
	reply_header(r, "Content-Disposition", "%s", got->in_line ? "inline" : "attachment");
	reply_header(r, "Content-Security-Policy", "sandbox; default-src 'none'");
	reply_header(r, "X-Vitrine-Proxied", "1");
	return E_OK;
}

static LIMIT(LIM_PROXY, "proxy", OF_ARTIFACT, ALL, proxied_per_minute,
    "requests through an artifact's proxy", 60);

static const struct route proxy_routes[] = {
/* method path                         who        body           reply                  handler */
  { GET, "/v1/artifacts/{art}/proxy", ART_VIEW,  TAKES_NOTHING, GIVES("proxy", proxy), h_proxy_get,
    .scope = ARTIFACTS_READ,
    .doc = "Get which hosts the artifact's pages can fetch from through the service" },
  { PUT, "/v1/artifacts/{art}/proxy", ART_OWN,   TAKES(proxy),  GIVES("proxy", proxy), h_proxy_set,
    .scope = ARTIFACTS_PUBLISH, .no_agents = true,
    .doc = "Set which hosts the artifact's pages can fetch from through the service" },
  { GET, "/v1/proxy/{art}",           ART_VISIT, TAKES_NOTHING, GIVES_BYTES,           h_fetch,
    .scope = DATA_READ, .limit = LIM_PROXY, .query = &fetch_query_shape, .slow = true,
    .content = true,
    .doc = "Fetch an address on a listed host; the reply has its status, type and body" },
};
ROUTES(proxy, "Proxy",
    "Lets a page fetch from other origins through the service, from hosts that its owner lists. "
    "Visitors use the page's own host; the API is for people with a role on the artifact.");
