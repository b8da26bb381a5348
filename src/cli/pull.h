/* SPDX-License-Identifier: Apache-2.0
 * Fetching an artifact's files, for `vitrine pull` and the agents' tool. */
#ifndef VITRINE_CLI_PULL_H
#define VITRINE_CLI_PULL_H
#include "cli/cli.h"

struct pull_what {
	const char *artifact; /* id or slug */
	const char *dir;      /* the folder's path; created if missing, unless fd is given */
	int fd;               /* the opened folder, which stays the caller's; or -1 */
	bool agent;           /* an agent pulls: files that publish leaves out aren't written */
};
struct pull_done {
	const char *id, *version; /* version: its number */
	const struct json *artifact; /* as the service returned it, or NULL */
	int64_t fetched, kept;    /* files; kept: those that the folder had already */
};
/* Fetches by the options in cli->with. Prints nothing to standard output. Returns the exit status,
 * after saying why. Sets *done if the artifact was found. */
int pull(struct cli *, const struct pull_what *, struct pull_done *done);
#endif
