/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl backup --base, --log, --prove, backup status, and restore to a second. */
#include "admin/archive.h"

#include "archive/health.h"
#include "archive/objects.h"
#include "archive/room.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"
#include "care/reference.h"
#include "db/schema.h"
#include "domains/domain.h"
#include "store/object.h"

#include <libgen.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- backup ---- */

static enum err
cmd_base(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct archive archive;
	const char *name;

	TRY(archive_open(c, c->mem, &archive));
	TRY(archive_alone(c, c->mem, "base"));
	TRY(schema_check(c));
	TRY(base_make(c, &archive, &name));
	printf("%s\n", name);
	return archive_expire(c, &archive);
}

static enum err
cmd_log(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct archive archive;
	struct log_round done = { 0 };

	TRY(archive_open(c, c->mem, &archive));
	TRY(log_copy_all(c, &archive, &done));
	printf("%s of the log and %s were copied\n",
	    str_count(c->mem, done.pieces, "piece"), str_count(c->mem, done.objects, "object"));
	if (done.began)
		printf("the log begins anew; next: vitrinectl backup --base\n");
	return E_OK;
}

static enum err
cmd_status(struct cmd_call *call)
{
	struct ctx *c = call->c;
	bool json = usage_option(&call->with, "--json");
	struct health h;

	if (!archive_on(c->conf)) {
		puts(json ? "{}" : "continuous backup is off: backup_url isn't set");
		return E_OK;
	}
	TRY(health_read(c, &h));
	for (int i = 0; i < HEALTH_PARTS; i++) {
		call->exit |= !h.part[i].good;
		if (!json)
			printf("%-5s %-8s %s\n", h.part[i].good ? "ok" : "FAIL", health_names[i],
			    h.part[i].say);
	}
	if (json)
		fputs(health_json(c->mem, &h), stdout);
	return E_OK;
}

/* Passes on a failure of the scratch server's context. */
static enum err
of_scratch(struct ctx *c, const struct scratch *s, enum err e)
{
	return e ? fail(c, E_CONFLICT, "%s", cmd_why(s->c)) : E_OK;
}

/* ---- restore ---- */

/* Fetches an object from the backup, else from store_url. Prints why both fail, and counts it. */
static void
needed_fetch(struct ctx *c, const struct archive *archive, const char *hex, int64_t *lost)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
	int fd;

	if (object_fetch(one, archive, hex)) {
		const char *why = cmd_why(one);

		ctx_forgive(one);
		if (!crypto_unhex(hex, sha256, sizeof sha256) ||
		    object_open(one, sha256, &fd, &size)) {
			printf("object %s: %s\n", hex, why);
			++*lost;
		}
	}
	ctx_end(one);
}

