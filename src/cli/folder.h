/* SPDX-License-Identifier: Apache-2.0
 * A folder as it is published: its regular files with size and digest, in order of their paths.
 * .git, .vitrine.json and what .vitrineignore names (one shell pattern a line, matched against path
 * and name) are left out; symbolic links are refused, since what they mean depends on the machine.
 */
#ifndef VITRINE_FOLDER_H
#define VITRINE_FOLDER_H
#include "base/crypto.h"
#include "cli/cli.h"

struct folder_file {
	const char *path;   /* as published */
	const char *source; /* on this machine */
	int64_t size;
	uint8_t sha256[SHA256_BYTES];
};
struct folder {
	struct folder_file *v;
	size_t n, room;
	int64_t bytes;
};

/* place is a folder or one file. false after saying why. */
bool folder_read(struct cli *, const char *place, struct folder *out);
bool
folder_content(struct cli *, const struct folder_file *, char **out); /* size bytes and a NUL */
/* The chosen files as .tar.gz in a new file that is removed when the client ends; NULL after saying
 * why. */
const char *folder_pack(struct cli *, const struct folder *, const bool *chosen);
#endif
