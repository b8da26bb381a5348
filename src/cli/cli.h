/* SPDX-License-Identifier: Apache-2.0
 * What every command of the client has at hand. Standard output carries the result alone;
 * everything else goes to standard error. */
#ifndef VITRINE_CLI_CLI_H
#define VITRINE_CLI_CLI_H
#include "base/buf.h"
#include "base/ctx.h"
#include "base/json.h"
#include "base/usage.h"

#include <fcntl.h>
#include <sys/stat.h>

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

struct cli_cmd;
struct row_run;
struct cli {
	struct ctx *c;
	const struct cli_cmd *cmd; /* that is run */
	struct row_run *doing;     /* its row (cli/row.h), or NULL */
	const char *url, *token;
	const char *kept_for; /* where the kept token belongs, when url is another; else NULL */
	struct usage with;
	/* What a row's @name means (cli/row.h); NULL after saying what is wrong. */
	const char *(*find)(struct cli *, const char *what, int *exit_status);
	bool json, quiet;
	int shown; /* percent of the bar that stands there, -1 where none does */
};

/* All that the client prints goes through these: one line, in which whatever would steer a terminal
 * or turn the text around stands as \u001b, and a byte that is no UTF-8 as \xff, wherever in the
 * line it came from. */
int cli_fail(const char *fmt, ...)
    __attribute__((format(printf, 1, 2))); /* "vitrine: …" to standard error; gives EXIT_REFUSED */
/* Of what was typed: gives EXIT_USAGE. */
#define cli_misuse(...) (cli_fail(__VA_ARGS__), EXIT_USAGE)
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* to standard error */
void cli_line(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* to standard output */
void cli_warn(const char *fmt, ...)
    __attribute__((format(printf, 1, 2))); /* "vitrine: warning: …", of what is no failure */
/* Until cli_listen(NULL), what would go to standard error is added to *heard instead, a line each,
 * and nobody is asked anything. */
void cli_listen(struct buf *heard);
/* With --json, for programs: from cli_fail_json() on, failures are kept, and cli_fail_end() prints
 * each as the error envelope, one a line: as the service sent it, or one of our own, whose code
 * says what the exit status says. Where nothing failed in the end, they are printed as always. */
void cli_fail_json(void);
bool cli_fail_is_json(void);
void cli_fail_reply(const struct json *envelope); /* the service's */
void cli_fail_end(int exit_status);
/* A bar at a terminal, drawn over the last; nothing elsewhere. It goes when done is total. */
void cli_progress(struct cli *, const char *what, int64_t done, int64_t total);
bool cli_asks(void);  /* whether there is somebody to ask */
bool cli_shows(void); /* whether somebody looks at standard error */
/* Asks a question at a terminal. false when the answer is not yes, or nobody is there. */
bool cli_ask(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_print(struct cli *, const struct json *reply); /* the reply itself, for --json */
/* A text of the reply as it was written, or with --json the reply. EXIT_FINE. */
int cli_text(struct cli *, const struct json *reply, const char *member);
/* Writes path anew, beside it first, so that it is whole or as it was; a symbolic link is replaced,
 * not followed. false with errno. */
bool cli_file_write(struct cli *, const char *path, int mode, const struct buf *bytes);
/* text with what stands for the words in it; NULL where they are not. */
const char *cli_reworded(struct cli *, const char *text, const char *words, const char *with);
/* The service's words about what an option said, as "--email, value 2: must be …"; NULL where they
 * have another form, or option is NULL. */
const char *cli_told_of(struct cli *, const char *error, const char *option);
/* A line of standard input that nobody is to see: at a terminal, asked for twice. false after
 * saying what is wrong. */
bool cli_secret_read(struct cli *, const char *what, const char **out);
/* Reads to the end, or until there are more than `most` bytes; false when it can't be read. */
bool cli_stream_read(FILE *, size_t most, struct buf *out);
/* JSON as it stands in an argument, or what a file or standard input (-) has; a link or a pipe of
 * the caller's is followed. false after saying what is wrong. */
bool cli_given(const char *given, struct buf *out);
/* A plain file of fewer than most bytes, with a NUL behind them; no link is followed. *out is NULL
 * when there is none. false after saying why it can't be read. */
bool cli_file_read(
    struct cli *, const char *path, size_t most, struct stat *st, const char **out, size_t *n);
/* The same of one that was opened so, and is closed; fd -1: with the errno of that. O_NONBLOCK, or
 * a pipe in its place would hold us for ever. */
enum { CLI_FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
bool cli_file_take(struct cli *, int fd, const char *path, size_t most, struct stat *st,
    const char **out, size_t *n);
/* What stands at "deployment.url", or NULL; "" is the value itself. */
const struct json *json_find(const struct json *, const char *path);
const char *json_member(const struct json *, const char *path); /* the string, or "" */
/* The list at path and its length, which is 0 when there is none. */
const struct json *json_list(const struct json *, const char *path, size_t *n);
/* The writer of what is sent and kept: a comma where one is due, the name, the value. */
void json_key(struct buf *, const char *name);
void json_add(struct buf *, const char *name, const char *value);
int64_t json_number(const struct json *, const char *path);
#endif
