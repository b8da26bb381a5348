/* SPDX-License-Identifier: Apache-2.0 */
#include "db/ids.h"

#include "base/buf.h"
#include "base/crypto.h"
#include "base/str.h"

#include <stdlib.h>

const char *
ids_json(struct ctx *c, const char *const *ids, size_t n)
{
	struct buf b = BUF(c->mem);

	buf_chr(&b, '[');
	for (size_t i = 0; i < n; i++)
		if (ids[i])
			buf_fmt(&b, "%s\"%s\"", b.n > 1 ? "," : "", ids[i]);
	buf_chr(&b, ']');
	return buf_done(&b);
}

const char *
hashes_json(struct ctx *c, const void *first, size_t step, size_t n)
{
	struct buf b = BUF(c->mem);
	char hex[SHA256_HEX + 1];

	buf_chr(&b, '[');
	for (size_t i = 0; i < n; i++) {
		crypto_hex_into(hex, (const char *)first + i * step, SHA256_BYTES);
		buf_fmt(&b, "%s\"%s\"", i ? "," : "", hex);
	}
	buf_chr(&b, ']');
	return buf_done(&b);
}

const char **
ids_in_order(struct ctx *c, const char *const *ids, size_t n)
{
	const char **all = mem_array(c->mem, const char *, n + 1);

	memcpy(all, ids, n * sizeof *all);
	qsort(all, n, sizeof *all, str_order);
	return all;
}
