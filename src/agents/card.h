/* SPDX-License-Identifier: Apache-2.0
 * Describes our MCP server to programs, before and after they connect: its name, its address, its
 * purpose. Source: modelcontextprotocol/experimental-ext-server-card (schema.json v1,
 * docs/discovery.md), the registry's server.json (schema 2025-12-11), Agent-Card/ai-catalog
 * (specification 1.0). */
#ifndef VITRINE_CARD_H
#define VITRINE_CARD_H
#include "base/buf.h"
#include "base/conf.h"

/* The name that clients use if their user chose none. */
#define CARD_SERVER "vitrine"
#define CARD_TITLE "Vitrine"
/* Registries accept 100 characters. */
#define CARD_ABOUT \
	"Publish pages, reports and small apps; change, read and discuss them and their data"
/* Paths below base_url. */
#define CARD_MCP_PATH "/mcp"
#define CARD_PATH "/mcp/server-card"
#define CARD_GUIDE_PATH "/docs/connect"
#define CARD_MIME "application/mcp-server-card+json"
#define CATALOG_MIME "application/ai-catalog+json"

const char *card_host(void *owner, const struct conf *); /* the host of base_url, without port */
/* Writes "title", "version", "websiteUrl", "description" and "icons" as members of an object. */
void card_facts(struct buf *, const struct conf *);
/* Write JSON documents: the card; a registry's server.json. */
void card_write(struct buf *, const struct conf *);
void card_registry_write(struct buf *, const struct conf *);
/* Writes the catalog of all that agents' programs find here. mcp: only the server, in the catalog's
 * older form. */
void card_catalog_write(struct buf *, const struct conf *, bool mcp);
#endif
