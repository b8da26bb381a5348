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

/* Most requests fit into one piece of memory. Not under the sanitizer, which sees into it less
 * well. */
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

void *
mem_zalloc(void *owner, size_t bytes)
{
	return must(talloc_zero_size(owner, bytes ? bytes : 1));
}

void *
mem_grow(void *owner, void *old, size_t bytes)
{
	return must(talloc_realloc_size(owner, old, bytes));
}

char *
mem_strdup(void *owner, const char *s)
{
	return s ? must(talloc_strdup(owner, s)) : NULL;
}

char *
mem_strndup(void *owner, const char *s, size_t n)
{
	return must(talloc_strndup(owner, s, n));
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
	return must(talloc_memdup(owner, n ? bytes : "", n ? n : 1));
}

void
mem_free(void *p)
{
	talloc_free(p);
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
