/* SPDX-License-Identifier: Apache-2.0
 * Reads files of an artifact for agents. */
#ifndef VITRINE_PAGEFILE_H
#define VITRINE_PAGEFILE_H
#include "agents/tool.h"
#include "site/version.h"

struct pagefile {
	const char *path, *mime, *sha256;
	int64_t version_no;
	const char *bytes; /* followed by a NUL */
	size_t n;
	bool text; /* valid UTF-8 without NUL */
};
enum { PAGEFILE_BYTES = 4 << 20 };
/* Finds the artifact as the caller sees it. */
enum err pagefile_artifact(struct call *, const char *id, const struct artifact **out);
/* Reads a file. path NULL: the version's entry file; no 0: the live version. *art: the artifact.
 * Fails with E_NOT_FOUND, or E_FILE_TOO_LARGE above PAGEFILE_BYTES. */
enum err pagefile_read(struct call *, const char *id, int64_t no, const char *path,
    const struct artifact **art, struct pagefile *out);
/* Lists all files of a version (0: the live one); *live is its number. If there are only drafts,
 * the list is empty and *live is 0. */
enum err pagefile_all(
    struct call *, const char *id, int64_t no, struct version_file_list *out, int64_t *live);
/* Returns the file with the path from a list that is ordered by path; NULL: none. */
const struct version_file *pagefile_of(const struct version_file_list *, const char *path);
/* Returns the text that people read on a page, one line for each block. */
const char *pagefile_words(void *owner, const char *html);
#endif
