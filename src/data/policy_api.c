/* SPDX-License-Identifier: Apache-2.0
 * Routes of an artifact's access_policy. Source: data/README.md. */
#include "core/artifact.h"
#include "data/policy.h"
#include "http/quota.h"
#include "http/req.h"

#define POLICY_PATH "/v1/data/{art}/policy"

static enum err
policy_reply(struct req *r, const struct artifact *a)
{
	struct policy_told *told;

	TRY(policy_get(r->c, a, &told));
	return reply_flat(r, told);
}

static enum err
h_policy(struct req *r)
{
	return policy_reply(r, r->art);
}

static enum err
h_policy_put(struct req *r)
{
	struct artifact now = *r->art;
	struct buf b = BUF(r->c->mem);
	struct policy_told *told;
	struct strs odd = { 0 };

	/* The ETag of GET also covers the sentences, which change with the tables. */
	if (req_header(r, "HTTP_IF_MATCH")) {
		TRY(policy_get(r->c, r->art, &told));
		buf_str(&b, "{\"success\":true,");
		shape_write_fields(&b, &policy_told_shape, told);
		buf_chr(&b, '}');
		TRY(req_if_match_body(r, buf_done(&b)));
	}
	TRY(policy_put(r->c, r->art, r->who, r->in, &odd));
	for (size_t i = 0; i < odd.n; i++)
		warn(r->c, "%s", odd.v[i]);
	now.has.access_policy = ABSENT;
	return policy_reply(r, &now);
}

static enum err
h_policy_versions(struct req *r)
{
	return reply_list_of(r, struct policy_version_list, policy_versions, r->art, r->query);
}

static enum err
h_policy_try(struct req *r)
{
	struct policy_tried *out = mem_new(r->c->mem, struct policy_tried);

	TRY(policy_try(r->c, r->art, r->who, r->in, out));
	return reply_flat(r, out);
}

static const struct route policy_routes[] = {
/* method  path                    who body               reply
 * handler */
  { GET,  POLICY_PATH,             DATA_EDIT,
    TAKES_NOTHING,     GIVES_FLAT(policy_told),                h_policy,
    .scope = DATA_READ, .limit = LIM_DATA,
    .doc = "Get the access_policy, its text, and its rules in sentences" },
  { PUT,  POLICY_PATH,             ART_EDIT,
    TAKES(policy_new), GIVES_FLAT(policy_told),                h_policy_put,
    .slow = true, .scope = DATA_WRITE, .limit = LIM_DATA, .max_body = BODY_ROWS,
    .doc = "Replace the access_policy, at once. If-Match takes the ETag of GET",
    .did = "Changed who can see and change the data of" },
  { GET,  POLICY_PATH "/versions", DATA_EDIT,
    TAKES_NOTHING,     GIVES_LIST("versions", policy_version), h_policy_versions,
    .scope = DATA_READ, .limit = LIM_DATA, .query = &page_query_shape,
    .doc = "List the last 50 versions of the access_policy, newest first" },
  { POST, POLICY_PATH "/try",      DATA_EDIT,
    TAKES(policy_try), GIVES_FLAT(policy_tried),               h_policy_try,
    .slow = true, .scope = DATA_READ, .limit = LIM_DATA, .max_body = BODY_ROWS,
    .doc = "See what somebody else could read and change, under this policy or a draft. "
	   "Shows only rows that you may read" },
};
ROUTES(policy, "Policy",
    "The access_policy says who can see and change which rows of an artifact's data: read it, "
    "change it, and try it as somebody else.");
