/* SPDX-License-Identifier: Apache-2.0
 * Which addresses a request that somebody else chose may reach; which host an address names; and a name server that changes its mind. */
#include "rebind.h"
#include "tap.h"

#include "base/conf.h"
#include "base/str.h"
#include "ext/egress.h"

/* ---- a name server that answers otherwise each time: libcurl finds it in place of libc's ---- */

int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
	(void)name, (void)hints;
	*out = rebind_answer(service);
	return 0;
}

static void
rebinding(void)
{
	enum { TRIES = 400 };
	struct rebind both = rebind_begin("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
	struct conf conf = { .egress_allow = both.allow, .egress_ca_file = "-" };
	char url[60];
	int fine = 0;

	snprintf(url, sizeof url, "http://rebind.example:%d/", both.port);
	for (int i = 0; i < TRIES; i++) {
		struct ctx *c = ctx_begin(&conf, NULL);
		struct egress_req req = { .url = url, .max_bytes = 100, .timeout_s = 5 };
		struct egress_res *res;

		fine += egress_send(c, &req, &res) == E_OK && str_eq(res->body, "ok");
		ctx_end(c);
	}
	is_int(asked, TRIES, "the name server is asked each time");
	is_int(fine, TRIES / 2, "what it says of an address that is allowed is fetched");
	is_int(both.counts[0], TRIES / 2, "... from there");
	is_int(both.counts[1], 0, "and nothing else, however it changes its mind");
	rebind_end(&both);
}

/* ---- hosts ---- */

static void
hosts(void)
{
	static const struct {
		const char *url, *host;
	} rows[] = { { "https://example.org/x", "example.org" }, { "https://EXAMPLE.org:8443", "example.org" }, { "http://example.org.", "example.org." },
		{ "http://127.1/", "127.0.0.1" }, { "http://2130706433/", "127.0.0.1" }, { "http://0x7f.1/", "127.0.0.1" }, { "http://017700000001/", "127.0.0.1" },
		{ "http://[::1]:80/", "[::1]" }, { "http://[::FFFF:7f00:1]/", "[::ffff:7f00:1]" }, { "https://evil.example#@example.org/", "evil.example" },
		{ "https://evil.example?@example.org/", "evil.example" }, { "https://evil.example/@example.org", "evil.example" }, { "https://exa%6dple.org/", "example.org" },
		{ "https://a:b@example.org/", NULL }, { "https://a@example.org/", NULL }, { "https://@example.org/", NULL }, { "file:///etc/passwd", NULL }, { "ftp://example.org/", NULL },
		{ "//example.org/", NULL }, { "example.org", NULL }, { "https://", NULL }, { "https:///x", NULL }, { "https://exa mple.org/", NULL }, { "https://example.org/\r\n", NULL } };
	void *mem = mem_root("test");

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		is_str(egress_host(mem, rows[i].url), rows[i].host, rows[i].url);
	mem_free(mem);
}

static bool
allowed(const char *address, int port, const char *listed)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };

	if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
		return egress_address_allowed((struct sockaddr *)&v4, listed);
	inet_pton(AF_INET6, address, &v6.sin6_addr);
	return egress_address_allowed((struct sockaddr *)&v6, listed);
}

int
main(void)
{
	static const char *const inside[] = { "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
		"169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
		"198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
		"::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:1::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1", "fd00::1",
		"fe80::1", "fec0::1", "ff02::1" };
	static const char *const outside[] = { "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255", "128.0.0.1",
		"172.15.255.255", "172.32.0.1", "192.167.255.255", "192.169.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "2001:4860::8888" };

	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
		ok(!allowed(inside[i], 443, "-"), inside[i]);
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
		ok(allowed(outside[i], 443, "-") && allowed(outside[i], 80, "-"), outside[i]);
	ok(!allowed("8.8.8.8", 22, "-") && !allowed("8.8.8.8", 0, "-") && !allowed("8.8.8.8", 8443, "-"), "other ports");
	ok(allowed("10.0.0.5", 8080, "10.0.0.5:8080") && allowed("10.0.0.5", 8080, "10.0.0.4:1 10.0.0.5:8080 [fd00::5]:443") &&
	    allowed("fd00::5", 443, "10.0.0.5:8080 [fd00::5]:443"), "what is listed");
	ok(!allowed("10.0.0.5", 80, "10.0.0.5:8080") && !allowed("10.0.0.5", 808, "10.0.0.5:8080") && !allowed("0.0.0.5", 8080, "10.0.0.5:8080") &&
	    !allowed("10.0.0.50", 8080, "10.0.0.5:8080"), "and nothing near it");
	hosts();
	rebinding();
	return done();
}
