/* SPDX-License-Identifier: Apache-2.0
 * Certificates with their keys, as www-data could leave them for root. What is refused has a reason. */
#include "base/certificate.h"

#include "base/mem.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	void *mem = mem_root("fuzz");
	const char *pem = mem_strndup(mem, (const char *)data, n);
	struct certificate got;

	if (!certificate_read(mem, pem, strlen(pem), &got)) {
		for (size_t i = 0; i < got.name_n; i++)
			if (!certificate_covers(&got, got.names[i]))
				abort();
	}
	mem_free(mem);
	return 0;
}
