/* SPDX-License-Identifier: Apache-2.0 */
#include "data/orderlook.h"

#include "base/str.h"
#include "data/rowlead.h"

SHAPE_DEFINE(look_order, LOOK_ORDER);

static void
order_add(struct look_order_list *out, const char *column, bool down)
{
	struct look_order *last = &out->v[out->n++];

	last->column = column;
	last->down = down;
}

static void
orders_begin(struct ctx *c, struct look_order_list *out)
{
	*out = (struct look_order_list){ mem_array(c->mem, struct look_order, ORDERS_MOST), 0 };
	for (int i = 0; i < ORDERS_MOST; i++)
		out->v[i] = (struct look_order){ .no = i + 1 };
}

void
orders_read(struct ctx *c, const char *order, struct look_order_list *out)
{
	char *rest = mem_strdup(c->mem, order), *name;

	orders_begin(c, out);
	while (out->n < ORDERS_MOST && (name = str_split(&rest, ',')))
		order_add(out, name + (*name == '-'), *name == '-');
}

const struct look_order *
orders_find(const struct look_order_list *all, const char *column)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].column, column))
			return &all->v[i];
	return NULL;
}

static const char *
orders_text(struct ctx *c, const struct look_order_list *all)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < all->n; i++)
		buf_fmt(&b, "%s%s%s", i ? "," : "", all->v[i].down ? "-" : "", all->v[i].column);
	return buf_done(&b);
}

const char *
orders_with(struct ctx *c, const struct look_order_list *all, const char *column)
{
	const struct look_order *there = orders_find(all, column);
	struct look_order_list out;

	orders_begin(c, &out);
	for (size_t i = 0; i < all->n; i++)
		order_add(&out, all->v[i].column, all->v[i].down != (&all->v[i] == there));
	if (there)
		return orders_text(c, &out);
	/* No two rows have one id, so nothing can follow it. */
	if (out.n == ORDERS_MOST || orders_find(&out, "id"))
		out.n--;
	order_add(&out, column, false);
	return orders_text(c, &out);
}

const char *
orders_typed(struct ctx *c, const struct pair *pairs, size_t n)
{
	struct look_order_list out;

	orders_begin(c, &out);
	for (int i = 1; i <= ORDERS_MOST && !orders_find(&out, "id"); i++) {
		const char *name = pair_value(pairs, n, mem_printf(c->mem, "sort.%d", i));

		if (str_given(name) && !orders_find(&out, name))
			order_add(&out, name, str_given(pair_value(pairs, n,
			    mem_printf(c->mem, "turn.%d", i))) != NULL);
	}
	return str_given(orders_text(c, &out));
}
