/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rasterdiff.h"

#include "base/png.h"

#include <stdlib.h>
#include <string.h>

enum {
	BLOCK = 8,
	NEAR = 2,       /* blocks between two that are in one box */
	NEAR_ROWS = 12, /* pixels between two boxes that are one */
	ROUNDING = 2,   /* rows by which a browser rounds where something lies that moved */
	UNLIKE = 16
};

SHAPE_DEFINE(raster_box, RASTER_BOX);
SHAPE_DEFINE(raster_side, RASTER_SIDE);
SHAPE_DEFINE(raster_diff, RASTER_DIFF);

/* ---- rows that are equal ---- */

struct row {
	uint64_t hash;
	unsigned no;
};

/* The part of two pictures that is being compared. */
struct band {
	unsigned a, a_end, b, b_end;
};

struct diffing {
	struct ctx *c;
	const struct raster *from, *to;
	struct row *a, *b; /* by number */
	struct raster_box *boxes[2];
	size_t box_n[2];
	int64_t changed; /* pixels */
};

static uint64_t
row_hash(const struct raster *r, unsigned y)
{
	const uint8_t *p = r->rgba + 4 * (size_t)r->w * y;
	uint64_t h = 0xcbf29ce484222325U;

	for (size_t i = 0; i < r->w; i++) {
		uint32_t pixel;

		memcpy(&pixel, p + 4 * i, sizeof pixel);
		h = (h ^ pixel) * 0x100000001b3U;
		h ^= h >> 29;
	}
	return h;
}

static struct row *
rows_of(struct ctx *c, const struct raster *r)
{
	struct row *rows = mem_array(c->mem, struct row, r->h);

	for (unsigned y = 0; y < r->h; y++)
		rows[y] = (struct row){ row_hash(r, y), y };
	return rows;
}

static int
by_hash(const void *one, const void *two)
{
	const struct row *x = one, *y = two;

	return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1)
				  : (x->no > y->no) - (x->no < y->no);
}

static bool
is_once(const struct row *rows, size_t n, size_t i)
{
	return (!i || rows[i - 1].hash != rows[i].hash) &&
	    (i + 1 == n || rows[i + 1].hash != rows[i].hash);
}

static int
by_from(const void *one, const void *two)
{
	const struct band *x = one, *y = two;

	return (x->a > y->a) - (x->a < y->a);
}

static struct row *
rows_sorted(struct ctx *c, const struct row *rows, unsigned from, unsigned end)
{
	struct row *sorted = mem_array(c->mem, struct row, end - from + 1);

	memcpy(sorted, rows + from, (end - from) * sizeof *sorted);
	qsort(sorted, end - from, sizeof *sorted, by_hash);
	return sorted;
}

/* Finds rows that are once in each picture and equal, ordered by `a`. */
static size_t
pairs_find(const struct diffing *d, const struct band *in, struct band *pairs)
{
	struct row *a = rows_sorted(d->c, d->a, in->a, in->a_end),
		   *b = rows_sorted(d->c, d->b, in->b, in->b_end);
	size_t a_n = in->a_end - in->a, b_n = in->b_end - in->b, k = 0, n = 0;

	for (size_t i = 0; i < a_n; i++) {
		if (!is_once(a, a_n, i))
			continue;
		while (k < b_n && b[k].hash < a[i].hash)
			k++;
		if (k < b_n && b[k].hash == a[i].hash && is_once(b, b_n, k))
			pairs[n++] = (struct band){ .a = a[i].no, .b = b[k].no };
	}
	qsort(pairs, n, sizeof *pairs, by_from);
	return n;
}

/* Keeps the longest part of the pairs in which `b` grows, too. Returns its length. */
static size_t
pairs_rising(struct ctx *c, struct band *pairs, size_t n)
{
	size_t *ends = mem_array(c->mem, size_t, n + 1), *before = mem_array(c->mem, size_t, n + 1);
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		size_t lo = 0, hi = most;

		while (lo < hi) {
			size_t mid = (lo + hi) / 2;

			if (pairs[ends[mid]].b < pairs[i].b)
				lo = mid + 1;
			else
				hi = mid;
		}
		before[i] = lo ? ends[lo - 1] : 0;
		ends[lo] = i;
		most = lo == most ? most + 1 : most;
	}
	for (size_t k = most, i = most ? ends[most - 1] : 0; k-- > 0; i = before[i])
		ends[k] = i;
	for (size_t k = 0; k < most; k++)
		pairs[k] = pairs[ends[k]];
	return most;
}

