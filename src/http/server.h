/* SPDX-License-Identifier: Apache-2.0
 * The pools: the parent, which binds the FastCGI sockets, forks workers for each and replaces those
 * that end, and the loop of one worker. A route's row names its pool (http/route.h); nginx chooses
 * by what `vitrinectl nginx` printed from the rows. */
#ifndef VITRINE_SERVER_H
#define VITRINE_SERVER_H
#include "http/door.h"
#include "http/req.h"

/* Runs until SIGTERM. Returns the exit status: 71 if a socket can't be bound or another pool
 * listens on it. reload() returns the new configuration at SIGHUP, or NULL to keep the old one. */
int server_run(const struct conf *conf, const struct conf *(*reload)(void));
/* The loop of one worker on descriptor fd (worker.c). Returns when told to stop. */
void worker_run(const struct conf *conf, enum pool, int fd, struct shelf);
#endif
