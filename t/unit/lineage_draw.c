/* SPDX-License-Identifier: Apache-2.0
 * The picture of where data comes from: of every graph, of which thousands are made by chance, boxes and arrows lie within the picture, no two boxes overlap, no
 * arrow passes a box, and arrows point right but for those that close a circle. */
#include "base/mem.h"
#include "catalog/lineage_draw.h"
#include "tap.h"

#include <stdlib.h>

static void *mem;
static int wide, tall; /* of a box */

static struct lineage_picture *
drawn(size_t boxes, const struct lineage_arrow *arrows, size_t n)
{
	struct lineage_box *box = mem_array(mem, struct lineage_box, boxes + 1);

	for (size_t i = 0; i < boxes; i++)
		box[i] = (struct lineage_box){ .kind = "Table", .whole = mem_printf(mem, "table_%zu", i), .here = i == 0 };
	return lineage_draw(mem, &(struct lineage_box_list){ box, boxes }, arrows, n);
}

static int
number(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

static int
x_of(const struct lineage_picture *p, size_t box)
{
	return number(((struct lineage_box *)p->boxes.v)[box].x);
}

static int
y_of(const struct lineage_picture *p, size_t box)
{
	return number(((struct lineage_box *)p->boxes.v)[box].y);
}

static bool
within(const struct lineage_picture *p)
{
	const struct lineage_line *line = p->lines.v;
	int w = number(p->wide), h = number(p->tall), n[9];

	for (size_t i = 0; i < p->boxes.n; i++)
		if (x_of(p, i) < 0 || y_of(p, i) < 0 || x_of(p, i) + wide > w || y_of(p, i) + tall > h)
			return false;
	for (size_t i = 0; i < p->lines.n; i++) {
		if (sscanf(line[i].path, "M%d %dC%d %d %d %d %d %d", n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7) != 8)
			return false;
		for (int k = 0; k < 8; k++)
			if (n[k] < 0 || n[k] > (k % 2 ? h : w))
				return false;
	}
	return true;
}

static bool
apart(const struct lineage_picture *p)
{
	for (size_t i = 0; i < p->boxes.n; i++)
		for (size_t k = 0; k < i; k++)
			if (abs(x_of(p, i) - x_of(p, k)) < wide && abs(y_of(p, i) - y_of(p, k)) < tall)
				return false;
	return true;
}

/* Between columns a line bends; where it goes on straight, it passes a column, in which no box may be at its height. */
static bool
free_ways(const struct lineage_picture *p)
{
	const struct lineage_line *line = p->lines.v;
	int from[8], end, n;

	for (size_t i = 0; i < p->lines.n; i++) {
		n = sscanf(line[i].path, "M%d %dC%d %d %d %d %d %dH%d", from, from + 1, from + 2, from + 3, from + 4, from + 5, from + 6, from + 7, &end);
		if (from[6] <= from[0] || from[6] - from[0] > wide)
			return false;
		for (size_t k = 0; n == 9 && k < p->boxes.n; k++)
			if (x_of(p, k) < end && x_of(p, k) + wide > from[6] && y_of(p, k) <= from[7] && y_of(p, k) + tall >= from[7])
				return false;
	}
	return true;
}

static size_t
tips(const struct lineage_picture *p)
{
	const struct lineage_line *line = p->lines.v;
	size_t n = 0;

	for (size_t i = 0; i < p->lines.n; i++)
		n += line[i].tip != NULL;
	return n;
}

static void
simple(void)
{
	static const struct lineage_arrow fork[] = { { 1, 0 }, { 2, 0 }, { 0, 3 }, { 0, 4 }, { 3, 5 }, { 4, 5 }, { 6, 5 } };
	struct lineage_picture *p = drawn(7, fork, 7);

	wide = number(p->box_wide);
	tall = number(p->box_tall);
	ok(within(p) && apart(p) && free_ways(p), "a fork and its join");
	ok(x_of(p, 1) == x_of(p, 2) && x_of(p, 1) < x_of(p, 0) && x_of(p, 0) < x_of(p, 3) && x_of(p, 3) < x_of(p, 5), "what something comes from is left of it");
	is_int(x_of(p, 6), x_of(p, 3), "what comes from nothing stands beside what it leads to");
	is_int(2 * y_of(p, 0), y_of(p, 3) + y_of(p, 4), "what leads to two stands between them");
	is_int((long long)tips(p), 7, "each arrow has its point");
	p = drawn(1, NULL, 0);
	ok(within(p) && p->boxes.n == 1 && !p->lines.n, "one box alone");
	p = drawn(0, NULL, 0);
	ok(!p->boxes.n && !p->lines.n, "none");
	p = drawn(3, (const struct lineage_arrow[]){ { 0, 1 }, { 1, 2 }, { 0, 2 } }, 3);
	ok(free_ways(p) && p->lines.n == 4, "an arrow over a column has a way through it");
	p = drawn(2, (const struct lineage_arrow[]){ { 0, 1 }, { 0, 1 }, { 0, 0 }, { 0, 2 }, { 7, 1 } }, 5);
	is_int((long long)p->lines.n, 1, "twice the same, to itself, and to what isn't there: one arrow");
}

static void
circles(void)
{
	struct lineage_picture *p = drawn(3, (const struct lineage_arrow[]){ { 0, 1 }, { 1, 2 }, { 2, 0 } }, 3);
	const struct lineage_line *line = p->lines.v;
	size_t left = 0;

	ok(within(p) && apart(p) && free_ways(p), "a circle");
	for (size_t i = 0; i < p->lines.n; i++)
		left += line[i].tip && !strstr(line[i].tip, "l-");
	is_int((long long)left, 1, "one of its arrows points left");
	is_int((long long)tips(p), 3, "each has its point");
	p = drawn(2, (const struct lineage_arrow[]){ { 0, 1 }, { 1, 0 } }, 2);
	is_int((long long)tips(p), 2, "two that come from each other");
}

static void
names(void)
{
	static const char *const name[][2] = { { "orders", "orders" }, { "customer_orders_by_region_2026", "…" }, { "WWWWWWWWWWWWWWWWWWWWWWWWW", "…" },
		{ "受注データと売上の一覧表とその説明", "…" }, { "", "" } };

	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		struct lineage_box box = { .whole = name[i][0] };
		struct lineage_picture *p = lineage_draw(mem, &(struct lineage_box_list){ &box, 1 }, NULL, 0);
		const char *shown = ((struct lineage_box *)p->boxes.v)->name;

		ok(strlen(shown) <= 66 && strstr(shown, name[i][1]) != NULL, shown);
	}
}

