/* SPDX-License-Identifier: Apache-2.0
 * Finds names in a .tar that libarchive would silently cut: those of extended headers (pax and GNU
 * long names) with a NUL in them. Source: POSIX pax, "pax Interchange Format"; GNU tar, "Basic Tar
 * Format". */
#ifndef VITRINE_TAR_H
#define VITRINE_TAR_H
#include <stddef.h>

struct tar_walk;
/* Lives in owner. */
struct tar_walk *tar_walk_new(void *owner);
/* Reads the next bytes of the .tar, in chunks of any size. Returns NULL, or the mistake in words
 * for people. Leaves whatever it can't follow to libarchive. */
const char *tar_walk(struct tar_walk *, const char *bytes, size_t n);
#endif
