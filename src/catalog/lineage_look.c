/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/lineage_look.h"

#include "base/str.h"
#include "core/member.h"

SHAPE_DEFINE(lineage_said, LINEAGE_SAID);

enum { LISTED = 500 };

static const char *
node_href(struct ctx *c, const struct workspace *w, const struct lineage_node *n)
{
	if (n->entry_id)
		return mem_printf(c->mem, "/w/%s/catalog/%s", w->id, n->entry_id);
	if (str_eq(n->kind, "connection"))
		return member_rank(w->role) >= MEMBER_ADMIN
		    ? mem_printf(c->mem, "/w/%s/connections/%s", w->id, n->id)
		    : NULL;
	if (!n->artifact_id)
		return NULL;
	if (n->table)
		return mem_printf(c->mem, "/a/%s/data/tables/%s", n->artifact_id, n->table);
	return mem_printf(c->mem, "/a/%s%s", n->artifact_id,
	    str_eq(n->kind, "document") ? "/data" : "");
}

static void
lineage_list(struct ctx *c, const struct workspace *w, const struct lineage *l,
    const struct filling_list *fillings, struct lineage_said *out)
{
	size_t most = l->nodes.n < LISTED ? l->nodes.n : LISTED;
	struct lineage_node *before = mem_array(c->mem, struct lineage_node, most + 1);
	struct lineage_node *after = mem_array(c->mem, struct lineage_node, most + 1);
	struct lineage_node *n = l->nodes.v;

	for (size_t i = 0; i < most; i++) {
		int64_t steps = n[i].step < 0 ? -n[i].step : n[i].step;

		n[i].href = node_href(c, w, &n[i]);
		n[i].away = steps > 1 ? steps : 0;
		for (size_t k = 0; k < fillings->n && !n[i].job; k++) {
			const struct filling *f = &fillings->v[k];

			if (str_eq(n[i].step < 0 ? f->from : f->to, n[i].id))
				n[i].job = (void *)f->job;
		}
		if (n[i].step < 0)
			before[out->before.n++] = n[i];
		else if (n[i].step > 0)
			after[out->after.n++] = n[i];
	}
	out->before.v = before;
	out->after.v = after;
	out->alone = l->nodes.n < 2;
	out->not_drawn = most > LINEAGE_DRAWN;
	out->not_listed = (int64_t)(l->nodes.n - most);
}

/* Returns the index of the node, or the number of drawn nodes if it isn't drawn. */
static size_t
drawn_at(const struct lineage *l, const char *id)
{
	const struct lineage_node *n = l->nodes.v;
	size_t i = 0;

	while (i < l->nodes.n && i < LINEAGE_DRAWN && !str_eq(n[i].id, id))
		i++;
	return i;
}

static struct lineage_picture *
lineage_show(struct ctx *c, const struct lineage *l)
{
	struct lineage_node_list nodes = { l->nodes.v,
		l->nodes.n < LINEAGE_DRAWN ? l->nodes.n : LINEAGE_DRAWN };
	struct lineage_arrow *arrow = mem_array(c->mem, struct lineage_arrow, l->edges.n + 1);
	const struct lineage_edge *edge = l->edges.v;
	struct list boxes = list_made(c->mem, &nodes, n,
	    (struct lineage_box){
		.kind = n->entry_kind ? n->entry_kind : n->kind,
		.whole = n->name,
		.href = n->href,
		.here = !n->step });

	for (size_t i = 0; i < l->edges.n; i++)
		arrow[i] = (struct lineage_arrow){ drawn_at(l, edge[i].from),
			drawn_at(l, edge[i].to) };
	return lineage_draw(
	    c->mem, &(struct lineage_box_list){ boxes.v, boxes.n }, arrow, l->edges.n);
}

enum err
lineage_say(struct ctx *c, const struct workspace *w, const struct lineage *l,
    struct lineage_said *out)
{
	const struct lineage_node *here = l->nodes.v;
	struct filling_list fillings;
	struct filling_job *job;

	TRY(catalog_fillings(c, l, &fillings));
	lineage_list(c, w, l, &fillings, out);
	/* The nearest node is what the page is about. */
	job = mem_array(c->mem, struct filling_job, fillings.n + 1);
	for (size_t i = 0; i < fillings.n; i++)
		if (str_eq(fillings.v[i].to, here->id))
			job[out->jobs.n++] = *fillings.v[i].job;
	out->jobs.v = job;
	if (!out->alone)
		out->picture = lineage_show(c, l);
	return E_OK;
}
