/* SPDX-License-Identifier: Apache-2.0
 * Which addresses a request that somebody else chose may reach; which host an address names; and a name server that changes its mind. */
#include "tap.h"

#include "base/conf.h"
#include "base/str.h"
#include "ext/egress.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a name server that answers otherwise each time: libcurl finds these in place of libc's ---- */

static const char *const answers[] = { "127.0.0.1", "127.0.0.2" };
static int asked;

int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
	struct {
		struct addrinfo info;
		struct sockaddr_in addr;
	} *a = calloc(1, sizeof *a);

	(void)name, (void)hints;
	a->addr.sin_family = AF_INET;
	a->addr.sin_port = htons((uint16_t)strtol(service ? service : "0", NULL, 10));
	inet_pton(AF_INET, answers[asked++ % 2], &a->addr.sin_addr);
	a->info = (struct addrinfo){ .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_addrlen = sizeof a->addr, .ai_addr = (struct sockaddr *)&a->addr };
	*out = &a->info;
	return 0;
}

void
freeaddrinfo(struct addrinfo *a)
{
	free(a);
}

static int
listen_at(const char *address, int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

	inet_pton(AF_INET, address, &at.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	return bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 64) ? -1 : fd;
}

/* Counts who comes, and answers. */
static pid_t
server(int listening, int *count)
{
	static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
	pid_t pid = fork();
	char got[4096];

	if (pid)
		return pid;
	for (;;) {
		int fd = accept(listening, NULL, NULL);

		++*count;
		if (read(fd, got, sizeof got) > 0 && write(fd, reply, sizeof reply - 1) < 0)
			_exit(1);
		close(fd);
	}
}

static void
rebinding(void)
{
	enum { TRIES = 400 };
	struct sockaddr_in at;
	socklen_t n = sizeof at;
	int good = listen_at("127.0.0.1", 0), bad, fine = 0, *counts;
	char allow[40], url[60];
	struct conf conf = { .egress_allow = allow, .egress_ca_file = "-" };
	pid_t pids[2];

	getsockname(good, (struct sockaddr *)&at, &n);
	bad = listen_at("127.0.0.2", ntohs(at.sin_port));
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pids[0] = server(good, &counts[0]);
	pids[1] = server(bad, &counts[1]);
	snprintf(allow, sizeof allow, "127.0.0.1:%d", ntohs(at.sin_port));
	snprintf(url, sizeof url, "http://rebind.example:%d/", ntohs(at.sin_port));
	for (int i = 0; i < TRIES; i++) {
		struct ctx *c = ctx_begin(&conf, NULL);
		struct egress_req req = { .url = url, .max_bytes = 100, .timeout_s = 5 };
		struct egress_res *res;

		fine += egress_send(c, &req, &res) == E_OK && str_eq(res->body, "ok");
		ctx_end(c);
	}
	is_int(asked, TRIES, "the name server is asked each time");
	is_int(fine, TRIES / 2, "what it says of an address that is allowed is fetched");
	is_int(counts[0], TRIES / 2, "... from there");
	is_int(counts[1], 0, "and nothing else, however it changes its mind");
	for (int i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
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
