/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "base/crypto.h"
#include "base/str.h"
#include "base/unicode.h"

#include <errno.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

static const char *
text_shown(void *owner, const char *s)
{
	struct buf b = BUF(owner);
	uint32_t cp;

	while (*s) {
		size_t n = str_plain_run(s), len;

		buf_add(&b, s, n);
		s += n;
		if (!*s)
			break;
		/* str_utf8() sees the NUL in a sequence that is cut short. */
		len = str_utf8(s, 4, &cp);
		if (!len)
			buf_fmt(&b, "\\x%02x", (unsigned char)*s);
		else if (cp < 0x10000)
			buf_fmt(&b, "\\u%04x", cp);
		else /* The output may be JSON, where such a character is a pair. */
			buf_fmt(&b, "\\u%04x\\u%04x", 0xd800 + ((cp - 0x10000) >> 10),
			    0xdc00 + ((cp - 0x10000) & 0x3ff));
		s += len ? len : 1;
	}
	return buf_done(&b);
}

static void
line_write(FILE *out, const char *name, const char *before, const char *after, const char *fmt,
    va_list ap)
{
	void *mem = mem_root("line");

	fprintf(out, "%s%s%s%s", name, before, text_shown(mem, mem_vprintf(mem, fmt, ap)), after);
	mem_free(mem);
}

static struct buf *heard; /* the buffer of cli_listen(), or NULL */

void
cli_listen(struct buf *to)
{
	heard = to;
}

/* Writes to standard error, or without our name to the buffer of cli_listen(). */
static void
message_write(const char *name, const char *before, const char *fmt, va_list ap)
{
	if (heard)
		buf_fmt(heard, "%s%s\n", before,
		    text_shown(heard->owner, mem_vprintf(heard->owner, fmt, ap)));
	else
		line_write(stderr, name, before, "\n", fmt, ap);
}

/* ---- failures ---- */

static struct {
	void *mem; /* NULL: failures are printed at once */
	struct failure {
		const char *text;
		bool reply; /* text is the service's envelope */
	} *v;
	size_t n;
} kept;

static void
failure_keep(const char *text, bool reply)
{
	kept.v = mem_grow(kept.mem, kept.v, (kept.n + 1) * sizeof *kept.v);
	kept.v[kept.n++] = (struct failure){ text, reply };
}

void
cli_fail_json(void)
{
	kept.mem = mem_root("failures");
}

bool
cli_fail_is_json(void)
{
	return kept.mem && !heard;
}

void
cli_fail_reply(const struct json *envelope)
{
	failure_keep(json_text(kept.mem, envelope), true);
}

/* Returns the error code that the service uses for the same failure, if it has one. */
static const char *
failure_code(int exit_status)
{
	switch (exit_status) {
	case EXIT_USAGE: return "USAGE";
	case EXIT_SIGNED_OUT: return "UNAUTHENTICATED";
	case EXIT_CONFLICT: return "CONFLICT";
	case EXIT_NETWORK: return "UNAVAILABLE";
	case EXIT_RATE: return "RATE_LIMITED";
	default: return "REFUSED";
	}
}

void
cli_fail_end(int exit_status)
{
	struct failure *f = kept.v;

	for (size_t i = 0; i < kept.n; i++, f++) {
		struct buf b = BUF(kept.mem);

		if (!f->reply && exit_status) {
			buf_str(&b, "{\"success\":false");
			json_add(&b, "error", f->text);
			json_add(&b, "code", failure_code(exit_status));
			buf_chr(&b, '}');
		}
		cli_note("%s%s", f->reply || exit_status ? "" : "vitrine: ", b.n ? b.s : f->text);
	}
	mem_free(kept.mem);
	kept.mem = NULL;
}

int
cli_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (cli_fail_is_json())
		failure_keep(mem_vprintf(kept.mem, fmt, ap), false);
	else
		message_write("vitrine: ", "", fmt, ap);
	va_end(ap);
	return EXIT_REFUSED;
}

void
cli_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_write("vitrine: ", "warning: ", fmt, ap);
	va_end(ap);
}

/* ---- lines ---- */

void
cli_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_write("", "", fmt, ap);
	va_end(ap);
}

void
cli_line(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line_write(stdout, "", "", "\n", fmt, ap);
	va_end(ap);
}

void
cli_progress(struct cli *cli, const char *what, int64_t done, int64_t total)
{
	static const char full[] = "##############################";
	int width = (int)sizeof full - 1, percent = total > 0 ? (int)(done * 100 / total) : 100;

	if (cli->quiet || !cli_shows() || percent == cli->shown)
		return;
	if (percent < 100)
		fprintf(stderr, "\r%s [%-*.*s] %3d%%", what, width, percent * width / 100, full,
		    percent);
	else if (cli->shown >= 0)
		fprintf(stderr, "\r\033[K");
	cli->shown = percent < 100 ? percent : -1;
}

bool
cli_asks(void)
{
	return isatty(STDIN_FILENO) && cli_shows();
}

