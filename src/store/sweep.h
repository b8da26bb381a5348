/* SPDX-License-Identifier: Apache-2.0
 * Removing what no row names, a piece of at most SWEEP_ITEMS entries a call. A thing is judged
 * without a lock first; only garbage is judged again, and removed, while nobody holds
 * store_share(). When somebody does, it stays for the next round. The contexts must not hold
 * store_share() themselves.
 *
 * A piece that fails leaves *at beyond what it listed, so that the next call goes on after it. */
#ifndef VITRINE_SWEEP_H
#define VITRINE_SWEEP_H
#include "base/crypto.h"
#include "base/ctx.h"

enum { SWEEP_ITEMS = 500 };

struct sweep_item {
	const char *path;              /* below data_dir */
	uint8_t sha256[SHA256_BYTES];  /* of an object */
	const char *artifact;          /* of a tree */
	int64_t no;                    /* of a tree; 0: the artifact as a whole */
	bool known;                    /* false when it is asked for */
};

/* Sets known for those that a row names. Reads rows without locking them, outside a transaction.
 * When it fails nothing is removed. */
typedef enum err sweep_judge(struct ctx *c, struct sweep_item *items, size_t n);

/* Where a round stands; zeroes begin one. Good over processes, as long as the files stay where they
 * are. */
struct sweep_at {
	int64_t outer, inner; /* a prefix or a place in trees/; a place in the directory there */
	char id[41];          /* of which artifact that directory is */
	int64_t looked, removed;
	bool end;
};

/* Objects whose ctime is more than grace_s ago. */
enum err
object_sweep(struct ctx *c, sweep_judge *judge, int64_t grace_s, struct sweep_at *at);
/* Removes those of these objects that are damaged and that no row names, whatever their age. */
enum err object_discard(struct ctx *c, sweep_judge *judge, const struct sweep_item *items, size_t n,
    int64_t *removed);
/* Trees of versions and artifacts, likewise. They go to the trash. */
enum err tree_sweep(struct ctx *c, sweep_judge *judge, int64_t grace_s, struct sweep_at *at);
/* Temporaries without an owner. They go to the trash. */
enum err temp_sweep(struct ctx *c, struct sweep_at *at);
/* Request bodies that a web server which was killed has left in the spool. It writes and removes
 * its own within minutes: grace_s must be longer. */
enum err spool_sweep(struct ctx *c, int64_t grace_s, struct sweep_at *at);
/* Empties the trash for about budget_ms. */
enum err trash_sweep(struct ctx *c, int64_t budget_ms, struct sweep_at *at);
#endif
