/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl backup and restore. A backup holds the sweeper off, so objects are only ever added
 * meanwhile. It dumps the rows first and copies all objects after that, so every row of the dump
 * has its bytes, even when its artifact is purged in between. A backup is database.sql,
 * objects/ab/…, and manifest, which is written last: a folder without a manifest is not a complete
 * backup. */
#include "admin/cmd.h"
#include "base/conf.h"
#include "base/str.h"
#include "care/reference.h"
#include "db/schema.h"
#include "db/sealed.h"
#include "store/object.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CHUNK = 1 << 16 };

/* Runs a MariaDB tool with its input or output in a file. The password is passed in the
 * environment, which other users can't see. */
static enum err
tool_run(struct ctx *c, char *const argv[], const char *in, const char *out)
{
	const struct conf *conf = c->conf;
	posix_spawn_file_actions_t files;
	int status = 0;
	pid_t pid;

	if (!str_eq(conf->db_password_file, "-")) {
		const char *password = conf_secret(c->mem, conf->db_password_file);

		if (!password || !*password)
			return fail_here(c, "%s", conf->db_password_file);
		setenv("MYSQL_PWD", password, 1);
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
	return status == 0 ? E_OK : fail_here(c, "%s exited with status %d", argv[0], status);
}

/* What names the server to MariaDB's tools: a port alone would have them ask localhost by TCP. */
struct server {
	char *at, *by;
};

static struct server
server_of(struct ctx *c)
{
	const struct conf *conf = c->conf;

	if (str_eq(conf->db_host, "-"))
		return (struct server){ mem_printf(c->mem, "--socket=%s", conf->db_socket),
			mem_printf(c->mem, "--protocol=socket") };
	return (struct server){ mem_printf(c->mem, "--host=%s", conf->db_host),
		mem_printf(c->mem, "--port=%lld", (long long)conf->db_port) };
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

/* Copies one object into the backup and checks its digest on the way. */
static enum err
object_backup(struct ctx *c, const char *dir, const char *hex, const uint8_t sha256[SHA256_BYTES],
    int64_t *size)
{
	const char *to = mem_printf(c->mem, "%s/objects/%.2s/%s", dir, hex, hex);
	struct sha256 *hash = crypto_sha256_begin(c->mem);
	uint8_t got[SHA256_BYTES];
	int in, out;

	TRY(object_open(c, sha256, &in, size));
	mkdir(mem_printf(c->mem, "%s/objects/%.2s", dir, hex), 0700);
	out = mem_fd(c->mem, open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	if (out < 0)
		return fail_here(c, "%s", to);
	TRY(bytes_copy(c, in, out, hash));
	crypto_sha256_end(hash, got);
	errno = 0;
	return memcmp(sha256, got, sizeof got) == 0
	    ? E_OK
	    : fail_here(c, "object %s is damaged in the store; run vitrinectl fsck", hex);
}

struct copying {
	const char *dir;
	FILE *manifest;
	size_t n;
};

static enum err
object_out(struct ctx *c, void *arg, const uint8_t sha256[SHA256_BYTES])
{
	struct copying *to = arg;
	struct ctx *one = ctx_begin(c->conf, NULL);
	const char *hex = crypto_hex(one->mem, sha256, SHA256_BYTES);
	int64_t size;
	enum err e = object_backup(one, to->dir, hex, sha256, &size);

	if (e)
		e = fail_here(c, "%s", one->internal);
	else
		fprintf(to->manifest, "%s %lld\n", hex, (long long)size);
	to->n++;
	ctx_end(one);
	return e;
}

/* Fails when a row names bytes that the store does not have: a backup that can't bring everything
 * back must say so now. */
static enum err
references_check(struct ctx *c)
{
	const struct reference *row;
	struct list rows;

	TRY(reference_list(c, &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		uint8_t sha256[SHA256_BYTES];

		if (!crypto_unhex(row->sha256, sha256, sizeof sha256) ||
		    !object_exists(c, sha256, row->size_bytes))
			return fail_here(c,
			    "object %s is used by a row but missing from the store; "
			    "run vitrinectl fsck",
			    row->sha256);
	}
	return E_OK;
}

static enum err
cmd_backup(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *dir = call->with.args[0],
		   *manifest = mem_printf(c->mem, "%s/manifest.new", dir);
	struct server server = server_of(c);
	struct copying to = { .dir = dir };

	if (mkdir(dir, 0700))
		return fail_here(c, "%s must be a new folder", dir);
	TRY(schema_check(c));
	TRY(store_share(c, c->mem));
	TRY(tool_run(c,
	    (char *[]){ "mariadb-dump", "--no-defaults", "--single-transaction", "--hex-blob",
		"--skip-lock-tables", server.at, server.by,
		mem_printf(c->mem, "--user=%s", c->conf->db_user),
		(char *)(uintptr_t)c->conf->db_name, NULL },
	    NULL, mem_printf(c->mem, "%s/database.sql", dir)));
	TRY(references_check(c));
	to.manifest = fopen(manifest, "we");
	if (mkdir(mem_printf(c->mem, "%s/objects", dir), 0700) || !to.manifest)
		return fail_here(c, "%s can't be written", dir);
	TRY(object_each(c, object_out, &to));
	if (fflush(to.manifest) || syncfs(fileno(to.manifest)) || fclose(to.manifest) ||
	    rename(manifest, mem_printf(c->mem, "%s/manifest", dir)))
		return fail_here(c, "%s", manifest);
	printf("%zu objects and the database were backed up to %s\n", to.n, dir);
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

	TRY(db_one(c,
	    ROWS(counted,
		"SELECT COUNT(*) AS n FROM information_schema.tables"
		" WHERE table_schema = DATABASE()"),
	    NOARGS, &tables));
	if (tables->n)
		return fail(c, E_CONFLICT,
		    "the database %s has tables; restore into an empty one", c->conf->db_name);
	if (access(mem_printf(c->mem, "%s/objects", c->conf->data_dir), F_OK) == 0)
		return fail(c, E_CONFLICT, "%s has objects; restore into an empty data_dir",
		    c->conf->data_dir);
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
	in = mem_fd(one->mem,
	    open(mem_printf(one->mem, "%s/objects/%.2s/%s", dir, hex, hex), O_RDONLY | O_CLOEXEC));
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
	return e
	    ? fail(c, E_CONFLICT,
		  "%s/objects: %s is missing or damaged; nothing can be restored from this backup",
		  dir, hex)
	    : E_OK;
}

/* A backup of an older release: its trees are made with the schema that this one knows. */
static enum err
schema_behind(struct ctx *c)
{
	printf("next: run vitrinectl migrate apply, then vitrinectl reproject (%s)\n", ctx_why(c));
	return E_OK;
}

/* Whether the secrets of the dump can be read here, where nobody may have the key of its day. */
static enum err
secrets_tell(struct ctx *c)
{
	struct sealed_left left;
	const char *why, *say;
	bool keys = seal_read(c->mem, c->conf, &why);

	TRY(sealed_count_all(c, &left));
	say = sealed_left_say(c, &left);
	if (say && !keys)
		printf("%s, so the secrets in the backup can't be read yet: before anything "
		       "starts, put the key there that was used when it was made\n", why);
	else if (say)
		printf("%s\n", say);
	return E_OK;
}

static enum err
restored(struct ctx *c)
{
	TRY(secrets_tell(c));
	return reproject(c, NULL);
}

static enum err
cmd_restore(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *dir = call->with.args[0];
	struct server server = server_of(c);
	FILE *f = fopen(mem_printf(c->mem, "%s/manifest", dir), "re");
	char line[256];
	size_t n = 0;

	if (!f)
		return fail_here(c, "%s/manifest: not a complete backup", dir);
	TRY(target_empty(c));
	TRY(store_prepare(c));
	while (fgets(line, sizeof line, f)) {
		TRY(object_in(c, dir, line));
		n++;
	}
	fclose(f);
	/* The rows come last: when the restore fails before that, the empty database shows that
	 * nothing is installed here. */
	TRY(tool_run(c,
	    (char *[]){ "mariadb", "--no-defaults", server.at, server.by,
		mem_printf(c->mem, "--user=%s", c->conf->db_user),
		(char *)(uintptr_t)c->conf->db_name, NULL },
	    mem_printf(c->mem, "%s/database.sql", dir), NULL));
	printf("%zu objects and the database were restored\n", n);
	return schema_check(c) == E_OK ? restored(c) : schema_behind(c);
}

/* ---- one at a time ---- */

static bool
copy_sound(struct ctx *c, const char *path, const uint8_t sha256[SHA256_BYTES])
{
	struct sha256 *hash = crypto_sha256_begin(c->mem);
	uint8_t got[SHA256_BYTES];
	char chunk[CHUNK];
	ssize_t n;
	int fd = mem_fd(c->mem, open(path, O_RDONLY | O_CLOEXEC));

	while ((n = read(fd, chunk, sizeof chunk)) > 0)
		crypto_sha256_add(hash, chunk, (size_t)n);
	crypto_sha256_end(hash, got);
	return n == 0 && memcmp(sha256, got, sizeof got) == 0;
}

/* The damaged one goes only when the backup's is known to be good. */
static enum err
object_mend(struct ctx *c, const char *dir, const struct reference *row, int64_t *mended)
{
	const char *why = NULL, *moved,
		   *copy = mem_printf(c->mem, "%s/objects/%.2s/%s", dir, row->sha256, row->sha256);
	uint8_t sha256[SHA256_BYTES];
	char path[OBJECT_PATH];
	int root;

	if (!crypto_unhex(row->sha256, sha256, sizeof sha256))
		return E_OK;
	TRY(object_verify(c, sha256, row->size_bytes, NULL, &why));
	if (!why)
		return E_OK;
	if (!copy_sound(c, copy, sha256)) {
		printf("object %s %s, and %s isn't usable either\n", row->sha256, why, copy);
		return E_OK;
	}
	TRY(store_root(c, c->mem, &root));
	object_path(path, sha256);
	TRY(trash_move(c, root, path, &moved));
	TRY(object_in(c, dir, row->sha256));
	++*mended;
	return E_OK;
}

enum err
backup_objects_mend(struct ctx *c, const char *dir)
{
	const struct reference *row;
	struct list rows;
	int64_t mended = 0;

	TRY(reference_list(c, &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		struct ctx *one = ctx_begin(c->conf, NULL);
		enum err e = object_mend(one, dir, row, &mended);

		if (e)
			fail_here(c, "object %s: %s", row->sha256, ctx_why(one));
		ctx_end(one);
		TRY(e);
	}
	printf("%lld objects were restored from %s\n", (long long)mended, dir);
	return E_OK;
}

const struct cmd backup_cmds[] = {
	{ "backup", "DIR", "write a verified backup into a new folder", cmd_backup },
	{ "restore", "DIR",
	    "restore a backup into an empty database and data_dir, "
	    "and rebuild the trees", cmd_restore },
	{ 0 },
};
