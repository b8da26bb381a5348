/* SPDX-License-Identifier: Apache-2.0
 * Sends a file to an asset library in pieces. Resumes after a lost connection, and in the next
 * command after the client ended. The upload's address is stored for that beside the credentials,
 * in uploads/, with mode 0600, since the address alone allows sending. */
#ifndef VITRINE_CLI_UPLOAD_H
#define VITRINE_CLI_UPLOAD_H
#include "cli/http.h"

struct uploaded {
	const char *blob_id;
	const char *kept; /* the file that stores the upload */
	bool resumed;     /* an earlier command began it */
};
/* library: "/v1/assets", or a workspace's. Returns the exit status. */
int upload_file(struct cli *, const char *library, const char *path, struct uploaded *out);
/* For other kinds of files on their way. Returns the path of the file in `folder` that stores what
 * was begun with a file and `where`; NULL after saying why not. */
const char *upload_kept(struct cli *, const char *folder, const char *where, const char *path);
/* Returns the path in an address for bytes: what begins with `before` and ends with a secret of
 * this prefix. NULL for any other address, so nothing is sent there. */
const char *upload_path(const char *url, const char *before, const char *prefix);
/* Returns NULL if nothing is stored, or other users can read it. */
const struct json *upload_kept_read(struct cli *, const char *kept);
/* The file's size and time as a text. */
const char *upload_what(struct cli *, const struct http_file *, const struct stat *was);
bool upload_unchanged(const struct http_file *, const struct stat *was);
/* Removes the stored upload, once the service uses its bytes. */
void upload_forget(const struct uploaded *);
#endif
