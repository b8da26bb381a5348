/* SPDX-License-Identifier: Apache-2.0
 * Implements tree_packed_wrong(), the reverse of pack.c. Only this file includes brotli's decoder.
 */
#include "base/str.h"
#include "store/beneath.h"
#include "store/gzip.h"
#include "store/tree.h"

#include <brotli/decode.h>
#include <errno.h>

enum { ROOM_BYTES = 1 << 16 };

struct text {
	const char *s;
	size_t n;
};

static bool
gzip_matches(struct ctx *c, void *mine, struct span packed, struct text file)
{
	struct gunzip *g = gunzip_new(c, mine, packed);
	const void *bytes;
	size_t n;

	for (;;) {
		if (!gunzip_read(g, &bytes, &n) || n > file.n)
			return false;
		if (!n)
			return !file.n;
		if (memcmp(bytes, file.s, n) != 0)
			return false;
		file.s += n;
		file.n -= n;
	}
}

static void
decoder_free(void *d)
{
	BrotliDecoderDestroyInstance(d);
}

static bool
brotli_matches(void *mine, struct text packed, struct text file)
{
	BrotliDecoderState *d = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	const uint8_t *in = (const uint8_t *)packed.s;
	uint8_t *room = mem_array(mine, uint8_t, ROOM_BYTES);
	BrotliDecoderResult got = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;

	mem_defer(mine, decoder_free, d);
	while (got == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
		size_t left = ROOM_BYTES, n;
		uint8_t *out = room;

		got = BrotliDecoderDecompressStream(d, &packed.n, &in, &left, &out, NULL);
		n = ROOM_BYTES - left;
		if (n > file.n || memcmp(room, file.s, n) != 0)
			return false;
		file.s += n;
		file.n -= n;
	}
	return got == BROTLI_DECODER_RESULT_SUCCESS && !packed.n && !file.n;
}

bool
brotli_may_be(const char *bytes, size_t n, bool whole)
{
	void *mine = mem_root("brotli");
	BrotliDecoderState *d = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	const uint8_t *in = (const uint8_t *)bytes;
	size_t left = ROOM_BYTES;
	uint8_t *out = mem_array(mine, uint8_t, ROOM_BYTES);
	BrotliDecoderResult got =
	    BrotliDecoderDecompressStream(d, &n, &in, &left, &out, NULL);

	decoder_free(d);
	mem_free(mine);
	if (got == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT)
		return !whole;
	return got == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT ||
	    (got == BROTLI_DECODER_RESULT_SUCCESS && !n);
}

enum err
tree_packed_wrong(struct ctx *c, int dir, const char *path, const char *bytes, size_t n,
    const char **why, int64_t *read)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct text packed, file = { bytes, n };
	struct stat st;
	bool right;
	int fd = mem_fd(mine, beneath_open_file(dir, path, &st));

	*why = NULL;
	if (fd < 0)
		return beneath_absent(errno) ? E_OK : fail_here(c, "%s can't be opened", path);
	packed.n = (size_t)st.st_size;
	*read += st.st_size;
	if (read_exactly(c, mine, fd, packed.n, &packed.s))
		right = false;
	else if (str_ends(path, ".gz"))
		right = gzip_matches(c, mine, (struct span){ .fd = fd, .n = st.st_size }, file);
	else
		right = brotli_matches(mine, packed, file);
	if (!right)
		*why = "doesn't decompress to the file beside it";
	mem_free(mine);
	return E_OK;
}
