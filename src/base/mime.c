/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mime.h"

#include "base/mem.h"
#include "base/str.h"

/* Types as in Debian's media-types. Sorted by extension for bsearch(). */
const struct mime_row mime_table[] = {
	{ "3gp", "video/3gpp" },
	{ "7z", "application/x-7z-compressed" },
	{ "aac", "audio/aac" },
	{ "apng", "image/apng" },
	{ "atom", "application/atom+xml" },
	{ "avi", "video/x-msvideo" },
	{ "avif", "image/avif" },
	{ "bin", "application/octet-stream" },
	{ "bmp", "image/bmp" },
	{ "br", "application/octet-stream" },
	{ "bz2", "application/x-bzip2" },
	{ "c", "text/plain" },
	{ "cjs", "text/javascript" },
	{ "conf", "text/plain" },
	{ "css", "text/css" },
	{ "csv", "text/csv" },
	{ "diff", "text/plain" },
	{ "doc", "application/msword" },
	{ "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document" },
	{ "eot", "application/vnd.ms-fontobject" },
	{ "epub", "application/epub+zip" },
	{ "flac", "audio/flac" },
	{ "geojson", "application/geo+json" },
	{ "gif", "image/gif" },
	{ "glb", "model/gltf-binary" },
	{ "gltf", "model/gltf+json" },
	{ "gpx", "application/gpx+xml" },
	{ "gz", "application/gzip" },
	{ "h", "text/plain" },
	{ "heic", "image/heic" },
	{ "htm", "text/html" },
	{ "html", "text/html" },
	{ "ico", "image/vnd.microsoft.icon" },
	{ "ics", "text/calendar" },
	{ "ipynb", "application/x-ipynb+json" },
	{ "jpeg", "image/jpeg" },
	{ "jpg", "image/jpeg" },
	{ "js", "text/javascript" },
	{ "json", "application/json" },
	{ "json5", "application/json5" },
	{ "jsonl", "application/jsonl" },
	{ "jsonld", "application/ld+json" },
	{ "jxl", "image/jxl" },
	{ "kml", "application/vnd.google-earth.kml+xml" },
	{ "log", "text/plain" },
	{ "m3u8", "application/vnd.apple.mpegurl" },
	{ "m4a", "audio/mp4" },
	{ "m4v", "video/x-m4v" },
	{ "map", "application/json" },
	{ "md", "text/markdown" },
	{ "mid", "audio/midi" },
	{ "mjs", "text/javascript" },
	{ "mkv", "video/x-matroska" },
	{ "mov", "video/quicktime" },
	{ "mp3", "audio/mpeg" },
	{ "mp4", "video/mp4" },
	{ "mpd", "application/dash+xml" },
	{ "mpeg", "video/mpeg" },
	{ "odp", "application/vnd.oasis.opendocument.presentation" },
	{ "ods", "application/vnd.oasis.opendocument.spreadsheet" },
	{ "odt", "application/vnd.oasis.opendocument.text" },
	{ "oga", "audio/ogg" },
	{ "ogg", "audio/ogg" },
	{ "ogv", "video/ogg" },
	{ "opus", "audio/ogg" },
	{ "otf", "font/otf" },
	{ "parquet", "application/vnd.apache.parquet" },
	{ "pdf", "application/pdf" },
	{ "png", "image/png" },
	{ "ppt", "application/vnd.ms-powerpoint" },
	{ "pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation" },
	{ "ps", "application/postscript" },
	{ "py", "text/x-python" },
	{ "rss", "application/rss+xml" },
	{ "rtf", "application/rtf" },
	{ "sh", "text/x-sh" },
	{ "sqlite", "application/vnd.sqlite3" },
	{ "srt", "text/plain" },
	{ "svg", "image/svg+xml" },
	{ "svgz", "image/svg+xml" },
	{ "tar", "application/x-tar" },
	{ "tif", "image/tiff" },
	{ "tiff", "image/tiff" },
	{ "toml", "application/toml" },
	{ "ts", "video/mp2t" },
	{ "tsv", "text/tab-separated-values" },
	{ "ttf", "font/ttf" },
	{ "txt", "text/plain" },
	{ "vtt", "text/vtt" },
	{ "wasm", "application/wasm" },
	{ "wav", "audio/wav" },
	{ "weba", "audio/webm" },
	{ "webm", "video/webm" },
	{ "webmanifest", "application/manifest+json" },
	{ "webp", "image/webp" },
	{ "woff", "font/woff" },
	{ "woff2", "font/woff2" },
	{ "xhtml", "application/xhtml+xml" },
	{ "xls", "application/vnd.ms-excel" },
	{ "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
	{ "xml", "application/xml" },
	{ "xsl", "application/xslt+xml" },
	{ "yaml", "application/yaml" },
	{ "yml", "application/yaml" },
	{ "zip", "application/zip" },
	{ "zst", "application/zstd" },
	{ NULL, NULL },
};
enum { MIME_ROWS = sizeof mime_table / sizeof *mime_table - 1 };

bool
mime_ends(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n >= m && strcasecmp(path + n - m, ending) == 0;
}

static int
row_cmp(const void *key, const void *row)
{
	return strcasecmp(key, ((const struct mime_row *)row)->ext);
}

const char *
mime_encoding(const char *path, const char **inner)
{
	static const char *const engines[] = { ".js", ".wasm", ".data", ".symbols.json" };
	const char *encoding = mime_ends(path, ".br") ? "br" : "gzip";
	size_t n = strlen(path);

	*inner = path;
	if (mime_ends(path, ".svgz"))
		return encoding;
	for (size_t i = 0; n > 3 && i < sizeof engines / sizeof *engines; i++) {
		size_t m = strlen(engines[i]);

		if (n > m + 3 && strncasecmp(path + n - 3 - m, engines[i], m) == 0 &&
		    (mime_ends(path, ".br") || mime_ends(path, ".gz"))) {
			*inner = engines[i];
			return encoding;
		}
	}
	return NULL;
}

static const char *
bare_type(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	if (str_eq(slash ? slash + 1 : path, "apple-app-site-association"))
		return "application/json";
	const struct mime_row *row = dot && dot > slash
	    ? bsearch(dot + 1, mime_table, MIME_ROWS, sizeof *mime_table, row_cmp)
	    : NULL;

	return row ? row->mime : "application/octet-stream";
}

/* nginx's charset_types has the same types, so that nginx and workers send the same charset. */
bool
mime_is_text(const char *mime)
{
	static const char *const others[] = { "application/json", "application/manifest+json",
		"image/svg+xml", "application/xml", "application/xhtml+xml" };
	size_t n = strcspn(mime, "; ");

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strlen(others[i]) == n && strncasecmp(mime, others[i], n) == 0)
			return true;
	return strncasecmp(mime, "text/", 5) == 0;
}

