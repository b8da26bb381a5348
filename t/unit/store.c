/* SPDX-License-Identifier: Apache-2.0
 * The store on a directory of its own. The program's own linkat, fsync, syncfs and write stand before libc's, so that it can
 * count and break them. */
#include "base/buf.h"
#include "base/conf.h"
#include "base/str.h"
#include "store/beneath.h"
#include "store/object.h"
#include "store/site.h"
#include "store/spool.h"
#include "store/sweep.h"
#include "store/temp.h"
#include "store/tree.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

enum { CLOCK_SLACK_S = 10, MANY = 48, DEEP = 200 };

static struct {
	int linkat, fsync, syncfs, write; /* errno to give, 0 = none */
	int fsyncs, syncfses;
} seam;

int linkat(int from, const char *a, int to, const char *b, int flags);
int fsync(int fd);
int syncfs(int fd);
ssize_t write(int fd, const void *bytes, size_t n);

int
linkat(int from, const char *a, int to, const char *b, int flags)
{
	if (!seam.linkat)
		return (int)syscall(SYS_linkat, from, a, to, b, flags);
	errno = seam.linkat;
	return -1;
}

int
fsync(int fd)
{
	seam.fsyncs++;
	if (!seam.fsync)
		return (int)syscall(SYS_fsync, fd);
	errno = seam.fsync;
	return -1;
}

int
syncfs(int fd)
{
	seam.syncfses++;
	if (!seam.syncfs)
		return (int)syscall(SYS_syncfs, fd);
	errno = seam.syncfs;
	return -1;
}

/* At most a few bytes at once, so that short writes are met. */
ssize_t
write(int fd, const void *bytes, size_t n)
{
	if (fd > 2 && seam.write) {
		errno = seam.write;
		return -1;
	}
	return syscall(SYS_write, fd, bytes, fd > 2 && n > 3000 ? 3000 : n);
}

static char data_dir[] = "/tmp/vitrine-store-XXXXXX";
static struct conf conf = { .data_dir = data_dir, .store_url = "-", .backup_url = "-", .objects_keep = "all" };
static int root;

static struct ctx *
begin(void)
{
	struct ctx *c = ctx_begin(&conf, NULL);

	c->now += CLOCK_SLACK_S;
	return c;
}

static bool
good(struct ctx *c, enum err e, const char *name)
{
	if (!ok(e == E_OK, name))
		printf("# %s: %s\n", err_table[e].name, c->internal ? c->internal : c->message ? c->message : "");
	return e == E_OK;
}

static size_t
count(const char *dir)
{
	struct ctx *c = begin();
	struct names in;
	size_t n = dir_list(c, c->mem, root, dir, &in) ? 9999 : in.n;

	ctx_end(c);
	return n;
}

/* In their directories, and beside these. */
static size_t
temporaries(void)
{
	struct ctx *c = begin();
	size_t n = count("tmp") - TEMP_DIRS;

	for (int i = 0; i < TEMP_DIRS; i++)
		n += count(mem_printf(c->mem, "tmp/%x", i));
	ctx_end(c);
	return n;
}