/* ---- boxes ---- */

static struct raster_box
box_union(struct raster_box a, const struct raster_box *b)
{
	int64_t right = a.x + a.w > b->x + b->w ? a.x + a.w : b->x + b->w;
	int64_t bottom = a.y + a.h > b->y + b->h ? a.y + a.h : b->y + b->h;

	a.x = a.x < b->x ? a.x : b->x;
	a.y = a.y < b->y ? a.y : b->y;
	a.w = right - a.x;
	a.h = bottom - a.y;
	return a;
}

/* Adds a box, merged with all boxes near it. If there are RASTER_BOXES already, merges it with the
 * last one, too. */
static void
box_add(struct diffing *d, int side, struct raster_box box)
{
	struct raster_box *v = d->boxes[side];
	size_t *n = &d->box_n[side];

	for (size_t i = *n; i-- > 0;) {
		const struct raster_box *b = &v[i];
		bool near = box.x <= b->x + b->w + NEAR_ROWS && b->x <= box.x + box.w + NEAR_ROWS &&
		    box.y <= b->y + b->h + NEAR_ROWS && b->y <= box.y + box.h + NEAR_ROWS;

		if (!near && i + 1 < RASTER_BOXES)
			continue;
		box = box_union(box, b);
		memmove(v + i, v + i + 1, (--*n - i) * sizeof *v);
		i = *n;
	}
	v[(*n)++] = box;
}

static bool
pixel_differs(const uint8_t *p, const uint8_t *q)
{
	return abs(p[0] - q[0]) > UNLIKE || abs(p[1] - q[1]) > UNLIKE || abs(p[2] - q[2]) > UNLIKE;
}

/* True if the pixel p is unlike the one at x, y of r, and those up to `reach` rows away: what moved
 * by part of a pixel is drawn a row higher or lower. */
static bool
pixel_is_new(const uint8_t *p, const struct raster *r, unsigned x, unsigned y, unsigned reach)
{
	unsigned from = y < reach ? 0 : y - reach;

	for (unsigned v = from; v <= y + reach && v < r->h; v++)
		if (!pixel_differs(p, r->rgba + 4 * ((size_t)r->w * v + x)))
			return false;
	return true;
}

static bool
block_differs(const struct diffing *d, const struct band *in, unsigned x, unsigned y,
    unsigned rows, unsigned reach)
{
	unsigned right = d->to->w - x < BLOCK ? d->to->w : x + BLOCK,
		 bottom = rows - y < BLOCK ? rows : y + BLOCK;

	for (unsigned v = y; v < bottom; v++)
		for (unsigned u = x; u < right; u++) {
			unsigned a = in->a + v, b = in->b + v;
			const uint8_t *p = d->from->rgba + 4 * ((size_t)d->from->w * a + u);
			const uint8_t *q = d->to->rgba + 4 * ((size_t)d->to->w * b + u);

			if (pixel_differs(p, q) &&
			    (pixel_is_new(p, d->to, u, b, reach) ||
				pixel_is_new(q, d->from, u, a, reach)))
				return true;
		}
	return false;
}

/* A grid of blocks that differ, whose neighbours are put together. */
struct grid {
	uint8_t *differs;
	unsigned w, h, *todo;
};

/* Finds the area of a block, of all blocks near it, of all near those, and so on. Sets *out to its
 * bounds, and removes these blocks from the grid. */
