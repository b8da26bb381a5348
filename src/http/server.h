/* SPDX-License-Identifier: Apache-2.0
 * The pools: a parent that binds the FastCGI sockets, forks the workers of each and keeps their
 * number, and the loop of one worker. A route's row says which pool answers it (http/route.h), and
 * nginx passes requests on by what `vitrinectl nginx` printed from the rows. */
#ifndef VITRINE_SERVER_H
#define VITRINE_SERVER_H
#include "http/req.h"

/* Runs until SIGTERM; returns the exit status: 71 when a socket can't be bound, or another pool
 * listens on it. reload() gives fresh configuration at SIGHUP, or NULL to keep the old. */
int server_run(const struct conf *conf, const struct conf *(*reload)(void));
/* The loop of one worker on descriptor fd (worker.c); returns when told to stop. */
void worker_run(const struct conf *conf, enum pool, int fd);
#endif
