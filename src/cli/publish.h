/* SPDX-License-Identifier: Apache-2.0
 * Publishing, for `vitrine publish` and the agents' tool. */
#ifndef VITRINE_CLI_PUBLISH_H
#define VITRINE_CLI_PUBLISH_H
#include "cli/folder.h"

struct publish_what {
	const char *place; /* a folder, a file, an archive, or FOLDER_STDIN */
	int dir;           /* place as an open folder, which stays the caller's; or -1 */
	/* The files, already read; then place is only a name and nothing is remembered. Or NULL. */
	const struct folder *files;
	bool agent;        /* an agent publishes: files that look like secrets are refused */
};
/* Publishes by the options in cli->with. Prints nothing to standard output. *reply is the service's
 * and has an artifact with an id and an address. Returns the exit status, after saying why. */
int publish(struct cli *, const struct publish_what *, const struct json **reply);
#endif
