/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/look.h"

#include "base/log.h"
#include "base/str.h"
#include "ext/egress.h"

#include <string.h>

enum { DUE_READ = 100, HTTP_S = 5, HTTP_BYTES = 1 << 10, QUESTIONS = 3 };

/* ---- leasing ---- */

struct look {
	const struct domain_due *due;
	struct dns_question *txt, *v4, *v6; /* v4, v6: only while it waits */
	struct egress_req req;
	const char *headers[2];
	bool settled;
};

static bool
tenant_has_room(const struct look *v, size_t n, const struct domain_due *d)
{
	size_t under_way = 0;

	for (size_t i = 0; i < n; i++)
		under_way += str_eq(v[i].due->tenant, d->tenant);
	return under_way < LOOKS_PER_TENANT;
}

/* Leases up to LOOKS_AT_ONCE domains; another runner may be faster. */
static enum err
looks_lease(struct ctx *c, struct domain_due_list *due, struct look *v, size_t *n)
{
	int64_t mine;

	*n = 0;
	for (size_t i = 0; i < due->n && *n < LOOKS_AT_ONCE; i++) {
		struct domain_due *d = &due->v[i];

		if (!tenant_has_room(v, *n, d))
			continue;
		TRY(db_exec(c, EXEC("UPDATE domain SET due_at = ? WHERE id = ? AND due_at = ?"),
		    ARGS(c->now + LOOK_LEASE_S, d->id, d->due_at), &mine));
		d->due_at = c->now + LOOK_LEASE_S;
		if (mine)
			v[(*n)++].due = d;
	}
	return E_OK;
}

/* ---- DNS ---- */

static bool
is_waiting(const struct look *l)
{
	return str_eq(l->due->state, "waiting");
}

static struct dns_question *
question_add(struct dns_question *all, size_t *n, const char *name, const char *type)
{
	all[*n] = (struct dns_question){ .name = name, .type = type };
	return &all[(*n)++];
}

static enum err
names_ask(struct ctx *c, struct look *v, size_t n)
{
	struct dns_question *all = mem_array(c->mem, struct dns_question, n * QUESTIONS);
	size_t asked = 0;

	for (size_t i = 0; i < n; i++) {
		const char *host = v[i].due->host;

		v[i].txt = question_add(
		    all, &asked, mem_printf(c->mem, "_vitrine.%s", host), "TXT");
		if (!is_waiting(&v[i]))
			continue;
		v[i].v4 = question_add(all, &asked, host, "A");
		v[i].v6 = question_add(all, &asked, host, "AAAA");
	}
	return dns_ask(c, all, asked);
}

/* Settles the look if its DNS records alone decide it. */
static enum err
records_settle(struct ctx *c, struct look *l)
{
	const char *host = l->due->host, *why = NULL;
	enum look_verdict verdict = LOOK_WRONG;

	if (strs_have(&l->txt->values,
		mem_printf(c->mem, "vitrine-domain=%s", l->due->secret))) {
		if (!is_waiting(l))
			verdict = LOOK_RIGHT;
		else if (l->v4->values.n || l->v6->values.n)
			return E_OK;
		else if (l->v4->said == DNS_SILENT)
			why = mem_printf(c->mem, "The address of %s can't be found: %s", host,
			    l->v4->why);
		else
			why = mem_printf(c->mem,
			    "%s has no address yet: no CNAME, A, or AAAA record", host);
	} else if (l->txt->said == DNS_SILENT) {
		verdict = LOOK_SILENT;
		why = mem_printf(c->mem, "The TXT record of _vitrine.%s can't be read: %s", host,
		    l->txt->why);
	} else if (l->txt->said == DNS_FOUND) {
		why = mem_printf(c->mem, "_vitrine.%s has another TXT record: %s", host,
		    str_cut(c->mem, l->txt->values.v[0], 60));
	} else {
		why = mem_printf(c->mem, "_vitrine.%s has no TXT record%s", host,
		    is_waiting(l) ? " yet" : "");
	}
	l->settled = true;
	return look_settle(c, l->due, verdict, why);
}

/* ---- whether it leads here ---- */

static enum err
answer_settle(struct ctx *c, const struct look *l, const struct egress_done *done)
{
	const struct egress_res *res = done->res;
	const char *why;

	if (res && res->status == 200 && res->body_n == strlen(l->due->answer) &&
	    !memcmp(res->body, l->due->answer, res->body_n))
		return look_settle(c, l->due, LOOK_RIGHT, NULL);
	why = !res ? mem_printf(c->mem, "http://%s can't be reached: %s", l->due->host, done->why)
		   : mem_printf(c->mem,
			 "http://%s leads to another server, which answers with status %ld",
			 l->due->host, res->status);
	return look_settle(c, l->due, LOOK_WRONG, why);
}

static enum err
answers_settle(struct ctx *c, struct look *v, size_t n)
{
	struct egress_many *many = egress_many(c->mem, c->conf, LOOKS_AT_ONCE);
	struct egress_done done;
	size_t waits = 0;

	for (size_t i = 0; i < n; i++) {
		struct look *l = &v[i];
		const char *address;
		bool six;

		if (l->settled)
			continue;
		/* Asks the address that our own question found, so that the setting dns_server
		 * counts here, too. egress refuses addresses that aren't public. */
		six = !l->v4->values.n;
		address = six ? l->v6->values.v[0] : l->v4->values.v[0];
		l->headers[0] = mem_printf(c->mem, "Host: %s", l->due->host);
		l->req = (struct egress_req){ .url = mem_printf(c->mem,
						  "http://%s%s%s/.well-known/acme-challenge/%s",
						  six ? "[" : "", address, six ? "]" : "",
						  l->due->id),
			.max_bytes = HTTP_BYTES,
			.timeout_s = HTTP_S,
			.headers = l->headers,
			.tenant = l->due->tenant };
		egress_add(many, c, &l->req, l);
		waits++;
	}
	while (waits) {
		if (!egress_next(many, 1000, &done))
			continue;
		waits--;
		TRY(answer_settle(c, done.tag, &done));
	}
	return E_OK;
}

/* ---- the lane ---- */

static enum err
looks_run(struct ctx *c)
{
	struct look *v = mem_array(c->mem, struct look, LOOKS_AT_ONCE);
	struct domain_due_list due;
	size_t n;

	TRY(db_all(c,
	    ROWS(domain_due,
		"SELECT d.id, d.artifact_id, COALESCE(a.workspace_id, a.owner_id, '') AS tenant,"
		" d.host, d.state, d.secret, d.answer, d.attempts, d.due_at, d.waits_at,"
		" d.gone_at, d.silent_at FROM (SELECT * FROM domain WHERE due_at <= ?"
		" ORDER BY due_at LIMIT ?) d STRAIGHT_JOIN artifact a ON a.id = d.artifact_id"
		" ORDER BY d.due_at"),
	    ARGS(c->now, (int64_t)DUE_READ), &due));
	TRY(looks_lease(c, &due, v, &n));
	if (!n)
		return E_OK;
	TRY(names_ask(c, v, n));
	for (size_t i = 0; i < n; i++)
		TRY(records_settle(c, &v[i]));
	return answers_settle(c, v, n);
}

enum err
domain_next(const struct conf *conf, struct db *db, bool (*left)(void *arg), bool *any)
{
	struct ctx *c = ctx_begin(conf, db);
	enum err e = apart_prepared(dns_work) && !left(NULL) ? looks_run(c) : E_OK;

	*any = false;
	if (e)
		log_line(LOG_LEVEL_ERROR, "looks at domains failed", "why", ctx_why(c), NULL);
	ctx_end(c);
	return e;
}
