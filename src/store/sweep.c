/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sweep.h"

#include "base/conf.h"
#include "base/str.h"
#include "store/object.h"
#include "store/rounds.h"
#include "store/temp.h"
#include "store/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { PREFIXES = 256, TRIES = 25, SPOOL_S = 600, TRASH_MS = 5000 };

/* The state of one call, on its own memory. */
struct piece {
	struct ctx *c;
	void *mine;
	int root, lock;
	sweep_judge *judge;
	int64_t grace_s;
	int64_t copied_s; /* objects that are younger may not be in the backup yet */
	struct sweep_item *items;
	size_t n;
	int64_t looked;
	struct sweep_at *at;
};

static enum err
piece_open(struct piece *p)
{
	p->copied_s = INT64_MAX;
	p->mine = mem_zalloc(p->c->mem, 0);
	p->items = mem_array(p->mine, struct sweep_item, SWEEP_ITEMS);
	TRY(store_root(p->c, p->mine, &p->root));
	p->lock = mem_fd(p->mine, beneath_open(p->root, "objects/.lock", O_RDWR | O_CREAT));
	return p->lock < 0 ? fail_here(p->c, "objects/.lock can't be opened") : E_OK;
}

/* Tries to lock out store_share() until flock(LOCK_UN). A publish holds the share for milliseconds,
 * a backup for hours, so we retry for a short time. Queueing for the lock would block all later
 * publishes. */
