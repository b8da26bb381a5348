/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/pglook.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "ext/egress.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>

enum { ADDRESSES = 8 };

struct pglook {
	struct pglook *next;
	char *host, port[24];
	struct addrinfo hints;
	struct gaicb ask, *list[1];
};

/* Lookups that are no longer needed, but to which a thread of libc still writes. */
static struct pglook *left;

static void
look_free(struct pglook *l)
{
	if (l->ask.ar_result)
		freeaddrinfo(l->ask.ar_result);
	mem_free(l);
}

static void
left_clear(void)
{
	for (struct pglook **at = &left; *at;) {
		struct pglook *l = *at;

		if (pglook_done(l)) {
			*at = l->next;
			look_free(l);
		} else {
			at = &l->next;
		}
	}
}

struct pglook *
pglook_begin(const char *host, int64_t port)
{
	struct pglook *l;

	left_clear();
	/* libpq takes a slash or @ for a socket's path, and a comma for a list of hosts. */
	if (!*host || strpbrk(host, "/@, \t") || !str_plain(host))
		return NULL;
	l = mem_new(NULL, struct pglook);
	l->host = mem_strdup(l, host);
	snprintf(l->port, sizeof l->port, "%lld", (long long)port);
	l->hints = (struct addrinfo){ .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	l->ask = (struct gaicb){
		.ar_name = l->host, .ar_service = l->port, .ar_request = &l->hints
	};
	l->list[0] = &l->ask;
	if (!getaddrinfo_a(GAI_NOWAIT, l->list, 1, NULL))
		return l;
	mem_free(l);
	return NULL;
}

bool
pglook_done(const struct pglook *l)
{
	return gai_error((struct gaicb *)(uintptr_t)&l->ask) != EAI_INPROGRESS;
}

const char *
pglook_judge(void *owner, const struct pglook *l, const char *listed, const char **hosts,
    const char **addresses)
{
	struct buf names = BUF(owner), numbers = BUF(owner);
	size_t n = 0;

	if (gai_error((struct gaicb *)(uintptr_t)&l->ask))
		return "the host name couldn't be resolved";
	for (const struct addrinfo *a = l->ask.ar_result; a && n < ADDRESSES; a = a->ai_next) {
		char number[NI_MAXHOST];

		if (!egress_database_allowed(a->ai_addr, listed) ||
		    getnameinfo(a->ai_addr, a->ai_addrlen, number, sizeof number, NULL, 0,
			NI_NUMERICHOST))
			continue;
		buf_fmt(&names, "%s%s", n ? "," : "", l->host);
		buf_fmt(&numbers, "%s%s", n++ ? "," : "", number);
	}
	if (!n)
		return "the address isn't allowed: it isn't public, or its port is below 1024";
	*hosts = buf_done(&names);
	*addresses = buf_done(&numbers);
	return NULL;
}

void
pglook_end(struct pglook *l)
{
	if (!l)
		return;
	if (gai_cancel(&l->ask) == EAI_NOTCANCELED) {
		l->next = left;
		left = l;
		return;
	}
	look_free(l);
}
