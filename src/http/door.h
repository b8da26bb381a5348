/* SPDX-License-Identifier: Apache-2.0
 * The place where a worker waits for requests, and the only one where it can be stopped. nginx
 * sends one request after the other on a connection, which a worker keeps in between. Before a
 * worker does what may last, it puts its other connections on its pool's shelf, a socket that
 * carries descriptors to idle workers. So a request waits for a busy worker for a quick GET's time
 * at most while another is idle, no connection is closed while nginx may be sending on it, and none
 * is lost when a worker ends. */
#ifndef VITRINE_DOOR_H
#define VITRINE_DOOR_H
#include "http/req.h"

#include <signal.h>

struct shelf {
	int put, take;
};
bool shelf_open(struct shelf *); /* before the first fork */
void shelf_close(struct shelf *); /* in a child of another pool */

void door_open(enum pool, int listening, struct shelf); /* of this process */
/* Returns a connection with a request, or one that nginx has closed. Once *stopping is set, or
 * without descriptors, puts all connections on the shelf and returns -1. */
int door_wait(const volatile sig_atomic_t *stopping);
void door_leave(void);     /* this request may last: the others go on the shelf */
void door_replied(int fd); /* what fcgi_end() returned */
void door_give(void);      /* more is to be done after the reply: this one goes there, too */
#endif
