/* SPDX-License-Identifier: Apache-2.0
 * Sugiyama's method: break circles, assign columns by the longest path, add slots for arrows
 * that pass a column, order slots by the mean of their neighbors, and place them by least
 * squares. */
#include "catalog/lineage_draw.h"

#include "base/str.h"

#include <math.h>

enum {
	BOX_WIDE = 170,
	BOX_TALL = 52,
	COLUMN_GAP = 40,
	SLOT_GAP = 20,
	LINE_TALL = 12, /* height of a slot that arrows pass */
	MARGIN = 4,
	TIP = 8,
	NAME_WIDE = 146,
	SWEEPS = 8
};

SHAPE_DEFINE(lineage_box, LINEAGE_BOX);
SHAPE_DEFINE(lineage_line, LINEAGE_LINE);
SHAPE_DEFINE(lineage_picture, LINEAGE_PICTURE);

/* A place in a column. The first ones are boxes; the others let arrows pass the column. */
struct slot {
	size_t column;
	double tall, y;
	double want; /* wanted middle */
	int joins;   /* number of joins from which `want` was computed */
};

/* A line between slots of neighboring columns. */
struct join {
	size_t left, right;
	bool back; /* its arrow points left */
};

struct drawing {
	void *mem;
	size_t boxes; /* number of slots that are boxes */
	struct slot *slot;
	size_t slots;
	struct join *join;
	size_t joins;
	struct lineage_arrow *arrow; /* without circles: arrows that closed one are turned around */
	bool *back;                  /* for each arrow: it was turned around */
	size_t arrows;
	size_t columns;
	size_t **row, *row_n; /* for each column: its slots from top to bottom */
};

/* ---- columns ---- */

enum walked { UNSEEN, ON_THE_WAY, DONE };

/* Turns around arrows that lead back to a box on the present path. */
static void
circles_break(struct drawing *d, size_t box, uint8_t *walked)
{
	walked[box] = ON_THE_WAY;
	for (size_t i = 0; i < d->arrows; i++) {
		if (d->back[i] || d->arrow[i].from != box)
			continue;
		if (walked[d->arrow[i].to] == UNSEEN) {
			circles_break(d, d->arrow[i].to, walked);
		} else if (walked[d->arrow[i].to] == ON_THE_WAY) {
			d->back[i] = true;
			d->arrow[i] = (struct lineage_arrow){ d->arrow[i].to, box };
		}
	}
	walked[box] = DONE;
}

static bool
has_incoming(const struct drawing *d, size_t box)
{
	for (size_t i = 0; i < d->arrows; i++)
		if (d->arrow[i].to == box)
			return true;
	return false;
}

/* A box is in the column of the longest path to it. A box without incoming arrows is just left
 * of its first target. */
static void
columns_find(struct drawing *d)
{
	uint8_t *walked = mem_array(d->mem, uint8_t, d->boxes + 1);
	bool moved = true;

	for (int led = 0; led < 2; led++)
		for (size_t i = 0; i < d->boxes; i++)
			if (walked[i] == UNSEEN && (led || !has_incoming(d, i)))
				circles_break(d, i, walked);
	while (moved) {
		moved = false;
		for (size_t i = 0; i < d->arrows; i++) {
			const struct slot *from = &d->slot[d->arrow[i].from];
			struct slot *to = &d->slot[d->arrow[i].to];

			if (to->column > from->column)
				continue;
			to->column = from->column + 1;
			moved = true;
		}
	}
	for (size_t i = 0; i < d->boxes; i++) {
		size_t next = SIZE_MAX;

		for (size_t k = 0; k < d->arrows; k++)
			if (d->arrow[k].from == i && d->slot[d->arrow[k].to].column < next)
				next = d->slot[d->arrow[k].to].column;
		if (next != SIZE_MAX && !has_incoming(d, i))
			d->slot[i].column = next - 1;
		if (d->slot[i].column >= d->columns)
			d->columns = d->slot[i].column + 1;
	}
}

/* ---- slots for passing arrows ---- */

static void
join_add(struct drawing *d, size_t left, size_t right, bool back)
{
	d->join = mem_grow(d->mem, d->join, (d->joins + 1) * sizeof *d->join);
	d->join[d->joins++] = (struct join){ left, right, back };
}

