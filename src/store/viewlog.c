/* SPDX-License-Identifier: Apache-2.0 */
#include "store/viewlog.h"

#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { BLOCK = 4096 };

enum err
viewlog_open(struct ctx *c, void *owner, struct viewlog **out)
{
	const int how = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	const char *path = c->conf->views_log;
	struct viewlog *log = mem_new(owner, struct viewlog);
	struct statx s;

	*out = NULL;
	if (!conf_has(path))
		return E_OK;
	log->fd = mem_fd(owner, open(path, O_RDWR | how));
	log->writable = log->fd >= 0;
	if (!log->writable && errno == EACCES)
		log->fd = mem_fd(owner, open(path, O_RDONLY | how));
	if (log->fd < 0 && errno != ENOENT)
		return fail_here(c, "views_log: %s", path);
	if (log->fd < 0) {
		errno = 0;
		return E_OK;
	}
	if (statx(log->fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &s))
		return fail_here(c, "views_log: %s", path);
	if (!S_ISREG(s.stx_mode))
		return fail_here(c, "views_log: %s isn't a plain file", path);
	/* The file system may reuse an inode number, but not with the same birth time. */
	snprintf(log->id, sizeof log->id, "%x:%x-%llx-%llx.%x", s.stx_dev_major, s.stx_dev_minor,
	    (unsigned long long)s.stx_ino, (unsigned long long)s.stx_btime.tv_sec,
	    s.stx_btime.tv_nsec);
	*out = log;
	return E_OK;
}

/* Skips holes, and zeroes where a hole ends within a block. */
static int64_t
viewlog_skip(const struct viewlog *log, int64_t from, int64_t size)
{
	char block[BLOCK];
	int64_t at = from > size ? 0 : from;
	off_t data = lseek(log->fd, at, SEEK_DATA);
	ssize_t got, zeroes;

	if (data > at)
		at = data;
	while ((got = pread(log->fd, block, sizeof block, at)) > 0) {
		for (zeroes = 0; zeroes < got && !block[zeroes];)
			zeroes++;
		at += zeroes;
		if (zeroes < got)
			break;
	}
	return at;
}

/* A chunk without a line end isn't a line of nginx's, and is skipped. */
enum err
viewlog_read(struct ctx *c, const struct viewlog *log, int64_t from, struct viewlog_lines *out)
{
	const char *end;
	struct stat st;
	ssize_t got;

	if (fstat(log->fd, &st))
		return fail_here(c, "views_log");
	*out = (struct viewlog_lines){ .text = mem_zalloc(c->mem, VIEWLOG_PIECE + 1) };
	out->at = viewlog_skip(log, from, st.st_size);
	got = pread(log->fd, out->text, VIEWLOG_PIECE, out->at);
	if (got < 0)
		return fail_here(c, "views_log");
	end = memrchr(out->text, '\n', (size_t)got);
	out->n = end ? (size_t)(end - out->text) + 1 : got == VIEWLOG_PIECE ? (size_t)got : 0;
	out->text[out->n] = '\0';
	/* A row with the counted position survives a power cut. If the file were then shorter,
	 * later lines would fall into the counted part. */
	if (out->n && fdatasync(log->fd))
		return fail_here(c, "views_log");
	errno = 0;
	return E_OK;
}

void
viewlog_empty(struct ctx *c, const struct viewlog *log, int64_t counted)
{
	const int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;

	counted -= counted % BLOCK;
	if (counted <= 0)
		return;
	errno = EACCES;
	if (!log->writable || fallocate(log->fd, how, 0, counted))
		log_line(LOG_LEVEL_WARN, "views log can't be emptied", "file", c->conf->views_log,
		    "why", strerror(errno), NULL);
	errno = 0;
}
