/* SPDX-License-Identifier: Apache-2.0
 * Commands as data: what one asks of the API and what it prints, a row each. Most need no code. The
 * rows are compared with docs/openapi.json by t/unit/row.c. Values and templates are those of
 * cli/line.h. */
#ifndef VITRINE_CLI_ROW_H
#define VITRINE_CLI_ROW_H
#include "cli/cli.h"

/* Of a command's rows, the first that fits what was typed is done. */
struct cli_row {
	/* What stands behind the command: "list", "agent list"; "[list]" may be left out; NULL:
	 * nothing. */
	const char *word;
	/* The arguments behind that, as usage_next() has them. One with "…" repeats; if does names
	 * it, the row is done for each value, even after one fails: the first failure is the exit
	 * status. An EMAIL is checked; beside one, a SLUG is what has no @. */
	const char *args;
	/* "DELETE /v1/auth/tokens/{ID}"; values are percent-encoded, but for the slashes of one
	 * that is the rest of the path: {+PATH}. */
	const char *does;
	/* "path=--path limit:number=--limit": members of the query, or of the JSON body unless the
	 * method is GET or DELETE; what says nothing is left out, and so is a body without members.
	 * Kinds: number, which is checked; json, as it is; list, of a repeated argument or of texts
	 * with commas between them. A value has no spaces. */
	const char *sends;
	const char *list; /* the member of the reply whose pages line or prints prints */
	const char *of;   /* the member of the reply that line is about; NULL: the reply */
	const char *line; /* to standard output, unless --json prints the reply */
	/* To standard error, unless --quiet, and unless --json prints the reply; that of a DELETE
	 * is printed only if there is a line. */
	const char *note;
	struct cli_asks {
		const char *question, *refused; /* refused: what is said unless it's yes */
	} asks; /* first, unless --yes */
	const char *with; /* the row fits only if this option is given */
	struct cli_id {
		const char *prefix, *is; /* the refusal: "%s isn't " is */
	} id; /* what each ID must be */
	int (*check)(struct cli *); /* before the service is asked; gives the exit status */
	/* More of the query or the body; the whole body where sends is NULL. false: EXIT_USAGE,
	 * after saying why. */
	bool (*adds)(struct cli *, struct buf *);
	void (*prints)(struct cli *, const struct json *row); /* in place of line, of a list */
	int (*then)(struct cli *, const struct json *reply);  /* in place of line and note */
	const char *(*told)(struct cli *, const char *, const void *); /* as in http_req */
	int (*run)(struct cli *);                                      /* in place of all these */
};

#define ASKS_DELETE(question) { question, "nothing was deleted; --yes deletes without asking" }

/* Does the row of cli->cmd that fits, or prints the usage; gives the exit status. */
int row_run(struct cli *);
/* The argument that the row's args call so, without dots; of a repeated one, the value whose turn
 * it is. NULL if it isn't given. */
const char *row_given(const struct cli *, const char *name);
/* The id of the artifact (of SLUG, else of --artifact) or the workspace that the command is about,
 * or whatever the command's own find() knows; asked once. NULL after saying what is wrong. */
const char *row_found(struct cli *, const char *what);
#endif
