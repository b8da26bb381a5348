/* SPDX-License-Identifier: Apache-2.0
 * The only way out for requests to addresses that somebody else chose, and to sign-in providers. A
 * connection is judged by its socket address at the moment of connecting, so neither an odd
 * spelling of a host nor a resolver's answer gets past the check. Redirects are followed here and
 * not by libcurl, so each hop is judged again. Allowed are ports 80 and 443 of public addresses,
 * and what the setting egress_allow lists. A trusted request goes to an endpoint that the operator
 * configured: to any address and port, but only by https and without redirects. TLS 1.2 or later;
 * certificates are checked against the setting egress_ca_file, or against the system's store when
 * that is not set. Of the server's files, only egress.c and smtp.c see libcurl. */
#ifndef VITRINE_EGRESS_H
#define VITRINE_EGRESS_H
#include "base/ctx.h"

struct egress_req {
	const char *url;
	size_t max_bytes;  /* of the body; of the head 64 KiB are taken */
	long timeout_s;    /* of the whole, redirects included */
	int max_redirects; /* 0: a redirect is the answer; must be so with a body, headers or
			    * trusted, which are for one host */
	const char *form;  /* body to POST as application/x-www-form-urlencoded; NULL sends a GET */
	const char *json;  /* or one to POST as application/json */
	const char *const *headers; /* "Name: value" lines, ended by NULL, or NULL */
	bool trusted;
	const char *tenant; /* of egress_add(): whose places at the host it takes; may be NULL */
	int64_t begin_by_ms; /* of egress_add(): not sent once clock_ms() is past it; 0: whenever */
	bool keep_head; /* fill head of the answer */
	bool patient; /* the answer may be silent for as long as timeout_s */
	/* Whether that host (egress_host()) may be asked, at each hop; NULL: every one. */
	bool (*host_may)(void *arg, const char *host);
	/* Asked some times a second while egress_open() and egress_read() wait; true ends the
	 * request. NULL: nobody leaves. */
	bool (*left)(void *arg);
	void *arg; /* of both */
};
struct egress_res {
	long status;
	const char *body;
	size_t body_n;
	const char *type; /* Content-Type as it came, or NULL */
	const char *head; /* its lines as they came, when keep_head is set; else NULL */
	bool encoded;     /* it said a Content-Encoding, though none was asked for */
	int64_t certificate_ends_at; /* of the server, as Unix seconds; 0 unless trusted */
	int64_t retry_after_s; /* that a 429 or 503 asks for, of seconds or a date; 0: none */
};

/* The host of an address as a request will understand it: in lower case, numbers that mean an IPv4
 * address in four parts. NULL when it is no http(s) address, or has user information in it. */
const char *egress_host(void *owner, const char *url);
/* Whether its host is written as an address that no untrusted request may go to: a number that
 * isn't public, or localhost. Nothing is looked up: names are judged with each request. */
bool egress_is_inside(struct ctx *c, const char *url);
/* Whether any request may go to its port, *port ("": the scheme's own), of such an address. What is
 * told when an address is entered: which addresses are meant turns out with each request. */
bool egress_port_may(struct ctx *c, const char *url, const char **port);
/* E_INTERNAL, with the reason for the log, when there is no whole answer: refused address, no
 * connection, timeout, more than max_bytes or max_redirects, a redirect from https to http. Any
 * HTTP status counts as an answer. *out is set only then. */
enum err egress_send(struct ctx *c, const struct egress_req *,
    struct egress_res **out);

/* The same with an answer that is read while it comes, without redirects. The request ends with
 * c->mem, whether the answer was read to its end or not. */
struct egress_stream;
/* Until the head of the answer is there. E_INTERNAL as above; E_UNAVAILABLE when left() says so. */
enum err egress_open(
    struct ctx *c, const struct egress_req *, struct egress_stream **out, long *status);
/* Waits for more of the body, which stays until the next call. *n is 0 at its end. E_INTERNAL when
 * it breaks off, or exceeds max_bytes or timeout_s; E_UNAVAILABLE when left() says so. */
enum err egress_read(struct egress_stream *, const char **bytes, size_t *n);

/* Many at once, none of them trusted: each as egress_send() has it. A host (with its port) is asked
 * ten things at a time for each tenant, so that whoever is asked for much is not flooded, and
 * whoever hangs does not keep all; further ones wait their turn, behind their own tenant's only. A
 * time limit begins when a request does. */
struct egress_many;
/* at_once in all. They end with owner. */
struct egress_many *egress_many(void *owner, const struct conf *, size_t at_once);
/* c, which the answer is left in, and req stay until the request is given back. tag says which. */
void egress_add(struct egress_many *, struct ctx *c, const struct egress_req *, void *tag);
struct egress_done {
	void *tag;
	struct egress_res *res; /* NULL: there was no whole answer */
	const char *why;        /* then: why, in words for whoever chose the address */
	bool final;             /* then: another time would end the same: no address is allowed */
	bool late;              /* it was not sent, since begin_by_ms had passed */
	int64_t took_ms;
};
/* One that has ended; false when none has within wait_ms. */
bool egress_next(struct egress_many *, int wait_ms, struct egress_done *out);
/* For how long a request would wait for its turn at its host, as things are. */
int64_t egress_wait_ms(struct egress_many *, const struct egress_req *);
/* The tag of one that has not begun and would wait longer than most_ms; it is not sent. NULL: there
 * is none. most_ms -1: of any that has not begun. */
void *egress_take_back(struct egress_many *, int64_t most_ms, int64_t *wait_ms);

struct sockaddr;
/* Whether an untrusted request may connect to the address. listed is in the form of
 * egress_allow. */
bool
egress_address_allowed(const struct sockaddr *, const char *listed);
/* The same for a database's server, which may be at any port from here on. */
enum { EGRESS_DATABASE_PORT = 1024 };
bool egress_database_allowed(const struct sockaddr *, const char *listed);
#endif
