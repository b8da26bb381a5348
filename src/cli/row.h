/* SPDX-License-Identifier: Apache-2.0
 * Commands as data: a row says what a command asks of the API and what it prints. Most commands
 * need no code. t/unit/row.c compares the rows with docs/openapi.json. cli/line.h explains values
 * and templates. */
#ifndef VITRINE_CLI_ROW_H
#define VITRINE_CLI_ROW_H
#include "cli/cli.h"

/* The client does the first of a command's rows that fits the arguments. */
struct cli_row {
	/* Words behind the command: "list", "agent list". "[list]" may be left out; NULL: none. */
	const char *word;
	/* The arguments behind the words, as usage_next() reads them. One with "…" repeats; if does
	 * names it, the row is done for each value, also after one fails, and the first failure is
	 * the exit status. An EMAIL is checked; beside it, a SLUG is an argument without "@". */
	const char *args;
	/* "DELETE /v1/auth/tokens/{ID}". Values are percent-encoded; {+PATH} keeps its slashes. */
	const char *does;
	/* "path=--path limit:number=--limit": members of the query, or of the JSON body if the
	 * method is neither GET nor DELETE. Members without a value are left out, and so is a body
	 * without members. Kinds: number, which is checked; json, sent unchanged; list, of a
	 * repeated argument or of texts with commas between them. A value contains no spaces. */
	const char *sends;
	const char *list; /* the reply's member that is a list: its pages are read and printed */
	const char *none; /* template of the failure if the list is empty; NULL: that is fine */
	const char *of;   /* the reply's member that line is about; NULL: the reply */
	const char *line; /* template for standard output, unless --json prints the reply */
	/* Template for standard error, unless --quiet, or --json printed the reply. --json prints
	 * the reply of a DELETE only if there is a line. */
	const char *note;
	const char *text; /* in place of line: the reply's member that is printed as it is */
	struct cli_asks {
		const char *question, *refused; /* refused: the failure if the answer isn't yes */
	} asks;                                 /* asked before the request, unless --yes */
	const char *with; /* the row fits only if this option is given */
	struct cli_id {
		const char *prefix, *is; /* is: completes the refusal "%s isn't " */
	} id;                            /* the form of each ID */
	int (*check)(struct cli *);      /* runs before the request; returns the exit status */
	/* Adds to the query or the body; writes the whole body if sends is NULL. Returns false for
	 * EXIT_USAGE, after saying why. */
	bool (*adds)(struct cli *, struct buf *);
	void (*prints)(struct cli *, const struct json *row); /* in place of line, for a list */
	int (*then)(struct cli *, const struct json *reply);  /* in place of line and note */
	const char *(*reword)(struct cli *, const char *, const void *); /* as in http_req */
	/* Members that adds writes, with their options, as cli_member_error() takes them. */
	const char *const (*options)[2];
	int (*run)(struct cli *);                                        /* in place of all these */
};

#define ASKS_DELETE(question) { question, "nothing was deleted; --yes deletes without asking" }

/* Does the row of cli->cmd that fits, or prints the usage. Returns the exit status. Errors of the
 * service about a member name the option or the argument that sets it, by options and sends. */
int row_run(struct cli *);
/* Returns the argument with this name in the row's args (written without "…"). For a repeated
 * argument, returns the value whose turn it is. NULL if it wasn't given. */
const char *row_given(const struct cli *, const char *name);
/* Returns the id of the artifact (of SLUG, else of --artifact), of the workspace, or what the
 * command's find knows. Asks the service once for each name. NULL after saying what is wrong. */
const char *row_found(struct cli *, const char *what);
#endif
