/* SPDX-License-Identifier: Apache-2.0
 * The JSON gate: what it lets through must print as something that it lets through again, and that prints the same. */
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct json *tree, *again;

	if (json_parse(c, (const char *)data, n, &tree) == E_OK) {
		const char *text = json_text(c->mem, tree);

		if (json_parse(c, text, strlen(text), &again) ||
		    strcmp(text, json_text(c->mem, again)) != 0 || json_kind(tree) != json_kind(again) ||
		    json_len(tree) != json_len(again))
			abort();
	}
	ctx_end(c);
	return 0;
}
