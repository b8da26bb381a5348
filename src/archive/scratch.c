/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/scratch.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	INSTALL_S = 600,
	START_S = 120,
	STOP_S = 60,
	ANSWER_S = 30, /* for one try to connect and make the database */
	WAIT_MS = 50,
	LOG_BYTES = 500,
	DEPTH = 16 /* directories that are open at once while a folder is removed */
};

static enum err
text_write(struct ctx *c, const struct scratch *s, const char *name, const char *text)
{
	return state_write(
	    c, mem_printf(c->mem, "%s/%s", s->dir, name), text, strlen(text), NULL);
}

static enum err
folder_prepare(struct ctx *c, const struct scratch *s)
{
	const char *const names[] = { "", "/data", "/tmp" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (mkdir(mem_printf(c->mem, "%s%s", s->dir, names[i]), 0700) && errno != EEXIST)
			return fail_here(c, "%s%s can't be made", s->dir, names[i]);
	if (strlen(s->conf->db_socket) >= sizeof ((struct sockaddr_un){ 0 }).sun_path)
		return fail(c, E_INVALID, "%s is too long a path for a socket", s->conf->db_socket);
	return text_write(c, s, "vitrine.yaml", conf_print(c->mem, s->conf));
}

/* Without this option, MariaDB refuses to run as root. */
static void
as_caller(struct tool *t)
{
	if (!geteuid())
		tool_add(t, "--user=root");
}

static int
log_open(struct ctx *c, const struct scratch *s)
{
	return mem_fd(c->mem,
	    open(mem_printf(c->mem, "%s/db.log", s->dir),
		O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}

static enum err
server_install(struct ctx *c, const struct scratch *s)
{
	struct tool t = tool_of("mariadb-install-db");

	if (access(mem_printf(c->mem, "%s/db/mysql", s->dir), F_OK) == 0)
		return E_OK;
	tool_add(&t, "--no-defaults");
	as_caller(&t);
	tool_add(&t, mem_printf(c->mem, "--datadir=%s/db", s->dir));
	tool_add(&t, "--auth-root-authentication-method=normal");
	tool_add(&t, "--skip-test-db");
	t.out = t.err = log_open(c, s);
	TRY(tool_start(c, &t));
	return tool_end_within(c, &t, INSTALL_S);
}

static enum err
server_run(struct ctx *c, struct scratch *s, bool lasts)
{
	struct tool t = tool_of("mariadbd");

	tool_add(&t, "--no-defaults");
	as_caller(&t);
	tool_add(&t, mem_printf(c->mem, "--datadir=%s/db", s->dir));
	tool_add(&t, mem_printf(c->mem, "--tmpdir=%s/tmp", s->dir));
	tool_add(&t, mem_printf(c->mem, "--socket=%s", s->conf->db_socket));
	tool_add(&t, mem_printf(c->mem, "--pid-file=%s/db.pid", s->dir));
	tool_add(&t, "--skip-networking");
	tool_add(&t, "--skip-grant-tables");
	tool_add(&t, "--skip-log-bin");
	tool_add(&t, "--character-set-server=utf8mb4");
	tool_add(&t, "--max-allowed-packet=1G");
	tool_add(&t, "--innodb-buffer-pool-size=128M");
	tool_add(&t, mem_printf(c->mem, "--max-statement-time=%lld",
	    (long long)c->conf->backup_statement_s));
	/* This server's rows can be restored again. */
	tool_add(&t, "--innodb-flush-log-at-trx-commit=0");
	tool_add(&t, "--skip-innodb-doublewrite");
	t.out = t.err = log_open(c, s);
	TRY(lasts ? tool_release(c, &t) : tool_start(c, &t));
	s->server = t;
	return E_OK;
}

/* Connects, and makes the database. */
static enum err
database_make(struct ctx *c, const struct scratch *s)
{
	struct conf *any = mem_dup(c->mem, s->conf, sizeof *any);
	struct ctx *one = ctx_begin(any, NULL);
	const char *sql = mem_printf(c->mem,
	    "CREATE DATABASE IF NOT EXISTS `%s` CHARACTER SET utf8mb4", s->conf->db_name);
	enum err e;

	any->db_name = "mysql";
	one->db = db_new(one->mem, any, ANSWER_S);
	db_any_schema(one->db);
	e = db_connect(one);
	return ctx_join(c, one, e ? e : db_run(one, sql, strlen(sql)));
}

/* Returns the end of the server's log. */
static const char *
log_tail(struct ctx *c, const struct scratch *s)
{
	int fd = mem_fd(c->mem,
	    open(mem_printf(c->mem, "%s/db.log", s->dir), O_RDONLY | O_CLOEXEC));
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char text[LOG_BYTES + 1] = "";

	if (size > 0 && pread(fd, text, LOG_BYTES, size > LOG_BYTES ? size - LOG_BYTES : 0) < 0)
		return "";
	return str_one_line(c->mem, mem_strdup(c->mem, text));
}

/* Waits until the server answers. Names what it waited for, with the end of the server's log. */
static enum err
server_await(struct ctx *c, struct scratch *s)
{
	const struct timespec rest = { .tv_nsec = WAIT_MS * 1000000L };
	int64_t until = clock_ms() + START_S * 1000LL;
	bool ended = false;
	const char *why;

	while (database_make(c, s)) {
		why = mem_strdup(c->mem, ctx_why(c));
		ctx_forgive(c);
		if (tool_look(c, &s->server, &ended) || ended) {
			ctx_forgive(c);
			return fail_here(c,
			    "mariadbd ended while it started; its log ends with: %s",
			    log_tail(c, s));
		}
		if (clock_ms() >= until)
			return fail_here(c,
			    "mariadbd didn't answer within %d s (%s); its log ends with: %s",
			    START_S, why, log_tail(c, s));
		nanosleep(&rest, NULL);
	}
	return E_OK;
}

MEM_DEFERRED(scratch_end, ctx_end);

enum err
scratch_start(struct ctx *c, const char *dir, bool lasts, struct scratch *out)
{
	enum err e;

	*out = (struct scratch){ .dir = mem_strdup(c->mem, dir),
		.conf = mem_dup(c->mem, c->conf, sizeof *c->conf) };
	out->conf->data_dir = mem_printf(c->mem, "%s/data", dir);
	out->conf->db_socket = mem_printf(c->mem, "%s/db.sock", dir);
	out->conf->db_host = "-";
	out->conf->db_user = "root";
	out->conf->db_password_file = "-";
	out->conf->backup_url = "-";
	out->conf->store_url = "-";
	out->conf->smtp_url = "-";
	if (*dir != '/')
		return fail(c, E_INVALID, "%s must be an absolute path", dir);
	TRY(folder_prepare(c, out));
	TRY(server_install(c, out));
	if (access(out->conf->db_socket, F_OK) || database_make(c, out)) {
		ctx_forgive(c);
		TRY(server_run(c, out, lasts));
		e = server_await(c, out);
		if (e)
			scratch_stop(c, out);
		TRY(e);
	}
	out->c = ctx_begin(out->conf, NULL);
	mem_defer(c->mem, scratch_end, out->c);
	out->c->db = db_new(out->c->mem, out->conf, DB_ENDLESS);
	db_any_schema(out->c->db);
	return E_OK;
}

void
scratch_stop(struct ctx *c, struct scratch *s)
{
	struct ctx *one;

	if (s->server.pid <= 0)
		return;
	/* The caller may have failed already, and needs its reason. */
	one = ctx_begin(c->conf, NULL);
	kill(s->server.pid, SIGTERM);
	tool_end_within(one, &s->server, STOP_S);
	ctx_end(one);
}

static int
entry_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

enum err
scratch_remove(struct ctx *c, const char *dir)
{
	errno = 0;
	if (nftw(dir, entry_remove, DEPTH, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		return fail_here(c, "%s can't be removed", dir);
	return E_OK;
}

/* ---- how far the folder was restored ---- */

enum err
scratch_continue(struct ctx *c, const char *dir, struct restore *r, int64_t *second)
{
	const char *path = mem_printf(c->mem, "%s/stands", dir);
	char *rest = (char *)(uintptr_t)conf_secret(c->mem, path), *at, *base;

	*second = 0;
	if (!rest)
		return errno == ENOENT ? E_OK : fail_here(c, "%s", path);
	base = str_split(&rest, ' ');
	at = rest ? str_split(&rest, ' ') : NULL;
	if (!rest || !str_int(at, &r->skip.at) || !str_int(str_split(&rest, ' '), second) || !rest)
		return fail(c, E_CONFLICT, "%s is damaged; use a new folder", path);
	r->skip.file = rest;
	TRY(chains_read(c, r->archive, &r->all));
	for (size_t i = 0; i < r->all.base_n; i++)
		if (str_eq(r->all.bases[i].name, base))
			r->base = &r->all.bases[i];
	if (!r->base)
		return fail(c, E_CONFLICT, "%s isn't in the backup any more; use a new folder",
		    base);
	r->continues = true;
	return E_OK;
}

enum err
scratch_note(struct ctx *c, const struct scratch *s, const struct restore *r)
{
	return text_write(c, s, "stands",
	    mem_printf(c->mem, "%s %lld %lld %s\n", r->base->name, (long long)r->end.at,
		(long long)(r->to.second ? r->to.second : r->second), r->end.file));
}
