/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gauge.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 16384 };

const struct gauge_row gauge_rows[GAUGES] = {
#define GAUGE(name, meaning) { #name, meaning },
#include "base/gauge.def"
#undef GAUGE
};

bool
gauges_write(const struct conf *conf, const int64_t values[GAUGES], const char *named)
{
	void *mine = mem_root("gauges");
	const char *path = mem_printf(mine, "%s/gauges", conf->data_dir),
		   *temp = mem_printf(mine, "%s.%d", path, (int)getpid());
	struct buf b = BUF(mine);
	bool good;
	int fd;

	for (int i = 0; i < GAUGES; i++)
		buf_fmt(&b, "%s %lld\n", gauge_rows[i].name, (long long)values[i]);
	buf_str(&b, named);
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
	good = fd >= 0 && write(fd, b.s, b.n) == (ssize_t)b.n;
	if (fd >= 0)
		close(fd);
	good = good && rename(temp, path) == 0;
	if (!good)
		unlink(temp);
	mem_free(mine);
	return good;
}

bool
gauges_read(const struct conf *conf, int64_t values[GAUGES],
    void (*each)(void *arg, const char *name, int64_t n), void *arg)
{
	void *mine = mem_root("gauges");
	char *rest = mem_zalloc(mine, FILE_BYTES);
	int fd = mem_fd(mine, open(mem_printf(mine, "%s/gauges", conf->data_dir),
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	bool good = fd >= 0 && read(fd, rest, FILE_BYTES - 1) > 0;

	/* Workers could write this file, so we accept only numbers and known names. */
	for (int i = 0; i < GAUGES && good; i++) {
		const char *line = str_split(&rest, '\n'), *name = gauge_rows[i].name;
		size_t n = strlen(name);

		good = line && strncmp(line, name, n) == 0 && line[n] == ' ' &&
		    str_int(line + n + 1, &values[i]);
	}
	if (!good)
		memset(values, 0, sizeof *values * GAUGES);
	for (char *line; good && (line = str_split(&rest, '\n'));) {
		char *number = strrchr(line, ' ');
		int64_t n;

		if (!number || !str_int(number + 1, &n))
			continue;
		*number = '\0';
		if (line[strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789._ ")] == '\0')
			each(arg, line, n);
	}
	mem_free(mine);
	return good;
}
