/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/dns.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <resolv.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	QUERY_BYTES = 512,
	ANSWER_BYTES = 64 << 10,
	SAID_BYTES = 16 << 10,
	HEAD_BYTES = 12,
	SERVERS = 3
};

/* ---- in the process apart ---- */

static int
type_of(const char *type)
{
	return str_eq(type, "TXT") ? ns_t_txt : str_eq(type, "A") ? ns_t_a : ns_t_aaaa;
}

/* A name of the message may end in a dot. */
static bool
name_matches(const char *said, const char *name)
{
	size_t n = strlen(said);

	n -= n && said[n - 1] == '.';
	return strlen(name) == n && !strncasecmp(said, name, n);
}

/* Appends the value of a record as a line. */
static void
value_add(struct buf *out, const ns_rr *rr, int type)
{
	char address[INET6_ADDRSTRLEN];
	int family = type == ns_t_a ? AF_INET : AF_INET6;
	const uint8_t *bytes = ns_rr_rdata(*rr);
	size_t n = (size_t)ns_rr_rdlen(*rr), chars = 0;

	if (type != ns_t_txt) {
		if (n == (family == AF_INET ? 4 : 16) &&
		    inet_ntop(family, bytes, address, sizeof address))
			buf_fmt(out, "%s\n", address);
		return;
	}
	/* The strings of a TXT record are one text. */
	for (size_t at = 0, end; at < n; at = end) {
		end = at + 1 + bytes[at];
		for (size_t i = at + 1; i < end && i < n && chars < DNS_VALUE_CHARS; i++, chars++)
			buf_chr(out, bytes[i] >= ' ' && bytes[i] <= '~' ? (char)bytes[i] : '?');
	}
	buf_chr(out, '\n');
}

/* Appends the values that the answer has for a name, or replaces the name by the one that it is an
 * alias of. Returns how many values there are; -1 if the answer can't be parsed. */
static int
values_add(ns_msg *message, char *name, int type, bool *alias, struct buf *out)
{
	int found = 0;
	char next[NS_MAXDNAME] = "";
	ns_rr rr;

	for (int i = 0; i < ns_msg_count(*message, ns_s_an) && found < DNS_VALUES; i++) {
		if (ns_parserr(message, ns_s_an, i, &rr))
			return -1;
		if (ns_rr_class(rr) != ns_c_in || !name_matches(ns_rr_name(rr), name))
			continue;
		if ((int)ns_rr_type(rr) == type) {
			value_add(out, &rr, type);
			found++;
		} else if (ns_rr_type(rr) == ns_t_cname &&
		    ns_name_uncompress(ns_msg_base(*message), ns_msg_end(*message),
			ns_rr_rdata(rr), next, sizeof next) < 0) {
			return -1;
		}
	}
	*alias = !found && *next;
	if (*alias)
		snprintf(name, NS_MAXDNAME, "%s", next);
	return found;
}

/* The input is "type name\n" and the message. The answer is "n" if there is no such record, "s" and
 * a code if the server can't tell, or "f" and a value a line. */
static enum err
message_read(struct ctx *c, const char *asked, const uint8_t *bytes, size_t n, struct buf *out)
{
	const char *of = strchr(asked, ' ');
	int type = type_of(mem_strndup(c->mem, asked, (size_t)(of - asked))), found = 0;
	char name[NS_MAXDNAME];
	bool alias = true;
	ns_msg message;
	ns_rr question;

	snprintf(name, sizeof name, "%s", of + 1);
	if (ns_initparse(bytes, (int)n, &message) || ns_msg_count(message, ns_s_qd) != 1 ||
	    ns_parserr(&message, ns_s_qd, 0, &question) ||
	    !name_matches(ns_rr_name(question), name) || (int)ns_rr_type(question) != type)
		return fail(c, E_INVALID, "the answer is not one to the question");
	if (ns_msg_getflag(message, ns_f_rcode) == ns_r_nxdomain) {
		buf_str(out, "n");
		return E_OK;
	}
	if (ns_msg_getflag(message, ns_f_rcode) != ns_r_noerror) {
		buf_fmt(out, "s%d", ns_msg_getflag(message, ns_f_rcode));
		return E_OK;
	}
	buf_str(out, "f");
	for (int i = 0; i <= DNS_ALIASES && alias; i++)
		if ((found = values_add(&message, name, type, &alias, out)) < 0)
			return fail(c, E_INVALID, "the answer can't be read");
	if (alias)
		return fail(c, E_INVALID, "more than %d aliases (CNAME) lead on from it",
		    DNS_ALIASES);
	if (!found) {
		out->n = 0;
		buf_str(out, "n");
	}
	return E_OK;
}

enum err
dns_work(struct ctx *c, const char *in, size_t n, struct buf *out)
{
	const char *end = memchr(in, '\n', n);

	return end ? message_read(c, mem_strndup(c->mem, in, (size_t)(end - in)),
			 (const uint8_t *)end + 1, n - (size_t)(end + 1 - in), out)
		   : fail(c, E_INVALID, "there is no question");
}

