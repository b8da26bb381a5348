/* SPDX-License-Identifier: Apache-2.0
 * A version's files: trees/<artifact>/<no>/, or draft-<no>/ while its own address is closed,
 * because the web server doesn't look for that name. A tree has three areas: pub/ is served by the
 * web server, gated/ needs a worker's decision, meta/ is read by workers and never served. Files
 * are hard links to objects (copies if an object has too many links). */
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
	bool derived; /* no row names its object, so tree_check() always reads it */
};

/* Builds a tree of named objects as a temporary. *building is its name for tree_place(). Makes the
 * names of batch's objects (NULL: none) durable, and the tree too, unless `later`: then tree_sync()
 * must follow. Holds store_share() until c->mem is freed. The sweeper removes a tree that is never
 * placed. */
struct batch;
enum err tree_build(struct ctx *c, struct batch *batch, const struct tree_file *files, size_t n,
    bool later, const char **building);
/* Makes all trees and links durable. */
enum err tree_sync(struct ctx *c);
/* Moves a built tree to its version number, replacing an existing one. Call under site_lock().
 * site_show() makes the move durable. */
enum err tree_place(
    struct ctx *c, const char *building, const char *artifact, int64_t no, bool draft);
/* Moves a tree between its own name and its draft name if it isn't in the right place. Call under
 * site_lock(). Does nothing if there is no tree. */
enum err tree_settle(struct ctx *c, const char *artifact, int64_t no, bool draft);
/* Adds or replaces one file of a placed tree, atomically and durably, and removes the compressed
 * siblings of the old bytes. */
enum err tree_put(struct ctx *c, const char *artifact, int64_t no, const struct tree_file *file);
/* Removes a file and its compressed siblings, if they exist. */
enum err tree_remove_file(
    struct ctx *c, const char *artifact, int64_t no, enum tree_area area, const char *path);

/* Opens a version's directory; closed with c->mem. *place is its path below trees/. E_NOT_FOUND if
 * there is none. */
enum err tree_version_open(
    struct ctx *c, const char *artifact, int64_t no, int *version, const char **place);
/* False if the version has no file in that area. */
bool tree_has_area(int version, enum tree_area area);
/* Open a file of an area, closed with c->mem. path may be any text; E_NOT_FOUND unless it names a
 * regular file there. */
enum err tree_open_in(struct ctx *c, int version, enum tree_area area, const char *path, int *fd,
    struct stat *st);
enum err tree_open(struct ctx *c, const char *artifact, int64_t no, enum tree_area area,
    const char *path, int *fd, struct stat *st);
/* Finds the file called name (one segment) nearest to path: in path's directory or one above.
 * *found is its path in the area, or NULL. Descends from the top and stops at the first missing
 * directory, so a path costs at most as many steps as the tree has levels. */
enum err tree_nearest(struct ctx *c, int version, enum tree_area area, const char *path,
    const char *name, const char **found);
/* Restores a lost object from the tree's file at path, in any area. */
enum err tree_give_back(struct ctx *c, const char *artifact, int64_t no, const char *path,
    const struct object *o);
bool tree_exists(struct ctx *c, const char *artifact, int64_t no, bool draft);

/* Removes a version's tree: first from its place by one rename, then its files. Does nothing if
 * there is none. */
enum err tree_drop(struct ctx *c, const char *artifact, int64_t no);
/* Lists the numbers of an artifact's placed trees, also of drafts. */
struct tree_numbers {
	int64_t *v;
	size_t n;
};
enum err tree_numbers(struct ctx *c, const char *artifact, struct tree_numbers *out);
/* Removes an artifact's trees from their place by one rename; the sweeper removes the files,
 * because there may be thousands of versions. Call under site_lock(), after site_show() has closed
 * it. */
enum err tree_drop_all(struct ctx *c, const char *artifact);

/* Returns "pub", "gated" or "meta". */
const char *tree_area_name(enum tree_area area);
/* True if the web server would take the file at path for the compressed form of another (P.gz and
 * P.br of P). In pub/ only tree_pack() may make such names; published ones belong in gated/. */
bool tree_packed_name(const char *path);
/* Compressed files, of several trees, that wait for one sync. Holds store_share(). Freeing it
 * removes those that packs_place() hasn't named. */
struct packs;
enum err packs_new(struct ctx *c, void *owner, struct packs **out);
/* Makes the missing compressed siblings (.gz, .br) of files in pub/ for which wanted(path) is true,
 * which have at least 256 bytes and shrink by at least 5 %. Idempotent. Stops after budget_ms if it
 * made at least one: *finished is then false, and another call continues. Also stops, with
 * *finished true, if another version becomes the live one. Files that version former_no (0: none)
 * has packed are linked. */
enum err tree_pack(struct ctx *c, struct packs *packs, const char *artifact, int64_t no,
    int64_t former_no, bool (*wanted)(const char *path), int64_t budget_ms, bool *finished);
/* Syncs what tree_pack() made and names it beside its files, if their version is still live. It
 * doesn't replace an existing name. tree_pack() calls this, too, when many wait. */
enum err packs_place(struct ctx *c, struct packs *packs);

/* Parameters and results of tree_check(). Zeroed, except wrong, which is called for each problem;
 * its path is below the version's directory, "" for the directory itself. */
struct tree_check {
	bool draft; /* the tree belongs in its draft place */
	bool quick; /* check names, sizes and times without reading */
	void (*wrong)(void *arg, const char *path, const char *why);
	void *arg;
	/* Returns whether other bytes than f's, which agree with the file's own mtime, are
	 * acceptable. NULL: never. */
	bool (*other)(void *other_arg, const struct tree_file *f, const char *bytes, size_t n);
	void *other_arg;
	int64_t bytes; /* bytes read, plus CHECK_ENTRY for each file examined */
};
enum { CHECK_ENTRY = 4096 };
/* Checks a placed tree as the web server sees it: each file is there, in its area, readable, with
 * the right bytes and time; each P.gz and P.br in pub/ decompresses to P; nothing else is there.
 * Doesn't read a file that is a link of its object; object_verify() does. */
enum err tree_check(struct ctx *c, const char *artifact, int64_t no, const struct tree_file *files,
    size_t n, struct tree_check *);
/* True if bytes are a brotli stream, or, unless whole, the start of one. Brotli has no magic
 * number. */
bool brotli_may_be(const char *bytes, size_t n, bool whole);
/* *why says why the compressed file at path doesn't decompress to the given bytes; NULL if it does.
 * *read grows by the compressed bytes. */
enum err tree_packed_wrong(struct ctx *c, int dir, const char *path, const char *bytes, size_t n,
    const char **why, int64_t *read);
#endif
