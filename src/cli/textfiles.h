/* SPDX-License-Identifier: Apache-2.0
 * The texts that a workspace keeps by path, to a folder and back, so that people keep them with
 * their own tools. What differs on both sides is never overwritten unasked: a pull wants --force,
 * and a push says which text it has read (If-Match). */
#ifndef VITRINE_CLI_TEXTFILES_H
#define VITRINE_CLI_TEXTFILES_H
#include "cli/http.h"

/* One, as the service lists it; its ETag is of the text as it is. */
struct text_kept {
	const char *id, *path, *etag;
	bool here; /* the folder has a file of this path */
};
/* Where they are kept. */
struct text_library {
	const char *called, *list; /* "the notes"; the member that has them in what lists them */
	size_t most;
	const char *content; /* the member that has the text in what reads one */
	bool (*is_file)(const char *path);
	/* Why a reply lists none, although there may be some; NULL: it lists them. */
	const char *(*refuses)(const struct json *reply);
	/* Of a row of the list; false: it is none, such as a folder. */
	bool (*listed)(const struct json *row, struct text_kept *out);
	/* Addresses, for the workspace of that id. */
	const char *(*all)(void *mem, const char *ws);
	const char *(*one)(void *mem, const char *ws, const struct text_kept *);
	const char *(*remove)(void *mem, const char *ws, const struct text_kept *);
	/* The address of the PUT of a path, and whether its body names that, too. */
	const char *(*put)(void *mem, const char *ws, const char *path);
	bool put_names;
};

/* For the row's argument DIR and its workspace, with --force; --delete and --yes. The exit status,
 * after saying what was done. */
int text_files_pull(struct cli *, const struct text_library *);
int text_files_push(struct cli *, const struct text_library *);
#endif