static bool
piece_alone(const struct piece *p, int tries)
{
	static const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };

	while (flock(p->lock, LOCK_EX | LOCK_NB)) {
		if (--tries <= 0)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

enum err
sweep_alone(struct ctx *c, enum err (*work)(struct ctx *c, void *arg), void *arg)
{
	struct piece p = { .c = c };
	enum err e = E_OK;

	TRY(piece_open(&p));
	if (piece_alone(&p, TRIES)) {
		e = work(c, arg);
		flock(p.lock, LOCK_UN);
	}
	mem_free(p.mine);
	return e;
}

static bool
path_old(const struct piece *p, const char *path)
{
	struct stat st;

	return fstatat(p->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_ctim.tv_sec + p->grace_s < p->c->now && st.st_ctim.tv_sec < p->copied_s;
}

/* ---- finding ---- */

static struct sweep_item *
garbage_add(struct piece *p, const char *path)
{
	struct sweep_item *it = &p->items[p->n];

	if (!path_old(p, path))
		return NULL;
	*it = (struct sweep_item){ .path = path };
	p->n++;
	return it;
}

/* Keeps the items that are still old and that no row names. */
static enum err
garbage_keep(struct piece *p)
{
	size_t old = 0, kept = 0;

	for (size_t i = 0; i < p->n; i++)
		if (path_old(p, p->items[i].path))
			p->items[old++] = p->items[i];
	p->n = old;
	if (old)
		TRY(p->judge(p->c, p->items, old));
	for (size_t i = 0; i < old; i++)
		if (!p->items[i].known)
			p->items[kept++] = p->items[i];
	p->n = kept;
	return E_OK;
}

static enum err
item_remove(struct piece *p, const struct sweep_item *it)
{
	const char *moved = NULL;

	if (it->artifact) {
		TRY(trash_move(p->c, p->root, it->path, &moved));
		p->at->removed += moved != NULL;
		return E_OK;
	}
	if (unlinkat(p->root, it->path, 0) && errno != ENOENT)
		return fail_here(p->c, "%s can't be removed", it->path);
	p->at->removed++;
	return E_OK;
}

/* Continues after an item that can't be removed, and returns the first failure. */
static enum err
garbage_remove(struct piece *p)
{
	enum err failed = E_OK;

	/* Asks again, because a row may have been committed just before the share was released. */
	TRY(garbage_keep(p));
	for (size_t i = 0; i < p->n; i++) {
		enum err e = item_remove(p, &p->items[i]);

		failed = failed ? failed : e;
	}
	return failed;
}

static enum err
piece_sweep(struct piece *p)
{
	enum err e;

	p->at->looked += p->looked;
	if (p->n)
		TRY(garbage_keep(p));
	if (!p->n || !piece_alone(p, TRIES))
		return E_OK;
	e = garbage_remove(p);
	flock(p->lock, LOCK_UN);
	return e;
}

/* ---- objects ---- */

static enum err
prefix_list(struct piece *p)
{
	const char *dir = mem_printf(p->mine, "objects/%02x", (unsigned)p->at->outer), *name;
	uint8_t sha256[SHA256_BYTES];
	struct sweep_item *it;
	struct walk *in;

	TRY(walk_begin(p->c, p->mine, p->root, dir, p->at->inner, &in));
	while (in && p->looked < SWEEP_ITEMS) {
		TRY(walk_next(p->c, in, &name, &p->at->inner));
		if (!name)
			break;
		p->looked++;
		if (!crypto_unhex(name, sha256, sizeof sha256))
			continue;
		it = garbage_add(p, mem_printf(p->mine, "%s/%s", dir, name));
		if (it)
			memcpy(it->sha256, sha256, sizeof sha256);
	}
	mem_free(in);
	return E_OK;
}

int64_t
sweep_copied_before(const struct conf *conf, int root)
{
	struct stat st;

	if (!conf_has(conf->backup_url))
		return INT64_MAX;
	return fstatat(root, "archive/looked", &st, AT_SYMLINK_NOFOLLOW) ? 0 : st.st_mtim.tv_sec;
}

enum err
object_sweep(struct ctx *c, sweep_judge *judge, int64_t grace_s, struct sweep_at *at)
{
	struct piece p = { .c = c, .judge = judge, .grace_s = grace_s, .at = at };

	TRY(piece_open(&p));
	p.copied_s = sweep_copied_before(c->conf, p.root);
	while (p.looked < SWEEP_ITEMS && !at->end) {
		enum err e = prefix_list(&p);

		if (!e && p.looked == SWEEP_ITEMS)
			break;
		at->inner = 0;
		at->end = ++at->outer >= PREFIXES;
		TRY(e);
	}
	TRY(piece_sweep(&p));
	mem_free(p.mine);
	return E_OK;
}

/* Checks each object again under the lock, because somebody may have replaced it since. */
static enum err
damaged_remove(struct piece *p, int64_t *removed)
{
	TRY(p->judge(p->c, p->items, p->n));
	for (size_t i = 0; i < p->n; i++) {
		const char *why = NULL;

		if (p->items[i].known)
			continue;
		TRY(object_verify(p->c, p->items[i].sha256, -1, NULL, &why));
		if (!why || unlinkat(p->root, p->items[i].path, 0))
			continue;
		++*removed;
	}
	return E_OK;
}

enum err
object_discard(struct ctx *c, sweep_judge *judge, const struct sweep_item *items, size_t n,
    int64_t *removed)
{
	struct piece p = { .c = c, .judge = judge };
	enum err e;

	TRY(piece_open(&p));
	for (size_t i = 0; i < n && p.n < SWEEP_ITEMS; i++)
		if (!items[i].known)
			p.items[p.n++] = items[i];
	if (!p.n || !piece_alone(&p, TRIES))
		return E_OK;
	e = damaged_remove(&p, removed);
	flock(p.lock, LOCK_UN);
	mem_free(p.mine);
	return e;
}

/* ---- trees ---- */

static void
tree_add(struct piece *p, const char *artifact, int64_t no, const char *path)
{
	struct sweep_item *it = garbage_add(p, path);

	p->looked++;
	if (!it)
		return;
	it->artifact = artifact;
	it->no = no;
}

/* *all: all versions were listed. */
static enum err
versions_list(struct piece *p, const char *artifact, bool *all)
{
	const char *dir = mem_printf(p->mine, "trees/%s", artifact), *name;
	struct walk *in;
	int64_t no;

	*all = true;
	/* The artifact in which the last call stopped may be gone. */
	if (!str_eq(p->at->id, artifact))
		p->at->inner = 0;
	snprintf(p->at->id, sizeof p->at->id, "%s", artifact);
	if (!p->at->inner)
		tree_add(p, artifact, 0, dir);
	TRY(walk_begin(p->c, p->mine, p->root, dir, p->at->inner, &in));
	while (in) {
		*all = false;
		if (p->looked >= SWEEP_ITEMS)
			break;
		TRY(walk_next(p->c, in, &name, &p->at->inner));
		*all = !name;
		if (*all)
			break;
		if (str_int(name + (str_starts(name, TREE_DRAFT) ? strlen(TREE_DRAFT) : 0), &no) &&
		    no > 0)
			tree_add(p, artifact, no, mem_printf(p->mine, "%s/%s", dir, name));
	}
	mem_free(in);
	return E_OK;
}

/* at->outer stays before an artifact until all its versions were listed. */
static enum err
trees_list(struct piece *p)
{
	struct sweep_at *at = p->at;
	int64_t after;
	const char *name;
	struct walk *in;

	TRY(walk_begin(p->c, p->mine, p->root, "trees", at->outer, &in));
	while (p->looked < SWEEP_ITEMS) {
		bool all = true;
		enum err e;

		at->end = true;
		if (!in)
			return E_OK;
		TRY(walk_next(p->c, in, &name, &after));
		if (!name)
			return E_OK;
		at->end = false;
		e = versions_list(p, mem_strdup(p->mine, name), &all);
		if (!e && !all)
			return E_OK;
		at->outer = after;
		at->inner = 0;
		TRY(e);
	}
	return E_OK;
}

enum err
tree_sweep(struct ctx *c, sweep_judge *judge, int64_t grace_s, struct sweep_at *at)
{
	struct piece p = { .c = c, .judge = judge, .grace_s = grace_s, .at = at };

	TRY(piece_open(&p));
	TRY(trees_list(&p));
	TRY(piece_sweep(&p));
	mem_free(p.mine);
	return E_OK;
}

/* ---- temporaries, spool, trash ---- */

/* Reads names until there are enough or the directory ends. */
static enum err
temps_read(struct piece *p, const char *dir, struct names *out)
{
	const char *name;
	struct walk *in;

	TRY(walk_begin(p->c, p->mine, p->root, dir, p->at->outer, &in));
	while (in && out->n < SWEEP_ITEMS) {
		TRY(walk_next(p->c, in, &name, &p->at->outer));
		if (!name)
			in = NULL;
		else if (p->at->inner < TEMP_DIRS || strlen(name) > 1)
			out->v[out->n++] = mem_printf(p->mine, "%s/%s", dir, name);
	}
	if (!in) {
		p->at->inner++;
		p->at->outer = 0;
	}
	return E_OK;
}

enum err
temp_sweep(struct ctx *c, struct sweep_at *at)
{
	struct piece p = { .c = c, .at = at };
	enum err e = E_OK;
	struct names in;

	TRY(piece_open(&p));
	in = (struct names){ mem_array(p.mine, const char *, SWEEP_ITEMS), 0 };
	/* at->inner counts the directories in tmp/; after these comes tmp/ itself, where older
	 * releases put files. */
	while (at->inner <= TEMP_DIRS && in.n < SWEEP_ITEMS) {
		const char *dir = at->inner < TEMP_DIRS
		    ? mem_printf(p.mine, "tmp/%llx", (long long)at->inner)
		    : "tmp";

		TRY(temps_read(&p, dir, &in));
	}
	at->end = at->inner > TEMP_DIRS;
	at->looked += (int64_t)in.n;
	if (in.n && piece_alone(&p, 1)) {
		/* A process that makes temporaries holds the share, so under the lock none of these
		 * has an owner. */
		for (size_t i = 0; i < in.n; i++) {
			const char *moved;
			enum err failed = trash_move(c, p.root, in.v[i], &moved);

			at->removed += moved != NULL;
			e = e ? e : failed;
		}
		flock(p.lock, LOCK_UN);
	}
	mem_free(p.mine);
	return e;
}

/* Uses the ctime, which linking a file into the store also sets, so the bytes of recent objects
 * aren't touched. */
static enum err
spool_remove(struct piece *p, const char *path)
{
	struct stat st;

	p->at->looked++;
	if (!path_old(p, path) || fstatat(p->root, path, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return E_OK;
	if (unlinkat(p->root, path, 0) && errno != ENOENT)
		return fail_here(p->c, "%s can't be removed", path);
	p->at->removed++;
	return E_OK;
}

enum err
spool_sweep(struct ctx *c, int64_t grace_s, struct sweep_at *at)
{
	struct piece p = { .c = c, .at = at, .grace_s = grace_s };
	const char *name = "";
	struct walk *in;
	int64_t n = 0;

	TRY(piece_open(&p));
	TRY(walk_begin(c, p.mine, p.root, "spool", at->outer, &in));
	for (; in && name && n < SWEEP_ITEMS; n++) {
		TRY(walk_next(c, in, &name, &at->outer));
		if (name)
			TRY(spool_remove(&p, mem_printf(p.mine, "spool/%s", name)));
	}
	at->end = !in || !name;
	mem_free(p.mine);
	return E_OK;
}

enum err
trash_sweep(struct ctx *c, int64_t budget_ms, struct sweep_at *at)
{
	void *mine = mem_zalloc(c->mem, 0);
	int64_t removed;
	bool finished;
	enum err e;
	int root;

	TRY(store_root(c, mine, &root));
	e = trash_empty(c, root, budget_ms, &removed, &finished);
	at->end = e || finished;
	at->looked += removed;
	at->removed += removed;
	mem_free(mine);
	return e;
}

/* ---- the rounds ---- */

/* nginx keeps a body as long as its client sends, with at most client_body_s between two pieces,
 * and then two minutes for the worker. */
static enum err
spool_piece(struct ctx *c, struct sweep_at *at)
{
	int64_t least = SPOOL_S + c->conf->client_body_s;

	return spool_sweep(c, c->conf->grace_s > least ? c->conf->grace_s : least, at);
}

static enum err
trash_piece(struct ctx *c, struct sweep_at *at)
{
	return trash_sweep(c, TRASH_MS, at);
}

ROUNDS(store, { "temporaries", .piece = temp_sweep, .each = true },
    { "spool", .piece = spool_piece, .each = true },
    { "trash", .piece = trash_piece, .each = true });
