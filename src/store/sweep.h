/* SPDX-License-Identifier: Apache-2.0
 * Removes what no row names, at most SWEEP_ITEMS entries per call. Looks for garbage without a
 * lock, then checks it again and removes it while nobody holds store_share(). If somebody holds it,
 * the garbage stays until the next round. The caller must not hold store_share().
 *
 * A call that fails leaves *at after the entries that it listed, so that the next call continues
 * there. */
#ifndef VITRINE_SWEEP_H
#define VITRINE_SWEEP_H
#include "base/crypto.h"
#include "base/ctx.h"

enum { SWEEP_ITEMS = 500 };

struct sweep_item {
	const char *path;              /* below data_dir */
	uint8_t sha256[SHA256_BYTES];  /* of an object */
	const char *artifact;          /* of a tree */
	int64_t no;                    /* of a tree; 0: the whole artifact */
	bool known;                    /* false at first; sweep_judge sets it */
};

/* Sets known for items that a row names. Reads without locks, outside a transaction. If it fails,
 * nothing is removed. */
typedef enum err sweep_judge(struct ctx *c, struct sweep_item *items, size_t n);

/* The position of a round; zeroes begin one. Valid in other processes as long as the files stay in
 * place. */
struct sweep_at {
	int64_t outer, inner; /* a prefix or a position in trees/; a position in that directory */
	char id[41];          /* the artifact of that directory */
	int64_t looked, removed;
	bool end;
};

/* Returns the second before which all objects were copied to the backup (archive/objects.c). */
int64_t sweep_copied_before(const struct conf *, int root);
/* Calls work() while nobody holds store_share(); not at all if somebody does for long. */
enum err sweep_alone(
    struct ctx *c, enum err (*work)(struct ctx *c, void *arg), void *arg);
/* Removes objects whose ctime is more than grace_s ago. */
enum err
object_sweep(struct ctx *c, sweep_judge *judge, int64_t grace_s, struct sweep_at *at);
/* Removes those of the given objects that are damaged and that no row names, at any age. */
enum err object_discard(struct ctx *c, sweep_judge *judge, const struct sweep_item *items, size_t n,
    int64_t *removed);
/* Moves trees of versions and artifacts to the trash, by the rules of object_sweep(). */
enum err tree_sweep(struct ctx *c, sweep_judge *judge, int64_t grace_s, struct sweep_at *at);
/* Moves temporaries without an owner to the trash. */
enum err temp_sweep(struct ctx *c, struct sweep_at *at);
/* Removes request bodies that a killed nginx has left. nginx removes its own within minutes, so
 * grace_s must be longer. */
enum err spool_sweep(struct ctx *c, int64_t grace_s, struct sweep_at *at);
/* Empties the trash for about budget_ms. */
enum err trash_sweep(struct ctx *c, int64_t budget_ms, struct sweep_at *at);
#endif
