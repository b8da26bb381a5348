/* SPDX-License-Identifier: Apache-2.0
 * Copies texts that a workspace stores by path to a folder and back, so that people can edit them
 * with their own tools. A text that differs is never overwritten unasked: pull needs --force, and
 * push sends the ETag of the text that it replaces (If-Match). */
#ifndef VITRINE_CLI_TEXTFILES_H
#define VITRINE_CLI_TEXTFILES_H
#include "cli/cli.h"

/* A kind of texts, such as notes, of a command (struct cli_cmd). Its addresses follow that of the
 * workspace: "knowledge/files/". */
struct text_library {
	const char *called;     /* "the notes" */
	const char *endings[4]; /* of the names of its files; ends with NULL */
	size_t most;
	const char *all, *list; /* address of the list; the list in the reply */
	const char
	    *off; /* why a reply that isn't "enabled" is a failure; NULL: replies don't say */
	const char *one, *content; /* address of a text; the text in the reply */
	const char *remove, *put;  /* addresses for DELETE and PUT */
	/* A text's id follows `one`, and the body of PUT has its path. Else the path follows
	 * both addresses. It always follows that for DELETE. */
	bool has_ids;
};

/* Copy between the row's argument DIR and its workspace. pull knows --force, push knows --delete
 * and --yes. Return the exit status, after saying what was done. */
int text_files_pull(struct cli *);
int text_files_push(struct cli *);
#endif
