/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/file.h"

#include "base/ignore.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "store/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* More than any service's settings allow. */
#define FILE_BYTES 10737418240

int
file_open(struct cli *cli, const char *path, struct http_file *out, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return cli_fail("%s: %s", path, strerror(errno));
	mem_fd(cli->c->mem, fd);
	if (fstat(fd, st))
		return cli_fail("%s: %s", path, strerror(errno));
	if (!S_ISREG(st->st_mode))
		return cli_fail("%s: isn't a regular file", path);
	*out = (struct http_file){ .fd = fd, .n = st->st_size };
	return EXIT_FINE;
}

int
file_stdin(struct cli *cli, struct http_file *out, struct stat *st)
{
	char bytes[1 << 16], *path;
	int fd;
	ssize_t n;

	if (isatty(STDIN_FILENO))
		return cli_misuse("-: standard input is a terminal; let a program write to it, or "
				  "name a file");
	if ((fd = mem_fd(cli->c->mem, folder_scratch(cli, &path))) < 0)
		return EXIT_REFUSED;
	*out = (struct http_file){ .fd = fd };
	while ((n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0) {
		if ((out->n += n) > FILE_BYTES)
			return cli_fail("standard input has more than 10 GB");
		if (!cli_bytes_write(fd, bytes, (size_t)n))
			return cli_fail("%s: %s", path, strerror(errno));
	}
	if (n < 0 || fstat(fd, st))
		return cli_fail("standard input can't be read: %s", strerror(errno));
	return EXIT_FINE;
}

bool
file_out_judge(const struct cli *cli)
{
	const char *out = cli_option(cli, "--out"), *verb = cli->with.args[0];

	if (!out)
		return true;
	if (!str_eq(verb, "get") || cli->with.n > 2 || cli_option(cli, "--to"))
		return cli_fail(
		    "--out: goes with vitrine %s get, a single file, and without --to",
		    cli->cmd->name) == EXIT_FINE;
	return (segment_plain(str_base(out)) && !ignore_is_ours(str_base(out))) ||
	    cli_fail("--out: %s isn't the name of a file", out) == EXIT_FINE;
}

bool
file_out_stdout(struct cli *cli, int *status)
{
	if (!str_eq(cli_option(cli, "--out"), "-"))
		return false;
	if (isatty(STDOUT_FILENO))
		*status = cli_misuse("--out -: standard output is a terminal; send it to a "
				     "program, or save the file with --out FILE");
	return true;
}

int
file_place_find(struct cli *cli, struct file_place *out)
{
	const char *to = cli_option(cli, "--to"), *name = cli_option(cli, "--out");
	const char *slash = name ? strrchr(name, '/') : NULL;

	*out = (struct file_place){ .dir = to ? to : ".", .name = name ? str_base(name) : NULL };
	if (slash)
		out->dir = mem_strndup(cli->c->mem, name, (size_t)(slash - name) + (slash == name));
	out->at = mem_fd(cli->c->mem, open(out->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return out->at < 0 ? cli_fail("%s: %s", out->dir, strerror(errno)) : EXIT_FINE;
}

int
file_place_judge(struct file_place *p, const char *named, const char *theirs, int64_t size)
{
	/* The uploader chose the name, so it must be harmless on this disk. */
	if (!p->name && (!segment_plain(theirs) || !str_plain(theirs) || ignore_is_ours(theirs)))
		return cli_fail(
		    "%s: its name can't be used here: %s; --out FILE saves it under another",
		    named, theirs);
	if (!p->name && *theirs == '.')
		return cli_fail("%s: its name makes it a hidden file: %s; "
				"--out FILE saves it under a name that you choose",
		    named, theirs);
	p->name = p->name ? p->name : theirs;
	if (size < 0 || size > FILE_BYTES)
		return cli_fail("%s: the service returned an impossible size", named);
	if (faccessat(p->at, p->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return cli_fail(
		    "%s/%s already exists: move it away, or save it elsewhere with --to or --out",
		    p->dir, p->name);
	return EXIT_FINE;
}

int
file_place_make(const struct file_place *p, const char *fresh, int flags)
{
	int fd = openat(
	    p->at, fresh, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666);

	if (fd < 0)
		cli_fail("%s: %s", p->dir, strerror(errno));
	return fd;
}

bool
file_write_at(
    struct cli *cli, int root, const char *path, const void *bytes, size_t n, unsigned flags)
{
	const char *name = str_base(path);
	const char *folder =
	    name > path ? mem_strndup(cli->c->mem, path, (size_t)(name - path - 1)) : ".";
	int dir = beneath_mkdirs(root, folder, NULL), fd, why;
	bool good;

	if (dir < 0)
		return false;
	unlinkat(dir, FRESH_NAME, 0);
	fd = openat(
	    dir, FRESH_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	good = fd >= 0 && cli_bytes_write(fd, bytes, n);
	if (fd >= 0)
		good = close(fd) == 0 && good;
	good = good && !renameat2(dir, FRESH_NAME, dir, name, flags);
	why = errno;
	unlinkat(dir, FRESH_NAME, 0);
	close(dir);
	errno = why;
	return good;
}

int
file_place_keep(const struct file_place *p, const char *fresh, int fd)
{
	if (fsync(fd) || renameat2(p->at, fresh, p->at, p->name, RENAME_NOREPLACE))
		return cli_fail("%s/%s: %s", p->dir, p->name, strerror(errno));
	cli_line("%s/%s", p->dir, p->name);
	return EXIT_FINE;
}
