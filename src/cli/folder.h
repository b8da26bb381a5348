/* SPDX-License-Identifier: Apache-2.0
 * Reads a folder that is to be published: its regular files with sizes and digests, ordered by
 * path, without files that base/ignore.h leaves out. Follows a symbolic link that leads to a place
 * within the folder; refuses a link out of it, to something left out, or to a folder that contains
 * the link. Refuses pipes and devices. The folder may be a stranger's and may change meanwhile: we
 * resolve a link once and open all else beneath the folder without following links. Bytes that are
 * sent have the size and digest that were read first, or nothing is sent. Names are composed (NFC),
 * since some systems decompose them. */
#ifndef VITRINE_FOLDER_H
#define VITRINE_FOLDER_H
#include "base/crypto.h"
#include "cli/cli.h"

/* No service can allow more bytes (max_version_bytes). More entries, also left out ones, are a
 * mistake such as "/". */
enum { FOLDER_ENTRIES = 200000 };
#define FOLDER_BYTES 10737418240

struct folder_file {
	const char *path;   /* its published path */
	const char *real;   /* its path in the folder, which differs from path through a link */
	const char *made;   /* the bytes, if they aren't a file's in the folder; or NULL */
	const char *secret; /* the kind of secret that it seems to contain, or NULL */
	int64_t size;
	uint8_t sha256[SHA256_BYTES];
};
struct folder {
	const char *place;  /* the path that was typed */
	bool single;        /* place is a file; "-": standard input, published as index.html */
	const char *packed; /* path of the archive that it was read from (cli/unpack.h), or NULL */
	int root;
	struct folder_file *v;
	size_t n, room;
	int64_t bytes;
	size_t left_n;       /* number of files and folders that were left out */
	const char *left[5]; /* the first of them */
};

#define FOLDER_STDIN "-"
/* Reads place, which is a folder, a file, or FOLDER_STDIN. dir: the opened folder, which stays the
 * caller's; or -1. Returns false after saying why not. */
bool folder_read(struct cli *, const char *place, int dir, struct folder *out);
/* Adds a file whose bytes are in memory. They must live as long as the folder. */
struct folder_file *folder_make(
    struct cli *, struct folder *, const char *path, const char *bytes, size_t n);
/* Returns the file with this published path, or NULL. */
const struct folder_file *folder_file_at(const struct folder *, const char *path);
/* Counts a file or folder as left out, and stores the names of the first ones. */
void folder_leave_out(struct cli *, struct folder *, const char *path, bool is_dir);
/* Returns false after saying that there are no files to publish. */
bool folder_has_files(const struct folder *);
/* Sets the files' sha256 and secret. Returns false after saying why a file can't be read. */
bool folder_hash(struct cli *, struct folder *);
/* Reads a file's bytes, size bytes and a NUL. Returns false after saying why not. */
bool folder_content(struct cli *, const struct folder *, const struct folder_file *, char **out);
/* Creates a file for large contents, which is removed when the client ends. Returns its descriptor;
 * -1 after saying why not. */
int folder_scratch(struct cli *, char **path);
/* Packs the chosen files as .tar.gz into a file that is removed when the client ends. Returns its
 * path; NULL after saying why not. */
const char *folder_pack(struct cli *, const struct folder *, const bool *chosen);
#endif
