/* SPDX-License-Identifier: Apache-2.0
 * Archives: whatever comes, no path escapes and no limit is passed; then icons from the same bytes. */
#include "base/png.h"
#include "base/str.h"
#include "store/archive.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int64_t total;

static enum err
begin(void *arg, struct ctx *c, const char *path)
{
	(void)arg;
	(void)c;
	if (!*path || strpbrk(path, "\\:") || *path == '/' || str_starts(path, "../") ||
	    strstr(path, "/../"))
		abort();
	return E_OK;
}

static enum err
bytes(void *arg, struct ctx *c, const void *p, size_t n)
{
	(void)arg;
	(void)c;
	(void)p;
	total += (int64_t)n;
	return E_OK;
}

static enum err
end(void *arg, struct ctx *c)
{
	(void)arg;
	(void)c;
	return E_OK;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct archive_limits limits = { 10, 1 << 20, 1 << 21, 200 };
	struct archive_sink sink = { begin, bytes, end, NULL };
	struct ctx *c = ctx_begin(NULL, NULL);
	struct span from = { .fd = mem_fd(c->mem, memfd_create("archive", 0)) };
	unsigned w, h;

	total = 0;
	from.n = write(from.fd, data, n);
	archive_read(c, &from, &limits, &sink);
	if (total > limits.max_total_bytes)
		abort();
	png_check(c, "icon", (const char *)data, n, &w, &h);
	ctx_end(c);
	return 0;
}
