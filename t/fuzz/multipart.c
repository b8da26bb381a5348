/* SPDX-License-Identifier: Apache-2.0
 * Forms: every part lies within the body. */
#include "http/multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct part part[4];
	size_t count;

	if (multipart_parse(c, "multipart/form-data; boundary=B", (const char *)data, n, part, 4, &count) == E_OK)
		for (size_t i = 0; i < count; i++)
			if (part[i].bytes < (const char *)data || part[i].bytes + part[i].n > (const char *)data + n || !part[i].name)
				abort();
	ctx_end(c);
	return 0;
}
