/* SPDX-License-Identifier: Apache-2.0
 * Copies texts that a workspace stores by path to a folder and back, so that people can edit them
 * with their own tools. A text that differs is never overwritten unasked: pull needs --force, and
 * push sends the ETag of the text that it replaces (If-Match). */
#ifndef VITRINE_CLI_TEXTFILES_H
#define VITRINE_CLI_TEXTFILES_H
#include "cli/http.h"

/* A text in the service's list. */
struct text_kept {
	const char *id, *path, *etag; /* etag: of the text's bytes */
	bool here;                    /* the folder has a file with this path */
};
/* A kind of texts, such as notes. */
struct text_library {
	const char *called, *list; /* "the notes"; the list in the reply */
	size_t most;
	const char *content; /* the text in the reply about one */
	bool (*is_file)(const char *path);
	/* Returns why a reply without a list is a failure; NULL: it is none. */
	const char *(*refuses)(const struct json *reply);
	/* Reads an item of the list. Returns false if it isn't a text, such as a folder. */
	bool (*listed)(const struct json *row, struct text_kept *out);
	/* Return addresses in the workspace with the id ws: of the list, a text, its DELETE. */
	const char *(*all)(void *mem, const char *ws);
	const char *(*one)(void *mem, const char *ws, const struct text_kept *);
	const char *(*remove)(void *mem, const char *ws, const struct text_kept *);
	/* Returns the address of the PUT of a path. put_names: its body has the path, too. */
	const char *(*put)(void *mem, const char *ws, const char *path);
	bool put_names;
};

/* Copy between the row's argument DIR and its workspace. pull knows --force, push knows --delete
 * and
 * --yes. Return the exit status, after saying what was done. */
int text_files_pull(struct cli *, const struct text_library *);
int text_files_push(struct cli *, const struct text_library *);
#endif
