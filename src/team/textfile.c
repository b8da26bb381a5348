/* SPDX-License-Identifier: Apache-2.0 */
#include "team/textfile.h"

#include "base/str.h"
#include "base/unicode.h"

bool
text_file_name_valid(const char *name)
{
	static const char rest[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t n = strlen(name);

	return n && n <= TEXT_FILE_NAME && isalnum((unsigned char)*name) &&
	    strspn(name, rest) == n;
}

enum err
text_file_name_check(struct ctx *c, const char *field, const char *name)
{
	return text_file_name_valid(name)
	    ? E_OK
	    : fail(c, E_INVALID,
		  "%s: must start with a letter or digit, and contain only letters, digits, "
		  "dots, hyphens and _",
		  field);
}

enum err
text_file_check(struct ctx *c, struct bytes *content, uint8_t sha256[SHA256_BYTES])
{
	if (content->n > TEXT_FILE_BYTES)
		return fail(c, E_FILE_TOO_LARGE, "content: has %zu bytes; the maximum is %d",
		    content->n, TEXT_FILE_BYTES);
	content->p = unicode_text(c->mem, content->p, &content->n);
	if (!str_is_text(content->p, content->n))
		return fail(c, E_INVALID, "content: must be UTF-8 text");
	crypto_sha256(content->p, content->n, sha256);
	return E_OK;
}

enum err
text_file_room(struct ctx *c, const char *of, int64_t there)
{
	if (there < TEXT_FILES)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", TEXT_FILES);
	return fail(c, E_LIMIT_REACHED, "%s has %d files, the maximum; delete one first", of,
	    TEXT_FILES);
}