/* ---- the servers ---- */

struct server {
	struct sockaddr_storage address;
	socklen_t n;
};
struct asking {
	struct ctx *c;
	struct server servers[SERVERS];
	int server_n;
	struct one {
		struct dns_question *q;
		uint8_t query[QUERY_BYTES], *answer;
		int query_n, fd;
		size_t answer_n; /* 0: not answered */
	} *v;
	size_t n;
};

/* address is "127.0.0.1:53" or "[::1]:53". */
static bool
server_read(void *owner, const char *address, struct server *out)
{
	struct addrinfo how = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_DGRAM }, *found;
	const char *port = strrchr(address, ':');
	bool inside = *address == '[' && port && port > address && port[-1] == ']';
	char *host;

	if (!port || (*address == '[') != inside)
		return false;
	host = mem_strndup(owner, address + inside, (size_t)(port - address) - (inside ? 2 : 0));
	if (getaddrinfo(host, port + 1, &how, &found))
		return false;
	memcpy(&out->address, found->ai_addr, found->ai_addrlen);
	out->n = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

static void
servers_copy(struct asking *a, const struct __res_state *state)
{
	for (int i = 0; i < state->nscount && a->server_n < SERVERS; i++) {
		const struct sockaddr_in *v4 = &state->nsaddr_list[i];
		const struct sockaddr_in6 *v6 = state->_u._ext.nsaddrs[i];
		struct server *s = &a->servers[a->server_n];

		if (v4->sin_family == AF_INET) {
			memcpy(&s->address, v4, s->n = sizeof *v4);
			a->server_n++;
		} else if (v6 && v6->sin6_family == AF_INET6) {
			memcpy(&s->address, v6, s->n = sizeof *v6);
			a->server_n++;
		}
	}
}

static enum err
asking_begin(struct asking *a)
{
	const char *own = a->c->conf->dns_server;
	struct __res_state state = { 0 };
	enum err e = E_OK;

	if (res_ninit(&state))
		return fail_here(a->c, "the machine's resolvers can't be read");
	if (!conf_has(own))
		servers_copy(a, &state);
	else
		a->server_n = server_read(a->c->mem, own, &a->servers[0]);
	for (size_t i = 0; a->server_n && i < a->n; i++) {
		struct one *o = &a->v[i];

		o->query_n = res_nmkquery(&state, ns_o_query, o->q->name, ns_c_in,
		    type_of(o->q->type), NULL, 0, NULL, o->query, sizeof o->query);
		if (o->query_n < HEAD_BYTES)
			o->q->why = "it is no name that can be asked for";
		else
			crypto_random(o->query, 2); /* the id */
	}
	if (!a->server_n)
		e = fail_here(a->c, "there are no resolvers (setting dns_server: %s)", own);
	res_nclose(&state);
	return e;
}

/* ---- one try by UDP ---- */

static int
socket_to(const struct server *s, int type)
{
	int fd = socket(
	    s->address.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)&s->address, s->n) &&
	    errno != EINPROGRESS) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool
is_reply(const struct one *o, const uint8_t *bytes, ssize_t n)
{
	return n >= HEAD_BYTES && !memcmp(bytes, o->query, 2) && bytes[2] & 0x80;
}

/* Reads a reply. Ignores anything else that arrives: it may be somebody's who guesses. */
static void
datagram_read(struct asking *a, struct one *o, uint8_t *room)
{
	ssize_t n = recv(o->fd, room, ANSWER_BYTES, 0);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		close(o->fd); /* nobody listens there */
		o->fd = -1;
	}
	if (!is_reply(o, room, n))
		return;
	o->answer = mem_grow(a->c->mem, NULL, (size_t)n);
	memcpy(o->answer, room, (size_t)n);
	o->answer_n = (size_t)n;
}

static void
datagrams_await(struct asking *a, uint8_t *room)
{
	struct pollfd *wait = mem_array(a->c->mem, struct pollfd, a->n + 1);
	int64_t until = clock_ms() + DNS_TRY_MS, left;

	while ((left = until - clock_ms()) > 0) {
		nfds_t open = 0;

		for (size_t i = 0; i < a->n; i++) {
			bool waits = a->v[i].fd >= 0 && !a->v[i].answer_n;

			wait[i] = (struct pollfd){ waits ? a->v[i].fd : -1, POLLIN, 0 };
			open += waits;
		}
		if (!open || (poll(wait, a->n, (int)left) < 0 && errno != EINTR))
			return;
		for (size_t i = 0; i < a->n; i++)
			if (wait[i].fd >= 0 && wait[i].revents)
				datagram_read(a, &a->v[i], room);
	}
}

