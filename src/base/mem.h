/* SPDX-License-Identifier: Apache-2.0
 * Memory that belongs to an owner: a request, a job, a command. Freeing the owner frees it, so code
 * doesn't free by hand and can return early. Destructors close descriptors, json trees and handles.
 * No function returns NULL: out of memory aborts the process, and the pool starts a new one. A
 * block of 128 MiB or more, or one made by mem_printf() (less than 256 MiB), must not be an owner.
 * Only mem.c includes talloc. */
#ifndef VITRINE_MEM_H
#define VITRINE_MEM_H
#include <stdarg.h>
#include <stddef.h>

void *mem_root(const char *name);            /* a new owner; free it with mem_free() */
void *mem_zalloc(void *owner, size_t bytes); /* zeroed */
void *
mem_grow(void *owner, void *old, size_t bytes); /* old may be NULL; doesn't zero the new bytes */
char *mem_strdup(void *owner, const char *s);         /* NULL gives NULL */
char *mem_strndup(void *owner, const char *s, size_t n);
char *mem_printf(void *owner, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *mem_vprintf(void *owner, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void *mem_dup(void *owner, const void *bytes, size_t n);
void mem_free(void *p); /* p may be NULL; runs destructors, the latest first */

/* Runs fn(arg) when owner is freed. */
void mem_defer(void *owner, void (*fn)(void *), void *arg);
/* Defines fn for mem_defer(): it passes arg to a library's function, such as curl_free(). */
#define MEM_DEFERRED(fn, end) \
	static void fn(void *arg) \
	{ \
		end(arg); \
	} \
	static void fn(void *)
/* Closes fd, unless it is negative, when owner is freed. Returns fd. */
int mem_fd(void *owner, int fd);

#define mem_new(owner, type) ((type *)mem_zalloc((owner), sizeof(type)))
#define mem_array(owner, type, n) ((type *)mem_zalloc((owner), sizeof(type) * (n)))
#endif
