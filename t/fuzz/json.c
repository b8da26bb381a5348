/* SPDX-License-Identifier: Apache-2.0
 * The JSON gate: what it lets through, json-c must parse, and it must print as something the gate lets through again. */
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct json *tree;
	const char *text;
	size_t at;

	if (json_scan((const char *)data, n, &at) == NULL) {
		if (json_parse(c, (const char *)data, n, &tree))
			abort();
		text = json_text(c->mem, tree);
		if (json_scan(text, strlen(text), &at))
			abort();
	}
	ctx_end(c);
	return 0;
}
