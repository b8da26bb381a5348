/* SPDX-License-Identifier: Apache-2.0
 * A small HTTP server for `vitrine dev`, for browsers of this machine only. It listens on the
 * loopback addresses and answers each connection in a process of its own, so that nothing slow or
 * hostile holds up the rest. Requests that a page of another site could make are refused: a Host
 * other than ours (421), a change whose Origin isn't ours, and data asked for by another site
 * (403). */
#ifndef VITRINE_CLI_SERVE_H
#define VITRINE_CLI_SERVE_H
#include "cli/cli.h"

struct asked {
	const char *method, *path, *query; /* as they were sent; query: "?…" or "" */
	const char *host, *origin, *site, *if_match, *if_none_match; /* NULL: not sent */
	const char *body;
	size_t body_n;
};
struct reply {
	int changes; /* how many there were when this was begun; a page asks for later ones */
	int status; /* 0: 200 */
	const char *mime, *etag, *location;
	struct buf body;
};
struct serve {
	struct cli *cli;
	int port; /* 0: any; set by serve_open() */
	int listening[2];
	int watch;             /* a descriptor to poll, or -1 */
	volatile int *changes; /* shared: how often what is watched has changed */
	void *arg;
	/* Called in the parent, when watch has something to read. */
	void (*changed)(struct serve *);
	/* Called in a process of its own. mem owns what the reply is made of. */
	void (*answer)(struct serve *, void *mem, const struct asked *, struct reply *);
};

/* Listens on 127.0.0.1 and, where there is one, ::1. Returns false after saying why not. */
bool serve_open(struct serve *);
/* Answers until SIGINT or SIGTERM. */
void serve_run(struct serve *);
#endif