static bool
there(const char *path)
{
	struct stat st;

	return fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool
plant(const char *path, const char *text)
{
	int fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC, 0640);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

static bool
plant_link(const char *path, const char *target)
{
	return symlinkat(target, root, path) == 0;
}

static bool
link_shows(const char *path, const char *target)
{
	char to[256] = "";

	return readlinkat(root, path, to, sizeof to - 1) > 0 && str_eq(to, target);
}

/* Puts a text and makes it durable, in a context of its own. */
static struct object
put(const char *text)
{
	struct ctx *c = begin();
	struct object o = { 0 };
	struct batch *b;

	if (batch_begin(c, &b) || batch_put(c, b, text, strlen(text), &o) || batch_sync(c, b))
		printf("# put: %s\n", c->internal);
	ctx_end(c);
	return o;
}

static struct tree_file
file(const char *path, const char *text, enum tree_area area)
{
	struct object o = put(text);
	struct tree_file f = { path, { 0 }, o.size, area, false };

	memcpy(f.sha256, o.sha256, sizeof f.sha256);
	return f;
}

static int
descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- beneath ---- */

static void
test_beneath(void)
{
	bool made;
	int fd = beneath_mkdirs(root, "spool/a/b/c", &made);

	ok(fd >= 0 && made && there("spool/a/b/c"), "missing directories are made");
	close(fd);
	close(beneath_mkdirs(root, "spool/a/b/c", &made));
	ok(!made, "directories that are there are opened");
	ok(plant_link("spool/etc", "/etc") && plant_link("spool/self", "a"), "two symlinks are planted");
	ok(beneath_open(root, "spool/etc/passwd", O_RDONLY) < 0 && errno == ELOOP, "a symlink out is refused");
	ok(beneath_open(root, "spool/self/b", O_RDONLY) < 0 && errno == ELOOP, "a symlink that stays inside is refused too");
	ok(beneath_open(root, "../etc", O_RDONLY) < 0 && errno == EXDEV, "\"..\" does not leave the directory");
	ok(beneath_open(root, "/etc/passwd", O_RDONLY) < 0 && errno == EXDEV, "an absolute path does not leave the directory");
	ok(beneath_mkdirs(root, "spool/etc/x", NULL) < 0, "no directory is made behind a symlink");
	ok(path_plain("a/b.c/.well-known") && segment_plain("art_1"), "plain paths are plain");
	ok(!path_plain("") && !path_plain("/a") && !path_plain("a/") && !path_plain("a//b") &&
	    !path_plain("a/../b") && !path_plain("."), "empty, absolute and dotted paths are not");
	ok(!segment_plain("a/b") && !segment_plain("..") && !segment_plain(NULL), "a name is one plain segment");
	unlinkat(root, "spool/etc", 0);
	unlinkat(root, "spool/self", 0);
}

/* ---- objects ---- */

static void
test_objects(void)
{
	struct ctx *c = begin();
	struct object o, again;
	struct batch *b;
	struct stat st;
	char path[OBJECT_PATH];
	const char *bytes, *problem = "?";
	size_t n;
	int64_t size;
	int fd;

	good(c, batch_begin(c, &b), "a batch begins");
	good(c, batch_put(c, b, "hello", 5, &o), "bytes are put");
	is_str(crypto_hex(c->mem, o.sha256, 4), "2cf24dba", "the digest is SHA-256");
	ok(!object_exists(c, o.sha256, 5), "before the sync the object has no name");
	good(c, batch_sync(c, b), "the batch is synced");
	ok(object_exists(c, o.sha256, 5) && !object_exists(c, o.sha256, 6), "then it is there, with its size only");
	is_int((long long)temporaries(), 0, "no temporary is left");
	object_path(path, o.sha256);
	ok(str_starts(path, "objects/2c/2cf24dba") && fstatat(root, path, &st, 0) == 0, "its path is its digest");
	is_int(st.st_mtim.tv_sec, 946684800 + (0x2cf24dba & 0x1fffffff), "its mtime comes from the digest");
	is_int(st.st_mode & 0777, 0640, "its mode is 0640");
	seam.write = EIO;
	good(c, batch_put(c, b, "hello", 5, &again), "an object that is there isn't written again");
	seam.write = 0;
	good(c, object_read(c, o.sha256, 5, &bytes, &n), "it is read");
	is_str(bytes, "hello", "its bytes come back");
	is_int(object_read(c, o.sha256, 4, &bytes, &n), E_FILE_TOO_LARGE, "more than the caller takes is refused");
	good(c, object_open(c, o.sha256, &fd, &size), "it is opened");
	is_int(size, 5, "with its size");
	good(c, object_verify(c, o.sha256, 5, NULL, &problem), "it is verified");
	is_str(problem, NULL, "a sound object has no problem");
	object_verify(c, o.sha256, 7, NULL, &problem);
	is_str(problem, "has 5 bytes instead of 7", "a wrong size is a problem");
	o.sha256[31] ^= 1;
	object_verify(c, o.sha256, 5, NULL, &problem);
	is_str(problem, "is missing", "a missing object is a problem");
	is_int(object_open(c, o.sha256, &fd, &size), E_INTERNAL, "a missing object can't be opened");
	ctx_end(c);
}

static void
test_damage(void)
{
	struct object o = put("some bytes that will rot");
	struct ctx *c = begin();
	struct timespec times[2];
	const char *problem = NULL;
	char path[OBJECT_PATH];

	object_path(path, o.sha256);
	plant(path, "some bytes that did  rot");
	object_verify(c, o.sha256, o.size, NULL, &problem);
	is_str(problem, "has an mtime that doesn't match its digest", "an object that was touched is found");
	times[0] = times[1] = object_mtime(o.sha256);
	utimensat(root, path, times, 0);
	object_verify(c, o.sha256, o.size, NULL, &problem);
	is_str(problem, "its bytes have a different digest", "an object that rotted is found");
	plant(path, "short");
	put("some bytes that will rot");
	object_verify(c, o.sha256, o.size, NULL, &problem);
	is_str(problem, NULL, "putting the bytes mends an object of the wrong size");
	ctx_end(c);
}

static void
test_writer(void)
{
	struct ctx *c = begin();
	struct object_writer *w;
	struct object o, small;
	struct batch *b;
	char chunk[10000];
	const char *bytes;
	size_t n;

	memset(chunk, 'x', sizeof chunk);
	batch_begin(c, &b);
	good(c, object_writer_new(c, b, &w), "a writer is made");
	for (int i = 0; i < 3; i++)
		object_writer_add(c, w, chunk, sizeof chunk);
	good(c, object_writer_end(c, w, &o), "it takes bytes in pieces");
	object_writer_new(c, b, &w);
	object_writer_add(c, w, "hello", 5);
	good(c, object_writer_end(c, w, &small), "a writer of known bytes ends");
	is_int((long long)temporaries(), 1, "and keeps no temporary");
	object_writer_new(c, b, &w);
	object_writer_add(c, w, "never", 5);
	good(c, batch_sync(c, b), "the batch is synced while a writer is at work");
	object_read(c, o.sha256, 1 << 20, &bytes, &n);
	ok(n == 30000 && bytes[0] == 'x' && bytes[29999] == 'x', "the pieces are one object");
	ctx_end(c);
	is_int((long long)temporaries(), 0, "what was never ended is gone with its owner");
}

/* A body as nginx spools it. */
static struct span
spooled(struct ctx *c, const char *name, const char *text, const char **path)
{
	struct span s = { .fd = -1 };

	plant(mem_printf(c->mem, "spool/%s", name), text);
	*path = mem_printf(c->mem, "%s/spool/%s", data_dir, name);
	good(c, spool_open(c, *path, &s), "a body is in the spool");
	return s;
}

static ino_t
inode(const char *path)
{
	struct stat st;

	return fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) ? 0 : st.st_ino;
}

static bool
object_is(struct ctx *c, const struct object *o, const char *text)
{
	const char *bytes = "", *problem = NULL;
	size_t n;

	object_read(c, o->sha256, 1 << 20, &bytes, &n);
	object_verify(c, o->sha256, (int64_t)strlen(text), NULL, &problem);
	return str_eq(bytes, text) && !problem;
}

static void
test_span(void)
{
	struct ctx *c = begin();
	char at[OBJECT_PATH];
	struct object whole, part, far, small;
	const char *path, *other;
	struct batch *b;
	struct span s = spooled(c, "1", "a body that nginx wrote", &path), t;

	batch_begin(c, &b);
	good(c, batch_put_span(c, b, &s, path, &whole), "a whole body becomes an object");
	good(c, batch_put_span(c, b, &(struct span){ .fd = s.fd, .at = 2, .n = 4 }, NULL, &part), "and so does a part of it");
	ok(!object_exists(c, whole.sha256, whole.size), "without a name before the sync");
	good(c, batch_sync(c, b), "the batch is synced");
	ok(object_is(c, &whole, "a body that nginx wrote") && object_is(c, &part, "body"), "both have their bytes");
	object_path(at, whole.sha256);
	ok(inode(at) == inode("spool/1"), "the whole one is what nginx wrote, linked");
	unlinkat(root, "spool/1", 0);
	ok(object_is(c, &whole, "a body that nginx wrote"), "and outlives the spool");
	t = spooled(c, "2", "a body on another file system", &other);
	seam.linkat = EXDEV;
	good(c, batch_put_span(c, b, &t, other, &far), "what can't be linked is copied");
	good(c, batch_put_span(c, b, &(struct span){ .fd = -1, .at = 2, .n = 6, .bytes = "a small body" }, NULL, &small),
	    "what is in memory is written");
	seam.linkat = 0;
	good(c, batch_sync(c, b), "and synced");
	object_path(at, far.sha256);
	ok(object_is(c, &far, "a body on another file system") && inode(at) != inode("spool/2"), "with its bytes");
	ok(object_is(c, &small, "small "), "as many as the span has");
	seam.linkat = EIO;
	t = spooled(c, "2", "another body", &other);
	is_int(batch_put_span(c, b, &t, other, &far), E_INTERNAL, "any other failure is one");
	seam.linkat = 0;
	is_int((long long)temporaries(), 0, "no temporary is left");
	unlinkat(root, "spool/2", 0);
	ctx_end(c);
}

