/* SPDX-License-Identifier: Apache-2.0
 * The pool: a parent that binds the FastCGI socket, forks the workers and keeps their number, and
 * the loop of one worker. */
#ifndef VITRINE_SERVER_H
#define VITRINE_SERVER_H
#include "http/req.h"

struct limits;
extern struct limits *server_limits; /* shared by all workers */

/* Runs until SIGTERM; returns the exit status. reload() gives fresh configuration at SIGHUP, or
 * NULL to keep the old. */
int server_run(const struct conf *conf, const struct conf *(*reload)(void));
/* The loop of one worker on descriptor fd; returns when told to stop. */
void worker_run(const struct conf *conf, int fd, int slot);
/* A request for a content host that nginx could not answer from the site's tree. */
void gate(struct req *);
#endif