/* Arrows of one box in the same direction share a slot in each column that they pass. */
static void
passes_make(struct drawing *d)
{
	size_t cells = d->boxes * d->columns;
	size_t *pass = mem_array(d->mem, size_t, 2 * cells + 1); /* slot number + 1; 0: none yet */

	for (size_t i = 0; i < d->arrows; i++) {
		size_t last = d->arrow[i].from, to = d->arrow[i].to;
		size_t *of = pass + (d->back[i] ? cells : 0) + last * d->columns;

		for (size_t k = d->slot[last].column + 1; k < d->slot[to].column; k++) {
			if (!of[k]) {
				d->slot = mem_grow(
				    d->mem, d->slot, (d->slots + 1) * sizeof *d->slot);
				d->slot[d->slots++] =
				    (struct slot){ .column = k, .tall = LINE_TALL };
				of[k] = d->slots;
				join_add(d, last, of[k] - 1, d->back[i]);
			}
			last = of[k] - 1;
		}
		join_add(d, last, to, d->back[i]);
	}
}

/* ---- order and heights ---- */

static double
middle(const struct slot *s)
{
	return s->y + s->tall / 2;
}

/* Sets `want` of each slot in the column to the mean of its neighbors on the left or right. A
 * slot without neighbors stays. */
static void
wants_find(struct drawing *d, size_t column, bool by_left)
{
	for (size_t i = 0; i < d->row_n[column]; i++) {
		struct slot *s = &d->slot[d->row[column][i]];

		s->want = 0;
		s->joins = 0;
	}
	for (size_t i = 0; i < d->joins; i++) {
		struct slot *left = &d->slot[d->join[i].left], *right = &d->slot[d->join[i].right];
		struct slot *end = by_left ? right : left;

		if (end->column != column)
			continue;
		end->want += middle(by_left ? left : right);
		end->joins++;
	}
	for (size_t i = 0; i < d->row_n[column]; i++) {
		struct slot *s = &d->slot[d->row[column][i]];

		s->want = s->joins ? s->want / s->joins : middle(s);
	}
}

static void
row_order(struct drawing *d, size_t *row, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		size_t moved = row[i], k = i;

		for (; k && d->slot[row[k - 1]].want > d->slot[moved].want; k--)
			row[k] = row[k - 1];
		row[k] = moved;
	}
}

/* A group of adjacent slots without gaps, around the mean of their wanted places. */
struct run {
	double sum;
	size_t n;
};

/* Places the slots as near to their wanted places as the order allows, by least squares:
 * neighbors that would overlap form one run. */
static void
row_place(struct drawing *d, const size_t *row, size_t n)
{
	struct run *run = mem_array(d->mem, struct run, n + 1);
	size_t runs = 0, at = 0;
	double below = 0;

	for (size_t i = 0; i < n; i++) {
		const struct slot *s = &d->slot[row[i]];
		struct run last = { s->want - s->tall / 2 - below, 1 };

		below += s->tall + SLOT_GAP;
		for (; runs; runs--) {
			struct run *before = &run[runs - 1];

			if (before->sum / (double)before->n <= last.sum / (double)last.n)
				break;
			last = (struct run){ before->sum + last.sum, before->n + last.n };
		}
		run[runs++] = last;
	}
	below = 0;
	for (size_t i = 0; i < runs; i++)
		for (size_t k = 0; k < run[i].n; k++, at++) {
			d->slot[row[at]].y = below + run[i].sum / (double)run[i].n;
			below += d->slot[row[at]].tall + SLOT_GAP;
		}
	mem_free(run);
}

static void
rows_arrange(struct drawing *d)
{
	/* Each column begins with its slots in order of creation. */
	d->row = mem_array(d->mem, size_t *, d->columns + 1);
	d->row_n = mem_array(d->mem, size_t, d->columns + 1);
	for (size_t i = 0; i < d->slots; i++) {
		size_t column = d->slot[i].column, n = d->row_n[column]++;

		d->row[column] = mem_grow(d->mem, d->row[column], (n + 1) * sizeof(size_t));
		d->row[column][n] = i;
		d->slot[i].y = (double)n * (BOX_TALL + SLOT_GAP);
	}
	for (int sweep = 0; sweep < SWEEPS; sweep++)
		for (size_t i = 0; i < d->columns; i++) {
			bool by_left = sweep % 2 == 0;
			size_t column = by_left ? i : d->columns - 1 - i;

			wants_find(d, column, by_left);
			row_order(d, d->row[column], d->row_n[column]);
			row_place(d, d->row[column], d->row_n[column]);
		}
}

/* ---- the picture ---- */

static int
left_of(const struct slot *s)
{
	return MARGIN + (int)s->column * (BOX_WIDE + COLUMN_GAP);
}

static int
middle_of(const struct slot *s)
{
	return (int)lround(middle(s));
}

/* Moves all slots to whole pixels below the upper margin. Returns the picture's height. */
static double
slots_align(struct drawing *d)
{
	double top = 0, end = 0;

	for (size_t i = 0; i < d->slots; i++)
		if (!i || d->slot[i].y < top)
			top = d->slot[i].y;
	for (size_t i = 0; i < d->slots; i++) {
		struct slot *s = &d->slot[i];

		s->y = round(s->y - top) + MARGIN;
		end = s->y + s->tall > end ? s->y + s->tall : end;
	}
	return end + MARGIN;
}

