/* SPDX-License-Identifier: Apache-2.0 */
#include "agents/card.h"

#include "agents/rpc.h"
#include "agents/skill.h"
#include "base/str.h"

const char *
card_host(void *owner, const struct conf *conf)
{
	const char *host = strstr(conf->base_url, "://") + strlen("://");

	return mem_strndup(owner, host, strcspn(host, ":/"));
}

/* Writes our name with the host reversed, "org.example.vitrine/vitrine" for "vitrine.example.org".
 * Registries reserve such names for the owner of the domain. */
static void
name_write(struct buf *b, const struct conf *conf)
{
	const char *host = card_host(b->owner, conf), *end = host + strlen(host);

	buf_chr(b, '"');
	while (end > host) {
		const char *label = end;

		while (label > host && label[-1] != '.')
			label--;
		buf_fmt(b, "%.*s%c", (int)(end - label), label, label > host ? '.' : '/');
		end = label > host ? label - 1 : host;
	}
	buf_str(b, CARD_SERVER "\"");
}

void
card_facts(struct buf *b, const struct conf *conf)
{
	const char *base = conf->base_url;

	buf_fmt(b,
	    "\"title\":\"" CARD_TITLE "\",\"version\":\"" VITRINE_VERSION "\","
	    "\"websiteUrl\":\"%s" CARD_GUIDE_PATH "\",\"description\":\"" CARD_ABOUT "\","
	    "\"icons\":[{\"src\":\"%s/assets/mark.png\",\"mimeType\":\"image/png\","
	    "\"sizes\":[\"256x256\"]},{\"src\":\"%s/assets/mark.svg\","
	    "\"mimeType\":\"image/svg+xml\",\"sizes\":[\"any\"]}]",
	    base, base, base);
}

/* versions: list the protocol's versions, which a registry doesn't accept. */
static void
server_write(struct buf *b, const struct conf *conf, const char *schema, bool versions)
{
	buf_fmt(b, "{\"$schema\":\"https://static.modelcontextprotocol.io/schemas/%s\",\n\"name\":",
	    schema);
	name_write(b, conf);
	buf_str(b, ",\n");
	card_facts(b, conf);
	buf_fmt(b, ",\n\"remotes\":[{\"type\":\"streamable-http\",\"url\":\"%s" CARD_MCP_PATH "\"",
	    conf->base_url);
	if (versions) {
		buf_str(b, ",\"supportedProtocolVersions\":");
		rpc_versions_write(b);
	}
	buf_str(b, "}]}\n");
}

void
card_write(struct buf *b, const struct conf *conf)
{
	server_write(b, conf, "v1/server-card.schema.json", true);
}

void
card_registry_write(struct buf *b, const struct conf *conf)
{
	server_write(b, conf, "2025-12-11/server.schema.json", false);
}

void
card_catalog_write(struct buf *b, const struct conf *conf, bool mcp)
{
	const char *base = conf->base_url, *host = card_host(b->owner, conf);

	buf_fmt(b, "{\"specVersion\":\"%s\",\n", mcp ? "draft" : "1.0");
	if (!mcp)
		buf_fmt(b,
		    "\"host\":{\"displayName\":\"" CARD_TITLE " at %s\",\"identifier\":\"%s\","
		    "\"documentationUrl\":\"%s/docs\",\"logoUrl\":\"%s/assets/mark.png\"},\n",
		    host, host, base, base);
	buf_fmt(b,
	    "\"entries\":[{\"identifier\":\"urn:air:%s:mcp:" CARD_SERVER
	    "\",\"type\":\"" CARD_MIME "\",\"url\":\"%s" CARD_PATH "\"}",
	    host, base);
	/* The card describes itself; a skill has no card. */
	if (!mcp) {
		buf_fmt(b,
		    ",\n{\"identifier\":\"urn:air:%s:skill:" SKILL_NAME "\","
		    "\"type\":\"application/agent-skills+md\",\"url\":\"%s" SKILL_PATH "\","
		    "\"displayName\":\"" CARD_TITLE "\",\"description\":",
		    host, base);
		buf_json(b, skill_description(b->owner, conf));
		buf_chr(b, '}');
	}
	buf_str(b, "]}\n");
}
