/* SPDX-License-Identifier: Apache-2.0 */
#include "base/address.h"

#include "base/str.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { DATABASE_PORT = 1024 };

/* Returns false for the networks that IANA lists as not globally reachable, for multicast and
 * reserved addresses (224.0.0.0/3), and for 6to4 relays (192.88.99.0/24). */
static bool
ipv4_allowed(uint32_t a)
{
	static const struct {
		uint32_t net;
		int bits;
	} denied[] = { { 0x00000000, 8 }, { 0x0a000000, 8 }, { 0x64400000, 10 }, { 0x7f000000, 8 },
		{ 0xa9fe0000, 16 }, { 0xac100000, 12 }, { 0xc0000000, 24 }, { 0xc0000200, 24 },
		{ 0xc0586300, 24 }, { 0xc0a80000, 16 }, { 0xc6120000, 15 }, { 0xc6336400, 24 },
		{ 0xcb007100, 24 }, { 0xe0000000, 3 } };

	for (size_t i = 0; i < sizeof denied / sizeof *denied; i++)
		if ((a ^ denied[i].net) >> (32 - denied[i].bits) == 0)
			return false;
	return true;
}

static bool
ipv6_allowed(const uint8_t a[16])
{
	/* Only 2000::/3 is global unicast. Within it, 2002::/16 (6to4), 2001::/23 (Teredo and other
	 * special uses) and the documentation networks 2001:db8::/32 and 3fff::/20 are refused. */
	if (a[0] >> 5 != 1)
		return false;
	if (a[0] == 0x20 && a[1] == 0x02)
		return false;
	if (a[0] == 0x20 && a[1] == 0x01 && (a[2] < 2 || (a[2] == 0x0d && a[3] == 0xb8)))
		return false;
	return !(a[0] == 0x3f && a[1] == 0xff && a[2] < 0x10);
}

bool
address_allowed(const struct sockaddr *sa, enum address_ports ports, const char *listed)
{
	char host[INET6_ADDRSTRLEN], port[6], one[INET6_ADDRSTRLEN + 8];
	socklen_t n = sa->sa_family == AF_INET ? sizeof(struct sockaddr_in)
					       : sizeof(struct sockaddr_in6);
	bool public = false;
	size_t len;

	if (getnameinfo(
		sa, n, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
		return false;
	if (sa->sa_family == AF_INET)
		public = ipv4_allowed(
		    ntohl(((const struct sockaddr_in *)(const void *)sa)->sin_addr.s_addr));
	else if (sa->sa_family == AF_INET6)
		public = ipv6_allowed(
		    ((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr.s6_addr);
	if (public &&
	    (ports == ADDRESS_DATABASE ? strtol(port, NULL, 10) >= DATABASE_PORT
				       : str_in(port, "80|443")))
		return true;
	snprintf(one, sizeof one, sa->sa_family == AF_INET ? "%s:%s" : "[%s]:%s", host, port);
	len = strlen(one);
	for (const char *at = listed; (at = strstr(at, one)); at += len)
		if ((at == listed || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}
