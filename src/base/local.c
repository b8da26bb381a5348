/* SPDX-License-Identifier: Apache-2.0 */
#include "base/local.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int
local_connect(const char *path, int flags)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(path) >= sizeof at.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(at.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}