bool
cli_shows(void)
{
	return !heard && isatty(STDERR_FILENO);
}

/* Reads a line of at most `size` bytes, after a question and what follows it. */
static bool
line_read(char *line, int size, const char *after, const char *fmt, va_list ap)
{
	if (!cli_asks())
		return false;
	line_write(stderr, "", "", after, fmt, ap);
	return fgets(line, size, stdin);
}

bool
cli_ask(const char *fmt, ...)
{
	char answer[16];
	bool read;
	va_list ap;

	va_start(ap, fmt);
	read = line_read(answer, sizeof answer, " [y/N] ", fmt, ap);
	va_end(ap);
	return read && (*answer == 'y' || *answer == 'Y');
}

const char *
cli_read(struct cli *cli, const char *fmt, ...)
{
	char line[1024] = "";
	bool read;
	va_list ap;

	va_start(ap, fmt);
	read = line_read(line, sizeof line, " ", fmt, ap);
	va_end(ap);
	return read ? unicode_line(cli->c->mem, line, sizeof line) : NULL;
}

/* ---- secrets ---- */

static struct termios terminal_was;

/* Shows typed characters again, which the interrupted secret_line() has hidden. */
static void
secret_interrupted(int signal_no)
{
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal_was);
	signal(signal_no, SIG_DFL);
	raise(signal_no);
}

static bool
secret_line(struct cli *cli, const char *what, const char **out)
{
	char line[1024] = "";
	bool terminal = cli_asks() && tcgetattr(STDIN_FILENO, &terminal_was) == 0, got;
	struct termios hidden = terminal_was;

	if (terminal) {
		signal(SIGINT, secret_interrupted);
		hidden.c_lflag &= ~(tcflag_t)ECHO;
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
		fprintf(stderr, "%s: ", what);
	}
	got = fgets(line, sizeof line, stdin);
	if (terminal) {
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal_was);
		signal(SIGINT, SIG_DFL);
		fprintf(stderr, "\n");
	}
	if (!got)
		return false;
	*out = unicode_line(cli->c->mem, line, sizeof line);
	return true;
}

bool
cli_secret_read(struct cli *cli, const char *what, const char **out)
{
	const char *again;

	if (!secret_line(cli, what, out))
		return cli_fail("--password: there is none on standard input") == EXIT_FINE;
	if (!cli_asks())
		return true;
	if (!secret_line(cli, "Once more", &again) || !str_eq(*out, again))
		return cli_fail("--password: those were two different ones") == EXIT_FINE;
	return true;
}

void
cli_print(struct cli *cli, const struct json *reply)
{
	cli_line("%s", json_text(cli->c->mem, reply));
}

int
cli_text(struct cli *cli, const struct json *reply, const char *member)
{
	char *rest = mem_strdup(cli->c->mem, json_member(reply, member)), *line;

	if (cli->json)
		cli_print(cli, reply);
	while (!cli->json && rest && *rest && (line = str_split(&rest, '\n')))
		cli_line("%s", line);
	return EXIT_FINE;
}

const char *
cli_text_replaced(struct cli *cli, const char *text, const char *words, const char *with)
{
	const char *at = strstr(text, words);

	return at ? mem_printf(cli->c->mem, "%.*s%s%s", (int)(at - text), text, with,
			at + strlen(words))
		  : NULL;
}

const char *
cli_option_error(struct cli *cli, const char *error, const char *option)
{
	char *end = (char *)(uintptr_t)error + strcspn(error, ":[ ");
	unsigned long no = 0;

	if (option && *end == '[')
		no = 1 + strtoul(end + 1, &end, 10);
	end += *end == ']';
	if (!option || *end != ':')
		return NULL;
	return no ? mem_printf(cli->c->mem, "%s, value %lu%s", option, no, end)
		  : mem_printf(cli->c->mem, "%s%s", option, end);
}

/* Returns "ask.email" of "ask[1].email: …", with *at at the bracket; NULL of another form. */
static const char *
item_member(struct cli *cli, const char *error, const char **at)
{
	const char *end = *at = error + strcspn(error, ":[ "), *close = strchr(end, ']');

	if (*end != '[' || !close || close[1] != '.')
		return NULL;
	end = close + strcspn(close, ": ");
	return *end == ':' ? mem_printf(cli->c->mem, "%.*s%.*s", (int)(*at - error), error,
				 (int)(end - close - 1), close + 1)
			   : NULL;
}

const char *
cli_member_error(struct cli *cli, const char *error, const void *options)
{
	const char *member = mem_strndup(cli->c->mem, error, strcspn(error, ":[ ")), *at;
	const char *item = item_member(cli, error, &at);

	for (const char *const(*o)[2] = options; (*o)[0]; o++) {
		if (item && str_eq(item, (*o)[0]))
			return *(*o)[1] == '-'
			    ? mem_printf(cli->c->mem, "%s%s", (*o)[1], strchr(at, ':'))
			    : mem_printf(cli->c->mem, "%s, value %lu%s", (*o)[1],
				  1 + strtoul(at + 1, NULL, 10), strchr(at, ':'));
		if (str_eq(member, (*o)[0]))
			return cli_option_error(cli, error, (*o)[1]);
	}
	return NULL;
}

