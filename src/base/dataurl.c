/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dataurl.h"

#include "base/crypto.h"
#include "base/str.h"

static const char before[] = "data:image/", behind[] = ";base64,";

enum err
data_url_parse(struct ctx *c, const char *where, const char *types, const char *s,
    const char **bytes, size_t *n)
{
	const char *type = s + strlen(before);
	const char *end = str_starts(s, before) ? strstr(type, behind) : NULL, *text;
	size_t text_n;
	uint8_t *raw;

	if (!end || !str_in(mem_strndup(c->mem, type, (size_t)(end - type)), types))
		return fail(c, E_INVALID, "%s: must be %s%s%s…", where, before, types, behind);
	text = end + strlen(behind);
	text_n = strlen(text);
	raw = mem_zalloc(c->mem, text_n / 4 * 3 + 1);
	if (!text_n || !crypto_unbase64(text, text_n, raw, n))
		return fail(c, E_INVALID, "%s: isn't valid base64 (RFC 4648, padded)", where);
	*bytes = (const char *)raw;
	return E_OK;
}
