/* SPDX-License-Identifier: Apache-2.0
 * Files in one piece, which go into a room and come back out of it (ext/room.h): of each its name,
 * its length and its bytes. */
#ifndef VITRINE_PARCEL_H
#define VITRINE_PARCEL_H
#include "base/buf.h"

#include <stdbool.h>

void parcel_add(struct buf *, const char *name, const void *bytes, size_t n);
/* Reads the file at *at, and moves *at behind it. Returns false at the end, and if what is there
 * isn't whole. */
bool parcel_next(const char *parcel, size_t n, size_t *at, const char **name, const char **bytes,
    size_t *bytes_n);
/* Writes the files of a parcel, from its descriptor, below the folder, and makes their folders.
 * Names must not lead out of it. */
bool parcel_unpack(int from, const char *folder);
/* Writes those of the files that the folder has to a socket, as a parcel. NULL ends the names. */
bool parcel_send(int to, const char *folder, const char *const *names);
#endif