static void
test_spool_sweep(void)
{
	struct ctx *c = begin();
	struct sweep_at at = { 0 };

	for (int i = 0; i < 2 * SWEEP_ITEMS; i++)
		plant(mem_printf(c->mem, "spool/%010d", i), "left behind");
	while (!at.end)
		good(c, spool_sweep(c, 3600, &at), "a sweep of the spool");
	is_int(at.removed, 0, "bodies that may be in use stay");
	at = (struct sweep_at){ 0 };
	while (!at.end)
		good(c, spool_sweep(c, 0, &at), "later");
	is_int(at.removed, 2 * SWEEP_ITEMS, "those of a web server that is gone go");
	ok(there("spool/a"), "folders are none of its business");
	ctx_end(c);
}

static void
test_syncs(void)
{
	struct ctx *c = begin();
	struct object o;
	struct batch *b;
	char text[4096] = "many";

	batch_begin(c, &b);
	seam.fsyncs = seam.syncfses = 0;
	for (int i = 0; i < MANY; i++) {
		memcpy(text + 4, &i, sizeof i);
		batch_put(c, b, text, sizeof text, &o);
	}
	good(c, batch_sync(c, b), "48 files are synced");
	ok(seam.syncfses == 2 && !seam.fsyncs, "by two syncfs and nothing else");
	seam.syncfses = 0;
	batch_put(c, b, "one", 3, &o);
	batch_put(c, b, "two", 3, &o);
	good(c, batch_sync(c, b), "two files are synced, in the same batch");
	ok(seam.fsyncs == 4 && !seam.syncfses, "by an fsync for each and one for each directory");
	seam.fsyncs = 0;
	batch_put(c, b, "one", 3, &o);
	batch_sync(c, b);
	is_int(seam.fsyncs, 1, "the name of an object that was found is made durable");
	ctx_end(c);
}

static void
test_failures(void)
{
	struct ctx *c = begin();
	struct object o;
	struct batch *b;

	batch_begin(c, &b);
	seam.write = ENOSPC;
	is_int(batch_put(c, b, "no room", 7, &o), E_DISK_FULL, "a full disk is E_DISK_FULL");
	seam.write = EDQUOT;
	is_int(batch_put(c, b, "no room", 7, &o), E_DISK_FULL, "an exhausted quota is E_DISK_FULL");
	seam.write = 0;
	batch_put(c, b, "lost", 4, &o);
	seam.fsync = EIO;
	is_int(batch_sync(c, b), E_INTERNAL, "a failing fsync fails the batch");
	seam.fsync = 0;
	seam.fsyncs = 0;
	is_int(batch_sync(c, b), E_INTERNAL, "which stays failed");
	ok(!seam.fsyncs && !object_exists(c, o.sha256, 4), "fsync is not tried again and nothing gets a name");
	ctx_end(c);
	is_int((long long)temporaries(), 0, "a failed batch leaves no temporary");
}

/* ---- trees ---- */

static enum err
read_tree(struct ctx *c, int64_t no, enum tree_area area, const char *path, const char **text)
{
	struct stat st;
	int fd;

	*text = NULL;
	TRY(tree_open(c, "art_1", no, area, path, &fd, &st));
	return read_exactly(c, c->mem, fd, (size_t)st.st_size, text);
}

static void
test_tree(void)
{
	struct ctx *c = begin();
	struct tree_file f[] = { file("b/c/deep.txt", "deep", TREE_PUB), file("index.html", "<p>hello", TREE_PUB),
		file("b.txt", "b", TREE_PUB), file("b/x.txt", "x", TREE_PUB), file("_headers", "/*", TREE_META),
		file("app.js", "1", TREE_GATED), file("b/c-d/e", "e", TREE_PUB) };
	const char *building, *text;

	good(c, tree_build(c, NULL, f, sizeof f / sizeof *f, false, &building), "a tree is built");
	ok(str_starts(building, "tmp/") && there(building), "as a temporary");
	ok(!tree_exists(c, "art_1", 1, false), "and isn't there yet");
	is_int(tree_place(c, "art_1", building, 1, false), E_INTERNAL, "exchanged arguments are noticed");
	good(c, tree_place(c, building, "art_1", 1, false), "it is placed");
	ok(tree_exists(c, "art_1", 1, false) && !there(building), "and is there");
	good(c, read_tree(c, 1, TREE_PUB, "b/c/deep.txt", &text), "a file in a directory is opened");
	is_str(text, "deep", "with its bytes");
	read_tree(c, 1, TREE_META, "_headers", &text);
	is_str(text, "/*", "each area has its files");
	read_tree(c, 1, TREE_PUB, "b/c-d/e", &text);
	is_str(text, "e", "neighbours that sort around a slash have theirs");
	is_int(read_tree(c, 1, TREE_PUB, "_headers", &text), E_NOT_FOUND, "but not those of another");
	is_int(read_tree(c, 1, TREE_PUB, "../meta/_headers", &text), E_NOT_FOUND, "not by \"..\" either");
	is_int(read_tree(c, 1, TREE_PUB, "b", &text), E_NOT_FOUND, "a directory is no file");
	is_int(read_tree(c, 1, TREE_PUB, "b.txt/x", &text), E_NOT_FOUND, "a file is no directory");
	is_int(read_tree(c, 1, TREE_PUB, "/etc/passwd", &text), E_NOT_FOUND, "an absolute path names nothing");
	is_int(read_tree(c, 2, TREE_PUB, "b.txt", &text), E_NOT_FOUND, "another version has no files");
	tree_build(c, NULL, f, 2, false, &building);
	good(c, tree_place(c, building, "art_1", 1, false), "a number that has a tree is taken over");
	ok(there(building) && !there("trees/art_1/1/pub/b.txt"), "its old tree waits to be swept");
	tree_build(c, NULL, f, sizeof f / sizeof *f, false, &building);
	good(c, tree_place(c, building, "art_1", 3, true), "a draft is placed");
	ok(!there("trees/art_1/3") && tree_exists(c, "art_1", 3, true) && !tree_exists(c, "art_1", 3, false), "under no number");
	good(c, read_tree(c, 3, TREE_PUB, "b/c/deep.txt", &text), "and read like any other");
	good(c, tree_settle(c, "art_1", 3, true), "it settles where it is");
	good(c, tree_settle(c, "art_1", 3, false), "then goes live");
	ok(there("trees/art_1/3") && !tree_exists(c, "art_1", 3, true), "under its number");
	good(c, read_tree(c, 3, TREE_PUB, "b/c/deep.txt", &text), "and is read as before");
	good(c, tree_settle(c, "art_1", 3, true), "there is a way back, for an older database");
	ok(!there("trees/art_1/3") && tree_exists(c, "art_1", 3, true), "out of reach");
	tree_build(c, NULL, f, 2, false, &building);
	tree_place(c, building, "art_1", 3, false);
	good(c, tree_settle(c, "art_1", 3, true), "of two");
	ok(!there("trees/art_1/3") && tree_exists(c, "art_1", 3, true), "the one out of place goes");
	good(c, tree_settle(c, "art_1", 9, true), "none at all is fine");
	tree_drop(c, "art_1", 3);
	ok(!tree_exists(c, "art_1", 3, true), "a draft is dropped");
	ctx_end(c);
}

