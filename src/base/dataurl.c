/* SPDX-License-Identifier: Apache-2.0 */
#include "base/dataurl.h"

#include "base/crypto.h"
#include "base/str.h"

static const char before[] = "data:image/", behind[] = ";base64,";

/* Returns the text after the comma; NULL unless the image is of one of the types. */
static const char *
data_of(struct ctx *c, const char *types, const char *s)
{
	const char *type = s + strlen(before), *end;

	if (!str_starts(s, before))
		return NULL;
	end = strstr(type, behind);
	return end && str_in(mem_strndup(c->mem, type, (size_t)(end - type)), types)
	    ? end + strlen(behind)
	    : NULL;
}

enum err
data_url_parse(struct ctx *c, const char *where, const char *types, const char *s,
    const char **bytes, size_t *n)
{
	const char *text = data_of(c, types, s);
	size_t text_n;
	uint8_t *raw;

	if (!text)
		return fail(c, E_INVALID, "%s: must be %s%s%s…", where, before, types, behind);
	text_n = strlen(text);
	raw = mem_zalloc(c->mem, text_n / 4 * 3 + 1);
	if (!text_n || !crypto_unbase64(text, text_n, raw, n))
		return fail(c, E_INVALID, "%s: isn't valid base64 (RFC 4648, padded)", where);
	*bytes = (const char *)raw;
	return E_OK;
}