static void
area_find(struct grid *g, unsigned first, struct band *out)
{
	size_t n = 0;

	*out = (struct band){ .a = first % g->w, .a_end = first % g->w, .b = first / g->w,
		.b_end = first / g->w };
	g->todo[n++] = first;
	g->differs[first] = 0;
	while (n) {
		unsigned x = g->todo[--n] % g->w, y = g->todo[n] / g->w;

		out->a = x < out->a ? x : out->a;
		out->a_end = x > out->a_end ? x : out->a_end;
		out->b = y < out->b ? y : out->b;
		out->b_end = y > out->b_end ? y : out->b_end;
		for (unsigned v = y < NEAR ? 0 : y - NEAR; v <= y + NEAR && v < g->h; v++)
			for (unsigned u = x < NEAR ? 0 : x - NEAR; u <= x + NEAR && u < g->w; u++)
				if (g->differs[v * g->w + u]) {
					g->differs[v * g->w + u] = 0;
					g->todo[n++] = v * g->w + u;
				}
	}
}

/* Compares the first rows of a band, which are in both. */
static void
band_blocks(struct diffing *d, const struct band *in, unsigned rows, unsigned reach)
{
	struct grid g = { .w = (d->to->w + BLOCK - 1) / BLOCK, .h = (rows + BLOCK - 1) / BLOCK };
	struct band box;

	g.differs = mem_zalloc(d->c->mem, (size_t)g.w * g.h);
	g.todo = mem_array(d->c->mem, unsigned, (size_t)g.w * g.h);
	for (unsigned i = 0; i < g.w * g.h; i++)
		if (block_differs(d, in, i % g.w * BLOCK, i / g.w * BLOCK, rows, reach)) {
			g.differs[i] = 1;
			d->changed += BLOCK * BLOCK;
		}
	for (unsigned i = 0; i < g.w * g.h; i++) {
		struct raster_box b;

		if (!g.differs[i])
			continue;
		area_find(&g, i, &box);
		b = (struct raster_box){ .x = box.a * BLOCK,
			.w = (box.a_end + 1) * BLOCK - box.a * BLOCK,
			.h = (box.b_end + 1) * BLOCK - box.b * BLOCK };
		b.w = b.x + b.w > d->to->w ? d->to->w - b.x : b.w;
		b.h = box.b * BLOCK + b.h > rows ? rows - box.b * BLOCK : b.h;
		b.y = in->a + box.b * BLOCK;
		box_add(d, 0, b);
		b.y = in->b + box.b * BLOCK;
		box_add(d, 1, b);
	}
	mem_free(g.differs);
	mem_free(g.todo);
}

/* Rows between equal ones: about as many in both are compared by blocks, others are a box each. */
static void
band_compare(struct diffing *d, const struct band *in, bool moved)
{
	unsigned a = in->a_end - in->a, b = in->b_end - in->b;
	unsigned most = a > b ? a : b, apart = a > b ? a - b : b - a;

	if (apart && moved && most <= ROUNDING)
		return;
	if (a && b && apart <= ROUNDING) {
		band_blocks(d, in, a < b ? a : b, 1 + apart);
		return;
	}
	d->changed += (int64_t)most * d->to->w;
	if (a)
		box_add(d, 0, (struct raster_box){ .y = in->a, .w = d->from->w, .h = a });
	if (b)
		box_add(d, 1, (struct raster_box){ .y = in->b, .w = d->to->w, .h = b });
}

/* Leaves out equal rows at both ends. */
static struct band
band_trim(const struct diffing *d, struct band in)
{
	while (in.a < in.a_end && in.b < in.b_end && d->a[in.a].hash == d->b[in.b].hash) {
		in.a++;
		in.b++;
	}
	while (in.a < in.a_end && in.b < in.b_end &&
	    d->a[in.a_end - 1].hash == d->b[in.b_end - 1].hash) {
		in.a_end--;
		in.b_end--;
	}
	return in;
}

/* moved: something lies higher or lower than before, and what a browser rounds differs. */
static void
rows_compare(struct diffing *d)
{
	struct band all = band_trim(d, (struct band){ 0, d->from->h, 0, d->to->h }), at = all;
	struct band *pairs = mem_array(d->c->mem, struct band, all.a_end - all.a + 1);
	size_t n = pairs_rising(d->c, pairs, pairs_find(d, &all, pairs));
	struct band *parts = mem_array(d->c->mem, struct band, n + 1);
	bool moved = false;

	for (size_t i = 0; i <= n; i++) {
		int64_t more;

		at.a_end = i < n ? pairs[i].a : all.a_end;
		at.b_end = i < n ? pairs[i].b : all.b_end;
		/* Rows that lie between two pairs may be equal, such as blank ones. */
		parts[i] = band_trim(d, at);
		more = (int64_t)(parts[i].b_end - parts[i].b) - (parts[i].a_end - parts[i].a);
		moved |= more > ROUNDING || more < -ROUNDING;
		at.a = at.a_end + 1;
		at.b = at.b_end + 1;
	}
	for (size_t i = 0; i <= n; i++)
		if (parts[i].a < parts[i].a_end || parts[i].b < parts[i].b_end)
			band_compare(d, &parts[i], moved);
}