static void
test_tree_refuses(void)
{
	struct ctx *c = begin();
	struct tree_file clash[] = { file("a", "1", TREE_PUB), file("a/b", "2", TREE_PUB) }, out = file("../x", "3", TREE_PUB);
	struct tree_file short_one = file("s", "4", TREE_PUB), lost = file("l", "5", TREE_PUB);
	const char *building, *text;

	is_int(tree_build(c, NULL, clash, 2, false, &building), E_INTERNAL, "a file that is a directory too is refused");
	is_int(tree_build(c, NULL, &out, 1, false, &building), E_INTERNAL, "a path that climbs is refused");
	short_one.size++;
	is_int(tree_build(c, NULL, &short_one, 1, false, &building), E_INTERNAL, "an object of another size is refused");
	lost.sha256[0] ^= 1;
	is_int(tree_build(c, NULL, &lost, 1, false, &building), E_INTERNAL, "an object that is missing is refused");
	plant_link("trees/art_1/1/pub/etc", "/etc");
	plant_link("trees/art_1/1/pub/alias.html", "index.html");
	is_int(read_tree(c, 1, TREE_PUB, "etc/passwd", &text), E_NOT_FOUND, "a planted symlink to a directory is not followed");
	is_int(read_tree(c, 1, TREE_PUB, "alias.html", &text), E_NOT_FOUND, "nor one to a file");
	out.path = "etc/x";
	is_int(tree_put(c, "art_1", 1, &out), E_INTERNAL, "nothing is written through it");
	mkfifoat(root, "trees/art_1/1/pub/pipe", 0640);
	is_int(read_tree(c, 1, TREE_PUB, "pipe", &text), E_NOT_FOUND, "a pipe is no file, and doesn't block");
	is_int(tree_place(c, "tmp/x", "../art", 1, false), E_INTERNAL, "an artifact is one plain name");
	ctx_end(c);
}

static void
test_tree_syncs(void)
{
	struct tree_file f[MANY];
	struct ctx *c = begin();
	const char *building;

	for (int i = 0; i < MANY; i++)
		f[i] = file(mem_printf(c->mem, "d%d/f%d", i % 9, i), mem_printf(c->mem, "%d", i), TREE_PUB);
	seam.fsyncs = seam.syncfses = 0;
	good(c, tree_build(c, NULL, f, MANY, false, &building), "a tree of 48 files in nine directories is built");
	ok(seam.syncfses == 1 && !seam.fsyncs, "with one syncfs");
	tree_place(c, building, "art_1", 4, false);
	seam.fsyncs = seam.syncfses = 0;
	good(c, tree_build(c, NULL, f, 3, false, &building), "a tree of three files is built");
	ok(seam.fsyncs == 5 && !seam.syncfses, "with an fsync for each directory");
	tree_place(c, building, "art_1", 6, false);
	tree_drop(c, "art_1", 4);
	tree_drop(c, "art_1", 6);
	ctx_end(c);
}

static void
test_many_links(void)
{
	struct tree_file f[] = { file("index.html", "linked too often", TREE_PUB), file("x/y", "linked too often", TREE_PUB) };
	struct ctx *c = begin();
	const char *building, *text;
	struct stat st;

	seam.linkat = EMLINK;
	good(c, tree_build(c, NULL, f, 2, false, &building), "an object with too many links is copied");
	good(c, tree_place(c, building, "art_1", 5, false), "into the tree");
	good(c, tree_put(c, "art_1", 5, &f[0]), "also when it is put");
	seam.linkat = 0;
	read_tree(c, 5, TREE_PUB, "x/y", &text);
	is_str(text, "linked too often", "the copy has its bytes");
	fstatat(root, "trees/art_1/5/pub/index.html", &st, 0);
	ok(st.st_nlink == 1 && st.st_mtim.tv_sec == object_mtime(f[0].sha256).tv_sec, "and its mtime");
	is_int((long long)temporaries(), 0, "and leaves no temporary");
	tree_drop(c, "art_1", 5);
	ctx_end(c);
}

