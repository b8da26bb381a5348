/* SPDX-License-Identifier: Apache-2.0
 * Resources that a program shows its user to choose and attach: artifacts, their files and tables
 * (vitrine://artifact/art_…/files/index.html), the skill, and our card, a page that shows answers
 * of tools (MCP Apps, specification 2026-01-26 of modelcontextprotocol/ext-apps). */
#ifndef VITRINE_RESOURCE_H
#define VITRINE_RESOURCE_H
#include "base/buf.h"
#include "base/json.h"
#include "http/req.h"

enum {
	RESOURCE_BYTES = 1 << 20,
	THUMBNAIL_BYTES = 128 << 10, /* larger ones aren't sent */
	RESOURCES_A_PAGE = 50,
	COMPLETIONS = 20
};
/* Writes the list for resources/list: the skill, then artifacts of the caller and shared with them,
 * newest first. */
enum err resources_write(struct req *, const char *cursor, struct buf *);
void resource_templates_write(struct buf *);
/* Reads a resource. *keep: the seconds for which it can be cached. E_NOT_FOUND, E_INVALID. */
enum err resource_read(struct req *, const char *uri, struct buf *, int64_t *keep);
/* Writes values for completion/complete that begin like the argument's {"name", "value"}. */
enum err resource_complete(struct req *, const struct json *argument, struct buf *);
#endif
