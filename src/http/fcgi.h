/* SPDX-License-Identifier: Apache-2.0
 * A connection from nginx, for who accepts them: a worker one at a time, the line many. Each has
 * one request. Nothing else sees libfcgi. */
#ifndef VITRINE_FCGI_H
#define VITRINE_FCGI_H
#include <fcgiapp.h>
#include <stdbool.h>

/* Reads the request's head from fd; false when there is none, and fd is closed. */
bool fcgi_begin(FCGX_Request *, int fd);
/* More of the reply; false when the client takes no more. */
bool fcgi_write(FCGX_Request *, const void *bytes, size_t n);
void fcgi_end(FCGX_Request *); /* the reply is written: sends what is left of it, and closes */
bool fcgi_hung_up(int fd); /* nginx has, since its client has gone */
#endif
