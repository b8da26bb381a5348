/* SPDX-License-Identifier: Apache-2.0
 * A folder as it is published: its regular files with size and digest, in order of their paths,
 * without what base/ignore.h leaves out. A symbolic link stands for what it leads to within the
 * folder; one that leads out of it is refused, since what it means depends on the machine, and it
 * could be anything that the user may read; so is one that leads to what is left out, or to a
 * folder that it lies in. Pipes and devices are refused. The folder may be a stranger's, and may
 * change meanwhile: where a link leads is found out once, all else is opened beneath the folder
 * without following any, and what is sent has the size and digest that were taken first, or
 * nothing is. Names are composed (NFC), as a service takes them: some systems keep them apart. */
#ifndef VITRINE_FOLDER_H
#define VITRINE_FOLDER_H
#include "base/crypto.h"
#include "cli/cli.h"

/* The service's settings can't allow more bytes (max_version_bytes); more entries, left out ones
 * too, are a mistake such as "/". */
enum { FOLDER_ENTRIES = 200000 };
#define FOLDER_BYTES 10737418240

struct folder_file {
	const char *path;   /* as published */
	const char *real;   /* where it lies in the folder; through a link that is another path */
	const char *made;   /* size bytes that we made and that lie nowhere, or NULL */
	const char *secret; /* what it seems to have in it that should not be published, or NULL */
	int64_t size;
	uint8_t sha256[SHA256_BYTES];
};
struct folder {
	const char *place; /* as it was named */
	bool single;       /* place is the file; "-": standard input, an index.html */
	const char *packed; /* path of the archive that it is (cli/unpack.h), or NULL */
	int root;
	struct folder_file *v;
	size_t n, room;
	int64_t bytes;
	size_t left_n;       /* files and folders that were left out */
	const char *left[5]; /* the first of them */
};

#define FOLDER_STDIN "-"
/* place is a folder, one file, or FOLDER_STDIN. dir: that folder, opened already, or -1; it stays
 * the caller's. false after saying why. */
bool folder_read(struct cli *, const char *place, int dir, struct folder *out);
/* Adds a file of ours. */
struct folder_file *folder_make(
    struct cli *, struct folder *, const char *path, const char *bytes, size_t n);
/* Counts a file or folder that is left out, and keeps its name to be told. */
void folder_leave_out(struct cli *, struct folder *, const char *path, bool is_dir);
/* false after saying that nothing is left to publish. */
bool folder_has_files(const struct folder *);
/* Fills in the files' digests, and what looks like a secret. false after saying why one can't be
 * read. */
bool folder_hash(struct cli *, struct folder *);
/* size bytes and a NUL */
bool folder_content(struct cli *, const struct folder *, const struct folder_file *, char **out);
/* A new file where there is room for large ones, removed when the client ends; -1 after saying why
 * not. */
int folder_scratch(struct cli *, char **path);
/* The chosen files as .tar.gz in a new file that is removed when the client ends; NULL after saying
 * why. */
const char *folder_pack(struct cli *, const struct folder *, const bool *chosen);
#endif
