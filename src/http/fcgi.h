/* SPDX-License-Identifier: Apache-2.0
 * A connection from nginx with one request. A worker has one connection at a time, the line many.
 * Only files that include this use libfcgi. */
#ifndef VITRINE_FCGI_H
#define VITRINE_FCGI_H
#include <fcgiapp.h>
#include <stdbool.h>

/* Reads the request's head from fd. Returns false, and closes fd, if there is none. */
bool fcgi_begin(FCGX_Request *, int fd);
/* Writes more of the reply. Returns false if the client has gone. */
bool fcgi_write(FCGX_Request *, const void *bytes, size_t n);
void fcgi_end(FCGX_Request *); /* sends the rest of the written reply, and closes */
bool fcgi_hung_up(int fd); /* nginx has closed the connection, because its client has gone */
#endif
