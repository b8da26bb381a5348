/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/cmd.h"
#include "agents/card.h"

static enum err
cmd_mcp(struct cmd_call *call)
{
	struct buf b = BUF(call->c->mem);

	card_registry_write(&b, call->c->conf);
	fputs(buf_done(&b), stdout);
	return E_OK;
}

const struct cmd mcp_cmds[] = {
	{ "mcp", "", "print a server.json, for registries of what agents connect to", cmd_mcp },
	{ 0 },
};
