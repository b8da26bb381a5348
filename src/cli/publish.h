/* SPDX-License-Identifier: Apache-2.0
 * Publishing, as `vitrine publish` does it. */
#ifndef VITRINE_CLI_PUBLISH_H
#define VITRINE_CLI_PUBLISH_H
#include "cli/cli.h"

struct publish_what {
	const char *place; /* as folder_read() has it, or an archive */
	int dir;           /* place, a folder that was opened already; -1: none was */
	bool agent;        /* does what it was told to; what looks like a secret is refused */
};
/* With the options of the command in cli->with. Prints nothing to standard output: *reply is the
 * service's, about an artifact with an id and an address. The exit status, after saying why. */
int publish(struct cli *, const struct publish_what *, const struct json **reply);
#endif
