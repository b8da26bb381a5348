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

	/* The header that zlib makes by itself has neither time nor name, so equal bytes pack
	 * equally. */
	if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, MAX_WBITS + GZIP_HEADER, MAX_MEM_LEVEL,
		Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	fits = deflate(&z, Z_FINISH) == Z_STREAM_END;
	deflateEnd(&z);
	return fits ? z.total_out : 0;
}

struct gunzip {
	z_stream z;
	const unsigned char *next;
	size_t left; /* beyond z.avail_in, which is too narrow for large files */
	bool ended;
	unsigned char piece[PIECE_BYTES];
};

static void
gunzip_drop(void *arg)
{
	struct gunzip *g = arg;

	inflateEnd(&g->z);
}

struct gunzip *
gunzip_new(void *owner, const void *bytes, size_t n)
{
	struct gunzip *g = mem_new(owner, struct gunzip);

	g->next = bytes;
	g->left = n;
	if (inflateInit2(&g->z, MAX_WBITS + GZIP_HEADER) == Z_OK)
		mem_defer(g, gunzip_drop, g);
	else
		g->left = 0; /* reads as cut */
	return g;
}

static void
gunzip_feed(struct gunzip *g)
{
	size_t n = g->left < PIECE_BYTES ? g->left : PIECE_BYTES;

	if (g->z.avail_in)
		return;
	g->z.next_in = g->next;
	g->z.avail_in = (uInt)n;
	g->next += n;
	g->left -= n;
}

/* A member is over. Another may follow, and so may padding. */
static bool
member_end(struct gunzip *g)
{
	g->next -= g->z.avail_in;
	g->left += g->z.avail_in;
	g->z.avail_in = 0;
	while (g->left && !*g->next) {
		g->next++;
		g->left--;
	}
	g->ended = !g->left;
	return g->ended || inflateReset(&g->z) == Z_OK;
}

bool
gunzip_read(struct gunzip *g, const void **bytes, size_t *n)
{
	*bytes = g->piece;
	*n = 0;
	while (!g->ended && !*n) {
		int got;

		gunzip_feed(g);
		g->z.next_out = g->piece;
		g->z.avail_out = PIECE_BYTES;
		got = inflate(&g->z, Z_NO_FLUSH);
		*n = PIECE_BYTES - g->z.avail_out;
		if (got == Z_STREAM_END ? !member_end(g) : got != Z_OK)
			return false;
	}
	return true;
}
