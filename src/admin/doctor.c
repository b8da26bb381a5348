/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl doctor: checks this installation and says how to repair what is wrong. */
#include "admin/certificates.h"
#include "admin/cluster.h"
#include "admin/cmd.h"
#include "archive/health.h"
#include "base/conf.h"
#include "base/lease.h"
#include "base/local.h"
#include "base/str.h"
#include "base/strength.h"
#include "base/weblib.h"
#include "bucket/compare.h"
#include "care/ahead.h"
#include "care/damage.h"
#include "cluster/health.h"
#include "core/mail.h"
#include "core/round.h"
#include "core/state.h"
#include "db/schema.h"
#include "db/sealed.h"
#include "ext/room.h"
#include "ext/egress.h"
#include "ext/idp.h"
#include "site/app.h"
#include "store/viewlog.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* --brief prints one line at the end. */
static struct {
	bool brief;
	int n, failed;
	const char *first; /* first finding that failed */
} findings;

static void
doctor_finding(struct cmd_call *call, bool good, const char *what, const char *mend)
{
	findings.n++;
	if (!good && !findings.failed++)
		findings.first = what;
	if (findings.brief) {
		call->exit |= !good;
		return;
	}
	printf("%-5s %s\n", good ? "ok" : "FAIL", what);
	if (good)
		return;
	printf("      fix: %s\n", mend);
	call->exit = 1;
}

