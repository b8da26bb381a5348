/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/lineage.h"

#include "base/str.h"
#include "catalog/keys.h"
#include "catalog/view.h"

SHAPE_DEFINE(lineage_query, LINEAGE_QUERY);
SHAPE_DEFINE(lineage_node, LINEAGE_NODE);
SHAPE_DEFINE(lineage_edge, LINEAGE_EDGE);
SHAPE_DEFINE(lineage, LINEAGE);

/* The whole graph that the reader may see is built in memory, in five statements for any depth. */
enum way { UP, DOWN, WAYS };
#define NONE KEY_NONE

struct node {
	struct lineage_node n;
	size_t first[WAYS]; /* first edge in each direction, or NONE */
	int away[WAYS];     /* steps from the start in each direction; -1: not reached */
	bool read;          /* the edge to its page exists */
	bool shown;
};
struct edge {
	size_t from, to, next[WAYS];
	const char *kind, *job_id;
	bool walked;
};
struct graph {
	struct ctx *c;
	const struct workspace *w;
	struct view view;
	struct keys keys;
	struct node *nodes;
	size_t node_n;
	struct edge *edges;
	size_t edge_n;
	size_t *of_entry; /* the node of each entry of the view */
	enum member_role role;
};

/* ---- nodes and edges ---- */

/* The first caller that puts an id decides its name and entry. */
static size_t
node_put(struct graph *g, const struct lineage_node *n)
{
	size_t at = keys_put(&g->keys, n->id, g->node_n);

	if (at == g->node_n)
		g->nodes[g->node_n++] = (struct node){ .n = *n,
			.first = { NONE, NONE },
			.away = { -1, -1 } };
	return at;
}

static void
edge_put(struct graph *g, size_t from, size_t to, const char *kind, const char *job_id)
{
	struct edge *e = &g->edges[g->edge_n];

	if (from == to)
		return;
	*e = (struct edge){ .from = from,
		.to = to,
		.next = { g->nodes[to].first[UP], g->nodes[from].first[DOWN] },
		.kind = kind,
		.job_id = job_id };
	g->nodes[to].first[UP] = g->nodes[from].first[DOWN] = g->edge_n++;
}

static const char *
about_key(struct ctx *c, const struct about *a)
{
	if (str_eq(a->source_kind, "table"))
		return mem_printf(
		    c->mem, "%s/tables/%s", a->source_artifact_id, a->source_table);
	if (str_eq(a->source_kind, "document"))
		return mem_printf(c->mem, "%s/json", a->source_artifact_id);
	return a->source_kind[0] == 'c' ? a->source_connection_id : a->source_artifact_id;
}

static size_t
about_node(struct graph *g, const struct about *a, const char *name, const char *entry_id)
{
	return node_put(g,
	    &(struct lineage_node){ .id = about_key(g->c, a),
		.kind = a->source_kind,
		.name = name,
		.entry_id = entry_id,
		.artifact_id = a->source_artifact_id,
		.table = a->source_table });
}

/* Adds the edge from data to its artifact's page. We assume that a page reads all its tables and
 * its document. */
static void
page_put(struct graph *g, size_t data, const struct about *a)
{
	const struct source_artifact *art = a->source_artifact_id
	    ? source_artifact(&g->view.access, a->source_artifact_id)
	    : NULL;
	const struct about page = { .source_kind = "page",
		.source_artifact_id = a->source_artifact_id };

	if (!art || !art->live || str_eq(a->source_kind, "page") || g->nodes[data].read)
		return;
	g->nodes[data].read = true;
	edge_put(g, data, about_node(g, &page, art->name, NULL), "reads", NULL);
}

/* Entries about pages come first, so that their titles name the page nodes. */
static void
entries_put(struct graph *g, bool pages)
{
	for (size_t i = 0; i < g->view.entries.n; i++) {
		const struct view_entry *e = &g->view.entries.v[i];
		const struct about a = ABOUT_OF(e);

		if (str_eq(a.source_kind, "page") != pages)
			continue;
		if (!a.source_kind || e->seen == SEEN_GONE) {
			g->of_entry[i] = node_put(g,
			    &(struct lineage_node){ .id = e->id,
				.kind = "entry",
				.name = e->title,
				.entry_kind = e->kind,
				.entry_id = e->id });
			continue;
		}
		g->of_entry[i] = about_node(g, &a, e->title, e->id);
		page_put(g, g->of_entry[i], &a);
	}
}

