/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdint.h>
#include <talloc.h>
#include <unistd.h>

struct deferred {
	void (*fn)(void *);
	void *arg;
};

static void *
must(void *p)
{
	if (!p) {
		static const char msg[] = "vitrine: out of memory\n";

		(void)!write(2, msg, sizeof msg - 1);
		abort();
	}
	return p;
}

/* Most requests fit into one pool. The sanitizer checks single allocations better, so its build has
 * none. */
#ifdef __SANITIZE_ADDRESS__
enum { ROOT_BYTES = 0 };
#else
enum { ROOT_BYTES = 16 << 10 };
#endif

void *
mem_root(const char *name)
{
	void *root = must(ROOT_BYTES ? talloc_pool(NULL, ROOT_BYTES) : talloc_new(NULL));

	talloc_set_name_const(root, name);
	return root;
}

/* talloc refuses blocks of 256 MiB, and a file may be larger. malloc makes such blocks; a struct
 * huge in the owner frees them. There are few, so a list is fast enough. */
enum { HUGE_BYTES = 128 << 20 };

struct huge {
	struct huge *next, **link;
	void *bytes;
};
static struct huge *huges;

static int
huge_drop(struct huge *h)
{
	*h->link = h->next;
	if (h->next)
		h->next->link = h->link;
	free(h->bytes);
	return 0;
}

static void *
huge_new(void *owner, size_t bytes)
{
	struct huge *h = must(talloc_zero(owner, struct huge));

	h->bytes = must(calloc(1, bytes));
	h->next = huges;
	h->link = &huges;
	if (huges)
		huges->link = &h->next;
	huges = h;
	talloc_set_destructor(h, huge_drop);
	return h->bytes;
}

static struct huge *
huge_find(const void *bytes)
{
	for (struct huge *h = huges; h && bytes; h = h->next)
		if (h->bytes == bytes)
			return h;
	return NULL;
}

static void *
huge_copy(void *owner, const void *bytes, size_t n, size_t room)
{
	void *copy = huge_new(owner, room);

	memcpy(copy, bytes, n);
	return copy;
}

void *
mem_zalloc(void *owner, size_t bytes)
{
	return bytes < HUGE_BYTES ? must(talloc_zero_size(owner, bytes ? bytes : 1))
				  : huge_new(owner, bytes);
}

void *
mem_grow(void *owner, void *old, size_t bytes)
{
	struct huge *h = huge_find(old);
	void *grown;

	if (h)
		return h->bytes = must(realloc(h->bytes, bytes));
	if (bytes < HUGE_BYTES)
		return must(talloc_realloc_size(owner, old, bytes));
	grown = huge_copy(owner, old ? old : "", old ? talloc_get_size(old) : 0, bytes);
	talloc_free(old);
	return grown;
}

char *
mem_strdup(void *owner, const char *s)
{
	return s ? mem_strndup(owner, s, strlen(s)) : NULL;
}

char *
mem_strndup(void *owner, const char *s, size_t n)
{
	n = strnlen(s, n);
	return n < HUGE_BYTES ? must(talloc_strndup(owner, s, n)) : huge_copy(owner, s, n, n + 1);
}

char *
mem_vprintf(void *owner, const char *fmt, va_list ap)
{
	return must(talloc_vasprintf(owner, fmt, ap));
}

char *
mem_printf(void *owner, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vprintf(owner, fmt, ap);
	va_end(ap);
	return s;
}

void *
mem_dup(void *owner, const void *bytes, size_t n)
{
	if (n >= HUGE_BYTES)
		return huge_copy(owner, bytes, n, n);
	return must(talloc_memdup(owner, n ? bytes : "", n ? n : 1));
}

void
mem_free(void *p)
{
	struct huge *h = huge_find(p);

	talloc_free(h ? (void *)h : p);
}

static int
deferred_run(struct deferred *d)
{
	d->fn(d->arg);
	return 0;
}

void
mem_defer(void *owner, void (*fn)(void *), void *arg)
{
	struct deferred *d = mem_new(owner, struct deferred);

	d->fn = fn;
	d->arg = arg;
	talloc_set_destructor(d, deferred_run);
}

static void
fd_close(void *fd)
{
	close((int)(intptr_t)fd);
}

int
mem_fd(void *owner, int fd)
{
	if (fd >= 0)
		mem_defer(owner, fd_close, (void *)(intptr_t)fd);
	return fd;
}
