/* SPDX-License-Identifier: Apache-2.0 */
#define ZLIB_CONST
#include "store/gzip.h"

#include "base/mem.h"

#include <zlib.h>

enum { GZIP_LEVEL = 9, GZIP_HEADER = 16, PIECE_BYTES = 1 << 16 };

size_t
gzip_pack(const char *bytes, size_t n, char *out, size_t room)
{
	z_stream z = { .next_in = (const Bytef *)bytes,
		.avail_in = (uInt)n,
		.next_out = (Bytef *)out,
		.avail_out = (uInt)room };
	bool fits;

	/* zlib's default header has neither time nor name, so equal bytes give equal output. */
	if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, MAX_WBITS + GZIP_HEADER, MAX_MEM_LEVEL,
		Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	fits = deflate(&z, Z_FINISH) == Z_STREAM_END;
	deflateEnd(&z);
	return fits ? z.total_out : 0;
}

struct gunzip {
	struct ctx *c;
	z_stream z;
	struct span left; /* packed bytes after z.avail_in */
	bool ended;
	unsigned char in[PIECE_BYTES], piece[PIECE_BYTES];
};

static void
gunzip_drop(void *arg)
{
	struct gunzip *g = arg;

	inflateEnd(&g->z);
}

struct gunzip *
gunzip_new(struct ctx *c, void *owner, struct span packed)
{
	struct gunzip *g = mem_new(owner, struct gunzip);

	g->c = c;
	g->left = packed;
	if (inflateInit2(&g->z, MAX_WBITS + GZIP_HEADER) == Z_OK)
		mem_defer(g, gunzip_drop, g);
	else
		g->left.n = 0; /* then gunzip_read() fails */
	return g;
}

static bool
gunzip_feed(struct gunzip *g)
{
	int64_t n = g->left.n < PIECE_BYTES ? g->left.n : PIECE_BYTES;

	if (g->z.avail_in || !n)
		return true;
	if (span_read(g->c, &g->left, g->in, (size_t)n))
		return false;
	g->z.next_in = g->in;
	g->z.avail_in = (uInt)n;
	g->left = span_after(g->left, n);
	return true;
}

/* A member has ended. Another member or zero padding may follow. */
static bool
member_end(struct gunzip *g)
{
	for (;;) {
		if (!gunzip_feed(g))
			return false;
		if (!g->z.avail_in || *g->z.next_in)
			break;
		g->z.next_in++;
		g->z.avail_in--;
	}
	g->ended = !g->z.avail_in;
	return g->ended || inflateReset(&g->z) == Z_OK;
}

bool
gunzip_read(struct gunzip *g, const void **bytes, size_t *n)
{
	*bytes = g->piece;
	*n = 0;
	while (!g->ended && !*n) {
		int got;

		if (!gunzip_feed(g))
			return false;
		g->z.next_out = g->piece;
		g->z.avail_out = PIECE_BYTES;
		got = inflate(&g->z, Z_NO_FLUSH);
		*n = PIECE_BYTES - g->z.avail_out;
		if (got == Z_STREAM_END ? !member_end(g) : got != Z_OK)
			return false;
	}
	return true;
}