static bool
socket_answers(const char *path)
{
	int fd = local_connect(path, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool
one_file_system(struct cmd_call *call)
{
	static const char *const dirs[] = { "objects", "trees", "sites", "deliveries",
		"tmp", "trash", "spool", "views" };
	struct stat first, st;

	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		if (stat(mem_printf(call->c->mem, "%s/%s", call->c->conf->data_dir, dirs[i]),
			i ? &st : &first))
			return false;
		if (i && st.st_dev != first.st_dev)
			return false;
	}
	return true;
}

#define NOW(F, T) F(T, INT, now)
SHAPE(db_now, NOW);
#define OVERDUE(F, T) F(T, INT, overdue)
SHAPE(overdue, OVERDUE);

enum { BEAT_LATE_S = 600, ROUND_LATE_DAYS = 3 };

static void
examine_runner(struct cmd_call *call)
{
	struct ctx *c = call->c;
	int64_t late_by = c->now - ROUND_LATE_DAYS * 86400, seen = 0, late = 0;
	/* A machine that isn't active has few lanes; each machine of a cluster has this one. */
	const char *lane = lease_active() ? "runner" : "runner.closings";
	bool known = heartbeat_seen(c, lane, &seen) == E_OK && seen >= c->now - BEAT_LATE_S;
	const struct round *r;
	struct list rows = { 0 };
	const char *say = NULL;

	doctor_finding(call, known,
	    mem_printf(c->mem, "the runner was active in the last ten minutes (last: %s)",
		seen ? str_rfc3339(c->mem, seen) : "never"),
	    seen ? "check the runner's log; start cron (package cron), or enable vitrine-runner"
		 : "wait a minute; if it is never seen, install and start cron (package cron), "
		   "with the crontab line of vitrine-runner, or enable the service");
	known = heartbeats_late(c, "runner.", &late) == E_OK && !late;
	doctor_finding(call, known, "every lane of the runner was active in the last ten minutes",
	    "look for \"lane died\" and \"lane failed\" in the runner's log");
	known = state_run_late(c, &late) == E_OK && late < BEAT_LATE_S;
	doctor_finding(call, known, "no job run has been waiting for ten minutes",
	    "look for \"no run could be taken\" and \"lane failed\" in the runner's log; "
	    "add CPUs, or a runner on another machine");
	known = round_list(c, &rows) == E_OK;
	r = rows.v;
	for (size_t i = 0; i < rows.n; i++, r++)
		known &= str_in(r->name, ROUND_SCRUB "|" ROUND_PROJECT) ||
		    r->finished_at >= late_by ||
		    (r->under_way && r->started_at >= late_by);
	doctor_finding(call, known,
	    mem_printf(c->mem, "every sweep has finished in the last %d days", ROUND_LATE_DAYS),
	    "look for \"round failed\" and \"purge put off\" in the runner's log; "
	    "run vitrinectl fsck");
	known = ahead_say(c, &say) == E_OK && !say;
	doctor_finding(call, known, "no time lies further in the future than it can",
	    mem_printf(c->mem,
		"a clock was ahead (%s): check this machine's and the database's; the runner "
		"makes what waits for such times due within a minute",
		say ? say : cmd_why(c)));
}

/* An unfinished or missing cycle is late after twice its time. */
static bool
scrub_keeps_up(struct ctx *c, const struct list *rounds)
{
	const struct round *r = rounds->v;
	int64_t late_by = c->now - 2 * c->conf->scrub_days * 86400;

	for (size_t i = 0; i < rounds->n; i++, r++)
		if (str_eq(r->name, ROUND_SCRUB))
			return !c->conf->scrub_days || r->finished_at >= late_by ||
			    r->started_at >= late_by;
	return true;
}

static void
examine_damage(struct cmd_call *call)
{
	enum { SHOWN = 10 };
	struct ctx *c = call->c;
	const struct damage *d;
	struct list rows = { 0 };
	int64_t n = 0;
	bool known = damage_count(c, &n) == E_OK && damage_list(c, SHOWN, &rows) == E_OK;

	doctor_finding(call, known && !n,
	    n ? mem_printf(c->mem, "damaged items in the store: %lld", (long long)n)
	      : "nothing in the store is known to be damaged",
	    "run vitrinectl reproject --from BACKUP; vitrinectl fsck lists everything");
	d = rows.v;
	for (size_t i = 0; i < rows.n; i++, d++)
		printf("      since %s: %s\n", str_rfc3339(c->mem, d->found_at), d->why);
	if (round_list(c, &rows) == E_OK)
		doctor_finding(call, scrub_keeps_up(c, &rows),
		    mem_printf(c->mem, "the whole store was read in the last %lld days",
			(long long)(2 * c->conf->scrub_days)),
		    "look for \"scrub failed\" in the runner's log; raise scrub_days");
}

/* Returns whether the database answers. */
static bool
examine_database(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct db_now *now;
	struct overdue *late;
	int64_t failed;
	bool good = db_connect(c) == E_OK;

	doctor_finding(call, good, "the database answers",
	    good ? ""
		 : mem_printf(c->mem,
		       "%s; start MariaDB; check db_socket, db_user and db_password_file",
		       cmd_why(c)));
	if (!good)
		return false;
	good = schema_check(c) == E_OK;
	doctor_finding(
	    call, good, "its schema matches this program", good ? "" : cmd_why(c));
	good = db_one(c, ROWS(db_now, "SELECT UNIX_TIMESTAMP() AS now"), NOARGS, &now) == E_OK &&
	    llabs((long long)(now->now - time(NULL))) <= 2;
	doctor_finding(call, good, "its clock agrees with this machine's",
	    "run a time service (chrony or systemd-timesyncd) on both machines");
	good = db_one(c, ROWS(overdue, "SELECT COUNT(*) AS overdue FROM outbox WHERE due_at < ?"),
		   ARGS(c->now - 600), &late) == E_OK &&
	    !late->overdue;
	doctor_finding(call, good, "nothing has been waiting in the outbox for ten minutes",
	    "install the crontab line of vitrine-runner or enable its service; check its log");
	good = mail_count_failed(c, c->now - 86400, &failed) == E_OK && !failed;
	doctor_finding(call, good, "no e-mail was given up in the last day",
	    "vitrinectl mail failed shows why; vitrinectl mail test ADDRESS tests the server");
	return true;
}

static void
examine_store(struct cmd_call *call)
{
	void *mem = call->c->mem;
	const char *data = call->c->conf->data_dir, *from = mem_printf(mem, "%s/tmp/doctor", data),
		   *to = mem_printf(mem, "%s/trees/.doctor", data);
	struct statvfs vfs;
	bool works, known = statvfs(call->c->conf->data_dir, &vfs) == 0;
	bool room = known &&
	    vfs.f_bavail * vfs.f_frsize > (uint64_t)call->c->conf->max_version_bytes * 4;
	struct viewlog *log = NULL;
	int fd;

	doctor_finding(call, one_file_system(call),
	    "the store's directories exist, on one file system",
	    "run vitrinectl migrate apply; mount data_dir as a single file system");
	/* Publishing also writes a file in tmp and links it into trees. */
	fd = open(from, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	works = fd >= 0 && fsync(fd) == 0 && link(from, to) == 0;
	if (fd >= 0)
		close(fd);
	unlink(from);
	unlink(to);
	doctor_finding(call, works, "it accepts files and hard links",
	    "make the user that runs this the owner of data_dir; "
	    "use a file system with hard links");
	doctor_finding(call, room, "the disk has room for four versions of the maximum size",
	    "free up space, or move data_dir");
	doctor_finding(call, known && (!vfs.f_files || vfs.f_favail > 100000),
	    "the disk has free inodes", "free up inodes, or recreate the file system with more");
	doctor_finding(call,
	    !conf_has(call->c->conf->views_log) ||
		(viewlog_open(call->c, call->c->mem, &log) == E_OK && log && log->writable),
	    "page views are logged and can be counted",
	    "run vitrinectl nginx as root to create the file named by views_log; "
	    "then reload nginx");
}

/* Requests one of our addresses as a client would. Nginx must answer with status, and its
 * certificate must be valid for two more weeks. */
static void
examine_address(struct cmd_call *call, const char *url, long status, const char *what)
{
	enum { SOON_S = 14 * 86400, BYTES = 1 << 20 };
	struct ctx *c = call->c;
	struct egress_res *res = NULL;
	bool good = egress_send(c,
			&(struct egress_req){
			    .url = url, .max_bytes = BYTES, .timeout_s = 10, .trusted = true },
			&res) == E_OK;

	doctor_finding(call, good && res->status == status, mem_printf(c->mem, "%s: %s", what, url),
	    good
		? mem_printf(c->mem,
		      "it answered %ld instead of %ld: "
		      "compare nginx's configuration with nginx/vitrine.conf.in",
		      res->status, status)
		: mem_printf(c->mem,
		      "%s; check DNS, nginx and its certificate (for a private CA, "
		      "set egress_ca_file)",
		      cmd_why(c)));
	/* A certificate that renews itself may last six days; see certificate_finding(). */
	if (good && str_eq(c->conf->certificates, "files"))
		doctor_finding(call, res->certificate_ends_at > c->now + SOON_S,
		    "its certificate is valid for two more weeks", "renew it, and reload nginx");
}

/* Checks that no secret is sealed under an old or a missing key. */
static void
examine_sealed(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct sealed_left left;
	const char *why, *say = NULL;

	if (!seal_read(c->mem, c->conf, &why))
		say = why;
	else if (sealed_count_all(c, &left))
		say = cmd_why(c);
	else
		say = sealed_left_say(c, &left);
	doctor_finding(
	    call, !say, "every secret in the database is sealed under key_file", say);
}

static bool
key_private(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !(st.st_mode & 077);
}

static bool
secret_readable(struct ctx *c, const char *path)
{
	return !conf_has(path) || conf_secret(c->mem, path);
}

static void
examine_provider(struct cmd_call *call, const struct provider *p)
{
	struct ctx *c = call->c;
	struct idp_meta *meta;
	bool secret = secret_readable(c, p->client_secret_file);
	bool there = idp_discover(c,
			 &(struct idp){
			     .issuer = p->issuer, .client_id = p->client_id, .trusted = true },
			 &meta) == E_OK;

	doctor_finding(call, secret,
	    mem_printf(c->mem, "the client secret of provider %s can be read", p->name),
	    mem_printf(c->mem, "let the user that runs the pool read %s", p->client_secret_file));
	doctor_finding(call, there,
	    mem_printf(c->mem, "people can sign in with provider %s", p->name),
	    c->message ? c->message : "");
}

/* Requests the provider's address by the rules for jobs, so egress_allow must allow an inside
 * address. The status of its answer doesn't matter. */
static void
examine_connector(struct cmd_call *call, const struct connector *p)
{
	struct ctx *c = call->c;
	struct egress_res *res;
	const struct egress_req req = {
		.url = p->token_url, .max_bytes = 1 << 20, .timeout_s = 10
	};
	bool secrets = secret_readable(c, p->client_secret_file) &&
	    secret_readable(c, p->bot_token_file);
	bool there = egress_send(c, &req, &res) == E_OK;

	doctor_finding(call, secrets,
	    mem_printf(c->mem, "the secrets of connection provider %s can be read", p->name),
	    mem_printf(c->mem, "let the user that runs the pool read the files that %s.yaml names",
		p->name));
	doctor_finding(call, there, mem_printf(c->mem, "%s answers at %s", p->title, p->token_url),
	    there ? "" : mem_printf(c->mem, "%s; an inside address must be in egress_allow",
			     cmd_why(c)));
}

/* Optional: without a browser, cards are drawn. An installed browser must work. */
static void
examine_pictures(struct cmd_call *call)
{
	const struct conf *conf = call->c->conf;
	const char *program = room_program(call->c->mem, conf, ROOM_BROWSER);
	struct ctx *c = ctx_begin(conf, NULL);
	struct room *b;

	if (!program && str_eq(conf->chromium, "auto"))
		doctor_finding(call, true,
		    "Chromium isn't installed, so thumbnails are drawn cards", "");
	else if (!program && conf_has(conf->chromium))
		doctor_finding(
		    call, false, "the chromium setting names a program",
		    mem_printf(call->c->mem, "install %s, or set chromium: auto", conf->chromium));
	rooms_prepare(conf);
	if (program && room_open(c, ROOM_BROWSER, -1, 0, &b))
		doctor_finding(call, false,
		    mem_printf(c->mem, "%s can be sandboxed to take pictures of public pages",
			program),
		    mem_printf(c->mem, "allow user namespaces, or set chromium: \"-\" (%s)",
			ctx_why(c)));
	else if (program)
		doctor_finding(call, true,
		    mem_printf(c->mem, "%s can be sandboxed to take pictures of public pages",
			program),
		    "");
	ctx_end(c);
}

/* Optional: without the libraries, views show sources without colors and diagrams. */
static void
examine_libraries(struct cmd_call *call)
{
	size_t n;

	weblib_open(call->c->conf);
	weblib_all(&n);
	doctor_finding(call, true,
	    n ? mem_printf(call->c->mem, "pages can load %s of libraries",
		    str_count(call->c->mem, (int64_t)n, "module"))
	      : "there are no libraries for pages, so views show sources without colors; "
		"./dev lib makes them",
	    "");
}

/* Optional: without a builder, apps are shown as their sources. */
static void
examine_builder(struct cmd_call *call)
{
	const struct conf *conf = call->c->conf;
	const char *program = room_program(call->c->mem, conf, ROOM_BUILD), *version;
	struct ctx *c = ctx_begin(conf, NULL);
	enum err e;

	builders_prepare(conf);
	if (!program) {
		doctor_finding(call, str_in(conf->builder, "auto|-"),
		    "there is no esbuild, so apps (.tsx, .jsx) are shown as their sources",
		    mem_printf(call->c->mem, "install %s, or set builder: auto", conf->builder));
	} else {
		e = app_builder(c, program, &version);
		doctor_finding(call, !e,
		    mem_printf(c->mem, "%s can be sandboxed to build apps", program),
		    e ? mem_printf(c->mem,
			    "allow user namespaces, or set builder: \"-\" (%s)", ctx_why(c))
		      : "");
	}
	ctx_end(c);
}

static void
examine_certificate(struct cmd_call *call)
{
	const char *what, *mend = certificate_finding(call->c, &what);

	if (what)
		doctor_finding(call, !mend, what, mend);
}

/* Only the active machine of a cluster runs these, because they send requests to strangers. */
static void
examine_outside(struct cmd_call *call)
{
	const struct conf *conf = call->c->conf;

	examine_address(call, mem_printf(call->c->mem, "%s/healthz", conf->base_url), 200,
	    "the API answers from outside");
	examine_address(call,
	    mem_printf(call->c->mem, "%s/",
		conf_site_origin(call->c->mem, conf, "doctor-looks-for-nothing")),
	    404, "the hosts of published pages answer, too");
	for (size_t i = 0; i < conf->provider_n; i++)
		examine_provider(call, &conf->providers[i]);
	for (size_t i = 0; i < conf->connector_n; i++)
		examine_connector(call, &conf->connectors[i]);
}

static void
examine_bucket(struct cmd_call *call)
{
	const char *why;
	int64_t n = 0;
	bool known;

	if (store_try(call->c, &why))
		why = cmd_why(call->c);
	doctor_finding(call, !why,
	    mem_printf(call->c->mem, "the store takes, returns and deletes an object%s%s",
		why ? ": " : "", why ? why : ""),
	    "check store_url, store_region and store_key_file; "
	    "vitrinectl store check tries it again");
	known = store_overdue(call->c, &n) == E_OK;
	doctor_finding(call, known && !n,
	    mem_printf(call->c->mem, "what is to be put in the store is there within ten minutes%s",
		n ? mem_printf(call->c->mem, ", but %s isn't", str_count(call->c->mem, n, "object"))
		  : ""),
	    "look for \"round failed\" with the name store_due in the runner's log");
}

/* Checks the continuous backup, if there is one. */
static void
examine_backup(struct cmd_call *call)
{
	static const char *const what[HEALTH_PARTS] = { "a base of the last two days",
		"the log is copied", "objects are copied", "the backup was proved",
		"a second can be restored" };
	static const char *const mend[HEALTH_PARTS] = { "run vitrinectl backup --base",
		"look for \"lane failed\" of the lane archive in the runner's log",
		"look for \"not backed up\" in the runner's log",
		"run vitrinectl backup --prove", "run vitrinectl backup --base" };
	struct ctx *c = call->c;
	const char *why = NULL;
	struct health h;

	if (!archive_on(c->conf))
		return;
	if (health_settings(c, &why) || why)
		doctor_finding(call, false, "MariaDB keeps its log so that no commit is lost",
		    mem_printf(c->mem, "set %s, and restart MariaDB", why ? why : cmd_why(c)));
	else
		doctor_finding(
		    call, true, "MariaDB keeps its log so that no commit is lost", "");
	if (health_read(c, &h)) {
		doctor_finding(call, false, "the backup at backup_url can be read", cmd_why(c));
		return;
	}
	for (int i = 0; i < HEALTH_PARTS; i++)
		doctor_finding(call, h.part[i].good,
		    mem_printf(c->mem, "backup, %s: %s", what[i], h.part[i].say), mend[i]);
}

static void
examine_machines(struct cmd_call *call, struct ctx *c)
{
	struct node_health_list all = { 0 };
	bool active = false, read = nodes_health(c, NULL, &all, &active) == E_OK;

	doctor_finding(call, read && active, "a machine of the cluster is active",
	    read ? "look at vitrinectl cluster status on each machine" : cmd_why(c));
	for (size_t i = 0; i < all.n; i++)
		doctor_finding(call, !all.v[i].trouble,
		    mem_printf(c->mem, "machine %s: %s%s%s", all.v[i].name, all.v[i].role,
			all.v[i].trouble ? ", " : "", all.v[i].trouble ? all.v[i].trouble : ""),
		    "clocks: chrony; else look at its runner's log and at MariaDB's there");
}

static void
examine_cluster(struct cmd_call *call)
{
	const struct conf *conf = call->c->conf;
	struct ctx *c = ctx_begin(conf, NULL);
	const char *why = NULL;
	struct view v = { 0 };

	doctor_finding(call, key_private(conf->cluster_admin_file),
	    mem_printf(c->mem, "only its owner can read %s", conf->cluster_admin_file),
	    "chmod 600; vitrinectl cluster init makes it");
	if (cluster_look(c) || view_look(c, &v)) {
		doctor_finding(call, false, "the user vitrine_cluster can connect", cmd_why(c));
	} else {
		doctor_finding(call, v.wsrep && v.primary && (v.synced || v.donor),
		    "MariaDB is in its group, among most of the machines, and up to date",
		    "wsrep_on, wsrep_cluster_status, wsrep_local_state_comment; MariaDB's log");
		if (v.wsrep && (cluster_settings(c, &why) || why))
			doctor_finding(call, false, "MariaDB's settings are a cluster's",
			    mem_printf(c->mem, "set %s, and restart MariaDB",
				why ? why : cmd_why(c)));
		else if (v.wsrep)
			doctor_finding(call, true, "MariaDB's settings are a cluster's", "");
		examine_machines(call, c);
	}
	ctx_end(c);
}

static void
examine_all(struct cmd_call *call)
{
	const struct conf *conf = call->c->conf;

	doctor_finding(
	    call, true, mem_printf(call->c->mem, "the configuration %s is valid", conf->path), "");
	doctor_finding(call, !conf->same_site,
	    "published pages are on a different site than the API",
	    "choose a content_domain under a different registrable domain, and set same_site: 0");
	doctor_finding(call, key_private(conf->key_file),
	    mem_printf(call->c->mem, "the key %s exists, and only its owner can use it",
		conf->key_file),
	    "start vitrine-worker once to create it; chmod 600");
	if (conf_has(conf->other_key_file))
		doctor_finding(call, key_private(conf->other_key_file),
		    mem_printf(call->c->mem, "the key %s exists, and only its owner can use it",
			conf->other_key_file),
		    "set other_key_file to where it is, or to \"-\" without one; chmod 600");
	doctor_finding(call, strength_has_dictionary(),
	    "the dictionary of weak passwords is installed",
	    "apt-get install --reinstall cracklib-runtime; update-cracklib");
	if (examine_database(call)) {
		examine_runner(call);
		examine_damage(call);
		examine_sealed(call);
		examine_backup(call);
	}
	examine_store(call);
	examine_pictures(call);
	examine_libraries(call);
	examine_builder(call);
	doctor_finding(call, socket_answers(conf->socket), "the quick pool is listening",
	    "systemctl start vitrine-worker; check its log");
	doctor_finding(call, socket_answers(conf->slow_socket), "the slow pool is listening",
	    "systemctl start vitrine-worker; check its log");
	doctor_finding(call, socket_answers(conf->line_socket), "the line is listening",
	    "systemctl start vitrine-worker; check its log");
	examine_certificate(call);
	if (lease_active())
		examine_outside(call);
	if (conf_has(conf->agent_url) && conf_has(conf->agent_key_file))
		doctor_finding(call, conf_secret(call->c->mem, conf->agent_key_file),
		    "the key for page agents can be read",
		    "let the user that runs the pool read agent_key_file");
	if (conf_has(conf->payment_url))
		doctor_finding(call,
		    secret_readable(call->c, conf->payment_key_file) &&
			secret_readable(call->c, conf->payment_sign_key_file),
		    "the payment provider's keys can be read",
		    "let the user that runs the pool read payment_key_file and "
		    "payment_sign_key_file");
	if (conf_has(conf->store_url))
		examine_bucket(call);
	if (cluster_on(conf))
		examine_cluster(call);
}

static enum err
cmd_doctor(struct cmd_call *call)
{
	findings.brief = usage_option(&call->with, "--brief");
	examine_all(call);
	if (!findings.brief)
		return E_OK;
	if (findings.failed)
		printf("FAIL: %d of %d: %s\n", findings.failed, findings.n, findings.first);
	else
		puts("ok");
	return E_OK;
}

const struct cmd doctor_cmds[] = {
	{ "doctor", "[--brief]", "check this installation and say how to fix it, or in one line "
		"whether something is wrong", cmd_doctor },
	{ 0 },
};
