/* SPDX-License-Identifier: Apache-2.0
 * Helpers that every command of the client uses: printing, asking, reading and writing files, and
 * reading replies. Standard output has the result alone; all else goes to standard error. */
#ifndef VITRINE_CLI_CLI_H
#define VITRINE_CLI_CLI_H
#include "base/buf.h"
#include "base/ctx.h"
#include "base/json.h"
#include "base/usage.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Exit statuses. They are stable; docs/man/vitrine.1 lists them. */
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
	const struct cli_cmd *cmd; /* the command that runs */
	struct row_run *doing;     /* the command's row that runs (cli/row.h), or NULL */
	const char *url, *token;
	const char *kept_for; /* the stored token's service, if url names another one; else NULL */
	struct usage with;    /* arguments and options */
	/* Returns the id that a row's @name means (cli/row.h); NULL after saying what is wrong. */
	const char *(*find)(struct cli *, const char *what, int *exit_status);
	/* Returns the service's error in terms of what was typed, or NULL. NULL unless a row
	 * runs. */
	const char *(*reword)(struct cli *, const char *error);
	bool json, quiet;
	int shown; /* percent that the progress bar shows; -1 if there is no bar */
};

/* Returns an option's value, "" for an option that takes none. NULL if it wasn't given. */
static inline const char *
cli_option(const struct cli *cli, const char *name)
{
	return usage_option(&cli->with, name);
}

/* These functions print all that the client prints, one line each. They escape characters that
 * would steer a terminal or reverse the text (\u001b), and bytes that aren't UTF-8 (\xff). */
int cli_fail(const char *fmt, ...) __attribute__((
    format(printf, 1, 2))); /* "vitrine: …" to standard error; returns EXIT_REFUSED */
/* Fails because of the arguments: returns EXIT_USAGE. */
#define cli_misuse(...) (cli_fail(__VA_ARGS__), EXIT_USAGE)
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* to standard error */
void cli_line(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* to standard output */
void cli_warn(const char *fmt, ...)
    __attribute__((format(printf, 1, 2))); /* "vitrine: warning: …" to standard error */
/* Adds each line that would go to standard error to *heard instead, and asks no questions, until
 * cli_listen(NULL). */
void cli_listen(struct buf *heard);
/* After cli_fail_json(), failures are stored. cli_fail_end() prints each as a line of JSON, the
 * service's error envelope or our own with a code for exit_status. If exit_status is EXIT_FINE, it
 * prints them as text. */
void cli_fail_json(void);
bool cli_fail_is_json(void);
void cli_fail_reply(const struct json *envelope); /* stores the service's envelope */
void cli_fail_end(int exit_status);
/* Draws a progress bar over the last one, if standard error is a terminal. Removes the bar when
 * done equals total. */
void cli_progress(struct cli *, const char *what, int64_t done, int64_t total);
bool cli_asks(void);  /* true if a person can answer questions */
bool cli_shows(void); /* true if standard error is a terminal */
/* Asks a yes-or-no question. False if the answer isn't yes, or if nobody can answer. */
bool cli_ask(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Asks for a line. NULL if nobody can answer. */
const char *cli_read(struct cli *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cli_print(struct cli *, const struct json *reply); /* prints the reply as JSON */
/* Prints a text of the reply line by line; with --json, prints the reply. Returns EXIT_FINE. */
int cli_text(struct cli *, const struct json *reply, const char *member);
/* Replaces a file: writes a new file beside it and renames that, so readers see the old or the new
 * bytes. Replaces a symbolic link instead of following it. Returns false with errno. */
bool cli_file_write(struct cli *, const char *path, int mode, const struct buf *bytes);
/* Writes all n bytes to fd. Returns false with errno. */
bool cli_bytes_write(int fd, const void *bytes, size_t n);
/* Returns text with `words` replaced by `with`; NULL if it doesn't contain them. */
const char *cli_text_replaced(struct cli *, const char *text, const char *words, const char *with);
/* Rewrites an error of the service, such as "emails[1]: must be …", as "--email, value 2: must
 * be …". Returns NULL if the error has another form or option is NULL. */
const char *cli_option_error(struct cli *, const char *error, const char *option);
/* Rewrites an error as cli_option_error() does, with the option that `options` has for the error's
 * member: pairs of member and option (const char *const [][2]); ends with { NULL }. "ask.email" is
 * the member of "ask[1].email: …"; if an argument gives it, the error keeps its number. */
const char *cli_member_error(struct cli *, const char *error, const void *options);
/* Reads a secret from standard input. At a terminal, hides it and asks for it twice. Returns false
 * after saying what is wrong. */
bool cli_secret_read(struct cli *, const char *what, const char **out);
/* Reads to the end, or until it has more than `most` bytes. Returns false if reading fails. */
bool cli_stream_read(FILE *, size_t most, struct buf *out);
/* Reads an argument that is JSON itself, or names a file or standard input (-). Follows a link of
 * the caller's. Returns false after saying what is wrong. */
bool cli_given(const char *given, struct buf *out);
/* Reads a regular file of fewer than `most` bytes, without following a link. *out ends with a NUL
 * that n doesn't count; it is NULL if there is no file. Returns false after saying why not. */
bool cli_file_read(
    struct cli *, const char *path, size_t most, struct stat *st, const char **out, size_t *n);
/* Reads a file as cli_file_read() does, and closes fd, which the caller opened with CLI_FILE_FLAGS.
 * If fd is -1, errno says why. Without O_NONBLOCK, opening a pipe would wait for ever. */
enum { CLI_FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
bool cli_file_take(struct cli *, int fd, const char *path, size_t most, struct stat *st,
    const char **out, size_t *n);
/* Returns the value at a path such as "deployment.url", or NULL. "" is the path of j itself. */
const struct json *json_find(const struct json *, const char *path);
const char *json_member(const struct json *, const char *path); /* the string there, or "" */
int64_t json_number(const struct json *, const char *path);     /* the integer there, or 0 */
/* Returns the list at path; *n is its length, 0 if there is no list. */
const struct json *json_list(const struct json *, const char *path, size_t *n);
/* Writes an array of the texts that commas separate in `given`, without spaces before them. */
void json_split(struct buf *, const char *given);
#endif
