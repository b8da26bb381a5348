/* SPDX-License-Identifier: Apache-2.0
 * Remembers in the project's .vitrine.json as which artifact something was published: {"published":
 * [{"path": …, "service": …, "artifact_id": …, "url": …, "mark": …, "version": …}]}, with paths
 * relative to the file's folder. A build must not delete the file, so it is in the nearest folder
 * upward, within the repository, that has one; else in the nearest with .git or package.json; else
 * beside a file, or beside a folder named dist, build, out or public; else in the folder itself.
 *
 * A stranger's folder may come with such a file that names an artifact of the user. So each entry
 * is sealed with a key of this user on this machine, for its place and service. An entry that isn't
 * counts only after the user has confirmed it. */
#ifndef VITRINE_CLI_MEMORY_H
#define VITRINE_CLI_MEMORY_H
#include "cli/cli.h"

enum { MEMORY_BYTES = 65536, MEMORY_ENTRIES = 256 };

struct memory_entry {
	const char *path, *service, *artifact_id, *url, *mark;
	int64_t version; /* which the files here come from; 0: unknown */
};
struct memory {
	const char *file, *dir; /* .vitrine.json, and its folder */
	const char *path;       /* of what is published, relative to dir: "." or "dist" */
	const char *service;    /* its address, such as https://app.example.org */
	struct memory_entry v[MEMORY_ENTRIES];
	size_t n;
	struct memory_entry *found; /* the entry of path and service, or NULL */
	bool ours;                  /* this user wrote found, on this machine */
};

/* Finds the memory of place and sets file, dir, path and service. Returns false after saying why
 * not. */
bool memory_locate(struct cli *, const char *place, struct memory *out);
/* Reads the file. Returns false after saying why it can't be one that the client wrote. */
bool memory_read(struct cli *, struct memory *);
/* Reads the file. One that can't be read counts as empty and will be replaced. */
void memory_peek(struct cli *, struct memory *);
/* Sets found for a command in the project: to the entry of path, else to the only one directly in
 * it ("dist"), and so on upward; else to the only one below path, or in the file. Returns the
 * number of candidates, 1 if found is set. */
size_t memory_choose(struct cli *, struct memory *);
/* Sets the entry of path and service, in memory and file. Warns if writing fails. */
void memory_write(struct cli *, struct memory *, const char *artifact_id, const char *url,
    int64_t version);
/* The files at place are now those of the version. Remembers that, unless another artifact is
 * remembered there, or this one by somebody else. url NULL: only if this one is remembered. */
void memory_pulled(struct cli *, const char *place, const char *artifact_id, const char *url,
    int64_t version);
/* Returns a name for a new artifact: of the folder or file, or of the folder that holds a build. */
const char *memory_name(struct cli *, const struct memory *);
#endif
