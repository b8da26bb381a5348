/* SPDX-License-Identifier: Apache-2.0
 * The service about itself: health, first steps, limits, version, OpenAPI document. */
#include "core/service_api.h"

#include "base/conf.h"
#include "base/lease.h"
#include "base/str.h"
#include "core/bounds.h"
#include "core/mailpot.h"
#include "core/round.h"
#include "db/schema.h"
#include "http/req.h"
#include "http/share.h"
#include "store/temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifndef VITRINE_VERSION
#define VITRINE_VERSION "0"
#endif

static enum err
h_healthz(struct req *r)
{
	return reply_none(r);
}

#define READY_NOW(F, T) \
	F(T, TIME, runner_seen_at, \
		.doc = "When the runner was last seen, in Unix seconds; 0: never, " \
		       "or only published files were asked for") \
	F(T, INT,  lanes_late, \
		.doc = "Lanes of the runner seen in the last week, " \
		       "but not in the last ten minutes")
SHAPE(ready_now, READY_NOW);

#define READY_QUERY(F, T) \
	F(T, INT, active, .lo = 1, .hi = 1, \
		.doc = "1: whether this machine of a cluster answers requests; " \
		       "the reply waits until it has proved that it is in the cluster") \
	F(T, INT, serve, .lo = 1, .hi = 1, \
		.doc = "1: whether it sends published files, likewise")
SHAPE(ready_query, READY_QUERY);

/* Tests a write as a change does it: E_DISK_FULL if there is no room. */
static enum err
disk_try(struct ctx *c)
{
	static const char bytes[4096];
	struct temp *t;
	int root;

	TRY(store_root(c, c->mem, &root));
	TRY(temp_new(c, c->mem, root, &t));
	return temp_write(c, t, bytes, sizeof bytes);
}

/* Reads the beginning of a page as nginx would send it. Fails if the disk does, or if the pages are
 * hidden. Without a page there is nothing to read. */
static enum err
page_try(struct ctx *c)
{
	enum { TRIED = 50 };
	DIR *sites = opendir(mem_printf(c->mem, "%s/sites", c->conf->data_dir));
	char bytes[4096];
	struct dirent *one;
	bool bad = false;
	ssize_t n = -1;

	if (!sites)
		return fail(c, E_NOT_ACTIVE, "Its pages are hidden");
	for (int i = 0; n < 0 && !bad && i < TRIED && (one = readdir(sites)); i++) {
		const char *page =
		    mem_printf(c->mem, "%s/live/pub/_vitrine/entry.html", one->d_name);
		int fd = openat(dirfd(sites), page, O_RDONLY | O_CLOEXEC);

		n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
		bad = n < 0 && errno != ENOENT && errno != ENOTDIR;
		if (bad)
			fail_here(c, "%s", page);
		if (fd >= 0)
			close(fd);
	}
	closedir(sites);
	errno = 0;
	return bad ? c->err : E_OK;
}

/* E_NOT_ACTIVE unless this machine of a cluster is active or, for serves, shows pages. */
static enum err
role_check(struct ctx *c, bool serves)
{
	enum lease_role role = lease_role();

	return role == LEASE_ACTIVE || (serves && role == LEASE_WARM)
	    ? E_OK
	    : fail(c, E_NOT_ACTIVE, "%s", err_table[E_NOT_ACTIVE].text);
}

/* Succeeds when the worker can do its work: the database answers and has this program's schema, and
 * the disk has room. A machine of a cluster must also have its role, and prove that it is still in
 * the cluster. One that only serves pages isn't asked for more than this. */
static enum err
h_readyz(struct req *r)
{
	const struct ready_query *asked = r->query;
	struct ready_now out = { 0 };
	bool serves = !asked->active;

	if ((asked->active || asked->serve) && lease_role() != LEASE_ALONE) {
		lease_set_asked();
		/* The machine may sleep at any line, so its role is checked again at the end. */
		TRY(role_check(r->c, serves));
		TRY(share_beat(r));
		TRY(page_try(r->c));
		TRY(role_check(r->c, serves));
		if (serves)
			return reply_flat(r, &out);
	}
	TRY(schema_check(r->c));
	TRY(disk_try(r->c));
	TRY(heartbeat_seen(r->c, "runner", &out.runner_seen_at));
	TRY(heartbeats_late(r->c, "runner.", &out.lanes_late));
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
		conf->trash_days, conf->storage_per_user, conf->max_blob_bytes,
		conf->max_blob_storage_bytes, conf->max_blobs, conf->max_asset_bytes,
		conf->max_library_bytes, conf->max_library_files, conf->max_connections,
		CATALOG_ENTRIES, CATALOG_FILE_BYTES, TICKETS_GOING_ON, TICKET_MESSAGES,
		TICKET_BYTES, USER_DAILY, ARTIFACT_DAILY, STRANGER_DAILY, { 0 } };
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
SHAPE(version_now, VERSION_NOW);

static enum err
h_version(struct req *r)
{
	struct version_now out = {
		.version = VITRINE_VERSION, .api = "v1", .schema = SCHEMA_VERSION
	};

	return reply_flat(r, &out);
}