static void *
side_of(struct ctx *c, const struct raster *r, struct raster_box *boxes, size_t n)
{
	struct raster_side *side = mem_new(c->mem, struct raster_side);

	*side = (struct raster_side){ .width = r->w, .height = r->h, .boxes = { boxes, n } };
	return side;
}

void
rasters_diff(
    struct ctx *c, const struct raster *from, const struct raster *to, struct raster_diff *out)
{
	struct diffing d = { .c = c, .from = from, .to = to };
	int64_t most = (int64_t)to->w * (from->h > to->h ? from->h : to->h), part;

	for (int i = 0; i < 2; i++)
		d.boxes[i] = mem_array(c->mem, struct raster_box, RASTER_BOXES);
	d.a = rows_of(c, from);
	d.b = rows_of(c, to);
	rows_compare(&d);
	part = d.changed >= most ? 10000 : d.changed * 10000 / most;
	/* Four decimals; 0 only if nothing differs. */
	out->changed = (double)(d.changed && !part ? 1 : part) / 10000;
	out->from = side_of(c, from, d.boxes[0], d.box_n[0]);
	out->to = side_of(c, to, d.boxes[1], d.box_n[1]);
}

/* ---- in a process apart ---- */

void
pair_put(struct buf *b, const char *bytes, size_t n)
{
	uint64_t length = n;

	buf_add(b, (const char *)&length, sizeof length);
	buf_add(b, bytes, n);
}

bool
pair_take(const char **in, size_t *n, const char **bytes, size_t *bytes_n)
{
	uint64_t length;

	if (*n < sizeof length)
		return false;
	memcpy(&length, *in, sizeof length);
	if (length > *n - sizeof length)
		return false;
	*bytes = *in + sizeof length;
	*bytes_n = (size_t)length;
	*in = *bytes + length;
	*n -= sizeof length + (size_t)length;
	return true;
}

/* Encodes a picture in at most PAIR_BYTES, in half or a quarter of its size if necessary. */
static enum err
side_pack(struct ctx *c, const struct raster *r, const char **bytes, size_t *n)
{
	unsigned side = r->w > r->h ? r->w : r->h;
	enum err e = E_OK;

	for (int i = 0; i < 3; i++, side /= 2) {
		struct raster sized;

		TRY(raster_fit(c, r, side, &sized));
		e = png_pack(c, &sized, PAIR_BYTES, bytes, n);
		if (sized.rgba != r->rgba)
			mem_free(sized.rgba);
		if (e != E_INVALID)
			return e;
		ctx_forgive(c);
	}
	return fail(c, e, "a picture has too many colors");
}

enum err
pair_work(struct ctx *c, const char *in, size_t n, struct buf *out)
{
	struct raster pictures[2];
	struct raster_diff diff = { 0 };
	const char *bytes, *text;
	size_t bytes_n;

	for (int i = 0; i < 2; i++) {
		if (!pair_take(&in, &n, &bytes, &bytes_n))
			return fail(c, E_INVALID, "there aren't two pictures");
		TRY(png_read(c, "picture", bytes, bytes_n, &pictures[i]));
	}
	if (pictures[0].w != pictures[1].w)
		return fail(c, E_INVALID, "the pictures have different widths");
	rasters_diff(c, &pictures[0], &pictures[1], &diff);
	text = shape_text(c->mem, &raster_diff_shape, &diff);
	pair_put(out, text, strlen(text));
	for (int i = 0; i < 2 && diff.changed > 0; i++) {
		TRY(side_pack(c, &pictures[i], &bytes, &bytes_n));
		pair_put(out, bytes, bytes_n);
	}
	return E_OK;
}
