/* SPDX-License-Identifier: Apache-2.0
 * A workspace's logo, and those of its clients. We decode the image and write it anew as PNG, so
 * that no byte of the file reaches a browser. Its address is public and can't be guessed. Each
 * image has another address, so that caches may store it for ever. Source: interface, "Workspaces";
 * team/README.md. */
#ifndef VITRINE_LOGO_H
#define VITRINE_LOGO_H
#include "core/workspace.h"
#include "store/object.h"

enum { LOGO_BYTES = 1 << 20, LOGO_SIDE = 512 /* longer ones are made smaller */ };

/* Before the transaction: decodes and stores it. E_FILE_TOO_LARGE, E_MEDIA_TYPE, E_INVALID. */
enum err logo_store(struct ctx *c, const struct span *bytes, struct object **out);
/* Stores a logo from bytes; `where` names the part of the request with them, for errors. */
enum err logo_keep(
    struct ctx *c, const char *where, const char *bytes, size_t n, struct object **out);
const char *logo_name(struct ctx *c); /* the last part of the address of a new one */
enum err logo_set(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct object *);
enum err logo_remove(struct ctx *c, const struct workspace *, const struct principal *who);
/* The object at that address. E_NOT_FOUND, also once its workspace is in the trash. */
enum err logo_find(struct ctx *c, const char *name, const char **sha256_hex);

/* 32 hexadecimal digits. */
bool logo_name_valid(const char *name);
#endif
