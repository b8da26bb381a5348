/* SPDX-License-Identifier: Apache-2.0 */
#include "store/pieces.h"

#include "base/str.h"
#include "store/object.h"
#include "store/temp.h"

#include <unistd.h>

enum err
piece_wrong(struct ctx *c, int64_t received, int64_t total)
{
	c->details = mem_printf(c->mem, "{\"received\":%lld,\"total\":%lld}",
	    (long long)received, (long long)total);
	return fail(c, E_CONFLICT, "%lld of %lld bytes are there; go on with the next one",
	    (long long)received, (long long)total);
}

static enum err
range_wrong(struct ctx *c)
{
	return fail(c, E_INVALID,
	    "Content-Range: must be bytes FIRST-LAST/TOTAL, with as many bytes in the body");
}

enum err
piece_read(struct ctx *c, const char *range, int64_t n, struct piece_place *out)
{
	char *rest = mem_strdup(c->mem, range), *first, *last;
	int64_t to;

	if (!str_starts(range, "bytes "))
		return range_wrong(c);
	rest += strlen("bytes ");
	first = str_split(&rest, '-');
	last = rest ? str_split(&rest, '/') : NULL;
	if (!rest || !str_int(first, &out->at) || !str_int(last, &to) ||
	    !str_int(rest, &out->total) || out->at < 0 || to < out->at || to >= out->total ||
	    to - out->at + 1 != n)
		return range_wrong(c);
	if (n < PIECE_LEAST && to + 1 < out->total)
		return fail(c, E_INVALID,
		    "Content-Range: a piece has at least %d bytes, unless it is the last",
		    PIECE_LEAST);
	return E_OK;
}

/* Once claimed, nobody finds the file as a piece, so nobody writes to a file that becomes an
 * object. If this process is killed after that, the upload begins again. */
enum err
pieces_add(struct ctx *c, const char *name, const struct piece_place *there,
    const struct piece_place *at, const struct span *bytes, struct temp **whole)
{
	int64_t size, received = there->at;
	struct temp *t;
	int root;

	*whole = NULL;
	TRY(store_share(c, c->mem));
	TRY(store_root(c, c->mem, &root));
	TRY(temp_keep(c, c->mem, root, name, &t, &size));
	/* 0 if the file is gone, as after a crash of the worker that had received all of it. */
	received = size < received ? 0 : received;
	if (at->at != received || (there->total >= 0 && there->total != at->total))
		return piece_wrong(c, received, there->total >= 0 ? there->total : at->total);
	if (ftruncate(t->fd, received) || lseek(t->fd, received, SEEK_SET) != received)
		return fail_here(c, "an upload can't be gone on with");
	TRY(span_append(c, bytes, t));
	if (received + bytes->n < at->total)
		return sync_fd(c, t->fd);
	*whole = t;
	return temp_claim(c, t);
}

enum err
pieces_drop(struct ctx *c, const char *name)
{
	struct temp *t;
	int64_t size;
	int root;

	TRY(store_share(c, c->mem));
	TRY(store_root(c, c->mem, &root));
	TRY(temp_keep(c, c->mem, root, name, &t, &size));
	return temp_claim(c, t);
}
