/* SPDX-License-Identifier: Apache-2.0
 * What programs learn of our end of the Model Context Protocol before they connect to it, and what
 * they are told again when they have: its name, its address, what it is. Said once, here. Source:
 * modelcontextprotocol/experimental-ext-server-card (schema.json v1, docs/discovery.md), the
 * registry's server.json (schema 2025-12-11), Agent-Card/ai-catalog (specification 1.0). */
#ifndef VITRINE_CARD_H
#define VITRINE_CARD_H
#include "base/buf.h"
#include "base/conf.h"

/* What clients call us by where nobody has chosen another name. */
#define CARD_SERVER "vitrine"
#define CARD_TITLE "Vitrine"
/* Registries take 100 characters. */
#define CARD_ABOUT \
	"Publish pages, reports and small apps; change, read and discuss them and their data"
/* Where they are, below base_url. */
#define CARD_MCP_PATH "/mcp"
#define CARD_PATH "/mcp/server-card"
#define CARD_GUIDE_PATH "/docs/connect"
#define CARD_MIME "application/mcp-server-card+json"
#define CATALOG_MIME "application/ai-catalog+json"

const char *card_host(void *owner, const struct conf *); /* of base_url, without a port */
/* "title", "version", "websiteUrl", "description", "icons", as members of a JSON object. */
void card_facts(struct buf *, const struct conf *);
/* JSON documents. */
void card_write(struct buf *, const struct conf *);
void card_registry_write(struct buf *, const struct conf *); /* server.json */
/* Of everything that agents' programs can find here; mcp: of the server alone, as the catalog was
 * before it was one of other things, too. */
void card_catalog_write(struct buf *, const struct conf *, bool mcp);
#endif