/* ---- jobs ---- */

#define FEED(F, T) \
	F(T, STR, job_id) \
	F(T, STR, artifact_id) \
	F(T, STR, fills) \
	F(T, STR, connection_id) \
	F(T, STR, connection_name)
SHAPE(feed, FEED);

static enum err
feed_put(struct graph *g, const struct feed *f)
{
	const struct about from = { .source_kind = "connection",
		.source_connection_id = f->connection_id,
		.connection_name = f->connection_name };
	const struct about to = { .source_kind = *f->fills ? "table" : "document",
		.source_artifact_id = f->artifact_id,
		.source_table = *f->fills ? f->fills : NULL };
	const struct source_artifact *a = source_artifact(&g->view.access, f->artifact_id);
	enum seen seen;
	size_t data;

	TRY(source_access_check(&g->view.access, g->w->id, g->role, &to, &seen));
	if (g->role < MEMBER_MEMBER || seen <= SEEN_GONE)
		return E_OK;
	data = about_node(g, &to, *f->fills ? f->fills : a->name, NULL);
	page_put(g, data, &to);
	/* Only people who may GET the job get its id. */
	edge_put(g, about_node(g, &from, f->connection_name, NULL), data, "materialize",
	    role_rank(a->role) >= ROLE_EDITOR || member_rank(a->workspace_role) >= MEMBER_ADMIN
		? f->job_id : NULL);
	return E_OK;
}

static enum err
graph_read(struct ctx *c, const struct workspace *w, const struct principal *who, struct graph *g)
{
	struct view_link *links;
	struct feed_list feeds;
	const char **artifacts;
	size_t n, most;

	*g = (struct graph){ .c = c, .w = w, .role = member_rank(w->role) };
	TRY(db_all(c,
	    ROWS(feed,
		"SELECT j.id AS job_id, j.artifact_id, j.fills, j.connection_id,"
		" k.name AS connection_name FROM job j JOIN connection k"
		" ON k.id = j.connection_id AND k.workspace_id = j.workspace_id"
		" WHERE j.workspace_id = ? AND j.connection_id > '' AND j.fills IS NOT NULL"
		" AND j.deleted_at IS NULL ORDER BY j.id LIMIT ?"),
	    ARGS(w->id, LINEAGE_EDGES), &feeds));
	artifacts = mem_array(c->mem, const char *, feeds.n + 1);
	for (size_t i = 0; i < feeds.n; i++)
		artifacts[i] = feeds.v[i].artifact_id;
	TRY(view_read(c, w, who, false, artifacts, feeds.n, &g->view));
	TRY(view_links(c, w, &g->view, NULL, &links, &n));
	/* An entry adds at most two nodes, a job three. */
	most = 2 * g->view.entries.n + 3 * feeds.n;
	g->keys = keys_new(c->mem, most);
	g->nodes = mem_array(c->mem, struct node, most + 1);
	g->edges = mem_array(c->mem, struct edge, most + n + 1);
	g->of_entry = mem_array(c->mem, size_t, g->view.entries.n + 1);
	entries_put(g, true);
	entries_put(g, false);
	for (size_t i = 0; i < feeds.n; i++)
		TRY(feed_put(g, &feeds.v[i]));
	for (size_t i = 0; i < n; i++)
		edge_put(g, g->of_entry[links[i].earlier - g->view.entries.v],
		    g->of_entry[links[i].later - g->view.entries.v], "declared", NULL);
	return E_OK;
}

/* ---- the walk ---- */

