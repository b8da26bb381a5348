/* SPDX-License-Identifier: Apache-2.0
 * One version as files: trees/<artifact>/<no>/, or draft-<no>/ as long as its own address is
 * closed, which is no name that the web server looks for. A tree has three areas: pub/ is what the
 * web server serves by itself, gated/ what needs a worker's decision, meta/ what workers read and
 * nobody is served. Files are hard links of objects (a copy where an object has too many links). */
#ifndef VITRINE_TREE_H
#define VITRINE_TREE_H
#include "base/crypto.h"
#include "base/ctx.h"
#include "store/object.h"

#include <stddef.h>
#include <sys/stat.h>

#define TREE_DRAFT "draft-"

enum tree_area { TREE_PUB, TREE_GATED, TREE_META };

struct tree_file {
	const char *path; /* relative, of plain segments of at most 255 bytes */
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
	enum tree_area area;
	bool derived; /* no row names its object, so tree_check() reads it in any case */
};

/* Builds a tree out of named objects, as a temporary that belongs to no artifact yet: *building is
 * its name for tree_place(). The names of batch's objects (NULL: none) become durable, and the tree
 * too unless that comes later: tree_sync(). Holds store_share() until c->mem is freed; a tree that
 * is never placed is left to the sweeper. */
struct batch;
enum err tree_build(struct ctx *c, struct batch *batch, const struct tree_file *files, size_t n,
    bool later, const char **building);
/* Makes all trees and links durable as they are. */
enum err tree_sync(struct ctx *c);
/* Gives it its number, under site_lock(); site_show() makes that durable. One that is there already
 * is replaced. */
enum err tree_place(
    struct ctx *c, const char *building, const char *artifact, int64_t no, bool draft);
/* Moves a tree that lies among the drafts into reach, or out of it, if it is not where it belongs;
 * under site_lock(). None at all is fine. */
enum err tree_settle(struct ctx *c, const char *artifact, int64_t no, bool draft);
/* Adds or replaces one file of a placed tree, atomically and durably, and removes the compressed
 * siblings of the old bytes. */
enum err tree_put(struct ctx *c, const char *artifact, int64_t no, const struct tree_file *file);
/* With its compressed siblings; nothing there is fine. */
enum err tree_remove_file(
    struct ctx *c, const char *artifact, int64_t no, enum tree_area area, const char *path);

/* Descriptors are closed with c->mem. *place is where below trees/ it was found. */
enum err tree_version_open(
    struct ctx *c, const char *artifact, int64_t no, int *version, const char **place);
/* Any path may be asked for. E_NOT_FOUND unless it names a regular file of that area. */
enum err tree_open_in(struct ctx *c, int version, enum tree_area area, const char *path, int *fd,
    struct stat *st);
enum err tree_open(struct ctx *c, const char *artifact, int64_t no, enum tree_area area,
    const char *path, int *fd, struct stat *st);
/* The file of that name, one segment, that lies nearest to path: in its directory or in one above
 * it. *found is its path in the area, or NULL. Goes down from the top and stops at the first
 * directory that there is not, so a path costs no more steps than the tree has levels. */
enum err tree_nearest(struct ctx *c, int version, enum tree_area area, const char *path,
    const char *name, const char **found);
/* Gives back to the store the object of a file that lies in one of the areas. */
enum err tree_give_back(struct ctx *c, const char *artifact, int64_t no, const char *path,
    const struct object *o);
bool tree_exists(struct ctx *c, const char *artifact, int64_t no, bool draft);

/* Gone from its place by one rename, then removed. Nothing there is fine. */
enum err tree_drop(struct ctx *c, const char *artifact, int64_t no);
/* Gone by one rename too; the sweeper removes it, since there may be thousands of versions. Under
 * site_lock(), after site_show() has closed it. */
enum err tree_drop_all(struct ctx *c, const char *artifact);

/* "pub", "gated" or "meta". */
const char *tree_area_name(enum tree_area area);
/* Whether the web server takes the file at path for the compressed form of another (P.gz and P.br
 * of P). So in pub/ only tree_pack() makes such names; published ones belong in gated/. */
bool tree_packed_name(const char *path);
/* Makes the missing compressed siblings (.gz, .br) of files in pub/ that are wanted(path), have 256
 * bytes or more and shrink by at least 5 %. Each is made durable before it gets its name; a name
 * that is there is left alone. Idempotent. Stops when budget_ms are over and at least one was made:
 * *finished is false then, and another call goes on. Stops, finished, when another version becomes
 * the live one. */
enum err tree_pack(struct ctx *c, const char *artifact, int64_t no,
    bool (*wanted)(const char *path), int64_t budget_ms, bool *finished);

/* What holds a tree against what it should be. Zeroes but for wrong, which hears of each thing that
 * is; its path is below the version's directory, "" for that itself. */
struct tree_check {
	bool draft; /* it is to lie among the drafts */
	bool quick; /* nothing is read: names, sizes and times only */
	void (*wrong)(void *arg, const char *path, const char *why);
	void *arg;
	/* Whether bytes other than f's, which agree with their own time, will do; NULL: never. */
	bool (*other)(void *other_arg, const struct tree_file *f, const char *bytes, size_t n);
	void *other_arg;
	int64_t bytes; /* what was read, CHECK_ENTRY for each file looked at */
};
enum { CHECK_ENTRY = 4096 };
/* Looks at a placed tree as the web server does: each of its files is there, in its area, readable,
 * with the bytes and the time that it should have; each P.gz and P.br in pub/ unpacks to P; nothing
 * else is there. A file that is a link of its object is not read: object_verify() is for that. */
enum err tree_check(struct ctx *c, const char *artifact, int64_t no, const struct tree_file *files,
    size_t n, struct tree_check *);
/* Whether bytes are a brotli stream, or the beginning of one: it has no mark to know it by. */
bool brotli_may_be(const char *bytes, size_t n, bool whole);
/* Why the packed form at path does not unpack to the file whose bytes are given, whose compressed
 * form the web server takes it for; NULL when it does. *read counts its bytes. */
enum err tree_packed_wrong(struct ctx *c, int dir, const char *path, const char *bytes, size_t n,
    const char **why, int64_t *read);
#endif
