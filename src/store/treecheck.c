/* SPDX-License-Identifier: Apache-2.0
 * Implements tree_check(): compares a placed tree with what tree_build() was given. */
#include "base/str.h"
#include "store/beneath.h"
#include "store/object.h"
#include "store/tree.h"

#include <errno.h>
#include <fcntl.h>

enum { SUFFIX_BYTES = 3 };

struct wanted {
	const char *path; /* with its area */
	const struct tree_file *file;
	bool seen;
};

/* Directories wait in a list, so depth needs no stack. */
struct waiting {
	const char *dir;
	struct waiting *next;
};

struct looking {
	struct ctx *c;
	struct tree_check *how;
	void *mine;
	int root, version;
	struct wanted *wanted;
	size_t n;
	struct waiting *todo;
};

static int
wanted_order(const void *a, const void *b)
{
	return strcmp(((const struct wanted *)a)->path, ((const struct wanted *)b)->path);
}

static void
wrong_add(struct looking *l, const char *path, const char *why)
{
	l->how->wrong(l->how->arg, path, why);
}

/* ---- one file ---- */

/* An unreadable file is a problem of the tree, not a failure of the check. */
static bool
bytes_get(struct looking *l, void *mine, const char *path, const char **bytes, size_t *n)
{
	struct stat st;
	int fd = mem_fd(mine, beneath_open_file(l->version, path, &st));

	if (fd >= 0 && read_exactly(l->c, mine, fd, (size_t)st.st_size, bytes) == E_OK) {
		*n = (size_t)st.st_size;
		l->how->bytes += st.st_size;
		return true;
	}
	wrong_add(l, path, "can't be read");
	return false;
}

static const char *
bytes_wrong(struct looking *l, void *mine, const struct wanted *w, const struct stat *st)
{
	const struct tree_file *f = w->file;
	uint8_t found[SHA256_BYTES];
	const char *bytes;
	size_t n;

	if (!bytes_get(l, mine, w->path, &bytes, &n))
		return NULL;
	crypto_sha256(bytes, n, found);
	if (st->st_mtim.tv_sec != object_mtime(found).tv_sec)
		return "has an mtime that doesn't match its bytes";
	if (memcmp(found, f->sha256, sizeof found) == 0 ||
	    (l->how->other && l->how->other(l->how->other_arg, f, bytes, n)))
		return NULL;
	return "its bytes don't match the rows";
}

static const char *
own_bytes_wrong(
    struct looking *l, void *mine, const struct wanted *w, const struct stat *st)
{
	const struct tree_file *f = w->file;

	if (!l->how->quick)
		return bytes_wrong(l, mine, w, st);
	if (l->how->other || (st->st_size == f->size &&
				 st->st_mtim.tv_sec == object_mtime(f->sha256).tv_sec))
		return NULL;
	return "has a different size or mtime than the rows say";
}

static const char *
file_wrong(struct looking *l, void *mine, const struct wanted *w, const struct stat *st)
{
	const struct tree_file *f = w->file;
	char path[OBJECT_PATH];
	struct stat object;
	const char *why;

	if (!S_ISREG(st->st_mode))
		return "isn't a plain file";
	if (!(st->st_mode & S_IRUSR))
		return "isn't readable by its owner";
	if (f->derived)
		return own_bytes_wrong(l, mine, w, st);
	object_path(path, f->sha256);
	if (fstatat(l->root, path, &object, AT_SYMLINK_NOFOLLOW)) {
		why = own_bytes_wrong(l, mine, w, st);
		return why ? why : "is whole, but its object is missing";
	}
	if (!same_file(&object, st))
		return own_bytes_wrong(l, mine, w, st);
	return st->st_size == f->size ? NULL : "has a different size than the rows say";
}