static void
by_chance(void)
{
	bool good = true;

	srandom(29);
	for (int round = 0; good && round < 2000; round++) {
		size_t boxes = 1 + (size_t)random() % 70, n = (size_t)random() % (2 * boxes);
		struct lineage_arrow arrow[140];
		struct lineage_picture *p;

		for (size_t i = 0; i < n; i++)
			arrow[i] = (struct lineage_arrow){ (size_t)random() % boxes, (size_t)random() % boxes };
		p = drawn(boxes, arrow, n);
		good = within(p) && apart(p) && free_ways(p) && p->boxes.n <= LINEAGE_DRAWN;
		if (!good)
			printf("# round %d: %zu boxes, %zu arrows: %d %d %d\n", round, boxes, n, within(p), apart(p), free_ways(p));
		mem_free(mem);
		mem = mem_root("test");
	}
	ok(good, "2,000 graphs by chance");
}

/* Everything leads to everything, both ways. */
static void
full(void)
{
	static struct lineage_arrow arrow[LINEAGE_DRAWN * LINEAGE_DRAWN];
	struct lineage_picture *p;
	size_t n = 0;

	for (size_t i = 0; i < LINEAGE_DRAWN; i++)
		for (size_t k = 0; k < LINEAGE_DRAWN; k++)
			arrow[n++] = (struct lineage_arrow){ i, k };
	p = drawn(LINEAGE_DRAWN, arrow, n);
	ok(within(p) && apart(p) && free_ways(p), "all from all");
	ok(p->lines.n < 12000, "its lines are bounded");
}

int
main(void)
{
	mem = mem_root("test");
	simple();
	circles();
	names();
	by_chance();
	full();
	mem_free(mem);
	return done();
}