/* Source: RFC 9116. */
static enum err
h_security(struct req *r)
{
	enum { VALID_S = 180 * 86400 };
	const struct conf *conf = r->c->conf;

	if (!conf_has(conf->security_contact))
		return fail(r->c, E_NOT_FOUND, "This service names nobody to report weaknesses to");
	r->status = 200;
	reply_header(r, "Content-Type", "text/plain; charset=utf-8");
	buf_fmt(&r->out,
	    "Contact: %s%s\nExpires: %s\nPreferred-Languages: en\n"
	    "Canonical: %s/.well-known/security.txt\n",
	    strchr(conf->security_contact, '/') ? "" : "mailto:", conf->security_contact,
	    str_rfc3339(r->c->mem, r->c->now + VALID_S), conf->base_url);
	return E_OK;
}

static enum err
h_openapi(struct req *r)
{
	r->status = 200;
	buf_str(&r->out, openapi_text());
	return E_OK;
}

/* ---- the first request of a program ---- */

#define DOCUMENTS_NOW(F, T) \
	F(T, URL, openapi, .doc = "Exact description of this API") \
	F(T, URL, docs,    .doc = "Guides and reference") \
	F(T, URL, llms,    .doc = "Summary for language models") \
	F(T, URL, skill,   .doc = "How an AI agent works with this service (agentskills.io)")
SHAPE(documents_now, DOCUMENTS_NOW);

#define SIGN_IN_NOW(F, T) \
	F(T, STR, header,       .doc = "Send it with each request") \
	F(T, URL, device_start, \
		.doc = "POST here to start a device login, which a person approves in a browser") \
	F(T, URL, device_token, \
		.doc = "POST here every interval seconds until it returns the token") \
	F(T, URL, account,      .doc = "Where a person can create a token by hand")
SHAPE(sign_in_now, SIGN_IN_NOW);

#define LINKS_NOW(F, T) \
	F(T, URL, publish) \
	F(T, URL, artifacts) \
	F(T, URL, me) \
	F(T, URL, limits) \
	F(T, URL, mcp, .doc = "Where AI agents connect, by the Model Context Protocol")
SHAPE(links_now, LINKS_NOW);

#define SERVICE_NOW(F, T) \
	F(T, STR, name) \
	F(T, STR, version, .doc = "Of the program") \
	F(T, STR, api) \
	F(T, STR, about) \
	F(T, STR, sites,     .doc = "Where an artifact is served, by its slug") \
	F(T, OBJ, documents, .sub = &documents_now_shape) \
	F(T, OBJ, sign_in,   .sub = &sign_in_now_shape) \
	F(T, OBJ, links,     .sub = &links_now_shape)
SHAPE(service_now, SERVICE_NOW);

static enum err
h_service(struct req *r)
{
	void *mem = r->c->mem;
	const char *base = r->c->conf->base_url;
	struct documents_now documents = { mem_printf(mem, "%s/v1/openapi.json", base),
		mem_printf(mem, "%s/docs", base), mem_printf(mem, "%s/llms.txt", base),
		mem_printf(mem, "%s/skills/vitrine/SKILL.md", base), { 0 } };
	struct sign_in_now sign_in = { "Authorization: Bearer <token>",
		mem_printf(mem, "%s/v1/auth/device/start", base),
		mem_printf(mem, "%s/v1/auth/device/token", base),
		mem_printf(mem, "%s/auth/account", base), { 0 } };
	struct links_now links = { mem_printf(mem, "%s/v1/publish", base),
		mem_printf(mem, "%s/v1/artifacts", base), mem_printf(mem, "%s/v1/auth/me", base),
		mem_printf(mem, "%s/v1/limits", base), mem_printf(mem, "%s/mcp", base), { 0 } };

	return reply_flat(r,
	    &(struct service_now){ .name = "Vitrine", .version = VITRINE_VERSION, .api = "v1",
		.about = "Publish a folder, get an address: "
			 "artifacts with versions, visibility and collaborators",
		.sites = mem_printf(mem, "%s/", conf_site_origin(mem, r->c->conf, "<slug>")),
		.documents = &documents, .sign_in = &sign_in, .links = &links });
}

static const struct route service_routes[] = {
/*  method path                who     body           reply                        handler */
  { GET, "/healthz",         PUBLIC, TAKES_NOTHING, GIVES_NOTHING,               h_healthz,
    .scope = ANY_SCOPE, .probe = true, .doc = "Check that the service answers" },
  { GET, "/readyz",          PUBLIC, TAKES_NOTHING, GIVES_FLAT(ready_now),       h_readyz,
    .query = &ready_query_shape, .scope = ANY_SCOPE, .probe = true,
    .doc = "Check that the service is ready for requests" },
  { GET, "/v1",              PUBLIC, TAKES_NOTHING, GIVES_FLAT(service_now),     h_service,
    .scope = ANY_SCOPE, .doc = "Get what this service is, how to sign in, and where to read more" },
  { GET, "/v1/limits",       PUBLIC, TAKES_NOTHING, GIVES("limits", limits_now), h_limits,
    .scope = ANY_SCOPE, .doc = "Get the limits in force" },
  { GET, "/v1/version",      PUBLIC, TAKES_NOTHING, GIVES_FLAT(version_now),     h_version,
    .scope = ANY_SCOPE, .doc = "Get the version that is running" },
  { GET, "/v1/openapi.json", PUBLIC, TAKES_NOTHING, GIVES_JSON,                  h_openapi,
    .scope = ANY_SCOPE, .doc = "Get this API as OpenAPI 3.1" },
  { GET, "/.well-known/security.txt", PUBLIC, TAKES_NOTHING, GIVES_TYPED("text/plain"), h_security,
    .scope = ANY_SCOPE, .doc = "Read where to report weaknesses of this installation (RFC 9116)" },
};
ROUTES(service, "Service",
    "Information about the service: limits, version, documents, health.");
