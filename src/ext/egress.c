/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/egress.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"

#include <curl/curl.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* False for the networks that IANA lists as not globally reachable, for multicast and reserved
 * addresses (224.0.0.0/3), and for the relays of 6to4 (192.88.99.0/24). */
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
	/* Only 2000::/3 is global unicast. Within it 2002::/16 (6to4), 2001::/23 (Teredo and other
	 * special uses) and the documentation nets 2001:db8::/32 and 3fff::/20 are refused. */
	if (a[0] >> 5 != 1)
		return false;
	if (a[0] == 0x20 && a[1] == 0x02)
		return false;
	if (a[0] == 0x20 && a[1] == 0x01 && (a[2] < 2 || (a[2] == 0x0d && a[3] == 0xb8)))
		return false;
	return !(a[0] == 0x3f && a[1] == 0xff && a[2] < 0x10);
}

static bool
address_public(const struct sockaddr *sa)
{
	if (sa->sa_family == AF_INET)
		return ipv4_allowed(
		    ntohl(((const struct sockaddr_in *)(const void *)sa)->sin_addr.s_addr));
	if (sa->sa_family == AF_INET6)
		return ipv6_allowed(
		    ((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr.s6_addr);
	return false;
}

bool
egress_address_allowed(const struct sockaddr *sa, const char *listed)
{
	char host[INET6_ADDRSTRLEN], port[6], one[INET6_ADDRSTRLEN + 8];
	socklen_t n = sa->sa_family == AF_INET ? sizeof(struct sockaddr_in)
					       : sizeof(struct sockaddr_in6);
	size_t len;

	if (getnameinfo(
		sa, n, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
		return false;
	if (address_public(sa) && str_in(port, "80|443"))
		return true;
	snprintf(one, sizeof one, sa->sa_family == AF_INET ? "%s:%s" : "[%s]:%s", host, port);
	len = strlen(one);
	for (const char *at = listed; (at = strstr(at, one)); at += len)
		if ((at == listed || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

static curl_socket_t
open_socket(void *conf, curlsocktype purpose, struct curl_sockaddr *address)
{
	(void)purpose;
	if (!egress_address_allowed(&address->addr, ((const struct conf *)conf)->egress_allow))
		return CURL_SOCKET_BAD;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

struct sink {
	struct buf body;
	size_t max;
};

static size_t
egress_receive(char *bytes, size_t one, size_t n, void *arg)
{
	struct sink *s = arg;

	if (s->body.n + one * n > s->max)
		return 0;
	buf_add(&s->body, bytes, one * n);
	return one * n;
}

static void
slist_free(void *list)
{
	curl_slist_free_all(list);
}

/* Sets the options that hold for every redirect hop; egress_send() sets the URL of each. */
static void
curl_prepare(struct ctx *c, CURL *curl, const struct egress_req *req, struct sink *sink)
{
	struct curl_slist *lines = NULL;

	for (const char *const *line = req->headers; line && *line; line++)
		lines = curl_slist_append(lines, *line);
	mem_defer(c->mem, slist_free, lines);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines);
	if (req->form)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, req->form);
	curl_easy_setopt(curl, CURLOPT_CERTINFO, (long)req->trusted);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, req->trusted ? "https" : "http,https");
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (!str_eq(c->conf->egress_ca_file, "-"))
		curl_easy_setopt(curl, CURLOPT_CAINFO, c->conf->egress_ca_file);
	if (!req->trusted) {
		curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
		curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, (void *)(uintptr_t)c->conf);
	}
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 5L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 64L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 5L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, egress_receive);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "Vitrine/1");
}

static int64_t
certificate_end(CURL *curl)
{
	static const char name[] = "Expire date:";
	struct curl_certinfo *chain = NULL;

	if (curl_easy_getinfo(curl, CURLINFO_CERTINFO, &chain) || !chain || !chain->num_of_certs)
		return 0;
	for (const struct curl_slist *line = chain->certinfo[0]; line; line = line->next)
		if (str_starts(line->data, name))
			return curl_getdate(line->data + strlen(name), NULL);
	return 0;
}

static void
curl_free_handle(void *curl)
{
	curl_easy_cleanup(curl);
}

enum err
egress_send(struct ctx *c, const struct egress_req *req, struct egress_res **out)
{
	CURL *curl = curl_easy_init();
	struct sink sink = { BUF(c->mem), req->max_bytes };
	const char *url = req->url;
	long until = clock_ms() + req->timeout_s * 1000;

	if (!curl)
		return fail_here(c, "curl_easy_init");
	mem_defer(c->mem, curl_free_handle, curl);
	if (req->max_redirects && (req->trusted || req->form || req->headers))
		return fail_here(c, "this request may not be redirected");
	curl_prepare(c, curl, req, &sink);
	errno = 0;
	for (int hops = 0; hops <= req->max_redirects; hops++) {
		long left = until - clock_ms();
		char *next = NULL;
		CURLcode code;

		sink.body.n = 0;
		/* 0 would be no limit. */
		curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, left > 0 ? left : 1);
		curl_easy_setopt(curl, CURLOPT_URL, url);
		code = curl_easy_perform(curl);
		errno = 0;
		if (code)
			return fail_here(c, "fetching: %s", curl_easy_strerror(code));
		*out = mem_new(c->mem, struct egress_res);
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &(*out)->status);
		curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &next);
		(*out)->certificate_ends_at = certificate_end(curl);
		(*out)->body = buf_done(&sink.body);
		(*out)->body_n = sink.body.n;
		if ((*out)->status < 300 || (*out)->status > 399 || !next)
			return E_OK;
		url = mem_strdup(c->mem, next);
	}
	return fail_here(c, "more than %d redirects", req->max_redirects);
}
