/* SPDX-License-Identifier: Apache-2.0
 * What an agent's program can show its person to choose from, and attach: artifacts, their files
 * and tables, by addresses of their own (vitrine://artifact/art_…/files/index.html); and a page of
 * ours in which it can show what some tools answer (MCP Apps, specification 2026-01-26 of
 * modelcontextprotocol/ext-apps). */
#ifndef VITRINE_RESOURCE_H
#define VITRINE_RESOURCE_H
#include "base/buf.h"
#include "base/json.h"
#include "http/req.h"

enum {
	RESOURCE_BYTES = 1 << 20,
	THUMBNAIL_BYTES = 128 << 10, /* a larger one is left out */
	RESOURCES_A_PAGE = 50,
	COMPLETIONS = 20
};
/* The skill, then the caller's artifacts and those shared with them, newest first, as
 * resources/list has them. */
enum err resources_write(struct req *, const char *cursor, struct buf *);
void resource_templates_write(struct buf *);
/* *keep: for how many seconds it stays as it is. E_NOT_FOUND, E_INVALID. */
enum err resource_read(struct req *, const char *uri, struct buf *, int64_t *keep);
/* Of {"name", "value"}: what the value may go on to, as completion/complete has it. */
enum err resource_complete(struct req *, const struct json *argument, struct buf *);
#endif
