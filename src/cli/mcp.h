/* SPDX-License-Identifier: Apache-2.0
 * The Model Context Protocol over standard input and output, for programs that start an agent's
 * tools themselves: what the service's /mcp has, and two tools that reach the files here. */
#ifndef VITRINE_CLI_MCP_H
#define VITRINE_CLI_MCP_H
#include "agents/rpc.h"
#include "cli/cli.h"

/* The folder that the tools of ours stay below. */
struct mcp_root {
	int fd;            /* -1: there is none, since nobody has named one */
	const char *path;  /* without links */
	const char *typed; /* as --root has it, or NULL */
};
/* Of --root, else of where we are. false after saying why it can't be. */
bool mcptool_root(struct cli *, struct mcp_root *out);
enum mcptool { MCPTOOL_NONE, MCPTOOL_PUBLISH, MCPTOOL_PULL };
enum mcptool mcptool_named(const char *name);
void mcptool_write(struct buf *, enum mcptool); /* as a list has it */
/* Does what a call asks. What it did is written to *out, the members of an object. The exit status,
 * after saying why. */
int mcptool_call(struct cli *, const struct mcp_root *, enum mcptool, const struct rpc *,
    struct buf *out);

/* vitrine mcp add: tells a program where we are. */
int mcpadd_run(struct cli *);
#endif
