/* SPDX-License-Identifier: Apache-2.0
 * The client's commands. Standard output carries the result alone; everything else goes to standard error. */
#ifndef VITRINE_CLI_CMD_H
#define VITRINE_CLI_CMD_H
#include "base/buf.h"
#include "base/ctx.h"
#include "base/json.h"

/* Exit statuses, stable; docs/man/vitrine.1 lists them. */
enum { EXIT_FINE = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_SIGNED_OUT = 3, EXIT_CONFLICT = 4, EXIT_NETWORK = 5, EXIT_RATE = 6 };

enum { CLI_ARGS = 16, CLI_OPTIONS = 24 };
struct cli {
	struct ctx *c;
	const char *url, *token;
	const char *args[CLI_ARGS];
	size_t n;
	struct cli_option {
		const char *name, *value; /* value "" for a flag */
	} options[CLI_OPTIONS];
	size_t option_n;
	bool json, quiet;
};
struct cli_cmd {
	const char *name, *usage, *help;
	int (*run)(struct cli *);
	size_t least, most;
	const char *options; /* "|--slug=|--draft|": with = takes a value */
	bool anonymous;
};
extern const struct cli_cmd account_cli[], artifact_cli[], publish_cli[], pull_cli[];

int cli_main(int argc, char **argv);
const char *cli_option(const struct cli *, const char *name); /* NULL when not given */
int cli_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* prints; gives EXIT_REFUSED */
void cli_print(struct cli *, const struct json *reply);                   /* the reply itself, for --json */
/* The id of an artifact given by id or slug; NULL after saying that there is none. */
const char *cli_artifact(struct cli *, const char *id_or_slug, int *exit_status);
const char *json_member(const struct json *, const char *path); /* "deployment.url": the string, or "" */
int64_t json_number(const struct json *, const char *path);
#endif
