/* SPDX-License-Identifier: Apache-2.0
 * tree_pack_check(): the other direction of pack.c. */
#include "base/str.h"
#include "store/beneath.h"
#include "store/gzip.h"
#include "store/tree.h"

#include <brotli/decode.h>
#include <errno.h>
#include <fcntl.h>

enum { ROOM_BYTES = 1 << 16, SUFFIX_BYTES = 3 };

struct text {
	const char *s;
	size_t n;
};

static bool
gzip_gives(struct ctx *c, void *mine, struct span packed, struct text file)
{
	struct gunzip *g = gunzip_new(c, mine, packed);
	const void *bytes;
	size_t n;

	for (;;) {
		if (!gunzip_read(g, &bytes, &n) || n > file.n)
			return false;
		if (!n)
			return !file.n;
		if (memcmp(bytes, file.s, n) != 0)
			return false;
		file.s += n;
		file.n -= n;
	}
}

static void
decoder_free(void *d)
{
	BrotliDecoderDestroyInstance(d);
}

static bool
brotli_gives(void *mine, struct text packed, struct text file)
{
	BrotliDecoderState *d = BrotliDecoderCreateInstance(NULL, NULL, NULL);
	const uint8_t *in = (const uint8_t *)packed.s;
	uint8_t *room = mem_array(mine, uint8_t, ROOM_BYTES);
	BrotliDecoderResult got = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;

	mem_defer(mine, decoder_free, d);
	while (got == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
		size_t left = ROOM_BYTES, n;
		uint8_t *out = room;

		got = BrotliDecoderDecompressStream(d, &packed.n, &in, &left, &out, NULL);
		n = ROOM_BYTES - left;
		if (n > file.n || memcmp(room, file.s, n) != 0)
			return false;
		file.s += n;
		file.n -= n;
	}
	return got == BROTLI_DECODER_RESULT_SUCCESS && !packed.n && !file.n;
}

struct checking {
	struct ctx *c;
	int pub;
	void (*report)(void *arg, const char *path, const char *why);
	void *arg;
};

/* *fd is -1 when there is no such file. */
static enum err
text_read(struct checking *k, void *mine, const char *path, struct text *out, int *fd)
{
	struct stat st;

	*fd = mem_fd(mine, beneath_open_file(k->pub, path, &st));
	if (*fd < 0)
		return beneath_absent(errno) ? E_OK : fail_here(k->c, "%s can't be opened", path);
	out->n = (size_t)st.st_size;
	return read_exactly(k->c, mine, *fd, out->n, &out->s);
}

static enum err
packed_check(struct checking *k, const char *path)
{
	void *mine = mem_zalloc(k->c->mem, 0);
	const char *of = mem_strndup(mine, path, strlen(path) - SUFFIX_BYTES);
	struct text packed, file;
	int packed_fd, fd;
	bool right;

	TRY(text_read(k, mine, path, &packed, &packed_fd));
	TRY(text_read(k, mine, of, &file, &fd));
	if (packed_fd < 0)
		return E_OK;
	right = fd >= 0 &&
	    (str_ends(path, ".gz")
		    ? gzip_gives(
			  k->c, mine, (struct span){ packed_fd, 0, (int64_t)packed.n }, file)
		    : brotli_gives(mine, packed, file));
	if (!right)
		k->report(k->arg, path,
		    fd < 0 ? "is the compressed form of nothing"
			   : "does not unpack to the file beside it");
	mem_free(mine);
	return E_OK;
}

/* Directories wait in a list, so that depth costs no stack. */
struct waiting {
	const char *dir;
	struct waiting *next;
};

static enum err
dir_check(struct checking *k, void *mine, const char *dir, struct waiting **todo)
{
	struct names in;
	struct stat st;

	TRY(dir_list(k->c, mine, k->pub, *dir ? dir : ".", &in));
	for (size_t i = 0; i < in.n; i++) {
		const char *path = mem_printf(mine, "%s%s%s", dir, *dir ? "/" : "", in.v[i]);

		if (fstatat(k->pub, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)) {
			struct waiting *w = mem_new(mine, struct waiting);

			*w = (struct waiting){ path, *todo };
			*todo = w;
		} else if (tree_packed_name(path)) {
			TRY(packed_check(k, path));
		}
	}
	return E_OK;
}

enum err
tree_pack_check(struct ctx *c, const char *artifact, int64_t no,
    void (*report)(void *arg, const char *path, const char *why), void *arg)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct waiting top = { .dir = "" }, *todo = &top;
	struct checking k = { .c = c, .report = report, .arg = arg };
	int root;

	TRY(store_root(c, mine, &root));
	k.pub = mem_fd(mine,
	    beneath_open(root, mem_printf(mine, "trees/%s/%lld/pub", artifact, (long long)no),
		O_RDONLY | O_DIRECTORY));
	while (k.pub >= 0 && todo) {
		const char *dir = todo->dir;

		todo = todo->next;
		TRY(dir_check(&k, mine, dir, &todo));
	}
	mem_free(mine);
	return E_OK;
}
