/* SPDX-License-Identifier: Apache-2.0
 * What the service says about itself: health, limits, version, OpenAPI document. */
#include "api/service.h"
#include "api/tables.h"
#include "base/conf.h"
#include "db/schema.h"
#include "domain/round.h"

#ifndef VITRINE_VERSION
#define VITRINE_VERSION "0"
#endif

static enum err
h_healthz(struct req *r)
{
	return reply_none(r);
}

#define READY_NOW(F, T) F(T, TIME, runner_seen_at, .doc = "When the runner was last there, in Unix seconds; 0: never")
SHAPE_DECLARE(ready_now, READY_NOW);
SHAPE_DEFINE(ready_now, READY_NOW);

/* Succeeds when the worker can do useful work: the database answers and has this program's
 * schema. */
static enum err
h_readyz(struct req *r)
{
	struct ready_now out = { 0 };

	TRY(schema_check(r->c));
	TRY(heartbeat_seen(r->c, "runner", &out.runner_seen_at));
	return reply_flat(r, &out);
}

SHAPE_DEFINE(limits_now, LIMITS_NOW);

struct limits_now *
limits_now(struct ctx *c)
{
	const struct conf *conf = c->conf;
	struct limits_now *out = mem_new(c->mem, struct limits_now);

	*out = (struct limits_now){ conf->publish_per_hour, conf->max_files, conf->max_file_bytes,
		conf->max_version_bytes, conf->max_json_bytes, conf->max_archive_bytes,
		conf->trash_days, { 0 } };
	return out;
}

static enum err
h_limits(struct req *r)
{
	return reply_noun(r, limits_now(r->c));
}

#define VERSION_NOW(F, T) \
	F(T, STR, version, .doc = "Of the program") \
	F(T, STR, api) \
	F(T, INT, schema)
SHAPE_DECLARE(version_now, VERSION_NOW);
SHAPE_DEFINE(version_now, VERSION_NOW);

static enum err
h_version(struct req *r)
{
	struct version_now out = {
		.version = VITRINE_VERSION, .api = "v1", .schema = SCHEMA_VERSION
	};

	return reply_flat(r, &out);
}

static enum err
h_openapi(struct req *r)
{
	r->status = 200;
	buf_str(&r->out, openapi_text(r->c->mem));
	return E_OK;
}

static const struct route service_routes[] = {
/*  method path                who     body           reply                        handler */
  { GET, "/healthz",         PUBLIC, TAKES_NOTHING, GIVES_NOTHING,               h_healthz,
    .scope = ANY_SCOPE, .doc = "The pool answers" },
  { GET, "/readyz",          PUBLIC, TAKES_NOTHING, GIVES_FLAT(ready_now),       h_readyz,
    .scope = ANY_SCOPE, .doc = "The pool can do its work" },
  { GET, "/v1/limits",       PUBLIC, TAKES_NOTHING, GIVES("limits", limits_now), h_limits,
    .scope = ANY_SCOPE, .doc = "The limits in force" },
  { GET, "/v1/version",      PUBLIC, TAKES_NOTHING, GIVES_FLAT(version_now),     h_version,
    .scope = ANY_SCOPE, .doc = "What is running here" },
  { GET, "/v1/openapi.json", PUBLIC, TAKES_NOTHING, GIVES_JSON,                  h_openapi,
    .scope = ANY_SCOPE, .doc = "This interface as OpenAPI 3.1" },
};
const struct route_list service_routes_list = ROUTES("Service", service_routes);