/* Fetches the objects that rows name; all of the backup if the rows are of another release. */
static enum err
objects_back(struct ctx *c, const struct archive *archive, bool ours, int64_t *lost)
{
	const struct reference *row;
	struct list rows = { 0 };
	struct names names;

	TRY(store_prepare(c));
	if (ours)
		TRY(reference_list(c, &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		uint8_t sha256[SHA256_BYTES];

		if (!crypto_unhex(row->sha256, sha256, sizeof sha256) ||
		    !object_exists(c, sha256, row->size_bytes))
			needed_fetch(c, archive, row->sha256, lost);
	}
	for (unsigned i = 0; !ours && i < 256; i++) {
		TRY(place_list(c, c->mem, &archive->place, mem_printf(c->mem, "objects/%02x", i),
		    &names));
		for (size_t k = 0; k < names.n; k++)
			needed_fetch(c, archive, names.v[k], lost);
	}
	return E_OK;
}

/* After the rows: objects, trees, and a check. */
static enum err
whole_make(struct cmd_call *call, struct ctx *c, const struct archive *archive)
{
	struct cmd_call check = { .c = c };
	bool ours = schema_check(c) == E_OK;
	int64_t lost = 0;

	if (!ours)
		ctx_forgive(c);
	TRY(objects_back(c, archive, ours, &lost));
	call->exit |= lost > 0;
	if (!ours) {
		printf("next: run vitrinectl migrate apply, then vitrinectl reproject\n");
		return E_OK;
	}
	TRY(reproject(c, NULL));
	/* Everything was just read. */
	check.with.option_n = 1;
	check.with.options[0] = (struct usage_option){ "--quick", "" };
	TRY(fsck_cmds[0].run(&check));
	call->exit |= check.exit;
	return E_OK;
}

static void
restored_print(struct ctx *c, const struct restore *r)
{
	printf("the rows are as of %s: base of %s, then %s up to %s\n",
	    str_rfc3339(c->mem, r->to.second ? r->to.second : r->second),
	    str_rfc3339(c->mem, r->base->second),
	    str_count(c->mem, r->transactions, "transaction"), r->gtid);
}

/* Copies all rows of a database into another, which is empty. */
static enum err
rows_move(struct ctx *c, const struct conf *from)
{
	struct tool dump, load;

	TRY(tool_client(c, from, "mariadb-dump", &dump));
	tool_add(&dump, "--single-transaction");
	tool_add(&dump, "--hex-blob");
	tool_add(&dump, from->db_name);
	TRY(tool_client(c, c->conf, "mariadb", &load));
	tool_add(&load, "--max-allowed-packet=1G");
	tool_add(&load, c->conf->db_name);
	TRY(tool_listen(c, c->mem, &load));
	return tool_pipe(c, &dump, &load);
}

/* With --into-empty. The log is applied by a server of its own, as the installation's may not take
 * transactions with older ids (gtid_strict_mode) and its user has no right to apply a log. */
static enum err
restore_into(struct cmd_call *call, struct restore *r)
{
	struct ctx *c = call->c;
	const char *dir = archive_path(c, "restore");
	struct scratch s;
	enum err e;

	TRY(restore_empty(c));
	TRY(scratch_remove(c, dir));
	TRY(restore_plan(c, archive_path(c, ""), r));
	TRY(room_for_rows(c, archive_path(c, ""), r->base_bytes, r->log_bytes));
	TRY(scratch_start(c, dir, false, &s));
	e = of_scratch(c, &s, restore_rows(s.c, dir, r));
	e = e ? e : rows_move(c, s.conf);
	scratch_stop(c, &s);
	TRY(e);
	TRY(domains_await(c));
	TRY(scratch_remove(c, dir));
	restored_print(c, r);
	return whole_make(call, c, r->archive);
}

static enum err
restore_scratch(struct cmd_call *call, struct restore *r, const char *dir)
{
	const char *only = usage_option(&call->with, "--export");
	struct ctx *c = call->c;
	struct scratch s;
	int64_t stands;

	TRY(scratch_continue(c, dir, r, &stands));
	if (stands && r->to.second && r->to.second < stands)
		return fail(c, E_CONFLICT, "%s stands at %s; use a new folder for an earlier time",
		    dir, str_rfc3339(c->mem, stands));
	TRY(restore_plan(c, archive_path(c, ""), r));
	TRY(room_for_rows(
	    c, dirname(mem_strdup(c->mem, dir)), r->base_bytes, r->log_bytes));
	TRY(scratch_start(c, dir, true, &s));
	TRY(of_scratch(c, &s, restore_rows(s.c, dir, r)));
	TRY(scratch_note(c, &s, r));
	restored_print(c, r);
	TRY(of_scratch(c, &s,
	    only ? artifact_export(s.c, r->archive, &s, only)
		 : whole_make(call, s.c, r->archive)));
	printf("vitrinectl -c %s/vitrine.yaml works on it; stop it with kill $(cat %s/db.pid)\n",
	    dir, dir);
	return E_OK;
}

enum err
archive_restore(struct cmd_call *call)
{
	const char *scratch = usage_option(&call->with, "--scratch"),
		   *to = usage_option(&call->with, "--to");
	bool into = usage_option(&call->with, "--into-empty");
	struct ctx *c = call->c;
	struct archive archive;
	struct restore r = { .archive = &archive,
		.to = { .gtid = usage_option(&call->with, "--gtid") } };

	signal(SIGPIPE, SIG_IGN);
	if (!to == !r.to.gtid)
		return fail(c, E_INVALID, "give either --to TIME or --gtid GTID");
	if (to && !str_from_rfc3339(to, &r.to.second))
		return fail(
		    c, E_INVALID, "--to: %s must be a time such as 2026-11-20T09:30:00Z", to);
	if (into == (scratch != NULL) || (into && usage_option(&call->with, "--export")))
		return fail(c, E_INVALID, "give either --into-empty, or --scratch DIR");
	TRY(archive_open(c, c->mem, &archive));
	return into ? restore_into(call, &r) : restore_scratch(call, &r, scratch);
}

/* ---- proof ---- */

enum { OBJECTS_S = 3600, SHARE = 100, NICE = 10 };

#define TABLE_NAME(F, T) F(T, STR, name)
SHAPE(table_name, TABLE_NAME);
#define SNAPSHOT(F, T) \
	F(T, STR, file) \
	F(T, INT, at)
SHAPE(snapshot, SNAPSHOT);

/* The number of rows in each table. */
struct counts {
	struct table_name_list tables;
	int64_t *n;
};

static enum err
counts_read(struct ctx *c, struct counts *out)
{
	TRY(db_all(c,
	    ROWS(table_name,
		"SELECT table_name AS name FROM information_schema.tables"
		" WHERE table_schema = DATABASE() ORDER BY 1"),
	    NOARGS, &out->tables));
	out->n = mem_array(c->mem, int64_t, out->tables.n + 1);
	for (size_t i = 0; i < out->tables.n; i++)
		TRY(db_numbers(c,
		    mem_printf(c->mem, "SELECT COUNT(*) FROM `%s`", out->tables.v[i].name),
		    &out->n[i], 1));
	return E_OK;
}

/* Counts the live rows at one position of the log. */
static enum err
live_count(struct ctx *c, struct counts *out, struct log_at *at)
{
	struct snapshot *s;

	TRY(db_begin_snapshot(c));
	TRY(db_one(c,
	    ROWS(snapshot,
		"SELECT (SELECT variable_value FROM information_schema.session_status"
		" WHERE variable_name = 'BINLOG_SNAPSHOT_FILE') AS file,"
		" CAST((SELECT variable_value FROM information_schema.session_status"
		" WHERE variable_name = 'BINLOG_SNAPSHOT_POSITION') AS SIGNED) AS at"),
	    NOARGS, &s));
	*at = (struct log_at){ s->file, s->at };
	TRY(counts_read(c, out));
	db_rollback(c);
	return E_OK;
}

/* Returns what differs; NULL if nothing does. */
static const char *
counts_differ(struct ctx *c, const struct counts *live, const struct counts *back)
{
	if (live->tables.n != back->tables.n)
		return mem_printf(c->mem, "%zu tables instead of %zu", back->tables.n,
		    live->tables.n);
	for (size_t i = 0; i < live->tables.n; i++)
		if (!str_eq(live->tables.v[i].name, back->tables.v[i].name) ||
		    live->n[i] != back->n[i])
			return mem_printf(c->mem, "table %s: %lld rows instead of %lld",
			    live->tables.v[i].name, (long long)back->n[i], (long long)live->n[i]);
	return NULL;
}

/* Reads one object in a hundred, for an hour at most; which ones depends on the day. */
static enum err
objects_prove(struct ctx *c, const struct scratch *s, const struct archive *archive, int64_t *bytes)
{
	int64_t until = clock_ms() + OBJECTS_S * 1000;
	const struct reference *row;
	struct list rows;

	TRY(reference_list(s->c, &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		if ((rows.n > SHARE && (i + (size_t)(c->now / 86400)) % SHARE) ||
		    clock_ms() > until)
			continue;
		TRY(object_prove(c, archive, row->sha256, -1));
		*bytes += row->size_bytes;
	}
	return E_OK;
}

/* Restores the rows at the position of the live counts, and compares. */
static enum err
proof_run(struct ctx *c, const struct archive *archive, const char *dir, struct scratch *s,
    struct backup_proof *p)
{
	int64_t problems = 0;
	struct restore r = { .archive = archive };
	struct log_round done = { 0 };
	struct counts live, back;
	struct cmd_call check;

	TRY(live_count(c, &live, &r.to.at));
	TRY(log_copy_all(c, archive, &done));
	TRY(restore_plan(c, archive_path(c, ""), &r));
	TRY(room_for_rows(
	    c, dirname(mem_strdup(c->mem, dir)), r.base_bytes, r.log_bytes));
	p->base = r.base->name;
	TRY(scratch_start(c, dir, false, s));
	TRY(of_scratch(c, s, restore_rows(s->c, dir, &r)));
	p->to_second = r.second;
	TRY(of_scratch(c, s, counts_read(s->c, &back)));
	p->why = counts_differ(c, &live, &back);
	check = (struct cmd_call){ .c = s->c };
	if (!p->why)
		TRY(of_scratch(c, s, fsck_rows(&check, &problems)));
	if (!p->why && problems)
		p->why = mem_printf(c->mem, "fsck finds %s in the restored rows",
		    str_count(c->mem, problems, "problem"));
	return objects_prove(c, s, archive, &p->bytes);
}

/* Tries once more if MariaDB didn't start. It may be too slow on a busy machine, which says nothing
 * of the backup. */
static enum err
proof_try(struct ctx *c, const struct archive *archive, const char *dir, struct scratch *s,
    struct backup_proof *p)
{
	enum err e = proof_run(c, archive, dir, s, p);

	if (!e || !s->conf || s->c)
		return e;
	fprintf(stderr, "%s; trying once more\n", cmd_why(c));
	ctx_forgive(c);
	db_rollback(c);
	scratch_stop(c, s);
	TRY(scratch_remove(c, dir));
	return proof_run(c, archive, dir, s, p);
}

static enum err
cmd_prove(struct cmd_call *call)
{
	struct ctx *c = call->c, *one;
	bool own = conf_has(c->conf->backup_proof_dir);
	const char *dir = own ? mem_printf(c->mem, "%s/vitrine-proof", c->conf->backup_proof_dir)
			      : archive_path(c, "proof");
	struct backup_proof p = { .proved_at = c->now, .base = "" };
	struct archive archive;
	struct scratch s = { 0 };
	int64_t from = clock_ms();

	signal(SIGPIPE, SIG_IGN);
	TRY(archive_open(c, c->mem, &archive));
	TRY(archive_alone(c, c->mem, "proof"));
	setpriority(PRIO_PROCESS, 0, NICE);
	TRY(scratch_remove(c, dir));
	one = ctx_begin(c->conf, c->db);
	if (proof_try(one, &archive, dir, &s, &p))
		p.why = mem_strdup(c->mem, cmd_why(one));
	db_rollback(one);
	p.seconds = (clock_ms() - from) / 1000;
	scratch_stop(c, &s);
	TRY(scratch_remove(c, dir));
	TRY(proof_keep(c, &p));
	p.why = mem_strdup(c->mem, p.why);
	ctx_end(one);
	if (p.why)
		return fail(c, E_CONFLICT, "the backup isn't proved: %s", p.why);
	printf("proved: the rows of %s, and %s of objects\n", str_rfc3339(c->mem, p.to_second),
	    str_amount(c->mem, p.bytes));
	return E_OK;
}

const struct cmd archive_cmds[] = {
	{ "backup status", "[--json]", "show the continuous backup: what is there, since when, "
	    "and when it was last proved; 1 if anything is wrong", cmd_status },
	{ "backup --base", "", "dump all rows into the continuous backup; the runner does it each "
	    "night", cmd_base },
	{ "backup --log", "", "copy the database's log and new objects into the continuous backup; "
	    "the runner does it all the time", cmd_log },
	{ "backup --prove", "", "restore the newest state of the continuous backup beside the "
	    "service, and compare; the runner does it each week", cmd_prove },
	{ 0 },
};
