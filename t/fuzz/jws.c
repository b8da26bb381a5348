/* SPDX-License-Identifier: Apache-2.0
 * Signed tokens: a line of input is the set of keys, the rest the token. What is refused has a reason and no payload. */
#include "ext/jws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *input = mem_strndup(c->mem, (const char *)data, n), *end = strchr(input, '\n');
	const struct json *set;
	struct jws jws;

	if (end && jwks_parse(c, input, (size_t)(end - input), &set) == E_OK) {
		if (jws_verify(c, end + 1, set, &jws) == E_OK) {
			if (!jws.payload || jws.unknown_key || strlen(end + 1) < jws.payload_n)
				abort();
		} else if (jws.payload || !c->message) {
			abort();
		}
	}
	ctx_end(c);
	return 0;
}
