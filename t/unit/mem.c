/* SPDX-License-Identifier: Apache-2.0
 * Blocks of every size, above all of those that talloc refuses: files may be larger than 256 MiB. */
#include "base/buf.h"
#include "base/mem.h"
#include "tap.h"

enum { MIB = 1 << 20 };

/* The bytes at the ends of what was there are there. */
static bool
marked(const char *p, size_t n)
{
	return p[0] == 'a' && p[n - 1] == 'z';
}

static void
mark(char *p, size_t n)
{
	p[0] = 'a';
	p[n - 1] = 'z';
}

static void
grow(void *mem)
{
	static const size_t sizes[] = { 1, 100, 127, 128, 129, 255, 256, 257, 400 };
	char *p = NULL;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		p = mem_grow(mem, p, sizes[i] * MIB);
		if (i)
			ok(marked(p, sizes[i - 1] * MIB), "a block grows with what is in it");
		mark(p, sizes[i] * MIB);
	}
	p = mem_grow(mem, p, 2 * MIB);
	ok(p[0] == 'a', "and shrinks");
	mem_free(p);
}

static void
copies(void *mem)
{
	char *big = mem_zalloc(mem, 300u * MIB), *copy;
	struct buf b = BUF(mem);

	ok(!big[0] && !big[300u * MIB - 1], "a large block is zeroed");
	memset(big, 'x', 300u * MIB - 1);
	mark(big, 300u * MIB - 1);
	copy = mem_strdup(mem, big);
	ok(marked(copy, 300u * MIB - 1) && strlen(copy) == 300u * MIB - 1, "a large string is copied");
	mem_free(copy);
	copy = mem_strndup(mem, big, 260u * MIB);
	ok(copy[0] == 'a' && strlen(copy) == 260u * MIB, "or a part of it");
	mem_free(copy);
	copy = mem_dup(mem, big, 300u * MIB);
	ok(marked(copy, 300u * MIB - 1), "or bytes");
	mem_free(copy);
	buf_add(&b, big, 200u * MIB);
	buf_add(&b, big, 100u * MIB);
	ok(b.n == 300u * MIB && b.s[0] == 'a' && b.s[200u * MIB] == 'a', "a buffer grows as far");
}

static void
count(void *n)
{
	++*(int *)n;
}

int
main(void)
{
	void *mem = mem_root("test"), *inner = mem_zalloc(mem, 0);
	char *kept = mem_zalloc(mem, 200u * MIB), *gone = mem_zalloc(inner, 200u * MIB);
	int freed = 0;

	mark(kept, 200u * MIB);
	mark(gone, 200u * MIB);
	mem_defer(inner, count, &freed);
	mem_free(inner);
	ok(freed == 1 && marked(kept, 200u * MIB), "a large block goes with its owner, and no other does");
	grow(mem);
	copies(mem);
	mem_free(mem);
	return done();
}
