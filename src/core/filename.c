/* SPDX-License-Identifier: Apache-2.0 */
#include "core/filename.h"

#include "base/buf.h"
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

/* True for a device of Windows, whatever follows its dot. */
static bool
is_device(const char *name)
{
	size_t n = strcspn(name, ".");
	char stem[8];

	while (n && name[n - 1] == ' ')
		n--;
	if (n >= sizeof stem)
		return false;
	memcpy(stem, name, n);
	stem[n] = '\0';
	str_lower(stem);
	if (n == 4 && (str_starts(stem, "com") || str_starts(stem, "lpt")))
		return isdigit((unsigned char)stem[3]);
	return str_in(stem, "con|prn|aux|nul|conin$|conout$");
}

const char *
filename_portable(void *owner, const char *name)
{
	char *out = mem_printf(owner, "%s%s", is_device(name) ? "_" : "", name);
	size_t n = strlen(out);

	for (char *p = out; *p; p++)
		if (strchr("<>:\"|?*\\", *p))
			*p = '_';
	while (n && strchr(". ", out[n - 1]))
		out[--n] = '_';
	return out;
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

static const struct {
	const char *begins, *kind;
} kinds[] = { { "image/", "picture" }, { "video/", "film" }, { "audio/", "sound" },
	{ "text/", "document" }, { "application/pdf", "document" },
	{ "application/json", "document" }, { "application/yaml", "document" },
	{ "application/rtf", "document" }, { "application/postscript", "document" },
	{ "application/epub+zip", "document" }, { "application/msword", "document" },
	{ "application/vnd.ms-excel", "document" }, { "application/vnd.ms-powerpoint", "document" },
	{ "application/vnd.openxmlformats-officedocument.", "document" },
	{ "application/vnd.oasis.opendocument.", "document" }, { "application/zip", "archive" },
	{ "application/gzip", "archive" }, { "application/x-tar", "archive" },
	{ "application/x-7z", "archive" }, { "application/x-bzip2", "archive" },
	{ "application/zstd", "archive" } };
enum { KINDS = sizeof kinds / sizeof *kinds, THUMBNAIL_BYTES = 5 << 20 };

const char *
file_kind(const char *mime)
{
	for (size_t i = 0; i < KINDS; i++)
		if (str_starts(mime, kinds[i].begins))
			return kinds[i].kind;
	return "other";
}

const char *
file_kind_types(void *owner, const char *kind)
{
	bool other = str_eq(kind, "other"), first = true;
	struct buf b = BUF(owner);

	buf_str(&b, other ? "^(?!" : "^(?:");
	for (size_t i = 0; i < KINDS; i++) {
		if (!other && !str_eq(kinds[i].kind, kind))
			continue;
		buf_fmt(&b, "%s\\Q%s\\E", first ? "" : "|", kinds[i].begins);
		first = false;
	}
	buf_chr(&b, ')');
	return buf_done(&b);
}

bool
file_is_thumbnail(const char *mime, int64_t size)
{
	return str_starts(mime, "image/") && sniff_shows(mime) && size <= THUMBNAIL_BYTES;
}
