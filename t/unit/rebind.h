/* SPDX-License-Identifier: Apache-2.0
 * A name server that changes its mind, 127.0.0.1 and 127.0.0.2 in turn, and a server at each, of which only the first may be asked. Whoever includes it puts the
 * name server in place of libc's function that is called. */
#ifndef VITRINE_REBIND_H
#define VITRINE_REBIND_H
#include <arpa/inet.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int asked;

static struct addrinfo *
rebind_answer(const char *service)
{
	static const char *const answers[] = { "127.0.0.1", "127.0.0.2" };
	struct {
		struct addrinfo info;
		struct sockaddr_in addr;
	} *a = calloc(1, sizeof *a);

	a->addr.sin_family = AF_INET;
	a->addr.sin_port = htons((uint16_t)strtol(service ? service : "0", NULL, 10));
	inet_pton(AF_INET, answers[asked++ % 2], &a->addr.sin_addr);
	a->info = (struct addrinfo){ .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_addrlen = sizeof a->addr, .ai_addr = (struct sockaddr *)&a->addr };
	return &a->info;
}

void
freeaddrinfo(struct addrinfo *a)
{
	free(a);
}

/* port 0: any that is free. */
static int
listen_at(const char *address, int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

	inet_pton(AF_INET, address, &at.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	return bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 64) ? -1 : fd;
}

static int
port_of(int listening)
{
	struct sockaddr_in at;
	socklen_t n = sizeof at;

	return getsockname(listening, (struct sockaddr *)&at, &n) ? -1 : ntohs(at.sin_port);
}

/* Counts who comes, and answers each the same. */
static pid_t
server(int listening, const char *reply, int *count)
{
	pid_t pid = fork();
	char got[4096];

	if (pid)
		return pid;
	for (;;) {
		int fd = accept(listening, NULL, NULL);

		++*count;
		if (read(fd, got, sizeof got) > 0 && write(fd, reply, strlen(reply)) < 0)
			_exit(1);
		close(fd);
	}
}

static void
server_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

struct rebind {
	int port;
	char allow[40]; /* the setting that allows the first alone */
	int *counts;    /* of who came to each */
	pid_t pids[2];
};

static struct rebind
rebind_begin(const char *reply)
{
	int good = listen_at("127.0.0.1", 0);
	struct rebind r = { .port = port_of(good), .counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) };

	snprintf(r.allow, sizeof r.allow, "127.0.0.1:%d", r.port);
	r.pids[0] = server(good, reply, &r.counts[0]);
	r.pids[1] = server(listen_at("127.0.0.2", r.port), reply, &r.counts[1]);
	return r;
}

static void
rebind_end(const struct rebind *r)
{
	server_end(r->pids[0]);
	server_end(r->pids[1]);
}
#endif
