/* SPDX-License-Identifier: Apache-2.0
 * All requests to addresses that somebody else chose, and to sign-in providers, go through here.
 * Each connection is checked by its socket address when it is made, so neither an odd spelling of a
 * host nor a resolver's answer can bypass the check. We follow redirects ourselves, so each hop is
 * checked. Allowed are ports 80 and 443 of public addresses, and those in the setting egress_allow.
 * A trusted request goes to an endpoint that the operator configured: any address and port, but
 * only https and no redirects. TLS 1.2 or later; certificates are checked against the setting
 * egress_ca_file, or the system's store if that isn't set. In the server, only egress.c,
 * egress_many.c and smtp.c use libcurl. */
#ifndef VITRINE_EGRESS_H
#define VITRINE_EGRESS_H
#include "base/ctx.h"

struct egress_req {
	const char *url;
	size_t max_bytes;  /* of the body; a head may have 64 KiB */
	long timeout_s;    /* seconds for everything, redirects included */
	/* 0: a redirect is the answer. Must be 0 with a body, headers or trusted, which are meant
	 * for one host. */
	int max_redirects;
	/* A body to POST as application/x-www-form-urlencoded; NULL sends a GET. */
	const char *form;
	const char *json;  /* a body to POST as application/json */
	const char *const *headers; /* "Name: value" lines, ended by NULL, or NULL */
	bool trusted;
	/* Egress_add(): whose share of the host's connections is used; may be NULL. */
	const char *tenant;
	int64_t begin_by_ms; /* egress_add(): not sent if clock_ms() is past this; 0: no limit */
	bool keep_head; /* fill the answer's head */
	bool patient; /* the server may be silent for timeout_s */
	/* Returns whether that host (egress_host()) may be requested, at each hop. NULL allows all.
	 */
	bool (*host_may)(void *arg, const char *host);
	/* Called some times a second while egress_open() and egress_read() wait. Returns true to
	 * end the request. May be NULL. */
	bool (*left)(void *arg);
	void *arg; /* of both callbacks */
};
struct egress_res {
	long status;
	const char *body;
	size_t body_n;
	const char *type; /* Content-Type as sent, or NULL */
	const char *head; /* its lines as sent if keep_head is set, else NULL */
	bool encoded;     /* it has a Content-Encoding, although we asked for none */
	/* Of the server's certificate, in Unix seconds; 0 unless trusted. */
	int64_t certificate_ends_at;
	int64_t retry_after_s; /* from a 429's or 503's Retry-After, seconds or date; 0: none */
};

/* Returns an address's host in the form that a request uses: in lower case, numbers that mean an
 * IPv4 address in four parts. NULL if it isn't an http(s) address or has user information. */
const char *egress_host(void *owner, const char *url);
/* True if the host is written as an address that untrusted requests may not reach: a number that
 * isn't public, or localhost. Doesn't resolve names; each request checks these. */
bool egress_is_inside(struct ctx *c, const char *url);
/* True if any request may go to the port. *port is the port, "" for the scheme's default. For
 * checks when an address is entered; each request checks the actual address. */
bool egress_port_may(struct ctx *c, const char *url, const char **port);
/* Sends one request. E_INTERNAL, with the reason for the log, if there is no complete answer:
 * refused address, no connection, timeout, more than max_bytes or max_redirects, a redirect from
 * https to http. Any HTTP status counts as an answer. *out is set only on E_OK. */
enum err egress_send(struct ctx *c, const struct egress_req *,
    struct egress_res **out);

/* A request whose answer is read in pieces, without redirects. The request ends when c->mem is
 * freed. */
struct egress_stream;
/* Waits for the head of the answer. E_INTERNAL as egress_send(); E_UNAVAILABLE if left() returns
 * true. */
enum err egress_open(
    struct ctx *c, const struct egress_req *, struct egress_stream **out, long *status);
/* Waits for more of the body, which is valid until the next call. *n is 0 at the end. E_INTERNAL if
 * it breaks off, or exceeds max_bytes or timeout_s; E_UNAVAILABLE if left() returns true. */
enum err egress_read(struct egress_stream *, const char **bytes, size_t *n);

/* Many untrusted requests at once, each like egress_send(). Each tenant has ten connections at a
 * time to a host (with its port), so that no host is flooded and a host that hangs doesn't block
 * others; further requests wait in the tenant's queue for that host. A request's timeout starts
 * when it is sent. */
struct egress_many;
/* at_once limits all requests together. They end when owner is freed. */
struct egress_many *egress_many(void *owner, const struct conf *, size_t at_once);
/* Queues a request. c, in whose memory the answer lives, and req must live until egress_next()
 * returns tag. */
void egress_add(struct egress_many *, struct ctx *c, const struct egress_req *, void *tag);
struct egress_done {
	void *tag;
	struct egress_res *res; /* NULL if there is no complete answer */
	/* If res is NULL: why, in words for the person who chose the address. */
	const char *why;
	/* If res is NULL: permanent, because no address of the host is allowed. */
	bool final;
	bool late;              /* not sent, because begin_by_ms had passed */
	int64_t took_ms;
};
/* Returns a request that has ended; false if none has within wait_ms. */
bool egress_next(struct egress_many *, int wait_ms, struct egress_done *out);
/* Estimates how long a request would wait now before it is sent, in milliseconds. */
int64_t egress_wait_ms(struct egress_many *, const struct egress_req *);
/* Removes a request that hasn't been sent and would wait longer than most_ms (-1: any), and returns
 * its tag; NULL if there is none. */
void *egress_take_back(struct egress_many *, int64_t most_ms, int64_t *wait_ms);

struct sockaddr;
/* True if an untrusted request may connect to the address. listed has the form of egress_allow. */
bool
egress_address_allowed(const struct sockaddr *, const char *listed);
/* Checks the address of a database server, which may use any port from 1024 on. */
bool egress_database_allowed(const struct sockaddr *, const char *listed);
#endif
