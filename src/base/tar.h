/* SPDX-License-Identifier: Apache-2.0
 * Names in a .tar that libarchive would cut without a word: those of extended headers (pax and GNU
 * long names), which can have a NUL within. Source: POSIX pax, "pax Interchange Format"; GNU tar,
 * "Basic Tar Format". */
#ifndef VITRINE_TAR_H
#define VITRINE_TAR_H
#include <stddef.h>

struct tar_walk;
/* Lives as long as owner. */
struct tar_walk *tar_walk_new(void *owner);
/* The next bytes of the .tar, in pieces of any size. Returns NULL, or what is wrong, for people.
 * What it can't follow it leaves to libarchive to judge. */
const char *tar_walk(struct tar_walk *, const char *bytes, size_t n);
#endif
