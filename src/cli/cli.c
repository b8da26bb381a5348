/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "base/str.h"

#include <fcntl.h>
#include <unistd.h>

int
cli_fail(const char *fmt, ...)
{
	va_list ap;

	fputs("vitrine: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_REFUSED;
}

void
cli_print(struct cli *cli, const struct json *reply)
{
	/* An escape means the same in JSON. */
	printf("%s\n", cli_shown(cli, json_text(cli->c->mem, reply)));
}

const char *
cli_shown(struct cli *cli, const char *s)
{
	struct buf b = BUF(cli->c->mem);
	uint32_t cp;

	while (*s) {
		size_t n = str_plain_run(s), len;

		buf_add(&b, s, n);
		s += n;
		if (!*s)
			break;
		len = str_utf8(s, 4, &cp);
		buf_fmt(&b, len ? "\\u%04x" : "\\x%02x", len ? cp : (unsigned char)*s);
		s += len ? len : 1;
	}
	return buf_done(&b);
}

const char *
json_shown(struct cli *cli, const struct json *j, const char *path)
{
	return cli_shown(cli, json_member(j, path));
}

void
json_key(struct buf *b, const char *name)
{
	if (b->n && b->s[b->n - 1] != '{')
		buf_chr(b, ',');
	buf_json(b, name);
	buf_chr(b, ':');
}

void
json_add(struct buf *b, const char *name, const char *value)
{
	json_key(b, name);
	buf_json(b, value);
}

bool
cli_file_write(struct cli *cli, const char *path, int mode, const struct buf *bytes)
{
	const char *fresh = mem_printf(cli->c->mem, "%s.new", path);
	bool good;
	int fd;

	unlink(fresh);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	good = fd >= 0 && write(fd, bytes->s, bytes->n) == (ssize_t)bytes->n && fsync(fd) == 0;
	if (fd >= 0)
		good &= close(fd) == 0;
	return good && rename(fresh, path) == 0;
}

static const struct json *
find(const struct json *j, const char *path)
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
	j = find(j, path);
	return j && json_kind(j) == J_STR ? json_str(j) : "";
}

int64_t
json_number(const struct json *j, const char *path)
{
	j = find(j, path);
	return j && json_kind(j) == J_INT ? json_int(j) : 0;
}
