/* SPDX-License-Identifier: Apache-2.0
 * Fetching an artifact's files, as `vitrine pull` does it. */
#ifndef VITRINE_CLI_PULL_H
#define VITRINE_CLI_PULL_H
#include "cli/cli.h"

struct pull_what {
	const char *artifact; /* id or slug */
	const char *dir;      /* as the folder is called; it is made where there is none, unless: */
	int fd;               /* it was opened already, and stays the caller's; -1: it wasn't */
	bool agent;           /* what a publish leaves out isn't written */
};
struct pull_done {
	const char *id, *version; /* version: its number */
	int64_t fetched, kept;    /* kept: what was there already */
};
/* With the options of the command in cli->with. Prints nothing to standard output. The exit status,
 * after saying why; *done is set where the artifact was found. */
int pull(struct cli *, const struct pull_what *, struct pull_done *done);
#endif
