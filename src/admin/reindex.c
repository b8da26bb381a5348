/* SPDX-License-Identifier: Apache-2.0 */
#include "search/reindex.h"

#include "admin/cmd.h"
#include "base/str.h"

#include <unistd.h>

static void
tell(int64_t things)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%lld", (long long)things);
}

static enum err
cmd_reindex(struct cmd_call *call)
{
	int64_t things;

	TRY(index_all(call->c, tell, &things));
	if (isatty(STDERR_FILENO))
		fputc('\r', stderr);
	printf("%s indexed\n", str_count(call->c->mem, things, "thing"));
	return E_OK;
}

const struct cmd reindex_cmds[] = {
	{ "reindex", "", "write anew by what search finds everything", cmd_reindex },
	{ 0 },
};
