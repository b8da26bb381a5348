/* SPDX-License-Identifier: Apache-2.0
 * Memory that belongs to something: a request, a job, a command. Freed with its owner, so nobody
 * frees by hand, early return is always right, and foreign objects (descriptors, json trees,
 * handles) are closed by destructors. No function here returns NULL: out of memory ends the
 * process, and the pool starts a new one. A block may be of any size; one of 128 MiB or more, and
 * what mem_printf() makes (which is less than 256 MiB), owns nothing. Only mem.c sees talloc. */
#ifndef VITRINE_MEM_H
#define VITRINE_MEM_H
#include <stdarg.h>
#include <stddef.h>

void *mem_root(const char *name);            /* a new owner; end it with mem_free() */
void *mem_zalloc(void *owner, size_t bytes); /* zeroed */
void *
mem_grow(void *owner, void *old, size_t bytes); /* old may be NULL; new bytes are not zeroed */
char *mem_strdup(void *owner, const char *s);         /* NULL gives NULL */
char *mem_strndup(void *owner, const char *s, size_t n);
char *mem_printf(void *owner, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *mem_vprintf(void *owner, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void *mem_dup(void *owner, const void *bytes, size_t n);
void mem_free(void *p); /* NULL is fine; runs destructors, last made first */

/* Runs fn(arg) when owner is freed. */
void mem_defer(void *owner, void (*fn)(void *), void *arg);
/* Closes fd when owner is freed. Returns fd. */
int mem_fd(void *owner, int fd);

#define mem_new(owner, type) ((type *)mem_zalloc((owner), sizeof(type)))
#define mem_array(owner, type, n) ((type *)mem_zalloc((owner), sizeof(type) * (n)))
#endif
