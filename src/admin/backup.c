/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl backup and restore. A backup holds the sweeper off, so objects are only added
 * meanwhile. It dumps the rows first and copies all objects after that, so each row of the dump has
 * its bytes, even if its artifact is purged in between. A backup is a dump (admin/dump.h) with
 * objects/ab/… */
#include "admin/archive.h"
#include "admin/cmd.h"
#include "admin/dump.h"
#include "base/conf.h"
#include "base/str.h"
#include "bucket/bucket.h"
#include "care/reference.h"
#include "db/schema.h"
#include "db/sealed.h"
#include "domains/domain.h"
#include "store/object.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

/* Copies an object into the backup and checks its digest. Removes a damaged copy. */
static enum err
object_backup(struct ctx *c, const char *dir, const char *hex, const uint8_t sha256[SHA256_BYTES],
    bool *damaged)
{
	const char *to = mem_printf(c->mem, "%s/objects/%.2s/%s", dir, hex, hex);
	struct sha256 *hash = crypto_sha256_begin(c->mem);
	uint8_t got[SHA256_BYTES];
	char chunk[CHUNK];
	int64_t size;
	ssize_t n;
	int in, out;

	TRY(object_open(c, sha256, &in, &size));
	mkdir(mem_printf(c->mem, "%s/objects/%.2s", dir, hex), 0700);
	out = mem_fd(c->mem, open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	if (out < 0)
		return fail_here(c, "%s", to);
	while ((n = read(in, chunk, sizeof chunk)) > 0) {
		crypto_sha256_add(hash, chunk, (size_t)n);
		if (write(out, chunk, (size_t)n) != n)
			return fail_here(c, "writing");
	}
	if (n < 0)
		return fail_here(c, "reading");
	crypto_sha256_end(hash, got);
	*damaged = memcmp(sha256, got, sizeof got) != 0;
	if (*damaged)
		unlink(to);
	return E_OK;
}

struct copying {
	struct dump dump;
	bool without; /* leave out damaged objects, and print their names */
	int64_t left;
};

static enum err
object_out(struct ctx *c, void *arg, const uint8_t sha256[SHA256_BYTES])
{
	struct copying *to = arg;
	struct ctx *one = ctx_begin(c->conf, NULL);
	const char *hex = crypto_hex(one->mem, sha256, SHA256_BYTES);
	bool damaged = false;
	enum err e = object_backup(one, to->dump.dir, hex, sha256, &damaged);

	if (!e && !damaged) {
		dump_add(&to->dump, mem_printf(one->mem, "objects/%.2s/%s", hex, hex), hex);
	} else if (!e && to->without) {
		printf("object %s is damaged in the store and was left out\n", hex);
		to->left++;
	} else {
		errno = 0;
		e = e ? fail_here(c, "%s", one->internal)
		      : fail_here(c,
			    "object %s is damaged in the store; run vitrinectl fsck, "
			    "or back up the rest with --without-damaged", hex);
	}
	ctx_end(one);
	return e;
}

/* Fails if the store lacks bytes that a row names: such a backup can't restore everything. */
static enum err
references_check(struct ctx *c, struct copying *to)
{
	const struct reference *row;
	struct list rows;

	TRY(reference_list(c, &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		uint8_t sha256[SHA256_BYTES];
		bool digest = crypto_unhex(row->sha256, sha256, sizeof sha256);

		/* With objects_keep, some are only in the object store. */
		if (digest && !str_eq(c->conf->objects_keep, "all") && object_bring(c, sha256))
			ctx_forgive(c);
		if (digest && object_exists(c, sha256, row->size_bytes))
			continue;
		if (!to->without)
			return fail_here(c,
			    "object %s is used by a row but missing from the store; run vitrinectl "
			    "fsck, or back up the rest with --without-damaged",
			    row->sha256);
		printf("object %s is missing from the store\n", row->sha256);
		to->left++;
	}
	return E_OK;
}

#define COUNTED(F, T) F(T, INT, n)
SHAPE(counted, COUNTED);

static enum err
cmd_backup(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *dir = call->with.args[0];
	struct copying to = { .without = usage_option(&call->with, "--without-damaged") };

	if (usage_option(&call->with, "--rows"))
		return rows_backup(c, dir);
	TRY(schema_check(c));
	TRY(dump_begin(c, dir, &to.dump));
	TRY(store_share(c, c->mem));
	TRY(dump_rows(c, &to.dump));
	TRY(references_check(c, &to));
	if (mkdir(mem_printf(c->mem, "%s/objects", dir), 0700))
		return fail_here(c, "%s can't be written", dir);
	TRY(object_each(c, object_out, &to));
	TRY(dump_end(c, &to.dump));
	printf("%zu objects and the database were backed up to %s\n", to.dump.n, dir);
	call->exit = to.left > 0;
	return E_OK;
}

/* ---- restore ---- */

static const char *
object_copy(struct ctx *c, const char *dir, const char *hex)
{
	return mem_printf(c->mem, "%s/objects/%.2s/%s", dir, hex, hex);
}

static enum err
object_in(struct ctx *c, const char *dir, const char *hex)
{
	struct ctx *one = ctx_begin(c->conf, NULL);
	struct object_writer *w;
	struct batch *b;
	struct object o = { 0 };
	char chunk[CHUNK];
	ssize_t got;
	enum err e;
	int in;

	in = mem_fd(one->mem, open(object_copy(one, dir, hex), O_RDONLY | O_CLOEXEC));
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
	if (e)
		fail_here(c, "%s: %s", object_copy(c, dir, hex), ctx_why(one));
	ctx_end(one);
	return e ? c->err : E_OK;
}

/* Prints whether the dump's secrets can be read here, where the key of that day may be missing. */
static enum err
secrets_print(struct ctx *c)
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

#define LEFT(F, T) \
	F(T, SLUG, slug) \
	F(T, INT,  version_no) \
	F(T, STR,  path)
SHAPE(left, LEFT);

/* Prints the files that need an object that was left out. */
static enum err
left_out_print(struct ctx *c, const char *hex)
{
	struct left_list rows;

	TRY(db_all(c,
	    ROWS(left,
		"SELECT a.slug, f.version_no, f.path FROM version_file f"
		" JOIN artifact a ON a.id = f.artifact_id WHERE f.sha256 = UNHEX(?)"
		" ORDER BY 1, 2, 3"),
	    ARGS(hex), &rows));
	printf("object %s was left out%s\n", hex, rows.n ? "; without it are:" : "");
	for (size_t i = 0; i < rows.n; i++)
		printf("  %s version %lld: %s\n", rows.v[i].slug,
		    (long long)rows.v[i].version_no, rows.v[i].path);
	return E_OK;
}

/* Reads the whole backup before anything is written. Prints damaged objects and moves them from
 * list to left. Fails if there are any, unless `without`; fails always if the rows are damaged. */
static enum err
backup_check(struct ctx *c, const char *dir, bool without, struct dump_list *list,
    struct dump_list *left)
{
	const char *wrong = dump_rows_wrong(c, dir, list);
	size_t kept = 0;

	*left = (struct dump_list){ .v = mem_array(c->mem, const char *, list->n + 1) };
	if (wrong)
		return fail(c, E_CONFLICT,
		    "%s/" DUMP_ROWS " %s; nothing can be restored from this backup", dir, wrong);
	for (size_t i = 0; i < list->n; i++) {
		wrong = dump_file_wrong(c, object_copy(c, dir, list->v[i]), list->v[i]);
		if (wrong) {
			printf("%s %s\n", object_copy(c, dir, list->v[i]), wrong);
			left->v[left->n++] = list->v[i];
		} else {
			list->v[kept++] = list->v[i];
		}
	}
	list->n = kept;
	if (!left->n || without)
		return E_OK;
	return fail(c, E_CONFLICT,
	    "%zu of %s %s damaged; nothing was written. "
	    "restore --without-damaged restores the rest",
	    left->n, str_count(c->mem, (int64_t)(left->n + kept), "object"),
	    left->n == 1 ? "is" : "are");
}

static enum err
database_empty(struct ctx *c)
{
	struct counted *tables;

	TRY(db_one(c,
	    ROWS(counted,
		"SELECT COUNT(*) AS n FROM information_schema.tables"
		" WHERE table_schema = DATABASE()"),
	    NOARGS, &tables));
	if (tables->n)
		return fail(c, E_CONFLICT, "the database %s has tables; restore into an empty one",
		    c->conf->db_name);
	return E_OK;
}

enum err
restore_empty(struct ctx *c)
{
	TRY(database_empty(c));
	if (access(mem_printf(c->mem, "%s/objects", c->conf->data_dir), F_OK) == 0)
		return fail(c, E_CONFLICT, "%s has objects; restore into an empty data_dir",
		    c->conf->data_dir);
	return E_OK;
}

/* Restores the rows alone, beside the objects that are there. */
static enum err
rows_restore(struct ctx *c, const char *dir, const struct dump_list *list)
{
	const char *wrong = dump_rows_wrong(c, dir, list);

	TRY(database_empty(c));
	if (wrong)
		return fail(c, E_CONFLICT, "%s/" DUMP_ROWS " %s", dir, wrong);
	TRY(dump_rows_back(c, dir));
	TRY(domains_await(c));
	printf("the rows were restored; next: with the release that they are of, run "
	       "vitrinectl reproject\n");
	return E_OK;
}

static enum err
cmd_restore(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *dir = call->with.args[0];
	struct dump_list list, left;

	if (usage_option(&call->with, "--to") || usage_option(&call->with, "--gtid"))
		return archive_restore(call);
	if (!dir)
		return fail(c, E_INVALID, "give the folder of a backup, or --to TIME");
	TRY(dump_read(c, dir, &list));
	if (usage_option(&call->with, "--rows"))
		return rows_restore(c, dir, &list);
	TRY(restore_empty(c));
	TRY(backup_check(
	    c, dir, usage_option(&call->with, "--without-damaged") != NULL, &list, &left));
	TRY(store_prepare(c));
	for (size_t i = 0; i < list.n; i++)
		TRY(object_in(c, dir, list.v[i]));
	/* The rows come last: if the restore fails before that, the empty database shows that
	 * nothing is installed here. */
	TRY(dump_rows_back(c, dir));
	TRY(domains_await(c));
	printf("%zu objects and the database were restored\n", list.n);
	for (size_t i = 0; i < left.n; i++)
		TRY(left_out_print(c, left.v[i]));
	if (schema_check(c) == E_OK) {
		TRY(secrets_print(c));
		return reproject(c, NULL);
	}
	/* The backup is of an older release, whose trees are made after the migration. */
	printf("next: run vitrinectl migrate apply, then vitrinectl reproject (%s)\n", ctx_why(c));
	return E_OK;
}

/* ---- one at a time ---- */

/* Replaces a damaged object if the backup's copy is good. */
static enum err
object_mend(struct ctx *c, const char *dir, const struct reference *row, int64_t *mended)
{
	const char *why = NULL, *lack, *moved, *copy = object_copy(c, dir, row->sha256);
	uint8_t sha256[SHA256_BYTES];
	char path[OBJECT_PATH];
	int root;

	if (!crypto_unhex(row->sha256, sha256, sizeof sha256))
		return E_OK;
	TRY(object_verify(c, sha256, row->size_bytes, NULL, &why));
	if (!why)
		return E_OK;
	object_path(path, sha256);
	if (str_eq(dir, "store")) {
		TRY(bucket_mend(c, sha256, &lack));
		if (lack)
			printf("%s %s; %s\n", path, why, lack);
		*mended += !lack;
		return E_OK;
	}
	if (dump_file_wrong(c, copy, row->sha256)) {
		printf("object %s %s, and %s isn't usable either\n", row->sha256, why, copy);
		return E_OK;
	}
	TRY(store_root(c, c->mem, &root));
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
		struct ctx *one = ctx_begin(c->conf, c->db);
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
	{ "backup", "DIR [--without-damaged] [--rows]",
	    "write a verified backup into a new folder; "
	    "--without-damaged leaves out, and names, what is damaged in the store; "
	    "--rows saves the database alone, of any release", cmd_backup },
	{ "restore",
	    "[DIR] [--without-damaged] [--rows] [--to TIME] [--gtid GTID] [--into-empty] "
	    "[--scratch FOLDER] [--export ARTIFACT]",
	    "restore a backup into an empty database and data_dir, and rebuild the trees; "
	    "it is checked first, and --without-damaged restores the rest of a damaged one; "
	    "--rows restores the database alone; "
	    "--to and --gtid take the continuous backup instead, for any second: into an empty "
	    "installation, or beside this one into a folder, from which --export writes what an "
	    "artifact had",
	    cmd_restore, .draws_views = true },
	{ 0 },
};
