/* SPDX-License-Identifier: Apache-2.0
 * A file of an artifact, for agents: read whole, as text where it is that. */
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
/* path NULL: the version's entry file; no 0: the live version. *art is its artifact, as the API
 * tells of it. E_NOT_FOUND, E_FILE_TOO_LARGE above PAGEFILE_BYTES. */
enum err pagefile_read(struct call *, const char *id, int64_t no, const char *path,
    const struct json **art, struct pagefile *out);
/* All files of a version (0: the live one), as rows of version_file; *live is its number. While
 * there are only drafts, the live one is 0 and has none. */
enum err pagefile_all(
    struct call *, const char *id, int64_t no, struct version_file_list *out, int64_t *live);
/* The one of that path, in a list in order of paths; NULL: none. */
const struct version_file *pagefile_of(const struct version_file_list *, const char *path);
/* What somebody would read of a page: its text, a line for each block of it. */
const char *pagefile_words(void *owner, const char *html);
#endif