static void
test_tree_put(void)
{
	struct tree_file old = file("page.html", "old page", TREE_PUB), new = file("page.html", "new page", TREE_PUB);
	struct tree_file deep = file("n/e/w.txt", "w", TREE_GATED), gz = file("page.html.gz", "published", TREE_GATED);
	struct ctx *c = begin();
	struct stat one, two;
	const char *text;

	good(c, tree_put(c, "art_1", 1, &old), "a file is added");
	fstatat(root, "trees/art_1/1/pub/page.html", &one, 0);
	good(c, tree_put(c, "art_1", 1, &old), "and added again");
	fstatat(root, "trees/art_1/1/pub/page.html", &two, 0);
	ok(same_file(&one, &two) && one.st_ctim.tv_nsec == two.st_ctim.tv_nsec, "which changes nothing");
	plant("trees/art_1/1/pub/page.html.br", "of a page before");
	good(c, tree_put(c, "art_1", 1, &old), "with a form of other bytes beside it");
	ok(!there("trees/art_1/1/pub/page.html.br"), "... which goes");
	plant("trees/art_1/1/pub/page.html.br", "of the old page");
	linkat(root, "trees/art_1/1/pub/page.html.br", root, "trees/art_1/1/pub/twin.html.br", 0);
	tree_put(c, "art_1", 1, &gz);
	good(c, tree_put(c, "art_1", 1, &new), "it is replaced");
	read_tree(c, 1, TREE_PUB, "page.html", &text);
	is_str(text, "new page", "by the new bytes");
	ok(!there("trees/art_1/1/pub/page.html.br"), "the compressed sibling of the old ones is gone");
	ok(there("trees/art_1/1/gated/page.html.gz"), "a published file of such a name stays");
	good(c, tree_put(c, "art_1", 1, &deep), "a file in new directories is added");
	read_tree(c, 1, TREE_GATED, "n/e/w.txt", &text);
	is_str(text, "w", "and read");
	is_int(tree_put(c, "art_1", 99, &new), E_INTERNAL, "a version that isn't there takes no file");
	good(c, tree_remove_file(c, "art_1", 1, TREE_PUB, "page.html"), "a file is removed");
	good(c, tree_remove_file(c, "art_1", 1, TREE_PUB, "page.html"), "twice");
	good(c, tree_remove_file(c, "art_1", 1, TREE_PUB, "no/such/dir"), "even where there was no directory");
	is_int(read_tree(c, 1, TREE_PUB, "page.html", &text), E_NOT_FOUND, "and is gone");
	is_int((long long)temporaries(), 0, "putting leaves no temporary");
	ctx_end(c);
}

static void
test_drop(void)
{
	struct ctx *c = begin();
	struct buf path = BUF(c->mem);
	struct tree_file f = file("index.html", "dropped", TREE_PUB);
	const char *building;

	for (int i = 0; i < DEEP; i++)
		buf_str(&path, "d/");
	buf_str(&path, "leaf");
	f.path = path.s;
	tree_build(c, NULL, &f, 1, false, &building);
	tree_place(c, building, "art_2", 7, false);
	ok(there("trees/art_2/7/pub/d/d/d"), "a tree of 200 levels is placed");
	plant_link("trees/art_2/7/objects", "../../objects");
	good(c, tree_drop(c, "art_2", 7), "it is dropped");
	ok(!tree_exists(c, "art_2", 7, false) && there("objects/2c"), "and gone, but not what a symlink in it shows");
	good(c, tree_drop(c, "art_2", 7), "dropping it again is fine");
	good(c, tree_drop_all(c, "art_2"), "the artifact is dropped");
	ok(!there("trees/art_2"), "and gone");
	good(c, tree_drop_all(c, "art_2"), "dropping that again is fine");
	is_int(tree_drop_all(c, ".."), E_INTERNAL, "\"..\" is no artifact");
	is_int((long long)count("trash"), 1, "its versions are left to the sweeper");
	ctx_end(c);
}

/* ---- packing ---- */

static bool
is_text(const char *path)
{
	return str_ends(path, ".txt") || str_ends(path, ".gz");
}

static const char *
gunzip(struct ctx *c, const char *path)
{
	const char *full = mem_printf(c->mem, "%s/%s", data_dir, path);
	char *text = mem_zalloc(c->mem, 1 << 16);
	gzFile f = gzopen(full, "rb");

	if (!f)
		return NULL;
	gzread(f, text, (1 << 16) - 1);
	gzclose(f);
	return text;
}

static enum err
pack(struct ctx *c, const char *artifact, int64_t no, int64_t former_no, int64_t budget_ms, bool *finished)
{
	struct packs *packs;

	TRY(packs_new(c, c->mem, &packs));
	TRY(tree_pack(c, packs, artifact, no, former_no, is_text, budget_ms, finished));
	return packs_place(c, packs);
}

/* Version 3 is packed. A file that version 4 shares gets its packed forms, but not those of other bytes. */
static void
test_carry(struct ctx *c, const char *words)
{
	const char *more = mem_printf(c->mem, "%s and more", words), *building;
	struct tree_file f[] = { file("a.txt", words, TREE_PUB), file("sub/.b.txt", more, TREE_PUB),
		file("own.txt", words, TREE_PUB), file("new/a.txt", words, TREE_PUB) };
	struct stat gz;
	bool finished;

	tree_build(c, NULL, f, sizeof f / sizeof *f, false, &building);
	tree_place(c, building, "art_1", 4, false);
	good(c, pack(c, "art_1", 4, 3, 60000, &finished), "a version after a packed one");
	fstatat(root, "trees/art_1/4/pub/a.txt.gz", &gz, 0);
	is_int((long long)gz.st_nlink, 2, "has what is packed of files that stayed");
	is_str(gunzip(c, "trees/art_1/4/pub/sub/.b.txt.gz"), more, "and packs others");
	is_str(gunzip(c, "trees/art_1/4/pub/own.txt.gz"), words, "a published .gz is none of them");
	is_str(gunzip(c, "trees/art_1/3/pub/own.txt.gz"), "mine", "and stays where it is");
	is_str(gunzip(c, "trees/art_1/4/pub/new/a.txt.gz"), words, "a new directory is packed");
	tree_drop(c, "art_1", 4);
}

static void
tree_of_one(struct ctx *c, const char *artifact, int64_t no, const char *text)
{
	struct tree_file f = file("a.txt", text, TREE_PUB);
	const char *building;

	tree_build(c, NULL, &f, 1, false, &building);
	tree_place(c, building, artifact, no, false);
}

