/* SPDX-License-Identifier: Apache-2.0
 * What every command of the client has at hand. Standard output carries the result alone;
 * everything else goes to standard error. */
#ifndef VITRINE_CLI_CLI_H
#define VITRINE_CLI_CLI_H
#include "base/buf.h"
#include "base/ctx.h"
#include "base/json.h"
#include "base/usage.h"

/* Exit statuses, stable; docs/man/vitrine.1 lists them. */
enum {
	EXIT_FINE = 0,
	EXIT_REFUSED = 1,
	EXIT_USAGE = 2,
	EXIT_SIGNED_OUT = 3,
	EXIT_CONFLICT = 4,
	EXIT_NETWORK = 5,
	EXIT_RATE = 6
};

struct cli {
	struct ctx *c;
	const char *url, *token;
	struct usage with;
	bool json, quiet;
};

int cli_fail(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));              /* prints; gives EXIT_REFUSED */
void cli_print(struct cli *, const struct json *reply); /* the reply itself, for --json */
const char *
json_member(const struct json *, const char *path); /* "deployment.url": the string, or "" */
int64_t json_number(const struct json *, const char *path);
#endif
