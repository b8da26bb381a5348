/* SPDX-License-Identifier: Apache-2.0 */
#include "store/side.h"

#include "store/object.h"
#include "store/rounds.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	USED_S = 3600, /* how precisely the last use is known */
	UNUSED_S = 30 * 86400,
	SIDES_MOST = 10000
};

enum err
side_open(struct ctx *c, const char *name, int *fd, int64_t *size)
{
	struct stat st;
	int root;

	TRY(store_root_kept(c, &root));
	*fd = mem_fd(c->mem,
	    beneath_open_file(root, mem_printf(c->mem, SIDES "/%s", name), &st));
	if (*fd < 0)
		return errno == ENOENT ? E_OK : fail_here(c, SIDES "/%s can't be opened", name);
	*size = st.st_size;
	if (st.st_mtim.tv_sec < c->now - USED_S)
		futimens(*fd, NULL);
	return E_OK;
}

struct used {
	const char *name;
	int64_t at, bytes;
};

static int
by_use(const void *a, const void *b)
{
	const struct used *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* All sides, those first that were not used for longest. */
struct sides {
	int dir;
	struct used *v;
	size_t n;
	int64_t bytes;
};

static enum err
sides_list(struct ctx *c, void *owner, struct sides *out)
{
	struct names names;
	struct stat st;
	int root;

	TRY(store_root_kept(c, &root));
	TRY(dir_list(c, owner, root, SIDES, &names));
	*out = (struct sides){
		.dir = mem_fd(owner, beneath_open(root, SIDES, O_PATH | O_DIRECTORY)),
		.v = mem_array(owner, struct used, names.n + 1), .n = names.n
	};
	for (size_t i = 0; i < names.n; i++) {
		out->v[i].name = names.v[i];
		if (fstatat(out->dir, names.v[i], &st, AT_SYMLINK_NOFOLLOW))
			continue;
		out->v[i].at = st.st_mtim.tv_sec;
		out->bytes += out->v[i].bytes = st.st_size;
	}
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_use);
	return E_OK;
}

/* Removes what is too old, and what is too much beside one of so many bytes. */
static enum err
sides_trim(struct ctx *c, int64_t more, struct sweep_at *at)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct sides all;

	TRY(sides_list(c, mine, &all));
	for (size_t i = 0; i < all.n &&
	     (all.bytes + more > SIDES_BYTES || all.n - i >= SIDES_MOST ||
		 all.v[i].at < c->now - UNUSED_S);
	     i++, at->removed++) {
		all.bytes -= all.v[i].bytes;
		if (unlinkat(all.dir, all.v[i].name, 0) && errno != ENOENT)
			return fail_here(c, SIDES "/%s can't be removed", all.v[i].name);
	}
	at->looked = (int64_t)all.n;
	mem_free(mine);
	return E_OK;
}

enum err
side_put(struct ctx *c, const char *name, const void *bytes, size_t n)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct temp *t;
	struct sweep_at at = { 0 };
	int root;

	TRY(sides_trim(c, (int64_t)n, &at));
	TRY(store_share(c, mine));
	TRY(store_root_kept(c, &root));
	TRY(temp_new(c, mine, root, &t));
	TRY(temp_write(c, t, bytes, n));
	TRY(sync_fd(c, t->fd));
	TRY(temp_move(c, t, root, mem_printf(mine, SIDES "/%s", name)));
	mem_free(mine);
	return E_OK;
}

static enum err
sides_piece(struct ctx *c, struct sweep_at *at)
{
	at->end = true;
	return sides_trim(c, 0, at);
}

ROUNDS(side, { "sides", .piece = sides_piece, .each = true });
