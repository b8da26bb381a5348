/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/parcel.h"

#include "ext/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before each file; its name, with a NUL, and its bytes follow. */
struct head {
	uint32_t name_n;
	uint32_t bytes_n;
};

void
parcel_add(struct buf *b, const char *name, const void *bytes, size_t n)
{
	const struct head h = { (uint32_t)strlen(name) + 1, (uint32_t)n };

	buf_add(b, &h, sizeof h);
	buf_add(b, name, h.name_n);
	buf_add(b, bytes, n);
}

bool
parcel_next(const char *parcel, size_t n, size_t *at, const char **name, const char **bytes,
    size_t *bytes_n)
{
	struct head h;
	size_t left = n - *at;

	if (left < sizeof h)
		return false;
	memcpy(&h, parcel + *at, sizeof h);
	left -= sizeof h;
	if (!h.name_n || h.name_n > left || h.bytes_n > left - h.name_n ||
	    parcel[*at + sizeof h + h.name_n - 1])
		return false;
	*name = parcel + *at + sizeof h;
	*bytes = *name + h.name_n;
	*bytes_n = h.bytes_n;
	*at += sizeof h + h.name_n + h.bytes_n;
	return true;
}

static bool
file_write(const char *folder, const char *name, const char *bytes, size_t n)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof path, "%s/%s", folder, name), fd;
	bool ok;

	if (length < 0 || (size_t)length >= sizeof path)
		return false;
	for (char *at = path + strlen(folder); (at = strchr(at + 1, '/'));) {
		*at = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return false;
		*at = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	ok = fd >= 0 && helper_write(fd, bytes, n);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool
parcel_unpack(int from, const char *folder)
{
	const char *parcel, *name, *bytes;
	size_t at = 0, n;
	struct stat st;
	bool ok = true;

	if (fstat(from, &st) || !st.st_size)
		return false;
	parcel = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, from, 0);
	if (parcel == MAP_FAILED)
		return false;
	while (ok && parcel_next(parcel, (size_t)st.st_size, &at, &name, &bytes, &n))
		ok = file_write(folder, name, bytes, n);
	munmap((void *)(uintptr_t)parcel, (size_t)st.st_size);
	return ok && at == (size_t)st.st_size;
}

/* The file's bytes, which may be none. */
static bool
file_send(int to, const char *name, int fd)
{
	struct head h = { (uint32_t)strlen(name) + 1, 0 };
	const char *bytes = "";
	struct stat st;

	if (fstat(fd, &st) || st.st_size > UINT32_MAX)
		return false;
	h.bytes_n = (uint32_t)st.st_size;
	if (st.st_size)
		bytes = mmap(NULL, h.bytes_n, PROT_READ, MAP_PRIVATE, fd, 0);
	return bytes != MAP_FAILED && helper_write(to, &h, sizeof h) &&
	    helper_write(to, name, h.name_n) && helper_write(to, bytes, h.bytes_n);
}

bool
parcel_send(int to, const char *folder, const char *const *names)
{
	char path[PATH_MAX];
	bool ok = true;

	for (; *names && ok; names++) {
		int fd;

		snprintf(path, sizeof path, "%s/%s", folder, *names);
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		ok = fd < 0 || file_send(to, *names, fd);
		if (fd >= 0)
			close(fd);
	}
	return ok;
}
