/* SPDX-License-Identifier: Apache-2.0
 * A connection from nginx, with one request after the other. A worker serves one at a time, the
 * line many.
 * Only files that include this use libfcgi. */
#ifndef VITRINE_FCGI_H
#define VITRINE_FCGI_H
#include <fcgiapp.h>
#include <stdbool.h>

/* Sets how long a worker waits for nginx: 5 s for more of a request, 30 s until it reads more of a
 * reply. Once for each connection. */
void fcgi_open(int fd);
/* Reads the next request's head from fd. Returns false, and closes fd, if there is none. */
bool fcgi_begin(FCGX_Request *, int fd);
/* Writes more of the reply. Returns false if the client has gone. */
bool fcgi_write(FCGX_Request *, const void *bytes, size_t n);
/* A request whose reply comes later: few bytes, where libfcgi keeps three buffers. */
struct fcgi_parked {
	int fd;
	int id;
};
/* Frees the request, whose body must be empty. Its parameters are gone. */
struct fcgi_parked fcgi_park(FCGX_Request *);
/* Sends the whole reply, of less than 64 KiB, and closes the connection. */
void fcgi_parked_end(struct fcgi_parked, const char *reply);
/* Sends the rest of the written reply. Returns the connection, which nginx may use again, or -1 if
 * it is closed because it broke. */
int fcgi_end(FCGX_Request *);
bool fcgi_hung_up(int fd); /* nginx has closed the connection, because its client has gone */
#endif