/* Three trees wait for one sync. One of them is published over meanwhile, and one removed. */
static void
test_packs(struct ctx *c, const char *words)
{
	struct packs *packs;
	struct stat a, b;
	bool finished;

	for (int i = 5; i <= 8; i++)
		tree_of_one(c, mem_printf(c->mem, "art_%d", i), 1, words);
	packs_new(c, c->mem, &packs);
	for (int i = 5; i <= 8; i++)
		tree_pack(c, packs, mem_printf(c->mem, "art_%d", i), 1, 0, is_text, 60000, &finished);
	ok(!there("trees/art_5/1/pub/a.txt.gz"), "nothing is named before it is synced");
	plant_link("trees/art_7/live", "2");
	tree_drop(c, "art_8", 1);
	seam.syncfses = 0;
	good(c, packs_place(c, packs), "what waits is placed");
	is_int(seam.syncfses, 1, "after one sync");
	is_str(gunzip(c, "trees/art_5/1/pub/a.txt.gz"), words, "in its tree");
	fstatat(root, "trees/art_5/1/pub/a.txt.br", &a, 0);
	fstatat(root, "trees/art_6/1/pub/a.txt.br", &b, 0);
	ok(a.st_ino == b.st_ino, "the same bytes are packed once");
	ok(!there("trees/art_7/1/pub/a.txt.gz"), "but not where another version is live");
	good(c, packs_place(c, packs), "nothing waits anymore");
	is_int(seam.syncfses, 1, "and nothing is synced");
	tree_of_one(c, "art_5", 3, words);
	tree_pack(c, packs, "art_5", 3, 0, is_text, 60000, &finished);
	seam.syncfs = EIO;
	is_int(packs_place(c, packs), E_INTERNAL, "a failed sync fails");
	seam.syncfs = 0;
	is_int(packs_place(c, packs), E_INTERNAL, "and isn't tried again");
	is_int(tree_pack(c, packs, "art_5", 3, 0, is_text, 60000, &finished), E_INTERNAL, "nor is more packed");
	mem_free(packs);
	ok(!there("trees/art_5/3/pub/a.txt.gz") && !temporaries(), "nothing is left of it");
	unlinkat(root, "trees/art_7/live", 0);
	tree_drop(c, "art_5", 3);
	for (int i = 5; i <= 8; i++) {
		tree_drop(c, mem_printf(c->mem, "art_%d", i), 1);
		unlinkat(root, mem_printf(c->mem, "trees/art_%d", i), AT_REMOVEDIR);
	}
}

static void
test_pack(void)
{
	struct ctx *c = begin();
	struct buf words = BUF(c->mem);
	char noise[1000] = { 0 };
	const char *building;
	struct stat of, gz;
	bool finished;

	for (int i = 0; i < 500; i++)
		buf_fmt(&words, "word %d ", i % 17);
	for (size_t i = 0; i + 1 < sizeof noise; i++)
		do
			crypto_random(noise + i, 1);
		while (!noise[i]);
	struct tree_file f[] = { file("a.txt", words.s, TREE_PUB), file("sub/.b.txt", words.s, TREE_PUB),
		file("c.bin", words.s, TREE_PUB),
		file("small.txt", "small", TREE_PUB), file("noise.txt", noise, TREE_PUB), file("own.txt", words.s, TREE_PUB),
		file("own.txt.gz", "mine", TREE_PUB), file("gated.txt", words.s, TREE_GATED) };

	tree_build(c, NULL, f, sizeof f / sizeof *f, false, &building);
	tree_place(c, building, "art_1", 3, false);
	good(c, pack(c, "art_1", 3, 0, 0, &finished), "packing begins without a budget");
	ok(!finished, "stops, and says so");
	for (int i = 0; i < 20 && !finished; i++)
		pack(c, "art_1", 3, 0, 0, &finished);
	ok(finished, "makes progress with each call, and finishes");
	is_str(gunzip(c, "trees/art_1/3/pub/a.txt.gz"), words.s, "the .gz holds the bytes");
	ok(there("trees/art_1/3/pub/a.txt.br") && there("trees/art_1/3/pub/sub/.b.txt.gz"),
	    "a .br is beside it, and in directories");
	fstatat(root, "trees/art_1/3/pub/a.txt", &of, 0);
	fstatat(root, "trees/art_1/3/pub/a.txt.gz", &gz, 0);
	ok(of.st_mtim.tv_sec == gz.st_mtim.tv_sec && gz.st_size < of.st_size && gz.st_nlink == 1,
	    "it is smaller and has the file's mtime");
	ok(!there("trees/art_1/3/pub/c.bin.gz") && !there("trees/art_1/3/pub/small.txt.gz"),
	    "what isn't wanted, or small, is left alone");
	ok(!there("trees/art_1/3/pub/noise.txt.gz") && !there("trees/art_1/3/pub/noise.txt.br"),
	    "what doesn't shrink is left alone");
	ok(!there("trees/art_1/3/gated/gated.txt.gz"), "other areas are left alone");
	is_str(gunzip(c, "trees/art_1/3/pub/own.txt.gz"), "mine", "a published .gz is left alone");
	ok(!there("trees/art_1/3/pub/a.txt.gz.br"), "packed files aren't packed");
	seam.fsyncs = 0;
	good(c, pack(c, "art_1", 3, 0, 60000, &finished), "packing again is fine");
	ok(finished && !seam.fsyncs, "and does nothing");
	unlinkat(root, "trees/art_1/3/pub/a.txt.gz", 0);
	plant_link("trees/art_1/live", "4");
	good(c, pack(c, "art_1", 3, 0, 60000, &finished), "a version that was published over");
	ok(finished && !there("trees/art_1/3/pub/a.txt.gz"), "isn't packed anymore");
	unlinkat(root, "trees/art_1/live", 0);
	pack(c, "art_1", 3, 0, 60000, &finished);
	ok(there("trees/art_1/3/pub/a.txt.gz"), "but when it is live again");
	is_int((long long)temporaries(), 0, "packing leaves no temporary");
	test_carry(c, words.s);
	test_packs(c, words.s);
	tree_remove_file(c, "art_1", 3, TREE_PUB, "a.txt");
	ok(!there("trees/art_1/3/pub/a.txt.gz") && !there("trees/art_1/3/pub/a.txt.br"), "removing a file removes its siblings");
	good(c, pack(c, "art_9", 1, 0, 0, &finished), "a tree that isn't there has nothing to pack");
	ctx_end(c);
}

/* ---- sites ---- */

