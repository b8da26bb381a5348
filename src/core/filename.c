/* SPDX-License-Identifier: Apache-2.0 */
#include "core/filename.h"

#include "base/sniff.h"
#include "base/str.h"

enum err
filename_check(struct ctx *c, const char *at, const char *name)
{
	if (!*name || strlen(name) > FILENAME_BYTES)
		return fail(c, E_INVALID, "%s: must be 1 to %d bytes of UTF-8", at,
		    FILENAME_BYTES);
	if (!str_plain(name))
		return fail(c, E_INVALID,
		    "%s: must be UTF-8 without control characters, line breaks, "
		    "or bidirectional formatting characters",
		    at);
	if (strpbrk(name, "/\\") || str_in(name, ".|.."))
		return fail(c, E_INVALID, "%s: must be a file name without folders (/ or \\)", at);
	return E_OK;
}

enum err
file_mime(struct ctx *c, const char *name, const struct span *bytes, const char **mime)
{
	char head[SNIFF_BYTES];
	size_t n = bytes->n < SNIFF_BYTES ? (size_t)bytes->n : SNIFF_BYTES;

	TRY(span_read(c, bytes, head, n));
	*mime = sniff_mime(name, head, n);
	return E_OK;
}