/* A compressed file has the mtime of its source, because nginx's ETag depends on it. */
static enum err
packed_check(struct looking *l, void *mine, const char *path, const struct stat *st)
{
	const char *of = mem_strndup(mine, path, strlen(path) - SUFFIX_BYTES), *bytes, *why = NULL;
	struct stat file;
	size_t n;

	if (!S_ISREG(st->st_mode) || fstatat(l->version, of, &file, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(file.st_mode)) {
		wrong_add(l, path, "is a compressed copy of a file that doesn't exist");
		return E_OK;
	}
	if (!l->how->quick && bytes_get(l, mine, of, &bytes, &n))
		TRY(tree_packed_wrong(l->c, l->version, path, bytes, n, &why, &l->how->bytes));
	if (!why && file.st_mtim.tv_sec != st->st_mtim.tv_sec)
		why = "has a different mtime than the file it is a compressed copy of";
	if (!why && !(st->st_mode & S_IRUSR))
		why = "isn't readable by its owner";
	if (why)
		wrong_add(l, path, why);
	return E_OK;
}

/* ---- the walk ---- */

static enum err
entry_check(struct looking *l, void *mine, const char *path)
{
	struct wanted key = { .path = path };
	struct wanted *w =
	    l->n ? bsearch(&key, l->wanted, l->n, sizeof key, wanted_order) : NULL;
	const char *why;
	struct stat st;

	l->how->bytes += CHECK_ENTRY;
	if (fstatat(l->version, path, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? E_OK : fail_here(l->c, "%s can't be examined", path);
	if (w) {
		w->seen = true;
		why = file_wrong(l, mine, w, &st);
		if (why)
			wrong_add(l, path, why);
	} else if (S_ISDIR(st.st_mode)) {
		struct waiting *next = mem_new(l->mine, struct waiting);

		*next = (struct waiting){ mem_strdup(l->mine, path), l->todo };
		l->todo = next;
	} else if (str_starts(path, "pub/") && tree_packed_name(path)) {
		return packed_check(l, mine, path, &st);
	} else {
		wrong_add(l, path, "is named by no row");
	}
	return E_OK;
}

static enum err
dir_check(struct looking *l, const char *dir)
{
	void *mine = mem_zalloc(l->mine, 0);
	struct names in;

	TRY(dir_list(l->c, mine, l->version, *dir ? dir : ".", &in));
	for (size_t i = 0; i < in.n; i++) {
		void *each = mem_zalloc(mine, 0);

		TRY(entry_check(
		    l, each, mem_printf(each, "%s%s%s", dir, *dir ? "/" : "", in.v[i])));
		mem_free(each);
	}
	mem_free(mine);
	return E_OK;
}

enum err
tree_check(struct ctx *c, const char *artifact, int64_t no, const struct tree_file *files,
    size_t n, struct tree_check *how)
{
	struct waiting top = { .dir = "" };
	struct looking l = { .c = c, .how = how, .mine = mem_zalloc(c->mem, 0), .todo = &top };

	TRY(store_root(c, l.mine, &l.root));
	l.version = mem_fd(l.mine,
	    beneath_open(l.root,
		mem_printf(l.mine, "trees/%s/%s%lld", artifact, how->draft ? TREE_DRAFT : "",
		    (long long)no),
		O_RDONLY | O_DIRECTORY));
	if (l.version < 0) {
		wrong_add(&l, "", "is missing");
		mem_free(l.mine);
		return E_OK;
	}
	l.wanted = mem_array(l.mine, struct wanted, n);
	l.n = n;
	for (size_t i = 0; i < n; i++)
		l.wanted[i] = (struct wanted){ .path = mem_printf(l.mine, "%s/%s",
						   tree_area_name(files[i].area), files[i].path),
			.file = &files[i] };
	if (n)
		qsort(l.wanted, n, sizeof *l.wanted, wanted_order);
	while (l.todo) {
		const char *dir = l.todo->dir;

		l.todo = l.todo->next;
		TRY(dir_check(&l, dir));
	}
	for (size_t i = 0; i < n; i++)
		if (!l.wanted[i].seen)
			wrong_add(&l, l.wanted[i].path, "is missing");
	mem_free(l.mine);
	return E_OK;
}