static void
test_site(void)
{
	const char *const former[] = { "was", "theirs" };
	struct site s = {
		.artifact_id = "art_1", .slug = "demo", .live_no = 1, .open = true, .former = former, .former_n = 2
	};
	struct ctx *c = begin();
	int lock, other = -1;

	plant_link("sites/was", "../trees/art_1");
	plant_link("sites/theirs", "../trees/art_8");
	good(c, site_lock(c, "art_1", &lock), "the lock is taken");
	other = openat(root, "trees/art_1/.lock", O_RDWR);
	ok(flock(other, LOCK_EX | LOCK_NB) != 0, "and is exclusive");
	good(c, site_show(c, &s), "an open artifact is shown");
	ok(link_shows("sites/demo", "../trees/art_1") && link_shows("trees/art_1/live", "1"),
	    "by its address and its live version");
	ok(!there("sites/was") && link_shows("sites/theirs", "../trees/art_8"),
	    "a former address goes, unless it is another's now");
	s.unlisted = true;
	good(c, site_show(c, &s), "it becomes unlisted");
	ok(!there("sites/demo") && link_shows("sites/demo.unlisted", "../trees/art_1"),
	    "which its link tells");
	s.unlisted = false;
	good(c, site_show(c, &s), "and is listed again");
	ok(link_shows("sites/demo", "../trees/art_1") && !there("sites/demo.unlisted"),
	    "by its address alone");
	s.live_no = 3;
	good(c, site_show(c, &s), "another version is shown");
	ok(link_shows("trees/art_1/live", "3"), "by its number");
	good(c, site_show(c, &s), "showing it again is fine");
	s.open = false;
	good(c, site_show(c, &s), "it is closed");
	ok(!there("sites/demo") && link_shows("trees/art_1/live", "3"),
	    "the address is gone, the live version stays for workers");
	s.open = true;
	s.live_no = 0;
	good(c, site_show(c, &s), "without a live version");
	ok(!there("sites/demo") && !there("trees/art_1/live"), "nothing is shown");
	s.slug = "theirs";
	s.open = false;
	good(c, site_show(c, &s), "closing an artifact whose slug went to another");
	ok(link_shows("sites/theirs", "../trees/art_8"), "leaves the other's address");
	s.open = true;
	s.live_no = 1;
	good(c, site_show(c, &s), "a slug that came from another artifact");
	ok(link_shows("sites/theirs", "../trees/art_1"), "shows the present one");
	s.slug = "../x";
	is_int(site_show(c, &s), E_INTERNAL, "a slug is one plain name");
	site_unlock(lock);
	ok(flock(other, LOCK_EX | LOCK_NB) == 0, "the lock is given back");
	close(other);
	is_int((long long)temporaries(), 0, "showing leaves no temporary");
	good(c, site_lock(c, "art_7", &lock), "an artifact without a tree can be locked");
	ctx_end(c);
}

/* ---- the spool ---- */

static void
test_spool(void)
{
	struct ctx *c = begin();
	const char *bytes = NULL;
	char some[8] = "";
	struct span s;

	plant("spool/a/0001", "a body");
	plant("spool/0002", "");
	plant_link("spool/link", "0002");
	good(c, spool_open(c, mem_printf(c->mem, "%s/spool/a/0001", data_dir), &s), "a body is opened");
	ok(span_map(c, &s, &bytes) == E_OK && s.n == 6 && memcmp(bytes, "a body", 6) == 0, "and mapped, with its bytes");
	good(c, spool_open(c, mem_printf(c->mem, "%s/spool/0002", data_dir), &s), "an empty body is opened");
	ok(span_map(c, &s, &bytes) == E_OK && bytes && s.n == 0, "as no bytes");
	s = span_after((struct span){ .fd = -1, .n = 6, .bytes = "a\0body" }, 1);
	ok(span_map(c, &s, &bytes) == E_OK && s.n == 5 && memcmp(bytes, "\0body", 5) == 0, "one in memory has its bytes, too");
	ok(span_read(c, &s, some, 5) == E_OK && memcmp(some, "\0body", 5) == 0, "which can be read");
	is_int(span_read(c, &s, some, 6), E_INTERNAL, "but no more than these");
	is_int(spool_open(c, mem_printf(c->mem, "%s/spool/link", data_dir), &s), E_INTERNAL, "a symlink is refused");
	is_int(spool_open(c, mem_printf(c->mem, "%s/spool/../objects/.lock", data_dir), &s), E_INTERNAL, "\"..\" is refused");
	is_int(spool_open(c, mem_printf(c->mem, "%s/objects/.lock", data_dir), &s), E_INTERNAL, "another directory is refused");
	is_int(spool_open(c, "/etc/passwd", &s), E_INTERNAL, "any other file is refused");
	is_int(spool_open(c, mem_printf(c->mem, "%s/spool/a", data_dir), &s), E_UNAVAILABLE, "a directory is refused");
	ctx_end(c);
}

/* ---- sweeping ---- */

static struct object kept;
static unsigned judged, judge_fails;

static enum err
judge_objects(struct ctx *c, struct sweep_item *items, size_t n)
{
	(void)c;
	judged++;
	for (size_t i = 0; i < n; i++)
		items[i].known = memcmp(items[i].sha256, kept.sha256, SHA256_BYTES) == 0;
	return judge_fails ? fail(c, E_UNAVAILABLE, "no answer") : E_OK;
}

static enum err
judge_trees(struct ctx *c, struct sweep_item *items, size_t n)
{
	(void)c;
	for (size_t i = 0; i < n; i++)
		items[i].known = str_eq(items[i].artifact, "art_1") &&
		    (items[i].no == 0 || items[i].no == 3);
	return E_OK;
}

/* A round, each piece as after a restart: only what is kept in rows goes over. */
static struct sweep_at
round_of(enum err (*sweep)(struct ctx *, sweep_judge *, int64_t, struct sweep_at *),
    sweep_judge *judge, int64_t grace_s)
{
	struct sweep_at at = { 0 };

	while (!at.end) {
		struct ctx *c = begin();
		struct sweep_at again = { .outer = at.outer, .inner = at.inner };

		memcpy(again.id, at.id, sizeof at.id);
		good(c, sweep(c, judge, grace_s, &again), "a piece");
		again.looked += at.looked;
		again.removed += at.removed;
		at = again;
		ctx_end(c);
	}
	return at;
}

