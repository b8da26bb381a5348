/* SPDX-License-Identifier: Apache-2.0
 * Receives a file in pieces, over several requests. The caller has a row that says how much of it
 * is there; its id is the name. A piece is durable before the row says so. */
#ifndef VITRINE_PIECES_H
#define VITRINE_PIECES_H
#include "store/spool.h"

struct temp;

/* A piece: bytes from the offset `at` of a whole of `total`. */
struct piece_place {
	int64_t at, total;
};
enum { PIECE_LEAST = 1 << 20 };
/* Parses "bytes a-b/total" of a Content-Range; n: the length of the request's body. E_INVALID. */
enum err piece_read(struct ctx *c, const char *range, int64_t n, struct piece_place *out);
/* E_CONFLICT, with the offset at which the next piece must begin in details. */
enum err piece_wrong(struct ctx *c, int64_t received, int64_t total);
/* Adds a piece. there: the bytes and total that the row says; total -1: there was no piece yet. The
 * upload is this request’s alone until c->mem is freed. *whole stays NULL before the last piece;
 * then it is the file, which nobody else finds anymore. E_CONFLICT as of piece_wrong(). */
enum err pieces_add(struct ctx *c, const char *name, const struct piece_place *there,
    const struct piece_place *, const struct span *bytes, struct temp **whole);
/* Deletes what is there, now: otherwise somebody who begins and cancels would fill the disk. */
enum err pieces_drop(struct ctx *c, const char *name);
#endif
