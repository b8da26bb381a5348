/* SPDX-License-Identifier: Apache-2.0
 * Connections to programs on this machine, by Unix sockets. */
#ifndef VITRINE_LOCAL_H
#define VITRINE_LOCAL_H

/* Connects to the socket at path. flags: further ones of socket(), such as SOCK_NONBLOCK. Returns
 * the descriptor, or -1 with errno. */
int local_connect(const char *path, int flags);
#endif
