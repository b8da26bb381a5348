/* SPDX-License-Identifier: Apache-2.0
 * Forms: every part lies within the body. */
#include "http/multipart.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct span body = { .fd = mem_fd(c->mem, memfd_create("body", 0)) };
	struct part part[4];
	size_t count;

	body.n = write(body.fd, data, n);
	if (multipart_parse(c, "multipart/form-data; boundary=B", body, part, 4, &count) == E_OK)
		for (size_t i = 0; i < count; i++)
			if (part[i].bytes.at < 0 || part[i].bytes.n < 0 || part[i].bytes.at + part[i].bytes.n > body.n || !part[i].name)
				abort();
	ctx_end(c);
	return 0;
}
