/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/health.h"

#include "base/buf.h"
#include "base/str.h"

#include <stdlib.h>

enum { BEAT_LATE_MS = 5000, LAG_LATE_MS = 30000, CLOCK_APART_MS = 2000 };

SHAPE_DEFINE(node_health, NODE_HEALTH);

#define NODE_WAITS(F, T) \
	F(T, STR, node) \
	F(T, INT, n) \
	F(T, INT, since)
SHAPE(node_waits, NODE_WAITS);

static const char *
role_of(const struct node *n, const struct cluster_active *row, const struct lease_seen *seen,
    bool own)
{
	if (!own && seen->unseen_ms >= UNSEEN_WARM_MS)
		return "lost";
	if (own ? lease_role() == LEASE_HIDDEN : !n->shows)
		return "hidden";
	if (str_eq(row->node, n->name))
		return "active";
	return n->priority == NODE_NEVER ? "drained" : "warm";
}

static const char *
wsrep_of(const struct view *v, const char *name, bool own)
{
	if (!v || !v->wsrep)
		return v ? "off" : NULL;
	if (!own)
		return view_has(v, name) ? "member" : "absent";
	return !v->primary ? "cut off" : v->synced ? "synced" : v->donor ? "donor" : "joining";
}

static const char *
trouble_of(void *mem, const struct node_health *h)
{
	bool ahead = h->ahead_ms > 0;

	if (h->beat_ms < 0)
		return "no beat was seen";
	if (h->beat_ms > BEAT_LATE_MS)
		return mem_printf(mem, "no beat for %s", str_took(mem, h->beat_ms));
	if (str_eq(h->role, "hidden"))
		return "shows nothing until it is sure of its place, and has closed what others "
		       "did";
	if (h->wsrep && !str_in(h->wsrep, "off|member|synced|donor"))
		return mem_printf(mem, "its MariaDB is %s", h->wsrep);
	if (llabs((long long)h->ahead_ms) > CLOCK_APART_MS)
		return mem_printf(mem, "its clock is %s %s",
		    str_took(mem, ahead ? h->ahead_ms : -h->ahead_ms), ahead ? "ahead" : "behind");
	return h->lag_ms > LAG_LATE_MS
	    ? mem_printf(mem, "has had changes to show for %s", str_took(mem, h->lag_ms))
	    : NULL;
}

enum err
nodes_health(struct ctx *c, const struct view *v, struct node_health_list *out, bool *active)
{
	struct node_list nodes;
	struct node_waits_list waits;
	struct cluster_active *row;

	TRY(nodes_read(c, &nodes));
	TRY(active_read(c, &row));
	TRY(db_all(c,
	    ROWS(node_waits,
		"SELECT node, COUNT(*) AS n, MIN(at) AS since FROM node_outbox GROUP BY node"),
	    NOARGS, &waits));
	*out = (struct node_health_list){ .v = mem_array(c->mem, struct node_health, nodes.n + 1) };
	*active = false;
	for (size_t i = 0; i < nodes.n; i++) {
		const struct node *n = &nodes.v[i];
		const struct node_waits *w = NULL;
		struct node_health *h = &out->v[out->n];
		bool own = str_eq(n->name, c->conf->cluster_node);
		struct lease_seen seen = { .unseen_ms = UNSEEN_WARM_MS };
		bool known = lease_seen(n->name, &seen);

		if (n->left_at)
			continue;
		for (size_t k = 0; k < waits.n && !w; k++)
			w = str_eq(waits.v[k].node, n->name) ? &waits.v[k] : NULL;
		*h = (struct node_health){ .name = n->name, .version = n->version,
			.role = role_of(n, row, &seen, own),
			.beat_ms = own ? lease_now_ms() - lease_beat_began_ms()
			    : known    ? seen.unseen_ms
				       : -1,
			.ahead_ms = own ? 0 : seen.ahead_ms,
			.outbox = w ? w->n : 0,
			.lag_ms = w && w->since < c->now ? (c->now - w->since) * 1000 : 0,
			.wsrep = wsrep_of(v, n->name, own) };
		h->trouble = trouble_of(c->mem, h);
		*active |= str_eq(h->role, "active");
		out->n++;
	}
	return E_OK;
}

/* ---- MariaDB's settings ---- */

#define GALERA_SET(F, T) \
	F(T, STR, options, .flags = F_NUL) \
	F(T, STR, sst) \
	F(T, INT, flush) \
	F(T, INT, retries)
SHAPE(galera_set, GALERA_SET);

enum err
cluster_settings(struct ctx *c, const char **why)
{
	static const char *const options[] = { "evs.suspect_timeout = PT2S",
		"evs.inactive_timeout = PT4S", "pc.recovery = true",
		"gcs.fc_single_primary = yes" };
	struct buf b = BUF(c->mem);
	struct galera_set *s;

	TRY(db_one(c,
	    ROWS(galera_set,
		"SELECT @@global.wsrep_provider_options AS options,"
		" @@global.wsrep_sst_method AS sst,"
		" @@global.innodb_flush_log_at_trx_commit AS flush,"
		" @@global.wsrep_retry_autocommit AS retries"),
	    NOARGS, &s));
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (!s->options || !strstr(s->options, options[i]))
			buf_fmt(&b, "%s; ", options[i]);
	if (!str_eq(s->sst, "mariabackup"))
		buf_str(&b, "wsrep_sst_method=mariabackup; ");
	if (s->flush != 1)
		buf_str(&b, "innodb_flush_log_at_trx_commit=1; ");
	if (s->retries)
		buf_str(&b, "wsrep_retry_autocommit=0; ");
	*why = b.n ? mem_strndup(c->mem, b.s, b.n - 2) : NULL;
	return E_OK;
}
