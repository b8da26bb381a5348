/* SPDX-License-Identifier: Apache-2.0
 * Parts of the pages of the Files tab. */
#ifndef VITRINE_FILES_PAGE_H
#define VITRINE_FILES_PAGE_H
#include "http/quota.h"
#include "http/req.h"
#include "site/filelook.h"

/* A folder above a file. */
#define FILE_STEP(F, T) \
	F(T, STR, step_name) \
	F(T, STR, step_path)
SHAPE_DECLARE(file_step, FILE_STEP);

#define FILE_QUERY_FIELDS(F, T) \
	F(T, INT, version, .lo = 1, .hi = 2147483647, .doc = "Default: the live version")
#define FILE_QUERY(F, T) FILE_QUERY_FIELDS(F, T)
SHAPE_DECLARE(file_query, FILE_QUERY);

/* Of publishing. Source: publish_api.c. */
extern const struct limit LIM_PUBLISH[1], LIM_PUBLISH_FAILED[1];

/* Returns the path of the file that the address names, in NFC. */
const char *file_page_path(const struct req *);
/* Finds the version that is asked for: 0 means the live one, or if there are only drafts the newest
 * one. at->v is NULL if there is none. */
enum err file_page_version(struct req *, int64_t no, struct look_at *at);
/* Returns the folders that lead to a path, as struct file_step. */
struct list file_page_way(struct req *, const char *path);
/* Reads a file of that version. *text is NULL if it isn't text of at most MERGE_TEXT_BYTES. file
 * may be NULL. */
enum err file_page_text(struct req *, const struct look_at *at, const char *path,
    struct version_file **file, const char **text);
#endif
