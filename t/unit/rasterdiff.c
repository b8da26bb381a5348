/* SPDX-License-Identifier: Apache-2.0
 * What differs between two pictures: equal rows are matched first, then blocks are compared. */
#include "base/rasterdiff.h"

#include "base/png.h"
#include "base/str.h"
#include "tap.h"

static struct ctx *c;

/* Rows that are told apart, with a black rectangle. */
static struct raster
picture(unsigned h, unsigned skip_from, unsigned skip, unsigned x, unsigned y, unsigned w, unsigned tall)
{
	struct raster r;

	ok(!raster_new(c, "r", 200, h, &r), "a picture");
	for (unsigned v = 0; v < h; v++)
		for (unsigned u = 0; u < r.w; u++) {
			uint8_t *p = r.rgba + 4 * ((size_t)v * r.w + u);
			unsigned as = v < skip_from ? v : v - skip;

			p[0] = (uint8_t)(as * 7 + u / 2);
			p[1] = v >= skip_from && v < skip_from + skip ? 9 : (uint8_t)(as * 3);
			p[2] = 200;
			p[3] = 255;
			if (u >= x && u < x + w && v >= y && v < y + tall)
				p[0] = p[1] = p[2] = 0;
		}
	return r;
}

static const char *
boxes(const struct raster_side *s)
{
	const struct raster_box *v = s->boxes.v;
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < s->boxes.n; i++)
		buf_fmt(&b, "%lld %lld %lld %lld|", (long long)v[i].x, (long long)v[i].y, (long long)v[i].w, (long long)v[i].h);
	return buf_done(&b);
}

static void
differ(struct raster from, struct raster to, const char *in_from, const char *in_to, const char *what)
{
	struct raster_diff d;

	rasters_diff(c, &from, &to, &d);
	is_str(boxes(d.from), in_from, what);
	is_str(boxes(d.to), in_to, "... and beside it");
}

static struct raster
without_row(struct raster r, unsigned y)
{
	uint8_t *row = r.rgba + (size_t)4 * r.w * y;

	memmove(row, row + (size_t)4 * r.w, (size_t)4 * r.w * (--r.h - y));
	return r;
}

int
main(void)
{
	struct raster plain, marked, soft;
	struct buf in = BUF(NULL), out = BUF(NULL);
	const char *png, *at, *part;
	size_t n, part_n;
	struct raster noise;
	uint32_t seed = 1;
	unsigned w, h;

	c = ctx_begin(NULL, NULL);
	in = out = BUF(c->mem);
	plain = picture(300, 300, 0, 0, 0, 0, 0);
	marked = picture(300, 300, 0, 40, 80, 16, 24);
	differ(plain, plain, "", "", "nothing differs");
	differ(plain, marked, "40 80 16 24|", "40 80 16 24|", "a rectangle");
	differ(plain, picture(340, 100, 40, 0, 0, 0, 0), "", "0 100 200 40|", "what is inserted is one box, not all below it");
	differ(picture(340, 100, 40, 0, 0, 0, 0), plain, "0 100 200 40|", "", "and what is removed");
	differ(plain, picture(340, 100, 40, 8, 200, 8, 8), "8 160 8 8|", "0 100 200 40|8 200 8 8|", "both");
	differ(plain, without_row(picture(340, 100, 40, 0, 0, 0, 0), 250), "", "0 100 200 40|", "a row that was rounded away isn't framed");
	differ(plain, without_row(picture(300, 300, 0, 0, 0, 0, 0), 250), "0 250 200 1|", "", "... unless nothing has moved");
	soft = picture(300, 300, 0, 0, 0, 0, 0);
	for (size_t i = 0; i < (size_t)4 * soft.w * soft.h; i += 4)
		soft.rgba[i + 2] = 214;
	differ(plain, soft, "", "", "colors that nobody tells apart");

	ok(!png_write(c, &plain, &png, &n), "as a PNG");
	pair_put(&in, png, n);
	ok(pair_work(c, buf_done(&in), in.n, &out) == E_INVALID, "one picture");
	ok(!png_write(c, &marked, &png, &n), "another");
	pair_put(&in, png, n);
	ok(!pair_work(c, buf_done(&in), in.n, &out), "two");
	at = out.s;
	n = out.n;
	ok(pair_take(&at, &n, &part, &part_n) && str_starts(part, "{\"changed\":0."), "what differs");
	ok(pair_take(&at, &n, &part, &part_n) && part_n > 100, "one of them anew");
	ok(pair_take(&at, &n, &part, &part_n) && !n, "and the other");

	ok(!raster_new(c, "r", 1000, 900, &noise) && !raster_new(c, "r", 1000, 900, &plain), "noise, and nothing");
	for (size_t i = 0; i < (size_t)4 * noise.w * noise.h; i++) {
		noise.rgba[i] = i % 4 == 3 ? 255 : (uint8_t)(seed >> 24);
		seed = seed * 1664525 + 1013904223;
	}
	in = out = BUF(c->mem);
	ok(!png_write(c, &plain, &png, &n), "as a PNG");
	pair_put(&in, png, n);
	ok(!png_write(c, &noise, &png, &n), "as a PNG");
	pair_put(&in, png, n);
	ok(!pair_work(c, buf_done(&in), in.n, &out), "that needs too many bytes");
	at = out.s;
	n = out.n;
	ok(pair_take(&at, &n, &part, &part_n) && strstr(part, "\"width\":1000,\"height\":900"), "it has its size");
	ok(pair_take(&at, &n, &part, &part_n) && pair_take(&at, &n, &part, &part_n) && part_n < PAIR_BYTES, "... and few bytes");
	ok(!png_check(c, "r", part, part_n, &w, &h) && w == 500 && h == 450, "... because it is half as large");
	ctx_end(c);
	return done();
}
