/* SPDX-License-Identifier: Apache-2.0
 * Sends a file into an asset library, in pieces, and goes on after whatever interrupts that: a
 * connection that breaks within the command, an end of the command with the next one. The address
 * that takes the bytes is remembered for that beside the credentials, in uploads/, mode 0600, since
 * whoever has it can send. */
#ifndef VITRINE_CLI_UPLOAD_H
#define VITRINE_CLI_UPLOAD_H
#include "cli/http.h"

struct uploaded {
	const char *blob_id;
	const char *kept; /* where it is remembered */
	bool resumed;     /* an earlier command began */
};
/* library: "/v1/assets", or that of a workspace. Gives the exit status. */
int upload_file(struct cli *, const char *library, const char *path, struct uploaded *out);
/* What was sent is in use, so it needn't be remembered. */
void upload_forget(const struct uploaded *);
#endif