const char *
mime_of(const char *path)
{
	static struct {
		const char *bare;
		char full[96];
	} kept[64];
	const char *bare = bare_type(path);
	size_t i = 0;

	if (!mime_is_text(bare))
		return bare;
	while (i < 63 && kept[i].bare && kept[i].bare != bare)
		i++;
	if (!kept[i].bare) {
		snprintf(kept[i].full, sizeof kept[i].full, "%s; charset=utf-8", bare);
		kept[i].bare = bare;
	}
	return kept[i].full;
}

bool
mime_is_html(const char *mime)
{
	return str_starts(mime, "text/html");
}

bool
mime_is_page(const char *mime)
{
	return mime_is_html(mime) || str_starts(mime, "application/xhtml+xml");
}

bool
mime_compressible(const char *path)
{
	const char *bare = bare_type(path);

	return mime_is_text(bare) || str_ends(bare, "+json") || str_ends(bare, "+xml") ||
	    str_in(bare,
		"application/wasm|application/yaml|application/toml|application/jsonl|"
		"application/json5|font/ttf|font/otf|image/bmp|image/vnd.microsoft.icon|"
		"application/vnd.ms-fontobject");
}

static size_t
token_len(const char *s)
{
	return strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&-^_.+");
}

bool
mime_valid(const char *s)
{
	size_t n = token_len(s);

	if (strlen(s) > 255 || !n || s[n] != '/')
		return false;
	s += n + 1;
	if (!(n = token_len(s)))
		return false;
	for (s += n; *s; s += n) {
		s += strspn(s, " ");
		if (*s++ != ';')
			return false;
		s += strspn(s, " ");
		n = token_len(s);
		if (!n || s[n] != '=')
			return false;
		s += n + 1;
		if (!(n = token_len(s)))
			return false;
	}
	return true;
}

const char *
mime_canonical(void *owner, const char *declared)
{
	const char *out = str_lower(mem_strdup(owner, declared));

	return mime_is_text(out) && !strchr(out, ';') ? mem_printf(owner, "%s; charset=utf-8", out)
						 : out;
}
