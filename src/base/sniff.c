/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sniff.h"

#include "base/mime.h"
#include "base/str.h"

#define BYTES_TYPE "application/octet-stream"

/* Bytes at a fixed place prove the type. A mark with an extension proves it only for a file of that
 * name, because it is short or common to several types. Source: the WHATWG's MIME Sniffing
 * Standard, section 6, and the formats' own descriptions. */
static const struct mark {
	size_t at, n;
	const char *bytes, *ext, *mime;
} marks[] = {
	{ 0, 8, "\x89PNG\r\n\x1a\n", NULL, "image/png" },
	{ 0, 3, "\xff\xd8\xff", NULL, "image/jpeg" },
	{ 0, 6, "GIF87a", NULL, "image/gif" },
	{ 0, 6, "GIF89a", NULL, "image/gif" },
	{ 8, 6, "WEBPVP", NULL, "image/webp" },
	{ 4, 8, "ftypavif", NULL, "image/avif" },
	{ 4, 8, "ftypavis", NULL, "image/avif" },
	{ 4, 8, "ftypM4A ", NULL, "audio/mp4" },
	{ 4, 7, "ftypmp4", NULL, "video/mp4" },
	{ 4, 7, "ftypiso", "m4a", "audio/mp4" },
	{ 4, 7, "ftypiso", NULL, "video/mp4" },
	{ 4, 8, "ftypavc1", NULL, "video/mp4" },
	{ 4, 8, "ftypM4V ", NULL, "video/mp4" },
	{ 4, 8, "ftypdash", NULL, "video/mp4" },
	{ 4, 8, "ftypMSNV", NULL, "video/mp4" },
	{ 0, 4, "\x1a\x45\xdf\xa3", "webm", "video/webm" },
	{ 0, 4, "\x1a\x45\xdf\xa3", "weba", "audio/webm" },
	{ 0, 5, "OggS\0", "ogv", "video/ogg" },
	{ 0, 5, "OggS\0", NULL, "audio/ogg" },
	{ 0, 4, "ID3\2", NULL, "audio/mpeg" },
	{ 0, 4, "ID3\3", NULL, "audio/mpeg" },
	{ 0, 4, "ID3\4", NULL, "audio/mpeg" },
	{ 0, 2, "\xff\xfb", "mp3", "audio/mpeg" },
	{ 0, 2, "\xff\xf3", "mp3", "audio/mpeg" },
	{ 0, 2, "\xff\xf2", "mp3", "audio/mpeg" },
	{ 0, 2, "\xff\xfa", "mp3", "audio/mpeg" },
	{ 0, 4, "fLaC", NULL, "audio/flac" },
	{ 8, 8, "WAVEfmt ", NULL, "audio/wav" },
	{ 0, 2, "\xff\xf1", "aac", "audio/aac" },
	{ 0, 2, "\xff\xf9", "aac", "audio/aac" },
	{ 0, 5, "%PDF-", NULL, "application/pdf" },
};

const char *
sniff_mime(const char *name, const void *head, size_t n)
{
	const char *ext = str_ending(name), *bytes = head;

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const struct mark *m = &marks[i];

		if (m->at + m->n <= n && memcmp(bytes + m->at, m->bytes, m->n) == 0 &&
		    (!m->ext || strcasecmp(ext, m->ext) == 0))
			return m->mime;
	}
	for (const struct mime_row *row = mime_table; row->ext; row++)
		if (strcasecmp(row->ext, ext) == 0)
			return sniff_shows(row->mime) ? BYTES_TYPE : row->mime;
	return BYTES_TYPE;
}

bool
sniff_shows(const char *mime)
{
	return str_in(mime,
	    "image/png|image/apng|image/jpeg|image/gif|image/webp|image/avif|audio/mp4|audio/mpeg|"
	    "audio/ogg|audio/flac|audio/wav|audio/aac|audio/webm|video/mp4|video/webm|video/ogg");
}

const char *
sniff_sent_as(const char *mime)
{
	bool code = str_in(mime,
	    "text/html|text/javascript|text/css|application/wasm|application/manifest+json|"
	    "application/xml");

	return code || (str_ends(mime, "+xml") && !str_eq(mime, "image/svg+xml")) ? BYTES_TYPE
										  : mime;
}
