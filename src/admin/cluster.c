/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl cluster status, move, drain, leave, force. */
#include "admin/cluster.h"

#include "admin/cmd.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/str.h"
#include "bucket/compare.h"
#include "cluster/health.h"

#include <stdio.h>
#include <time.h>

enum { LOOK_MS = 200, MOVE_S = 30, TRIES = 8, PRIORITY_USUAL = 100 };

enum err
cluster_connect(struct ctx *c)
{
	const struct conf *own;

	if (!cluster_on(c->conf))
		return fail(c, E_CONFLICT, "this isn't a cluster: cluster_node isn't set");
	own = node_conf(c->mem, c->conf);
	if (!own)
		return fail_here(c, "%s", c->conf->cluster_admin_file);
	c->db = db_new(c->mem, own, DB_ENDLESS);
	db_any_role(c->db);
	return E_OK;
}

enum err
cluster_look(struct ctx *c)
{
	TRY(cluster_connect(c));
	return lease_role() == LEASE_ALONE
	    ? fail(c, E_CONFLICT, "%s/lease can't be opened: start the service, and its runner",
		  c->conf->data_dir)
	    : E_OK;
}

/* ---- status ---- */

static void
status_json(struct ctx *c, const struct node_health_list *all, const char *store)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < all->n; i++) {
		struct buf one = BUF(c->mem);
		bool own = str_eq(all->v[i].name, c->conf->cluster_node);

		shape_write_fields(&one, &node_health_shape, &all->v[i]);
		json_add(&one, "store", own ? store : NULL);
		buf_fmt(&b, "%s{%s}", i ? "," : "", buf_done(&one));
	}
	printf("{\"nodes\":[%s]}\n", buf_done(&b));
}

/* Reads what MariaDB says here. The schema's version is a row, which a machine that is cut off from
 * the others can't read. */
static enum err
own_view(struct ctx *c, struct view *out)
{
	db_any_schema(c->db);
	return view_look(c, out);
}

static enum err
cmd_status(struct cmd_call *call)
{
	struct ctx *c = call->c;
	bool json = usage_option(&call->with, "--json"), active;
	struct node_health_list all;
	const char *store;
	struct view view;

	if (!cluster_on(c->conf)) {
		puts(json ? "{}" : "this isn't a cluster: cluster_node isn't set");
		return E_OK;
	}
	TRY(cluster_look(c));
	TRY(own_view(c, &view));
	if (!view.primary)
		return fail(c, E_CONFLICT,
		    "this machine isn't among most of the machines, so it can neither read nor "
		    "change rows: start the others, or if they are lost for good, vitrinectl "
		    "cluster force");
	TRY(nodes_health(c, &view, &all, &active));
	if (store_try(c, &store))
		store = cmd_why(c);
	store = store ? store : "ok";
	call->exit = !active || !str_eq(store, "ok");
	for (size_t i = 0; i < all.n; i++) {
		const struct node_health *h = &all.v[i];
		bool own = str_eq(h->name, c->conf->cluster_node);

		call->exit |= h->trouble != NULL;
		if (json)
			continue;
		printf("%-5s %-8s %-7s beat %-7s outbox %-4lld lag %-6s store %-4s wsrep %-7s %s "
		       "clock %+lld ms%s%s\n",
		    h->trouble ? "FAIL" : "ok", h->name, h->role,
		    h->beat_ms < 0 ? "never" : str_took(c->mem, h->beat_ms), (long long)h->outbox,
		    str_took(c->mem, h->lag_ms), own ? store : "-", h->wsrep ? h->wsrep : "-",
		    *h->version ? h->version : "-", (long long)h->ahead_ms, h->trouble ? ": " : "",
		    h->trouble ? h->trouble : "");
	}
	if (json)
		status_json(c, &all, store);
	else if (!active)
		puts("FAIL  no machine is active");
	return E_OK;
}

/* ---- move, drain, leave ---- */

static const struct node_health *
health_find(const struct node_health_list *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].name, name))
			return &all->v[i];
	return NULL;
}

/* A beat of the active machine may change the row at the same time. */
static enum err
want(struct ctx *c, const char *node)
{
	enum err e = active_want(c, node);

	for (int i = 1; e && c->replay && i < TRIES; i++) {
		ctx_again(c);
		e = active_want(c, node);
	}
	return e;
}

/* Asks for the machine to become active, and waits until it is. */
static enum err
move_to(struct ctx *c, const char *node)
{
	const struct timespec rest = { .tv_nsec = LOOK_MS * 1000000L };
	struct cluster_active *row;

	TRY(want(c, node));
	for (int i = 0; i < MOVE_S * 1000 / LOOK_MS; i++) {
		TRY(active_read(c, &row));
		if (str_eq(row->node, node)) {
			printf("%s is active\n", node);
			return E_OK;
		}
		nanosleep(&rest, NULL);
	}
	TRY(want(c, NULL));
	return fail(c, E_CONFLICT, "%s hasn't taken over within %d s; vitrinectl cluster status",
	    node, MOVE_S);
}

