/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/well.h"

#include "base/buf.h"
#include "base/local.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

/* True if the disk accepts a write: overwrites the file `well` with 4096 bytes and syncs it. */
static bool
disk_works(const struct conf *conf)
{
	static const char bytes[4096];
	void *mine = mem_root("well");
	int fd = open(mem_printf(mine, "%s/well", conf->data_dir),
	    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0640);
	bool good = fd >= 0 && pwrite(fd, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes &&
	    fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	mem_free(mine);
	return good;
}

/* A FastCGI record of request 1. Source: FastCGI Specification, section 3.3. */
static void
record(struct buf *b, uint8_t type, const void *bytes, size_t n)
{
	const uint8_t head[8] = { 1, type, 0, 1, (uint8_t)(n >> 8), (uint8_t)n, 0, 0 };

	buf_add(b, head, sizeof head);
	buf_add(b, bytes, n);
}

/* True if the pool that listens at path answers, with whatever status. */
static bool
pool_works(const char *path)
{
	enum { BEGIN = 1, PARAMS = 4, STDIN = 5, STDOUT = 6 };
	static const char params[] = "\x0e\x03REQUEST_METHODGET\x0b\x08REQUEST_URI/healthz";
	const uint8_t begin[8] = { 0, 1 };
	void *mine = mem_root("well");
	struct buf b = BUF(mine);
	uint8_t head[8] = { 0 };
	int fd = local_connect(path, 0);
	bool good;

	record(&b, BEGIN, begin, sizeof begin);
	record(&b, PARAMS, params, sizeof params - 1);
	record(&b, PARAMS, "", 0);
	record(&b, STDIN, "", 0);
	good = fd >= 0 && write(fd, b.s, b.n) == (ssize_t)b.n &&
	    recv(fd, head, sizeof head, MSG_WAITALL) == (ssize_t)sizeof head && head[1] == STDOUT;
	if (fd >= 0)
		close(fd);
	mem_free(mine);
	return good;
}

enum well
well_try(const struct conf *conf)
{
	if (!disk_works(conf))
		return WELL_DISK;
	alarm(WELL_POOL_S);
	return pool_works(conf->socket) && pool_works(conf->slow_socket) ? WELL : WELL_POOL;
}
