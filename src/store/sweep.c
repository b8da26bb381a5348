/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sweep.h"

#include "base/str.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

enum { PREFIXES = 256 };

struct sweep {
	struct ctx *c;
	int root, lock;
	bool (*referenced)(struct ctx *, void *arg, const uint8_t sha256[SHA256_BYTES]);
	bool (*known)(struct ctx *, void *arg, const char *artifact, int64_t no);
	void *arg;
	int64_t grace_s, removed;
};

static enum err
sweep_open(struct sweep *s, void *mine)
{
	TRY(store_root(s->c, mine, &s->root));
	s->lock = mem_fd(mine, beneath_open(s->root, "objects/.lock", O_RDWR | O_CREAT));
	return s->lock < 0 ? fail_here(s->c, "objects/.lock can't be opened") : E_OK;
}

/* Whether nobody holds store_share(), and nobody will until flock(LOCK_UN). */
static bool
sweep_alone(const struct sweep *s)
{
	return flock(s->lock, LOCK_EX | LOCK_NB) == 0;
}

static bool
path_old(const struct sweep *s, const char *path)
{
	struct stat st;

	return fstatat(s->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_ctim.tv_sec + s->grace_s < s->c->now;
}

/* ---- objects ---- */

static bool
object_garbage(struct sweep *s, const char *path)
{
	uint8_t sha256[SHA256_BYTES];

	return crypto_unhex(strrchr(path, '/') + 1, sha256, SHA256_BYTES) && path_old(s, path) &&
	    !s->referenced(s->c, s->arg, sha256);
}

static enum err
objects_remove(struct sweep *s, const struct names *garbage)
{
	for (size_t i = 0; i < garbage->n; i++) {
		if (!object_garbage(s, garbage->v[i]))
			continue;
		if (unlinkat(s->root, garbage->v[i], 0))
			return fail_here(s->c, "%s can't be removed", garbage->v[i]);
		s->removed++;
	}
	return E_OK;
}

static enum err
prefix_sweep(struct sweep *s, unsigned prefix)
{
	void *mine = mem_zalloc(s->c->mem, 0);
	const char *dir = mem_printf(mine, "objects/%02x", prefix);
	struct names all, garbage;
	enum err e = E_OK;

	TRY(dir_list(s->c, mine, s->root, dir, &all));
	garbage = (struct names){ all.v, 0 };
	for (size_t i = 0; i < all.n; i++) {
		const char *path = mem_printf(mine, "%s/%s", dir, all.v[i]);

		if (object_garbage(s, path))
			garbage.v[garbage.n++] = path;
	}
	if (garbage.n && sweep_alone(s)) {
		e = objects_remove(s, &garbage);
		flock(s->lock, LOCK_UN);
	}
	mem_free(mine);
	return e;
}

/* Under the lock: whoever makes a temporary holds the share, so none has an owner now. */
static enum err
temps_remove(struct sweep *s, void *mine)
{
	struct names in;
	const char *moved;

	TRY(dir_list(s->c, mine, s->root, "tmp", &in));
	for (size_t i = 0; i < in.n; i++)
		TRY(trash_move(s->c, s->root, mem_printf(mine, "tmp/%s", in.v[i]), &moved));
	return E_OK;
}

enum err
object_sweep(struct ctx *c,
    bool (*referenced)(struct ctx *, void *arg, const uint8_t sha256[SHA256_BYTES]), void *arg,
    int64_t grace_s, int64_t *removed)
{
	struct sweep s = { .c = c, .referenced = referenced, .arg = arg, .grace_s = grace_s };
	void *mine = mem_zalloc(c->mem, 0);
	enum err e = E_OK;

	*removed = 0;
	TRY(sweep_open(&s, mine));
	for (unsigned i = 0; i < PREFIXES; i++)
		TRY(prefix_sweep(&s, i));
	if (sweep_alone(&s)) {
		e = temps_remove(&s, mine);
		flock(s.lock, LOCK_UN);
	}
	if (!e)
		e = trash_empty(c, s.root);
	mem_free(mine);
	*removed = s.removed;
	return e;
}

/* ---- trees ---- */

struct version {
	const char *artifact, *path;
	int64_t no; /* 0: the artifact as a whole */
};

static bool
tree_garbage(struct sweep *s, const struct version *v)
{
	return path_old(s, v->path) && !s->known(s->c, s->arg, v->artifact, v->no);
}

static enum err
tree_remove(struct sweep *s, const struct version *v)
{
	enum err e = E_OK;
	const char *moved = NULL;

	if (!tree_garbage(s, v) || !sweep_alone(s))
		return E_OK;
	/* Again: the row may have been committed just before the share was given up. */
	if (tree_garbage(s, v))
		e = trash_move(s->c, s->root, v->path, &moved);
	flock(s->lock, LOCK_UN);
	s->removed += moved != NULL;
	return e;
}

static enum err
artifact_sweep(struct sweep *s, const char *artifact)
{
	void *mine = mem_zalloc(s->c->mem, 0);
	const char *dir = mem_printf(mine, "trees/%s", artifact);
	struct version v = { artifact, dir, 0 };
	struct names in;

	TRY(tree_remove(s, &v));
	TRY(dir_list(s->c, mine, s->root, dir, &in));
	for (size_t i = 0; i < in.n; i++) {
		if (!str_int(in.v[i], &v.no) || v.no <= 0)
			continue;
		v.path = mem_printf(mine, "%s/%s", dir, in.v[i]);
		TRY(tree_remove(s, &v));
	}
	mem_free(mine);
	return E_OK;
}

enum err
tree_sweep(struct ctx *c, bool (*known)(struct ctx *, void *arg, const char *artifact, int64_t no),
    void *arg, int64_t grace_s, int64_t *removed)
{
	struct sweep s = { .c = c, .known = known, .arg = arg, .grace_s = grace_s };
	void *mine = mem_zalloc(c->mem, 0);
	struct names in;

	*removed = 0;
	TRY(sweep_open(&s, mine));
	TRY(dir_list(c, mine, s.root, "trees", &in));
	for (size_t i = 0; i < in.n; i++)
		TRY(artifact_sweep(&s, in.v[i]));
	TRY(trash_empty(c, s.root));
	mem_free(mine);
	*removed = s.removed;
	return E_OK;
}
