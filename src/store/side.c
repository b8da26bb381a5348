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
	UNUSED_S = 30 * 86400
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

enum err
side_put(struct ctx *c, const char *name, const void *bytes, size_t n)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct temp *t;
	int root;

	TRY(store_share(c, mine));
	TRY(store_root_kept(c, &root));
	TRY(temp_new(c, mine, root, &t));
	TRY(temp_write(c, t, bytes, n));
	TRY(sync_fd(c, t->fd));
	TRY(temp_move(c, t, root, mem_printf(mine, SIDES "/%s", name)));
	mem_free(mine);
	return E_OK;
}

/* ---- the round ---- */

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

static enum err
sides_piece(struct ctx *c, struct sweep_at *at)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct names names;
	struct used *all;
	struct stat st;
	int64_t bytes = 0;
	int dir, root;

	at->end = true;
	TRY(store_root_kept(c, &root));
	TRY(dir_list(c, mine, root, SIDES, &names));
	dir = mem_fd(mine, beneath_open(root, SIDES, O_PATH | O_DIRECTORY));
	all = mem_array(mine, struct used, names.n + 1);
	for (size_t i = 0; i < names.n; i++) {
		all[i].name = names.v[i];
		if (fstatat(dir, names.v[i], &st, AT_SYMLINK_NOFOLLOW))
			continue;
		all[i].at = st.st_mtim.tv_sec;
		bytes += all[i].bytes = st.st_size;
	}
	if (names.n)
		qsort(all, names.n, sizeof *all, by_use);
	for (size_t i = 0; i < names.n &&
	     (bytes > SIDES_BYTES || all[i].at < c->now - UNUSED_S); i++, at->removed++) {
		bytes -= all[i].bytes;
		if (unlinkat(dir, all[i].name, 0) && errno != ENOENT)
			return fail_here(c, SIDES "/%s can't be removed", all[i].name);
	}
	at->looked = (int64_t)names.n;
	mem_free(mine);
	return E_OK;
}

ROUNDS(side, { "sides", .piece = sides_piece, .each = true });
