/* SPDX-License-Identifier: Apache-2.0
 * Files of the binary log, and pieces of a backup: reading either ends, every event lies in the file, and no piece opens by chance. */
#include "archive/event.h"
#include "archive/frame.h"
#include "base/conf.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct conf conf = { .backup_key_file = "/key" };
	static const struct frame_key key;
	struct ctx *c = ctx_begin(&conf, NULL);
	int fd = mem_fd(c->mem, memfd_create("log", 0));
	const uint8_t *bytes;
	struct frames *f;
	struct events e;
	size_t got;
	bool any = true;

	if (write(fd, data, n) != (ssize_t)n)
		abort();
	if (!events_begin(c, fd, "log", &e))
		while (any && !events_next(c, &e, "log", &any))
			if (any && (e.now_at < e.format_end || e.at > (int64_t)n || e.at <= e.now_at))
				abort();
	lseek(fd, 0, SEEK_SET);
	if (!frames_open(c, c->mem, &key, "piece", fd, &f) && !frames_next(c, f, &bytes, &got))
		abort();
	ctx_end(c);
	return 0;
}
