/* SPDX-License-Identifier: Apache-2.0 */
#include "db/ids.h"

#include "base/buf.h"

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