static enum err
cmd_move(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *name = call->with.args[0];
	const struct node_health *to;
	struct node_health_list all;
	bool active;

	TRY(cluster_look(c));
	TRY(nodes_health(c, NULL, &all, &active));
	to = health_find(&all, name);
	if (!to)
		return fail(c, E_NOT_FOUND, "the cluster has no machine %s", name);
	if (str_eq(to->role, "active"))
		return fail(c, E_CONFLICT, "%s is active already", name);
	if (to->trouble || !str_eq(to->role, "warm"))
		return fail(c, E_CONFLICT, "%s is %s%s%s", name, to->role, to->trouble ? ": " : "",
		    to->trouble ? to->trouble : "");
	return move_to(c, name);
}

static enum err
cmd_drain(struct cmd_call *call)
{
	struct ctx *c = call->c;
	bool off = usage_option(&call->with, "--off"), active;
	int64_t priority = off ? PRIORITY_USUAL : NODE_NEVER;
	const struct node_health *own, *to = NULL;
	struct node_health_list all;

	TRY(cluster_look(c));
	TRY(nodes_health(c, NULL, &all, &active));
	own = health_find(&all, c->conf->cluster_node);
	for (size_t i = all.n; i-- > 0;)
		if (!all.v[i].trouble && str_eq(all.v[i].role, "warm") && &all.v[i] != own)
			to = &all.v[i];
	if (!off && own && str_eq(own->role, "active") && !to)
		return fail(c, E_CONFLICT, "no other machine can take over");
	TRY(db_exec1(c, EXEC("UPDATE node SET priority = ? WHERE name = ?"),
	    ARGS(priority, c->conf->cluster_node)));
	if (!off && own && str_eq(own->role, "active"))
		TRY(move_to(c, to->name));
	printf("%s %s\n", c->conf->cluster_node,
	    off ? "can take over again" : "doesn't take over until vitrinectl cluster drain --off");
	return E_OK;
}

static enum err
cmd_leave(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *given = call->with.args[0], *name = given ? given : c->conf->cluster_node;
	struct node_health_list all;
	const struct node_health *h;
	bool active, own = str_eq(name, c->conf->cluster_node);

	TRY(cluster_look(c));
	TRY(nodes_health(c, NULL, &all, &active));
	h = health_find(&all, name);
	if (!h)
		return fail(c, E_NOT_FOUND, "the cluster has no machine %s", name);
	if (str_eq(h->role, "active"))
		return fail(c, E_CONFLICT, "%s is active: vitrinectl cluster drain there first",
		    name);
	if (!own && !str_eq(h->role, "lost"))
		return fail(c, E_CONFLICT, "%s runs: vitrinectl cluster leave there", name);
	TRY(db_exec1(c, EXEC("UPDATE node SET left_at = ? WHERE name = ?"), ARGS(c->now, name)));
	TRY(db_exec(c, EXEC("DELETE FROM node_outbox WHERE node = ?"), ARGS(name), NULL));
	printf("%s has left\n", name);
	if (own)
		puts("next: stop its service and MariaDB, or remove cluster_node and the file of "
		     "vitrinectl cluster init");
	return E_OK;
}

/* ---- force ---- */

static const char words[] = "the others are off";

/* Reads the words from standard input. */
static bool
words_typed(void)
{
	char line[80];

	printf("All other machines must be off, and must get their rows from this one when they\n"
	       "come back; otherwise there are two services. To go on, type: %s\n", words);
	fflush(stdout);
	if (!fgets(line, sizeof line, stdin))
		return false;
	line[strcspn(line, "\r\n")] = '\0';
	return str_eq(line, words);
}

static enum err
cmd_force(struct cmd_call *call)
{
	static const char go_on[] = "SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'";
	static const char go_on_11[] = "SET GLOBAL wsrep_provider_pc_bootstrap = 1";
	struct ctx *c = call->c, *root;
	struct view view;

	TRY(cluster_connect(c));
	TRY(own_view(c, &view));
	if (view.primary)
		return fail(c, E_CONFLICT,
		    view.wsrep ? "this machine is among most of the machines: nothing to force"
			       : "MariaDB runs without wsrep");
	if (!words_typed())
		return fail(c, E_CONFLICT, "nothing was done");
	TRY(root_connect(c, usage_option(&call->with, "--db-user"), &root));
	/* MariaDB 11 has the option as a variable. */
	if (db_run(root, go_on, strlen(go_on))) {
		ctx_forgive(root);
		TRY(root_told(c, root, db_run(root, go_on_11, strlen(go_on_11))));
	}
	puts("this machine goes on alone; one of them becomes active in some seconds");
	return E_OK;
}

const struct cmd cluster_cmds[] = {
	{ "cluster status", "[--json]",
	    "a line for each machine: role, last beat, changes that it hasn't shown, lag, store, "
	    "Galera, version, clock; 1 if one is unwell",
	    cmd_status },
	{ "cluster move", "NODE", "make another machine active, and wait until it is", cmd_move },
	{ "cluster drain", "[--off]",
	    "let another machine take over, and this one never, until --off", cmd_drain },
	{ "cluster leave", "[NODE]",
	    "remove this machine, or NODE, which is lost, from the cluster", cmd_leave },
	{ "cluster force", "[--db-user USER]",
	    "as root, after the loss of most machines: let this one go on alone; asks first",
	    cmd_force },
	{ 0 },
};
