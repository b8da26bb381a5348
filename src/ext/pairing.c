/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/pairing.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* HEAD: the digits that say how many bytes follow. */
enum { PEER_S = 10, HEAD = 8 };
static const char identity[] = "vitrine";

/* ---- the key as a session of TLS ---- */

static SSL_SESSION *
session_new(SSL *ssl)
{
	static const unsigned char cipher[] = { 0x13, 0x01 }; /* TLS_AES_128_GCM_SHA256 */
	const struct pairing *h = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
	SSL_SESSION *s = SSL_SESSION_new();

	if (s && SSL_SESSION_set1_master_key(s, h->key, sizeof h->key) &&
	    SSL_SESSION_set_cipher(s, SSL_CIPHER_find(ssl, cipher)) &&
	    SSL_SESSION_set_protocol_version(s, TLS1_3_VERSION))
		return s;
	SSL_SESSION_free(s);
	return NULL;
}

static int
session_give(SSL *ssl, const unsigned char *id, size_t n, SSL_SESSION **out)
{
	bool ours = n == strlen(identity) && memcmp(id, identity, n) == 0;

	*out = ours ? session_new(ssl) : NULL;
	return 1;
}

static int
session_take(SSL *ssl, const EVP_MD *md, const unsigned char **id, size_t *n, SSL_SESSION **out)
{
	(void)md;
	*id = (const unsigned char *)identity;
	*n = strlen(identity);
	*out = session_new(ssl);
	return *out != NULL;
}

MEM_DEFERRED(context_free, SSL_CTX_free);
MEM_DEFERRED(connection_free, SSL_free);

static enum err
context_make(struct ctx *c, const struct pairing *h, bool gives, SSL_CTX **out)
{
	*out = SSL_CTX_new(gives ? TLS_server_method() : TLS_client_method());
	if (!*out)
		return fail_here(c, "no TLS");
	mem_defer(c->mem, context_free, *out);
	/* In TLS 1.3 a shared key belongs to one hash function, so we allow one cipher. */
	if (!SSL_CTX_set_min_proto_version(*out, TLS1_3_VERSION) ||
	    !SSL_CTX_set_ciphersuites(*out, "TLS_AES_128_GCM_SHA256") ||
	    !SSL_CTX_set_num_tickets(*out, 0))
		return fail_here(c, "no TLS 1.3");
	SSL_CTX_set_app_data(*out, (void *)(uintptr_t)h);
	SSL_CTX_set_psk_find_session_callback(*out, session_give);
	SSL_CTX_set_psk_use_session_callback(*out, session_take);
	signal(SIGPIPE, SIG_IGN);
	return E_OK;
}

/* A peer that stops sending is given up after PEER_S seconds. */
static SSL *
connection_new(void *owner, SSL_CTX *context, int fd)
{
	const struct timeval wait = { .tv_sec = PEER_S };
	SSL *ssl = SSL_new(context);

	if (!ssl)
		abort();
	mem_defer(owner, connection_free, ssl);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
	SSL_set_fd(ssl, fd);
	return ssl;
}

/* Finds the machine's address and makes a socket. fn is bind() or connect(). */
static enum err
socket_make(struct ctx *c, const struct pairing *h,
    int (*fn)(int, const struct sockaddr *, socklen_t), int *out)
{
	const struct addrinfo want = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	char port[16];
	const int on = 1;
	int no;

	snprintf(port, sizeof port, "%lld", (long long)h->port);
	no = getaddrinfo(h->address, port, &want, &found);
	if (no)
		return fail(c, E_UPSTREAM, "%s: %s", h->address, gai_strerror(no));
	*out = mem_fd(c->mem, socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
	setsockopt(*out, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	no = fn(*out, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return no ? fail(c, E_UPSTREAM, "%s port %s: %s", h->address, port, strerror(errno))
		  : E_OK;
}

/* ---- both sides ---- */

/* The peer says at last, by one byte, that it has all. */
static bool
peer_serve(struct ctx *c, SSL_CTX *context, int fd, const struct buf *bytes)
{
	SSL *ssl = connection_new(c->mem, context, fd);
	char head[HEAD + 1], all;

	snprintf(head, sizeof head, "%0*zx", HEAD, bytes->n);
	return SSL_accept(ssl) == 1 && SSL_write(ssl, head, HEAD) == HEAD &&
	    SSL_write(ssl, bytes->s, (int)bytes->n) == (int)bytes->n &&
	    SSL_read(ssl, &all, 1) == 1;
}

enum err
pairing_listen(struct ctx *c, const struct pairing *h, int *fd)
{
	TRY(socket_make(c, h, bind, fd));
	return listen(*fd, 5) ? fail_here(c, "port %lld", (long long)h->port) : E_OK;
}

enum err
pairing_give(struct ctx *c, const struct pairing *h, int fd, int64_t seconds,
    const struct buf *bytes)
{
	int64_t until = clock_ms() + 1000 * seconds, left;
	SSL_CTX *context;
	int peer;

	if (bytes->n > PAIRING_MOST)
		return fail_here(c, "%zu bytes are too many", bytes->n);
	TRY(context_make(c, h, true, &context));
	while ((left = until - clock_ms()) > 0) {
		struct pollfd wait = { fd, POLLIN, 0 };

		if (poll(&wait, 1, (int)left) <= 0 ||
		    (peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) < 0)
			continue;
		if (peer_serve(c, context, mem_fd(c->mem, peer), bytes))
			return E_OK;
	}
	return fail(c, E_UNAVAILABLE, "nobody took it in time");
}

static bool
bytes_read(SSL *ssl, char *out, size_t n)
{
	size_t got = 0;

	while (got < n) {
		int more = SSL_read(ssl, out + got, (int)(n - got));

		if (more <= 0)
			return false;
		got += (size_t)more;
	}
	return true;
}

enum err
pairing_take(struct ctx *c, const struct pairing *h, struct buf *out)
{
	char head[HEAD + 1] = "", *bytes;
	SSL_CTX *context;
	size_t n;
	SSL *ssl;
	int fd;

	TRY(context_make(c, h, false, &context));
	TRY(socket_make(c, h, connect, &fd));
	ssl = connection_new(c->mem, context, fd);
	if (SSL_connect(ssl) != 1 || !bytes_read(ssl, head, HEAD))
		return fail(c, E_UPSTREAM, "%s doesn't know this token", h->address);
	n = strtoul(head, NULL, 16);
	if (n > PAIRING_MOST)
		return fail(c, E_UPSTREAM, "%s sends too much", h->address);
	bytes = mem_zalloc(c->mem, n + 1);
	if (!bytes_read(ssl, bytes, n) || SSL_write(ssl, "", 1) != 1)
		return fail(c, E_UPSTREAM, "%s was cut off", h->address);
	SSL_shutdown(ssl);
	buf_add(out, bytes, n);
	return E_OK;
}
