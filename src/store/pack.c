/* SPDX-License-Identifier: Apache-2.0
 * Implements tree_pack(). Only this file includes brotli's encoder. */
#include "base/clock.h"
#include "base/str.h"
#include "store/gzip.h"
#include "store/object.h"
#include "store/temp.h"
#include "store/tree.h"

#include <brotli/encode.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { WAITING = 64, PACK_LEAST = 256, PACK_PERCENT = 95, BROTLI_LEVEL = 9 };

/* Returns the bytes written; 0 if they don't fit into room. The window is no larger than necessary,
 * because setting up the default one takes fifty times as long as compressing a small page. */
static size_t
brotli_pack(const char *bytes, size_t n, char *out, size_t room)
{
	int window = BROTLI_MIN_WINDOW_BITS;
	size_t size = room;
	bool fits;

	while (window < BROTLI_DEFAULT_WINDOW && ((size_t)1 << window) < n + 16)
		window++;
	fits = BrotliEncoderCompress(BROTLI_LEVEL, window, BROTLI_MODE_GENERIC, n,
	    (const uint8_t *)bytes, &size, (uint8_t *)out);

	return fits ? size : 0;
}

static const struct packer {
	const char *suffix;
	size_t (*pack)(const char *bytes, size_t n, char *out, size_t room);
} packers[] = { { ".gz", gzip_pack }, { ".br", brotli_pack } };

struct todo {
	const char *dir;
	struct todo *next;
};

/* A version whose files are compressed, and the link that names it while it is live. */
struct packed {
	const char *pub, *live, *no;
};

/* A compressed file that is neither durable nor named yet. */
struct made {
	struct packed of_version;
	struct temp *temp;
	const char *dir, *file, *sibling; /* dir is below pub/ */
	const struct packer *how;
	struct stat of;
};

struct packs {
	int root;
	void *waiting; /* owner of the data in made[] */
	struct made made[WAITING];
	size_t n;
	bool failed;
};

struct packing {
	struct ctx *c;
	void *mine;
	struct packs *packs;
	struct packed version;
	int root, pub, former; /* former: pub/ of the version before, or -1 */
	bool (*wanted)(const char *path);
	int64_t until_ms;
	bool any, late;
	struct todo *todo;
};

/* True if another version was published meanwhile; its own outbox row packs it. A version without a
 * live link is packed. */
static bool
superseded(int root, const struct packed *v)
{
	char now[32];
	ssize_t n = readlinkat(root, v->live, now, sizeof now);

	return n >= 0 && ((size_t)n != strlen(v->no) || memcmp(now, v->no, (size_t)n) != 0);
}

/* linkat() doesn't replace: a published file may have got the name meanwhile. */
static enum err
sibling_name(struct ctx *c, int root, int dir, const struct made *m)
{
	struct stat now;

	if (linkat(root, m->temp->path, dir, m->sibling, 0))
		return errno == EEXIST ? E_OK : fail_here(c, "%s can't be named", m->sibling);
	/* tree_put() may have replaced the file while its old bytes were compressed. */
	if (fstatat(dir, m->file, &now, AT_SYMLINK_NOFOLLOW) == 0 && same_file(&now, &m->of))
		return E_OK;
	return unlinkat(dir, m->sibling, 0) && errno != ENOENT
	    ? fail_here(c, "%s can't be removed", m->sibling)
	    : E_OK;
}

static enum err
made_place(struct ctx *c, struct packs *w, const struct made *m)
{
	const char *path = mem_printf(w->waiting, "%s/%s", m->of_version.pub, m->dir);
	enum err e;
	int dir;

	if (superseded(w->root, &m->of_version))
		return E_OK;
	dir = beneath_open(w->root, path, O_RDONLY | O_DIRECTORY);
	if (dir < 0)
		return errno == ENOENT ? E_OK : fail_here(c, "%s can't be opened", path);
	e = sibling_name(c, w->root, dir, m);
	close(dir);
	return e;
}

