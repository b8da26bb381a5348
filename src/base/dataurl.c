/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dataurl.h"

#include "base/crypto.h"
#include "base/str.h"

enum err
data_url_parse(struct ctx *c, const char *where, const char *s, const char **mime,
    const char **bytes, size_t *n)
{
	static const char prefix[] = "data:image/png;base64,";
	size_t text_n;
	uint8_t *raw;

	if (!str_starts(s, prefix))
		return fail(c, E_INVALID, "%s: must be data:image/png;base64,…", where);
	s += strlen(prefix);
	text_n = strlen(s);
	raw = mem_zalloc(c->mem, text_n / 4 * 3 + 1);
	if (!text_n || !crypto_unbase64(s, text_n, raw, n))
		return fail(c, E_INVALID, "%s: isn't valid base64 (RFC 4648, padded)", where);
	*mime = "image/png";
	*bytes = (const char *)raw;
	return E_OK;
}
