/* SPDX-License-Identifier: Apache-2.0 */
#include "base/counters.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

atomic_uint *
counters_map(const struct conf *conf, const char *file, atomic_uint *own, size_t n)
{
	char path[PATH_MAX];
	void *p = MAP_FAILED;
	int fd;

	snprintf(path, sizeof path, "%s/%s", conf->data_dir, file);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
	if (fd >= 0 && !ftruncate(fd, (off_t)(n * sizeof *own)))
		p = mmap(NULL, n * sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? own : p;
}
