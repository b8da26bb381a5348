/* SPDX-License-Identifier: Apache-2.0
 * Public documents by which agents and their programs find this service. They contain no secret and
 * need no database. */
#include "agents/card.h"
#include "agents/skill.h"
#include "http/req.h"

/* Begins a document that pages of other sites can read, too, since they show catalogs. */
static struct buf *
document_begin(struct req *r, const char *mime)
{
	r->status = 200;
	reply_header(r, "Content-Type", "%s", mime);
	reply_header(r, "Cache-Control", "public, max-age=3600");
	reply_header(r, "Access-Control-Allow-Origin", "*");
	reply_header(r, "Access-Control-Expose-Headers", "ETag");
	return &r->out;
}

static enum err
h_card(struct req *r)
{
	card_write(document_begin(r, CARD_MIME), r->c->conf);
	return E_OK;
}

static enum err
h_catalog(struct req *r)
{
	card_catalog_write(document_begin(r, CATALOG_MIME), r->c->conf, false);
	return E_OK;
}

static enum err
h_mcp_catalog(struct req *r)
{
	card_catalog_write(document_begin(r, "application/json"), r->c->conf, true);
	return E_OK;
}

static enum err
h_skill(struct req *r)
{
	buf_str(document_begin(r, "text/markdown; charset=utf-8"),
	    skill_text(r->c->mem, r->c->conf));
	return E_OK;
}

/* Source: Agent Skills Discovery 0.2.0. */
static enum err
h_skills(struct req *r)
{
	struct buf *b = document_begin(r, "application/json");

	buf_str(b,
	    "{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\n"
	    "\"skills\":[{\"name\":\"" SKILL_NAME "\",\"type\":\"skill-md\",\"description\":");
	buf_json(b, skill_description(r->c->mem, r->c->conf));
	buf_fmt(b, ",\"url\":\"" SKILL_PATH "\",\"digest\":\"%s\"}]}\n",
	    skill_digest(r->c->mem, skill_text(r->c->mem, r->c->conf)));
	return E_OK;
}

static const struct route discovery_routes[] = {
/*  method path                                    who
    body           reply                         handler */
  { GET,   SKILL_PATH,                             PUBLIC,
    TAKES_NOTHING, GIVES_TYPED("text/markdown"), h_skill,
    .scope = ANY_SCOPE, .agents = true,
    .doc = "Read how an agent works with this service, as a skill (agentskills.io)" },
  { GET,   "/agents.md",                           PUBLIC,
    TAKES_NOTHING, GIVES_TYPED("text/markdown"), h_skill,
    .scope = ANY_SCOPE, .agents = true,
    .doc = "Read the same skill, at an address short enough to be typed" },
  { GET,   "/.well-known/agent-skills/index.json", PUBLIC,
    TAKES_NOTHING, GIVES_JSON,                   h_skills,
    .scope = ANY_SCOPE, .agents = true, .doc = "List the skills, with their digests" },
  { GET,   CARD_PATH,                              PUBLIC,
    TAKES_NOTHING, GIVES_TYPED(CARD_MIME),       h_card,
    .scope = ANY_SCOPE, .agents = true,
    .doc = "Get the MCP server's card: its name, address, and the versions it speaks (SEP-2127)" },
  { GET,   "/.well-known/ai-catalog.json",         PUBLIC,
    TAKES_NOTHING, GIVES_TYPED(CATALOG_MIME),    h_catalog,
    .scope = ANY_SCOPE, .agents = true,
    .doc = "List what there is for agents: the MCP server's card and the skill" },
  { GET,   "/.well-known/mcp/catalog.json",        PUBLIC,
    TAKES_NOTHING, GIVES_JSON,                   h_mcp_catalog,
    .scope = ANY_SCOPE, .agents = true,
    .doc = "List the MCP server's card alone, for clients that look here" },
};
ROUTES(discovery, "Finding the service",
    "Documents by which agents and their programs find this service and learn to use it. "
    "They need no token.");