static void
udp_try(struct asking *a, const struct server *s, uint8_t *room)
{
	for (size_t i = 0; i < a->n; i++) {
		struct one *o = &a->v[i];

		o->fd = -1;
		if (o->answer_n || o->query_n < HEAD_BYTES)
			continue;
		o->fd = socket_to(s, SOCK_DGRAM);
		if (o->fd >= 0 && send(o->fd, o->query, (size_t)o->query_n, MSG_NOSIGNAL) < 0) {
			close(o->fd);
			o->fd = -1;
		}
	}
	datagrams_await(a, room);
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].fd >= 0)
			close(a->v[i].fd);
}

/* ---- an answer that is too long for UDP ---- */

static bool
all_pass(int fd, short way, uint8_t *bytes, size_t n, int64_t until)
{
	struct pollfd ready = { .fd = fd, .events = way };
	int64_t left;

	while (n && (left = until - clock_ms()) > 0) {
		ssize_t one;

		if (poll(&ready, 1, (int)left) <= 0)
			continue;
		one = way == POLLOUT ? send(fd, bytes, n, MSG_NOSIGNAL) : recv(fd, bytes, n, 0);
		if (one <= 0 && (one == 0 || (errno != EAGAIN && errno != EINTR)))
			return false;
		if (one > 0) {
			bytes += one;
			n -= (size_t)one;
		}
	}
	return !n;
}

static void
tcp_try(struct asking *a, struct one *o, const struct server *s, uint8_t *room)
{
	int64_t until = clock_ms() + DNS_TRY_MS;
	int fd = socket_to(s, SOCK_STREAM);
	uint8_t size[2], query[2 + QUERY_BYTES] = { (uint8_t)(o->query_n >> 8),
		(uint8_t)o->query_n };
	size_t n = 0;

	o->answer_n = 0;
	if (fd < 0)
		return;
	/* Size and query go together: some servers don't wait for more (RFC 7766, section 8). */
	memcpy(query + 2, o->query, (size_t)o->query_n);
	if (all_pass(fd, POLLOUT, query, 2 + (size_t)o->query_n, until) &&
	    all_pass(fd, POLLIN, size, 2, until))
		n = (size_t)size[0] << 8 | size[1];
	if (n && all_pass(fd, POLLIN, room, n, until) && is_reply(o, room, (ssize_t)n)) {
		o->answer = mem_grow(a->c->mem, o->answer, n);
		memcpy(o->answer, room, n);
		o->answer_n = n;
	}
	close(fd);
}

/* ---- the answers ---- */

static enum err
one_read(struct ctx *c, struct one *o)
{
	struct dns_question *q = o->q;
	struct buf in = BUF(c->mem);
	const char *said;
	size_t n;
	enum err e;

	if (!o->answer_n) {
		q->why = q->why ? q->why : "the name servers don't answer";
		return E_OK;
	}
	buf_fmt(&in, "%s %s\n", q->type, q->name);
	buf_add(&in, o->answer, o->answer_n);
	e = apart_run(c, dns_work, buf_done(&in), in.n, SAID_BYTES, &said, &n);
	if (e == E_UNAVAILABLE)
		return e;
	if (e) {
		q->why = mem_strdup(c->mem, ctx_why(c));
		return ctx_forgive(c);
	}
	if (*said == 'f') {
		char *lines = mem_strdup(c->mem, said + 1);

		for (char *line; (line = str_split(&lines, '\n'));)
			if (*line || lines)
				strs_add(c->mem, &q->values, line);
		q->said = q->values.n ? DNS_FOUND : DNS_NONE;
	} else if (*said == 's') {
		q->why = mem_printf(c->mem, "the name servers report a failure (%s)",
		    str_eq(said + 1, "2")	? "SERVFAIL"
			: str_eq(said + 1, "5") ? "REFUSED"
						: said + 1);
	} else {
		q->said = DNS_NONE;
	}
	return E_OK;
}

enum err
dns_ask(struct ctx *c, struct dns_question *q, size_t n)
{
	struct asking a = { .c = c, .n = n, .v = mem_array(c->mem, struct one, n + 1) };
	uint8_t *room;

	for (size_t i = 0; i < n; i++) {
		a.v[i].q = &q[i];
		q[i].said = DNS_SILENT;
		q[i].values = (struct strs){ 0 };
		q[i].why = NULL;
	}
	TRY(asking_begin(&a));
	room = mem_array(c->mem, uint8_t, ANSWER_BYTES);
	for (int i = 0; i < DNS_TRIES; i++)
		udp_try(&a, &a.servers[i % a.server_n], room);
	for (size_t i = 0; i < n; i++)
		if (a.v[i].answer_n && a.v[i].answer[2] & 0x02) /* it was cut off */
			tcp_try(&a, &a.v[i], &a.servers[0], room);
	for (size_t i = 0; i < n; i++)
		TRY(one_read(c, &a.v[i]));
	return E_OK;
}
