/* SPDX-License-Identifier: Apache-2.0
 * backup and restore. The rows are dumped first, so every row of the dump has its bytes: objects are only ever added while the sweeper is held off.
 * A backup is database.sql, objects/ab/…, and manifest, which is written last: a folder without one is no backup. */
#include "admin/cmd.h"
#include "base/conf.h"
#include "base/str.h"
#include "db/schema.h"
#include "store/object.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CHUNK = 1 << 16 };

/* Runs a MariaDB tool with input or output in a file; the password goes by the environment, which others can't see. */
static enum err
tool(struct ctx *c, char *const argv[], const char *in, const char *out)
{
	const struct conf *conf = c->conf;
	posix_spawn_file_actions_t files;
	char line[256] = "";
	int status = 0;
	pid_t pid;

	if (!str_eq(conf->db_password_file, "-")) {
		FILE *f = fopen(conf->db_password_file, "re");

		if (!f || !fgets(line, sizeof line, f))
			return fail_here(c, "%s", conf->db_password_file);
		fclose(f);
		line[strcspn(line, "\r\n")] = '\0';
		setenv("MYSQL_PWD", line, 1);
	}
	posix_spawn_file_actions_init(&files);
	if (in)
		posix_spawn_file_actions_addopen(&files, 0, in, O_RDONLY, 0);
	if (out)
		posix_spawn_file_actions_addopen(&files, 1, out, O_WRONLY | O_CREAT | O_EXCL, 0600);
	errno = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (errno || waitpid(pid, &status, 0) < 0)
		return fail_here(c, "%s", argv[0]);
	return status == 0 ? E_OK : fail_here(c, "%s ended with status %d", argv[0], status);
}

static char *
server_of(struct ctx *c)
{
	const struct conf *conf = c->conf;

	return str_eq(conf->db_host, "-") ? mem_printf(c->mem, "--socket=%s", conf->db_socket) : mem_printf(c->mem, "--host=%s", conf->db_host);
}

#define NAMED(F, T) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE_DECLARE(named, NAMED);
SHAPE_DEFINE(named, NAMED);

static enum err
objects_named(struct ctx *c, struct list *out)
{
	return db_all(c, ROWS(named, "SELECT sha256, size_bytes FROM version_file UNION SELECT mobile_sha256, mobile_size FROM version"
	    " WHERE mobile_sha256 IS NOT NULL UNION SELECT icon_sha256, icon_size FROM version WHERE icon_sha256 IS NOT NULL"), NOARGS, out);
}

static enum err
bytes_copy(struct ctx *c, int in, int out, struct sha256 *hash)
{
	char chunk[CHUNK];
	ssize_t got;

	while ((got = read(in, chunk, sizeof chunk)) > 0) {
		crypto_sha256_add(hash, chunk, (size_t)got);
		if (write(out, chunk, (size_t)got) != got)
			return fail_here(c, "writing");
	}
	return got < 0 ? fail_here(c, "reading") : E_OK;
}

/* A copy that is checked while it is made. */
static enum err
object_out(struct ctx *c, const char *dir, const struct named *row)
{
	struct ctx *one = ctx_begin(c->conf, NULL);
	const char *to = mem_printf(one->mem, "%s/objects/%.2s/%s", dir, row->sha256, row->sha256);
	struct sha256 *hash = crypto_sha256_begin(one->mem);
	uint8_t want[SHA256_BYTES], got[SHA256_BYTES];
	enum err e = E_OK;
	int64_t size;
	int in, out;

	mkdir(mem_printf(one->mem, "%s/objects/%.2s", dir, row->sha256), 0700);
	if (!crypto_unhex(row->sha256, want, sizeof want) || object_open(one, want, &in, &size))
		e = fail_here(c, "object %s: %s", row->sha256, one->internal ? one->internal : "is no digest");
	out = e ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (!e)
		e = out < 0 ? fail_here(c, "%s", to) : bytes_copy(c, in, out, hash);
	crypto_sha256_end(hash, got);
	if (!e && memcmp(want, got, sizeof got) != 0)
		e = fail_here(c, "object %s is damaged in the store: vitrinectl fsck", row->sha256);
	if (out >= 0)
		close(out);
	ctx_end(one);
	return e;
}

