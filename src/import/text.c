/* SPDX-License-Identifier: Apache-2.0 */
#include "import/text.h"

#include "base/buf.h"
#include "base/str.h"
#include "base/unicode.h"

enum { CHUNK = 256 << 10, GROWTH = 4 /* bytes of UTF-8 for a byte of the file, at most */ };

/* ---- which encoding ---- */

static const char *
encoding_by_start(const char *bytes, size_t n)
{
	size_t zeros[2] = { 0, 0 };

	if (n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		return "utf-8";
	if (n >= 2 && !memcmp(bytes, "\xff\xfe", 2))
		return "utf-16le";
	if (n >= 2 && !memcmp(bytes, "\xfe\xff", 2))
		return "utf-16be";
	/* Every second byte of an ASCII text in UTF-16 is zero. */
	for (size_t i = 0; i < n; i++)
		zeros[i & 1] += bytes[i] == '\0';
	if (n >= 4 && zeros[1] > n / 5 && zeros[0] < zeros[1] / 8)
		return "utf-16le";
	return n >= 4 && zeros[0] > n / 5 && zeros[1] < zeros[0] / 8 ? "utf-16be" : NULL;
}

/* Returns how many bytes at the end of the chunk begin a character that continues behind it. */
static size_t
cut_bytes(const char *bytes, size_t n)
{
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		unsigned char first = (unsigned char)bytes[n - back];

		if (first < 0x80)
			return 0;
		if (first >= 0xc0)
			return (first >= 0xf0 ? 4U : first >= 0xe0 ? 3U : 2U) > back ? back : 0;
	}
	return 0;
}

enum err
text_encoding(struct ctx *c, const struct span *file, const char **encoding, bool *sure)
{
	char *bytes = mem_array(c->mem, char, CHUNK);
	struct span rest = *file;

	*encoding = NULL;
	*sure = true;
	while (rest.n) {
		size_t n = rest.n < CHUNK ? (size_t)rest.n : CHUNK, whole;

		TRY(span_read(c, &rest, bytes, n));
		if (rest.at == file->at && rest.n == file->n)
			*encoding = encoding_by_start(bytes, n);
		if (*encoding)
			return E_OK;
		whole = n < (size_t)rest.n ? n - cut_bytes(bytes, n) : n;
		if (!str_utf8_valid(bytes, whole)) {
			*sure = false;
			*encoding = "windows-1252";
			return E_OK;
		}
		rest = span_after(rest, (int64_t)whole);
	}
	*encoding = "utf-8";
	return E_OK;
}

/* ---- decoding ---- */

static enum err
map_make(struct ctx *c, const char *encoding, struct text *t)
{
	if (!str_in(encoding, TEXT_ENCODINGS))
		return fail(c, E_INVALID, "encoding: we can't read %s",
		    str_cut(c->mem, encoding, 40));
	t->map = mem_zalloc(c->mem, 128 * sizeof *t->map);
	for (int i = 0; i < 128; i++) {
		const char byte = (char)(i + 128), *as;
		size_t n;

		as = unicode_from(c->mem, encoding, &byte, 1, &n);
		if (!as || !n || n > 4 || (n == 2 && (unsigned char)as[0] == 0xc2 &&
		    (unsigned char)as[1] < 0xa0))
			as = "\xef\xbf\xbd";
		memcpy(t->map[i], as, strlen(as));
	}
	return E_OK;
}

enum err
text_begin(struct ctx *c, const struct span *file, const char *encoding, struct text *out)
{
	char start[3] = "";
	size_t n = file->n < 3 ? (size_t)file->n : 3, mark = 0;

	*out = (struct text){ .rest = *file, .end = !file->n };
	out->buf = mem_array(c->mem, char, TEXT_RECORD + CHUNK * GROWTH + 1);
	out->raw = mem_array(c->mem, char, CHUNK + sizeof out->odd);
	out->buf[0] = '\0';
	TRY(span_read(c, file, start, n));
	out->wide = str_in(encoding, "utf-16le|utf-16be");
	out->big = str_eq(encoding, "utf-16be");
	if (out->wide)
		mark = n >= 2 && !memcmp(start, out->big ? "\xfe\xff" : "\xff\xfe", 2) ? 2 : 0;
	else if (str_eq(encoding, "utf-8"))
		mark = n == 3 && !memcmp(start, "\xef\xbb\xbf", 3) ? 3 : 0;
	else
		TRY(map_make(c, encoding, out));
	out->rest = span_after(out->rest, (int64_t)mark);
	out->end = !out->rest.n;
	return E_OK;
}

static void
mapped_add(struct text *t, const char *bytes, size_t n)
{
	char *to = t->buf + t->n;

	for (size_t i = 0; i < n; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if (byte < 0x80) {
			*to++ = bytes[i];
			continue;
		}
		for (const char *as = t->map[byte - 0x80]; *as; as++)
			*to++ = *as;
	}
	t->n = (size_t)(to - t->buf);
}

/* A surrogate without its other half becomes U+FFFD. */
static void
wide_add(struct text *t, const uint8_t *p, size_t n)
{
	struct buf b = { NULL, t->buf, t->n, SIZE_MAX };
	const int high = t->big ? 0 : 1;

	while (n >= 2) {
		uint32_t ch = (uint32_t)p[high] << 8 | p[!high], low;

		if (ch >= 0xd800 && ch < 0xdc00) {
			if (n < 4)
				break;
			low = (uint32_t)p[2 + high] << 8 | p[2 + !high];
			if (low >= 0xdc00 && low < 0xe000) {
				buf_utf8(&b, 0x10000 + ((ch - 0xd800) << 10) + (low - 0xdc00));
				p += 4;
				n -= 4;
				continue;
			}
		}
		buf_utf8(&b, ch >= 0xd800 && ch < 0xe000 ? 0xfffd : ch);
		p += 2;
		n -= 2;
	}
	memcpy(t->odd, p, n);
	t->odd_n = n;
	t->n = b.n;
}

enum err
text_more(struct ctx *c, struct text *t)
{
	size_t n = t->rest.n < CHUNK ? (size_t)t->rest.n : CHUNK;

	memmove(t->buf, t->buf + t->at, t->n - t->at);
	t->n -= t->at;
	t->at = 0;
	if (t->wide || t->map) {
		memcpy(t->raw, t->odd, t->odd_n);
		TRY(span_read(c, &t->rest, t->raw + t->odd_n, n));
		if (t->wide)
			wide_add(t, (const uint8_t *)t->raw, t->odd_n + n);
		else
			mapped_add(t, t->raw, n);
	} else {
		TRY(span_read(c, &t->rest, t->buf + t->n, n));
		t->n += n;
	}
	t->rest = span_after(t->rest, (int64_t)n);
	t->end = !t->rest.n;
	t->buf[t->n] = '\0';
	return E_OK;
}
