/* SPDX-License-Identifier: Apache-2.0
 * Domains of an artifact. */
#include "domains/domain.h"
#include "http/req.h"

static enum err
h_domain_list(struct req *r)
{
	return reply_list_of(r, struct domain_list, domain_list, r->art, r->query);
}

static enum err
domain_reply(struct req *r, const char *id)
{
	struct domain *d;

	TRY(domain_get(r->c, r->art, id, &d));
	return reply_noun(r, d);
}

static enum err
h_domain_add(struct req *r)
{
	const char *id;

	TRY(domain_add(r->c, r->art, r->who, r->in, &id));
	return domain_reply(r, id);
}

static enum err
h_domain_get(struct req *r)
{
	return domain_reply(r, req_param(r, "dom"));
}

static enum err
h_domain_change(struct req *r)
{
	TRY(domain_change(r->c, r->art, r->who, req_param(r, "dom"), r->in));
	return domain_reply(r, req_param(r, "dom"));
}

static enum err
h_domain_remove(struct req *r)
{
	TRY(domain_remove(r->c, r->art, r->who, req_param(r, "dom")));
	return reply_none(r);
}

static enum err
h_domain_check(struct req *r)
{
	int64_t wait_s = 0;
	enum err e = domain_check(r->c, r->art, r->who, req_param(r, "dom"), &wait_s);

	if (e == E_RATE_LIMITED)
		r->retry_after_s = wait_s;
	return e ? e : domain_reply(r, req_param(r, "dom"));
}

/* The runner asks this at a host, to see whether the host leads here. */
static enum err
h_domain_answer(struct req *r)
{
	const char *answer;

	TRY(domain_answer(r->c, req_param(r, "dom"), &answer));
	if (!answer)
		return fail(r->c, E_NOT_FOUND, "No domain waits for this");
	r->status = 200;
	reply_header(r, "Content-Type", "text/plain; charset=utf-8");
	buf_str(&r->out, answer);
	return E_OK;
}

#define DOMAINS "/v1/artifacts/{art}/domains"
static const struct route domain_routes[] = {
/*  method  path                     who
    body                reply                          handler */
  { GET,    DOMAINS,                 ART_CHANGE,
    TAKES_NOTHING,      GIVES_LIST("domains", domain), h_domain_list,
    .query = &page_query_shape, .scope = ARTIFACTS_READ,
    .doc = "List the domains at which an artifact is served, or is to be, newest first" },
  { POST,   DOMAINS,                 ART_ALLOW,
    TAKES(domain_new),  GIVES("domain", domain),       h_domain_add,
    .success = 201, .whole = true, .no_agents = true,
    .doc = "Add a domain of one's own; its records prove it, which is looked at after 1, 2, 5 "
	   "and 15 minutes, then hourly for 14 days; people only" },
  { GET,    DOMAINS "/{dom}",        ART_CHANGE,
    TAKES_NOTHING,      GIVES("domain", domain),       h_domain_get,
    .scope = ARTIFACTS_READ, .doc = "Get a domain with the records that its DNS must have" },
  { PATCH,  DOMAINS "/{dom}",        ART_ALLOW,
    TAKES(domain_edit), GIVES("domain", domain),       h_domain_change,
    .whole = true, .no_agents = true,
    .doc = "Choose whether the artifact's plain address redirects to it; people only" },
  { DELETE, DOMAINS "/{dom}",        ART_ALLOW,
    TAKES_NOTHING,      GIVES_NOTHING,                 h_domain_remove,
    .whole = true, .no_agents = true,
    .doc = "Remove a domain; it is no longer served; people only" },
  { POST,   DOMAINS "/{dom}/check",  ART_ALLOW,
    TAKES_NOTHING,      GIVES("domain", domain),       h_domain_check,
    .whole = true, .no_agents = true,
    .doc = "Have a domain's records looked at now, at most once a minute; people only" },
  { GET, "/.well-known/acme-challenge/{dom}", PUBLIC,
    TAKES_NOTHING,      GIVES_TYPED("text/plain"),     h_domain_answer,
    .scope = ANY_SCOPE,
    .doc = "Read what this service answers at a domain, which shows that the domain leads here" },
};
ROUTES(domain, "Domains",
    "Domains of one's own, such as www.example.org, at which an artifact is served.");
