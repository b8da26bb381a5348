/* SPDX-License-Identifier: Apache-2.0
 * One version as files: trees/<artifact>/<no>/ with three areas. pub/ is what the web server serves
 * by itself, gated/ what needs a worker's decision, meta/ what workers read and nobody is served.
 * Files are hard links of objects (a copy where an object has too many links). */
#ifndef VITRINE_TREE_H
#define VITRINE_TREE_H
#include "base/crypto.h"
#include "base/ctx.h"

#include <stddef.h>
#include <sys/stat.h>

enum tree_area { TREE_PUB, TREE_GATED, TREE_META };

struct tree_file {
	const char *path; /* relative, of plain segments of at most 255 bytes */
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
	enum tree_area area;
};

/* Builds a tree durably out of named objects, as a temporary that belongs to no artifact yet:
 * *building is its name for tree_place(). Holds store_share() until c->mem is freed; a tree that is
 * never placed is left to the sweeper. */
enum err tree_build(struct ctx *c, const struct tree_file *files, size_t n, const char **building);
/* Gives it its number, durably. What a lost transaction left under that number goes to the trash.
 */
enum err tree_place(struct ctx *c, const char *building, const char *artifact, int64_t no);
/* Adds or replaces one file of a placed tree, atomically and durably, and removes the compressed
 * siblings of the old bytes. */
enum err tree_put(struct ctx *c, const char *artifact, int64_t no, const struct tree_file *file);
/* With its compressed siblings; nothing there is fine. */
enum err tree_remove_file(
    struct ctx *c, const char *artifact, int64_t no, enum tree_area area, const char *path);

/* Any path may be asked for. E_NOT_FOUND unless it names a regular file of that area. *fd is closed
 * with c->mem. */
enum err tree_open(struct ctx *c, const char *artifact, int64_t no, enum tree_area area,
    const char *path, int *fd, struct stat *st);
bool tree_exists(struct ctx *c, const char *artifact, int64_t no);

/* Gone from its place by one rename, then removed. Nothing there is fine. */
enum err tree_drop(struct ctx *c, const char *artifact, int64_t no);
/* Gone by one rename too; the sweeper removes it, since there may be thousands of versions. Under
 * site_lock(), after site_show() has closed it. */
enum err tree_drop_all(struct ctx *c, const char *artifact);

/* Makes the missing compressed siblings (.gz, .br) of files in pub/ that are wanted(path), have 256
 * bytes or more and shrink by at least 5 %. Each is made durable before it gets its name; a name
 * that is there, published or made before, is left alone. Idempotent. Stops when budget_ms are over
 * and at least one was made: *finished is false then, and another call goes on. */
enum err tree_pack(struct ctx *c, const char *artifact, int64_t no,
    bool (*wanted)(const char *path), int64_t budget_ms, bool *finished);
#endif
