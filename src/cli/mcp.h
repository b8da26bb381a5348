/* SPDX-License-Identifier: Apache-2.0
 * The Model Context Protocol over standard input and output, for programs that start an agent's
 * tools themselves. It relays the service's /mcp and adds two tools that reach local files. */
#ifndef VITRINE_CLI_MCP_H
#define VITRINE_CLI_MCP_H
#include "agents/rpc.h"
#include "cli/cli.h"

/* The folder that our tools work in. */
struct mcp_root {
	int fd;            /* -1: no folder, since --root isn't given and the current one is / */
	const char *path;  /* without links */
	const char *typed; /* the value of --root, or NULL */
};
/* Opens --root, else the current folder. Returns false after saying why not. */
bool mcptool_root(struct cli *, struct mcp_root *out);
enum mcptool { MCPTOOL_NONE, MCPTOOL_PUBLISH, MCPTOOL_PULL };
enum mcptool mcptool_named(const char *name);
void mcptool_write(struct buf *, enum mcptool); /* as an item of tools/list */
/* Does what a tools/call asks and writes the members of its result to *out. Returns the exit
 * status, after saying why. */
int mcptool_call(struct cli *, const struct mcp_root *, enum mcptool, const struct rpc *,
    struct buf *out);

/* vitrine mcp add: tells a program the service's address, or how to run vitrine mcp. */
int mcpadd_run(struct cli *);
#endif