/* Walks breadth first from the nodes whose `away` is 0. The queue has room for all nodes. */
static void
walk(struct graph *g, enum way way, int depth, size_t *queue)
{
	size_t head = 0, tail = 0;

	for (size_t i = 0; i < g->node_n; i++)
		if (g->nodes[i].away[way] == 0)
			queue[tail++] = i;
	for (; head < tail; head++) {
		const struct node *n = &g->nodes[queue[head]];

		if (n->away[way] == depth)
			continue;
		for (size_t i = n->first[way]; i != NONE; i = g->edges[i].next[way]) {
			struct edge *e = &g->edges[i];
			size_t other = way == UP ? e->from : e->to;

			e->walked = true;
			if (g->nodes[other].away[way] >= 0)
				continue;
			g->nodes[other].away[way] = n->away[way] + 1;
			queue[tail++] = other;
		}
	}
}

static int
by_nearness(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a, *y = *(struct node *const *)b;
	int order = abs((int)x->n.step) - abs((int)y->n.step);

	return order ? order : (x > y) - (x < y);
}

static void
nodes_out(struct graph *g, struct lineage *out)
{
	struct lineage_node *v = mem_array(g->c->mem, struct lineage_node, LINEAGE_NODES);
	struct node **reached = mem_array(g->c->mem, struct node *, g->node_n + 1);
	size_t n = 0;

	for (size_t i = 0; i < g->node_n; i++) {
		struct node *one = &g->nodes[i];

		const int up = one->away[UP], down = one->away[DOWN];

		if (up < 0 && down < 0)
			continue;
		one->n.step = up < 0 || (down >= 0 && down <= up) ? down : -up;
		reached[n++] = one;
	}
	if (n)
		qsort(reached, n, sizeof *reached, by_nearness);
	out->truncated = n > LINEAGE_NODES;
	for (size_t i = 0; i < n; i++) {
		reached[i]->shown = i < LINEAGE_NODES;
		if (reached[i]->shown)
			v[i] = reached[i]->n;
	}
	out->nodes = (struct list){ v, out->truncated ? LINEAGE_NODES : n };
}

static void
edges_out(struct graph *g, struct lineage *out)
{
	struct lineage_edge *v = mem_array(g->c->mem, struct lineage_edge, LINEAGE_EDGES);
	size_t n = 0;

	for (size_t i = 0; i < g->edge_n; i++) {
		const struct edge *e = &g->edges[i];
		const struct node *from = &g->nodes[e->from], *to = &g->nodes[e->to];

		if (!e->walked || !from->shown || !to->shown)
			continue;
		if (n == LINEAGE_EDGES) {
			out->truncated = true;
			break;
		}
		v[n++] = (struct lineage_edge){
			.from = from->n.id, .to = to->n.id, .kind = e->kind, .job_id = e->job_id
		};
	}
	out->edges = (struct list){ v, n };
}

static enum err
starts_set(struct graph *g, const struct lineage_query *q)
{
	const struct view_entry *one = q->entry ? view_entry(&g->view, q->entry) : NULL;

	if (q->entry && !one)
		return fail(
		    g->c, E_NOT_FOUND, "entry: there is none with this id that you can open");
	for (size_t i = 0; i < g->view.entries.n; i++) {
		struct node *n = &g->nodes[g->of_entry[i]];

		if (one && one != &g->view.entries.v[i])
			continue;
		n->away[UP] = str_eq(q->direction, "down") ? -1 : 0;
		n->away[DOWN] = str_eq(q->direction, "up") ? -1 : 0;
	}
	return E_OK;
}

enum err
catalog_lineage(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct lineage_query *q, struct lineage **out)
{
	struct graph g;
	size_t *queue;

	*out = mem_new(c->mem, struct lineage);
	TRY(catalog_is_on(c, w, &(*out)->enabled));
	if (!(*out)->enabled)
		return E_OK;
	TRY(graph_read(c, w, who, &g));
	TRY(starts_set(&g, q));
	queue = mem_array(c->mem, size_t, g.node_n + 1);
	walk(&g, UP, (int)q->depth, queue);
	walk(&g, DOWN, (int)q->depth, queue);
	nodes_out(&g, *out);
	edges_out(&g, *out);
	return E_OK;
}