static void
way_out(void)
{
	struct ctx *c = begin();
	struct sweep_at temps = { 0 }, trash = { 0 };

	while (!temps.end)
		good(c, temp_sweep(c, &temps), "temporaries are swept");
	while (!trash.end)
		good(c, trash_sweep(c, 1000, &trash), "the trash is emptied");
	ctx_end(c);
}

static void
test_object_sweep(void)
{
	struct object keep = kept = put("kept"), drop = put("dropped by the sweep");
	struct ctx *c = begin(), *busy = begin();
	struct sweep_at at = { 0 };
	struct batch *b;

	batch_begin(busy, &b);
	plant("tmp/7/orphan", "x");
	plant("tmp/older", "x");
	at = round_of(object_sweep, judge_objects, 0);
	way_out();
	ok(at.removed == 0 && object_exists(c, drop.sha256, drop.size) && there("tmp/7/orphan"),
	    "a sweep while a batch is open removes nothing that might be in use");
	is_int((long long)count("trash"), 0, "but empties the trash");
	ctx_end(busy);
	at = round_of(object_sweep, judge_objects, 3600);
	ok(at.looked > 0 && at.removed == 0 && object_exists(c, drop.sha256, drop.size), "what is younger than the grace stays");
	way_out();
	ok(!there("tmp/7/orphan"), "temporaries without an owner go");
	ok(!there("tmp/older"), "and those from when they had no directories");
	judge_fails = 1;
	at = (struct sweep_at){ 0 };
	ok(object_sweep(c, judge_objects, 0, &at) == E_UNAVAILABLE && at.removed == 0, "without an answer nothing goes");
	ok(at.outer > 0 || at.inner > 0, "and the next piece goes on after it");
	judge_fails = 0;
	mkdirat(root, "tmp/0/tree", 0750);
	mkdirat(root, "tmp/0/tree/pub", 0750);
	plant("tmp/0/tree/pub/f", "f");
	plant("objects/ab/notes", "not ours");
	judged = 0;
	at = round_of(object_sweep, judge_objects, 0);
	ok(at.removed > 0 && !object_exists(c, drop.sha256, drop.size), "a sweep removes what no row names");
	ok(judged <= 2 * (1 + (unsigned)at.looked / SWEEP_ITEMS), "and asks about many at a time");
	ok(object_exists(c, keep.sha256, keep.size), "keeps what one does");
	ok(there("objects/ab/notes"), "and what is no object");
	way_out();
	ok(temporaries() == 0 && count("trash") == 0, "trees that were never placed go too");
	is_int(round_of(object_sweep, judge_objects, 0).removed, 0, "a second sweep finds nothing");
	ctx_end(c);
}

/* More than a piece in one directory: the place within it is kept. */
static void
test_object_sweep_many(void)
{
	struct sweep_at at;
	struct ctx *c = begin();

	for (int i = 0; i < 3 * SWEEP_ITEMS; i++)
		plant(mem_printf(c->mem, "objects/cd/cd%062d", i), "stray");
	at = round_of(object_sweep, judge_objects, 0);
	is_int(at.removed, 3 * SWEEP_ITEMS, "each of many in a directory is met, over restarts");
	ctx_end(c);
}

static void
test_tree_sweep(void)
{
	struct ctx *c = begin(), *busy = begin();
	struct batch *b;

	close(beneath_mkdirs(root, "trees/art_3/1/pub", NULL));
	batch_begin(busy, &b);
	is_int(round_of(tree_sweep, judge_trees, 0).removed, 0, "no tree goes while a batch is open");
	ctx_end(busy);
	is_int(round_of(tree_sweep, judge_trees, 3600).removed, 0, "nor within the grace");
	is_int(round_of(tree_sweep, judge_trees, 0).removed, 3, "trees are swept, and counted");
	ok(!there("trees/art_3") && !there("trees/art_7") && !there("trees/art_1/1"), "unknown artifacts and versions go");
	ok(there("trees/art_1/3") && there("trees/art_1/live") && there("trees/art_1/.lock"), "known ones stay");
	way_out();
	is_int((long long)count("trash"), 0, "and the trash is empty");
	for (int i = 1; i <= SWEEP_ITEMS + 10; i++)
		close(beneath_mkdirs(root, mem_printf(c->mem, "trees/art_1/%d", 10 + i), NULL));
	for (int i = 0; i < SWEEP_ITEMS; i++)
		close(beneath_mkdirs(root, mem_printf(c->mem, "trees/art_x%d/1", i), NULL));
	is_int(round_of(tree_sweep, judge_trees, 0).removed, 2 * SWEEP_ITEMS + 10, "each of many artifacts and versions, over restarts");
	ok(there("trees/art_1/3"), "and no other");
	way_out();
	ctx_end(c);
}

/* The test's own directory, by the store's own means. */
static void
clean_up(void)
{
	static const char *const dirs[] = { "objects", "trees", "sites", "deliveries", "spool", "tmp", "views" };
	struct ctx *c = begin();
	const char *moved;

	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		trash_move(c, root, dirs[i], &moved);
		trash_remove(c, root, moved);
	}
	ok(count("trash") == 0 && unlinkat(root, "trash", AT_REMOVEDIR) == 0 &&
	    rmdir(data_dir) == 0, "everything can be removed");
	ctx_end(c);
}

int
main(void)
{
	struct ctx *c;
	int before, kept, again;

	if (!mkdtemp(data_dir))
		return 1;
	c = begin();
	good(c, store_prepare(c), "the store is prepared");
	good(c, store_prepare(c), "twice");
	good(c, store_root_kept(c, &kept), "a descriptor of data_dir is kept");
	good(c, store_root_kept(c, &again), "and found again");
	is_int(again, kept, "the same");
	ctx_end(c);
	root = open(data_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	before = descriptors();
	test_beneath();
	test_objects();
	test_damage();
	test_writer();
	test_span();
	test_spool_sweep();
	test_syncs();
	test_failures();
	test_tree();
	test_tree_refuses();
	test_object_sweep();
	test_object_sweep_many();
	test_tree_syncs();
	test_many_links();
	test_tree_put();
	test_drop();
	test_pack();
	test_site();
	test_spool();
	test_tree_sweep();
	is_int(descriptors(), before, "no descriptor is left open");
	clean_up();
	return done();
}