static enum err
cmd_backup(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *dir = call->args[0];
	const struct named *row;
	struct list rows;
	FILE *f;

	if (mkdir(dir, 0700))
		return fail_here(c, "%s must be a new folder", dir);
	TRY(schema_check(c));
	TRY(store_share(c, c->mem));
	TRY(tool(c, (char *[]){ "mariadb-dump", "--no-defaults", "--single-transaction", "--hex-blob", "--skip-lock-tables", server_of(c),
	    mem_printf(c->mem, "--user=%s", c->conf->db_user), (char *)(uintptr_t)c->conf->db_name, NULL }, NULL,
	    mem_printf(c->mem, "%s/database.sql", dir)));
	if (mkdir(mem_printf(c->mem, "%s/objects", dir), 0700))
		return fail_here(c, "%s/objects", dir);
	/* What was published since the dump comes along; it does no harm. */
	TRY(objects_named(c, &rows));
	row = rows.v;
	f = fopen(mem_printf(c->mem, "%s/manifest.new", dir), "we");
	if (!f)
		return fail_here(c, "%s/manifest", dir);
	for (size_t i = 0; i < rows.n; i++, row++) {
		TRY(object_out(c, dir, row));
		fprintf(f, "%s %lld\n", row->sha256, (long long)row->size_bytes);
	}
	if (fflush(f) || syncfs(fileno(f)) || fclose(f) ||
	    rename(mem_printf(c->mem, "%s/manifest.new", dir), mem_printf(c->mem, "%s/manifest", dir)))
		return fail_here(c, "%s/manifest", dir);
	printf("%zu objects and the database are in %s\n", rows.n, dir);
	return E_OK;
}

/* ---- back ---- */

#define COUNTED(F, T) F(T, INT, n)
SHAPE_DECLARE(counted, COUNTED);
SHAPE_DEFINE(counted, COUNTED);

static enum err
target_empty(struct ctx *c)
{
	struct counted *tables;

	TRY(db_one(c, ROWS(counted, "SELECT COUNT(*) AS n FROM information_schema.tables WHERE table_schema = DATABASE()"), NOARGS, &tables));
	if (tables->n)
		return fail(c, E_CONFLICT, "the database %s has tables; restore only into an empty one", c->conf->db_name);
	if (access(mem_printf(c->mem, "%s/objects", c->conf->data_dir), F_OK) == 0)
		return fail(c, E_CONFLICT, "%s has objects; restore only into an empty data_dir", c->conf->data_dir);
	return E_OK;
}

static enum err
object_in(struct ctx *c, const char *dir, const char *line)
{
	struct ctx *one = ctx_begin(c->conf, NULL);
	char hex[SHA256_HEX + 1] = "";
	struct object_writer *w;
	struct batch *b;
	struct object o = { 0 };
	char chunk[CHUNK];
	ssize_t got;
	enum err e;
	int in;

	memcpy(hex, line, strnlen(line, SHA256_HEX));
	in = mem_fd(one->mem, open(mem_printf(one->mem, "%s/objects/%.2s/%s", dir, hex, hex), O_RDONLY | O_CLOEXEC));
	e = in < 0 ? E_NOT_FOUND : batch_begin(one, &b);
	if (!e)
		e = object_writer_new(one, b, &w);
	while (!e && (got = read(in, chunk, sizeof chunk)) != 0)
		e = got < 0 ? E_INTERNAL : object_writer_add(one, w, chunk, (size_t)got);
	if (!e)
		e = object_writer_end(one, w, &o);
	if (!e && !str_eq(crypto_hex(one->mem, o.sha256, sizeof o.sha256), hex))
		e = E_INVALID;
	if (!e)
		e = batch_sync(one, b);
	ctx_end(one);
	return e ? fail(c, E_CONFLICT, "%s/objects: %s is missing or damaged; nothing can be restored from this backup", dir, hex) : E_OK;
}

static enum err
cmd_restore(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *dir = call->args[0];
	FILE *f = fopen(mem_printf(c->mem, "%s/manifest", dir), "re");
	char line[256];
	size_t n = 0;

	if (!f)
		return fail_here(c, "%s/manifest: not a whole backup", dir);
	TRY(target_empty(c));
	TRY(store_prepare(c));
	while (fgets(line, sizeof line, f)) {
		TRY(object_in(c, dir, line));
		n++;
	}
	fclose(f);
	/* The rows come last: until then nothing says that this is an installation. */
	TRY(tool(c, (char *[]){ "mariadb", "--no-defaults", server_of(c), mem_printf(c->mem, "--user=%s", c->conf->db_user),
	    (char *)(uintptr_t)c->conf->db_name, NULL }, mem_printf(c->mem, "%s/database.sql", dir), NULL));
	printf("%zu objects and the database are restored; now: vitrinectl reproject\n", n);
	return E_OK;
}

const struct cmd backup_cmds[] = {
	{ "backup", "DIR", "write a verified backup into a new folder", cmd_backup, 1, 1, false },
	{ "restore", "DIR", "restore it into an empty database and data_dir", cmd_restore, 1, 1, false },
	{ 0 },
};
