/* SPDX-License-Identifier: Apache-2.0
 * Merges of three texts, divided by bytes 1: what only one side changed is taken whole, and the sides can be exchanged. */
#include "base/str.h"
#include "base/textmerge.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	void *mem = mem_root("textmerge");
	char *rest = mem_strndup(mem, (const char *)data, n);
	const char *base = str_split(&rest, 1), *yours = rest ? str_split(&rest, 1) : "", *theirs = rest ? rest : "";
	struct text_merged a, b;

	if (text_merge(mem, base, yours, theirs, "yours", "theirs", &a) && text_merge(mem, base, theirs, yours, "theirs", "yours", &b)) {
		if (a.hunks.n != b.hunks.n || (!a.hunks.n && !str_eq(a.text, b.text)) || strlen(a.text) != a.n)
			abort();
		for (size_t i = 0; i < a.hunks.n; i++)
			if (!str_eq(a.hunks.v[i].yours, b.hunks.v[i].theirs) || str_eq(a.hunks.v[i].yours, a.hunks.v[i].theirs))
				abort();
	}
	if (text_merge(mem, base, base, theirs, "", "", &a) && (a.hunks.n || !str_eq(a.text, theirs)))
		abort();
	if (text_merge(mem, base, yours, base, "", "", &a) && (a.hunks.n || !str_eq(a.text, yours)))
		abort();
	mem_free(mem);
	return 0;
}
