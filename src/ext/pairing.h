/* SPDX-License-Identifier: Apache-2.0
 * Hands bytes to another machine once, over TLS 1.3 whose only key is a secret that both know. A
 * peer without it can't finish the handshake, so neither needs a certificate. */
#ifndef VITRINE_PAIRING_H
#define VITRINE_PAIRING_H
#include "base/buf.h"
#include "base/ctx.h"

enum { PAIRING_KEY_BYTES = 32, PAIRING_MOST = 4 << 20 };

struct pairing {
	const char *address; /* of the machine that gives */
	int64_t port;
	uint8_t key[PAIRING_KEY_BYTES];
};

/* Listens at address and port. *fd is open until c->mem is freed. E_UPSTREAM if it can't. */
enum err pairing_listen(struct ctx *c, const struct pairing *, int *fd);
/* Waits until a peer with the key has taken all the bytes, at most PAIRING_MOST, for so many
 * seconds: then E_UNAVAILABLE. Peers without the key get nothing. */
enum err pairing_give(struct ctx *c, const struct pairing *, int fd, int64_t seconds,
    const struct buf *bytes);
/* Takes them. E_UPSTREAM if the machine can't be reached, or has another key. */
enum err pairing_take(struct ctx *c, const struct pairing *, struct buf *out);
#endif