enum err
packs_new(struct ctx *c, void *owner, struct packs **out)
{
	struct packs *w = *out = mem_new(owner, struct packs);

	w->waiting = mem_zalloc(w, 0);
	TRY(store_share(c, w));
	return store_root(c, w, &w->root);
}

/* After a failed sync, the kernel would report success without the bytes being stored. */
static enum err
packs_check(struct ctx *c, const struct packs *w)
{
	errno = 0;
	return w->failed ? fail_here(c, "packed files can't be synced again") : E_OK;
}

/* Syncs before naming: if a name survived a crash without its bytes, it would be served. */
enum err
packs_place(struct ctx *c, struct packs *w)
{
	TRY(packs_check(c, w));
	w->failed = true;
	if (w->n)
		TRY(sync_all(c, w->root));
	for (size_t i = 0; i < w->n; i++)
		TRY(made_place(c, w, &w->made[i]));
	mem_free(w->waiting);
	w->waiting = mem_zalloc(w, 0);
	w->n = 0;
	w->failed = false;
	return E_OK;
}

/* m->temp stays NULL if compressing gains too little. */
static enum err
packed_write(struct packing *p, void *mine, int fd, struct made *m)
{
	size_t size = (size_t)m->of.st_size, room = size * PACK_PERCENT / 100, n;
	const char *bytes;
	char *packed;

	TRY(read_exactly(p->c, mine, fd, size, &bytes));
	packed = mem_grow(mine, NULL, room + 1);
	n = m->how->pack(bytes, size, packed, room);
	if (!n)
		return E_OK;
	TRY(temp_new(p->c, p->packs->waiting, p->root, &m->temp));
	TRY(temp_write(p->c, m->temp, packed, n));
	TRY(temp_stamp(p->c, m->temp, m->of.st_mtim));
	temp_close(m->temp);
	return E_OK;
}

static enum err
sibling_make(struct packing *p, void *mine, int dir, const char *path, const char *file,
    const char *sibling, const struct packer *how)
{
	struct packs *w = p->packs;
	struct made m = { .dir = mem_strdup(w->waiting, path),
		.file = mem_strdup(w->waiting, file),
		.sibling = mem_strdup(w->waiting, sibling),
		.how = how };
	int fd = mem_fd(mine, beneath_open_file(dir, file, &m.of));

	if (fd < 0)
		return beneath_absent(errno) ? E_OK
					     : fail_here(p->c, "%s can't be opened", file);
	/* A page is often also the entry page: the same object under another name. */
	for (size_t i = w->n; i > 0 && !m.temp; i--)
		if (w->made[i - 1].how == how && same_file(&w->made[i - 1].of, &m.of))
			m.temp = w->made[i - 1].temp;
	if (!m.temp)
		TRY(packed_write(p, mine, fd, &m));
	if (!m.temp)
		return E_OK;
	m.of_version = (struct packed){ mem_strdup(w->waiting, p->version.pub),
		mem_strdup(w->waiting, p->version.live), mem_strdup(w->waiting, p->version.no) };
	w->made[w->n++] = m;
	p->any = true;
	return w->n < WAITING ? E_OK : packs_place(p->c, w);
}

/* Links the sibling of the version before, if the file is the same there. Siblings were synced
 * before they were named. */
static enum err
sibling_carry(struct packing *p, int dir, int former, const char *file, const char *sibling,
    bool *carried)
{
	struct stat now, was, packed;

	*carried = false;
	if (former < 0 || fstatat(former, file, &was, AT_SYMLINK_NOFOLLOW) ||
	    linkat(former, sibling, dir, sibling, 0))
		return E_OK;
	*carried = fstatat(dir, sibling, &packed, AT_SYMLINK_NOFOLLOW) == 0 &&
	    fstatat(dir, file, &now, AT_SYMLINK_NOFOLLOW) == 0 && same_file(&now, &was) &&
	    S_ISREG(packed.st_mode) && packed.st_mtim.tv_sec == now.st_mtim.tv_sec;
	return !*carried && unlinkat(dir, sibling, 0) && errno != ENOENT
	    ? fail_here(p->c, "%s can't be removed", sibling)
	    : E_OK;
}

