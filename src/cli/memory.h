/* SPDX-License-Identifier: Apache-2.0
 * As which artifact something was published, in the project's .vitrine.json: {"published":
 * [{"path": …, "service": …, "artifact_id": …, "url": …, "mark": …}]}, paths relative to the file's
 * folder. It lies outside of what a build empties: in the nearest folder upward, within the
 * repository, that has one; else in the nearest with .git or package.json; else beside a file and
 * beside folders named dist, build, out or public; else in the folder itself.
 *
 * The file may have come with a stranger's folder and name an artifact of the user's that has
 * nothing to do with it. So each entry is sealed with a key of this user on this machine, for its
 * place and service; one that is not, names an artifact only once the user has said so. */
#ifndef VITRINE_CLI_MEMORY_H
#define VITRINE_CLI_MEMORY_H
#include "cli/cli.h"

enum { MEMORY_BYTES = 65536, MEMORY_ENTRIES = 256 };

struct memory_entry {
	const char *path, *service, *artifact_id, *url, *mark;
};
struct memory {
	const char *file, *dir; /* .vitrine.json, and the folder in which it lies */
	const char *path;       /* of what is published, as the file has it: "." or "dist" */
	const char *service;    /* origin */
	struct memory_entry v[MEMORY_ENTRIES];
	size_t n;
	struct memory_entry *found; /* of path and service, or NULL */
	bool ours;                  /* found is by this user, here */
};

/* Where the memory of place is, and whose name it bears. false after saying why. */
bool memory_locate(struct cli *, const char *place, struct memory *out);
/* Reads it. false after saying why it can't be what was written there. */
bool memory_read(struct cli *, struct memory *);
/* The same, but what can't be read is as nothing: to be replaced, where something new is said. */
void memory_peek(struct cli *, struct memory *);
/* For somebody who stands in the project: makes found the entry of path, else the only one directly
 * in it, as "dist" is, and so on upward; else the only one anywhere below path, or in the file.
 * Gives 1, or how many it could be: 0 or more. */
size_t memory_choose(struct cli *, struct memory *);
/* Sets the entry of path and service, in memory and file; a warning when that fails. */
void memory_write(struct cli *, struct memory *, const char *artifact_id, const char *url);
/* What a new artifact is called: the folder or file, or what holds it when that is a build's. */
const char *memory_name(struct cli *, const struct memory *);
#endif