/* Returns the line from the right side of one slot to the left side of the other. It continues
 * through a passing slot. */
static struct lineage_line
line_of(const struct drawing *d, const struct join *j)
{
	const struct slot *left = &d->slot[j->left], *right = &d->slot[j->right];
	int x1 = left_of(left) + BOX_WIDE, y1 = middle_of(left), x2 = left_of(right),
	    y2 = middle_of(right), bend = COLUMN_GAP / 2;
	bool passes = j->right >= d->boxes;
	struct lineage_line line = { 0 };

	line.path = mem_printf(d->mem, "M%d %dC%d %d %d %d %d %d%s", x1, y1, x1 + bend, y1,
	    x2 - bend, y2, x2, y2, passes ? mem_printf(d->mem, "H%d", x2 + BOX_WIDE) : "");
	if (j->back && j->left < d->boxes)
		line.tip = mem_printf(d->mem, "M%d %dl%d -4v8z", x1, y1, TIP);
	else if (!j->back && !passes)
		line.tip = mem_printf(d->mem, "M%d %dl-%d -4v8z", x2, y2, TIP);
	return line;
}

/* Cuts a name to the width of a box, by average widths of letters. Letters of East Asian scripts
 * count nearly twice. */
static const char *
name_cut(void *mem, const char *name)
{
	size_t n = strlen(name), chars = 0;
	double wide = 0;
	uint32_t code;

	for (size_t at = 0, step; at < n && (step = str_utf8(name + at, n - at, &code));
	     at += step) {
		wide += code >= 0x1100 ? 13.5 : code < 'a' ? 8.5 : 7.25;
		if (wide > NAME_WIDE)
			return mem_printf(mem, "%s…", str_cut(mem, name, chars - 1));
		chars++;
	}
	return name;
}

/* Leaves out duplicates, and arrows from or to boxes that aren't drawn. */
static void
arrows_copy(struct drawing *d, const struct lineage_arrow *arrow, size_t n)
{
	d->arrow = mem_array(d->mem, struct lineage_arrow, n + 1);
	d->back = mem_array(d->mem, bool, n + 1);
	for (size_t i = 0; i < n; i++) {
		bool drawn = arrow[i].from != arrow[i].to && arrow[i].from < d->boxes &&
		    arrow[i].to < d->boxes;

		for (size_t k = 0; drawn && k < d->arrows; k++)
			drawn = d->arrow[k].from != arrow[i].from || d->arrow[k].to != arrow[i].to;
		if (drawn)
			d->arrow[d->arrows++] = arrow[i];
	}
}

struct lineage_picture *
lineage_draw(void *owner, const struct lineage_box_list *given, const struct lineage_arrow *arrow,
    size_t arrow_n)
{
	struct lineage_picture *out = mem_new(owner, struct lineage_picture);
	struct drawing d = { .mem = owner,
		.boxes = given->n < LINEAGE_DRAWN ? given->n : LINEAGE_DRAWN,
		.columns = 1 };
	struct lineage_line *line;
	struct lineage_box *box;

	d.slots = d.boxes;
	d.slot = mem_array(owner, struct slot, d.boxes + 1);
	for (size_t i = 0; i < d.boxes; i++)
		d.slot[i].tall = BOX_TALL;
	arrows_copy(&d, arrow, arrow_n);
	columns_find(&d);
	passes_make(&d);
	rows_arrange(&d);
	out->tall = mem_printf(owner, "%.0f", slots_align(&d));
	out->wide = mem_printf(
	    owner, "%zu", 2 * MARGIN + d.columns * (BOX_WIDE + COLUMN_GAP) - COLUMN_GAP);
	out->box_wide = mem_printf(owner, "%d", BOX_WIDE);
	out->box_tall = mem_printf(owner, "%d", BOX_TALL);
	line = mem_array(owner, struct lineage_line, d.joins + 1);
	for (size_t i = 0; i < d.joins; i++)
		line[i] = line_of(&d, &d.join[i]);
	out->lines = (struct list){ line, d.joins };
	box = mem_array(owner, struct lineage_box, d.boxes + 1);
	for (size_t i = 0; i < d.boxes; i++) {
		box[i] = given->v[i];
		box[i].name = name_cut(owner, box[i].whole);
		box[i].x = mem_printf(owner, "%d", left_of(&d.slot[i]));
		box[i].y = mem_printf(owner, "%.0f", d.slot[i].y);
	}
	out->boxes = (struct list){ box, d.boxes };
	return out;
}