static enum err
file_pack(struct packing *p, int dir, int former, const char *path, const char *file)
{
	bool carried;

	for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
		void *mine = mem_zalloc(p->mine, 0);
		const char *sibling = mem_printf(mine, "%s%s", file, packers[i].suffix);
		struct stat st;

		if (strlen(sibling) <= NAME_MAX &&
		    fstatat(dir, sibling, &st, AT_SYMLINK_NOFOLLOW)) {
			TRY(sibling_carry(p, dir, former, file, sibling, &carried));
			if (carried)
				continue;
			/* Stops only after at least one file, or the next call would spend its
			 * budget on the same files. */
			p->late = p->any && clock_ms() >= p->until_ms;
			if (p->late)
				return E_OK;
			TRY(sibling_make(p, mine, dir, path, file, sibling, &packers[i]));
		}
		mem_free(mine);
	}
	return E_OK;
}

static enum err
entry_pack(struct packing *p, int dir, int former, const char *below, const char *path,
    const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? E_OK : fail_here(p->c, "%s can't be examined", path);
	if (S_ISDIR(st.st_mode)) {
		struct todo *t = mem_new(p->mine, struct todo);

		t->dir = mem_strdup(p->mine, path);
		t->next = p->todo;
		p->todo = t;
		return E_OK;
	}
	if (!S_ISREG(st.st_mode) || st.st_size < PACK_LEAST || tree_packed_name(path) ||
	    !p->wanted(path))
		return E_OK;
	return file_pack(p, dir, former, below, name);
}

static enum err
dir_pack(struct packing *p, const char *path)
{
	void *mine = mem_zalloc(p->mine, 0);
	const char *below = *path ? path : ".";
	struct names in;
	int dir = mem_fd(mine, beneath_open(p->pub, below, O_RDONLY | O_DIRECTORY));
	int err = errno, former = p->former;

	if (former >= 0)
		former = mem_fd(mine, beneath_open(former, below, O_PATH | O_DIRECTORY));
	errno = err;
	if (dir < 0)
		return errno == ENOENT ? E_OK : fail_here(p->c, "%s can't be opened", below);
	TRY(dir_list(p->c, mine, p->pub, below, &in));
	for (size_t i = 0; i < in.n && !p->late && !superseded(p->root, &p->version); i++)
		TRY(entry_pack(p, dir, former, below,
		    mem_printf(mine, "%s%s%s", path, *path ? "/" : "", in.v[i]), in.v[i]));
	mem_free(mine);
	return E_OK;
}

enum err
tree_pack(struct ctx *c, struct packs *packs, const char *artifact, int64_t no, int64_t former_no,
    bool (*wanted)(const char *path), int64_t budget_ms, bool *finished)
{
	struct packing p = { .c = c,
		.packs = packs,
		.root = packs->root,
		.former = -1,
		.mine = mem_zalloc(c->mem, 0),
		.wanted = wanted,
		.until_ms = clock_ms() + budget_ms };
	struct todo top = { .dir = "" };

	TRY(packs_check(c, packs));
	p.version.pub = mem_printf(p.mine, "trees/%s/%lld/pub", artifact, (long long)no);
	p.version.live = mem_printf(p.mine, "trees/%s/live", artifact);
	p.version.no = mem_printf(p.mine, "%lld", (long long)no);
	p.pub = mem_fd(p.mine, beneath_open(p.root, p.version.pub, O_RDONLY | O_DIRECTORY));
	if (p.pub < 0 && errno != ENOENT)
		return fail_here(c, "%s can't be opened", p.version.pub);
	if (former_no)
		p.former = mem_fd(p.mine,
		    beneath_open(p.root,
			mem_printf(p.mine, "trees/%s/%lld/pub", artifact, (long long)former_no),
			O_PATH | O_DIRECTORY));
	if (p.pub >= 0)
		p.todo = &top;
	while (p.todo && !p.late && !superseded(p.root, &p.version)) {
		struct todo *t = p.todo;

		p.todo = t->next;
		TRY(dir_pack(&p, t->dir));
	}
	*finished = !p.late;
	mem_free(p.mine);
	return E_OK;
}