void
json_split(struct buf *b, const char *given)
{
	char *rest = mem_strdup(b->owner, given), *one;

	buf_chr(b, '[');
	while ((one = str_split(&rest, ','))) {
		buf_str(b, b->s[b->n - 1] == '[' ? "" : ",");
		buf_json(b, one + strspn(one, " "));
	}
	buf_chr(b, ']');
}

bool
cli_bytes_write(int fd, const void *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t wrote = write(fd, (const char *)bytes + done, n - done);

		if (wrote < 0)
			return false;
		done += (size_t)wrote;
	}
	return true;
}

/* Several clients may write at once, so each new file has a random name. */
bool
cli_file_write(struct cli *cli, const char *path, int mode, const struct buf *bytes)
{
	uint8_t rnd[8];
	const char *fresh;
	bool good;
	int fd;

	crypto_random(rnd, sizeof rnd);
	fresh = mem_printf(
	    cli->c->mem, "%s.%s.new", path, crypto_hex(cli->c->mem, rnd, sizeof rnd));
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return false;
	good = cli_bytes_write(fd, bytes->s, bytes->n) && fsync(fd) == 0;
	good = close(fd) == 0 && good && rename(fresh, path) == 0;
	if (!good)
		unlink(fresh);
	return good;
}

bool
cli_file_read(
    struct cli *cli, const char *path, size_t most, struct stat *st, const char **out, size_t *n)
{
	return cli_file_take(cli, open(path, CLI_FILE_FLAGS), path, most, st, out, n);
}

bool
cli_file_take(struct cli *cli, int fd, const char *path, size_t most, struct stat *st,
    const char **out, size_t *n)
{
	char *text;
	ssize_t got = 1;
	bool good;
	*out = NULL;
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return true;
	if (fd < 0 && errno != ELOOP && errno != ENXIO)
		return cli_fail("%s: %s", path, strerror(errno)) == EXIT_FINE;
	good = fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode);
	if (!good) {
		cli_fail("%s: isn't a regular file, so it isn't read", path);
	} else {
		text = mem_zalloc(cli->c->mem, most + 1);
		for (*n = 0; *n < most && got > 0; *n += got > 0 ? (size_t)got : 0)
			got = read(fd, text + *n, most - *n);
		if (got < 0)
			cli_fail("%s: %s", path, strerror(errno));
		else if (*n == most)
			cli_fail("%s: is too large for what belongs there", path);
		*out = text;
		good = got == 0;
	}
	if (good)
		*out = unicode_text(cli->c->mem, *out, n);
	if (fd >= 0)
		close(fd);
	return good;
}

const struct json *
json_find(const struct json *j, const char *path)
{
	while (j && *path) {
		size_t n = strcspn(path, ".");
		char name[64];

		if (n >= sizeof name || json_kind(j) != J_OBJ)
			return NULL;
		memcpy(name, path, n);
		name[n] = '\0';
		j = json_get(j, name);
		path += n + (path[n] == '.');
	}
	return j;
}

const char *
json_member(const struct json *j, const char *path)
{
	j = json_find(j, path);
	return j && json_kind(j) == J_STR ? json_str(j) : "";
}

const struct json *
json_list(const struct json *j, const char *name, size_t *n)
{
	j = json_find(j, name);
	*n = j && json_kind(j) == J_ARR ? json_len(j) : 0;
	return j;
}

int64_t
json_number(const struct json *j, const char *path)
{
	j = json_find(j, path);
	return j && json_kind(j) == J_INT ? json_int(j) : 0;
}

/* The service accepts a mebibyte at most. */
enum { GIVEN_BYTES = 2 << 20 };

bool
cli_stream_read(FILE *in, size_t most, struct buf *out)
{
	char chunk[65536];
	size_t n;

	while (out->n <= most && (n = fread(chunk, 1, sizeof chunk, in)) > 0)
		buf_add(out, chunk, n);
	return !ferror(in);
}

bool
cli_given(const char *given, struct buf *out)
{
	FILE *in;
	bool good;

	if (*given == '{') {
		buf_str(out, given);
		return true;
	}
	in = str_eq(given, "-") ? stdin : fopen(given, "re");
	if (!in)
		return cli_fail("%s: %s", given, strerror(errno)) == EXIT_FINE;
	good = cli_stream_read(in, GIVEN_BYTES, out);
	if (in != stdin)
		fclose(in);
	if (!good)
		return cli_fail("%s: can't be read", given) == EXIT_FINE;
	if (out->n > GIVEN_BYTES)
		return cli_fail("%s: is larger than the service accepts", given) == EXIT_FINE;
	out->s = mem_strndup(out->owner, unicode_text(out->owner, out->s, &out->n), out->n);
	return out->n || cli_fail("%s: is empty", given) == EXIT_FINE;
}
