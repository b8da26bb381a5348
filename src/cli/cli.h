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
	const char *kept_for; /* where the kept token belongs, when url is another; else NULL */
	struct usage with;
	bool json, quiet;
};

int cli_fail(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));              /* prints; gives EXIT_REFUSED */
void cli_print(struct cli *, const struct json *reply); /* the reply itself, for --json */
/* Writes path anew, beside it first, so that it is whole or as it was; a symbolic link is replaced,
 * not followed. false with errno. */
bool cli_file_write(struct cli *, const char *path, int mode, const struct buf *bytes);
const char *
json_member(const struct json *, const char *path); /* "deployment.url": the string, or "" */
/* The same for a terminal: what would steer it or turn the text around stands there as \u001b. */
const char *json_shown(struct cli *, const struct json *, const char *path);
const char *cli_shown(struct cli *, const char *s);
/* The writer of what is sent and kept: a comma where one is due, the name, the value. */
void json_key(struct buf *, const char *name);
void json_add(struct buf *, const char *name, const char *value);
int64_t json_number(const struct json *, const char *path);
#endif
