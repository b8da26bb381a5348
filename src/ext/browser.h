/* SPDX-License-Identifier: Apache-2.0
 * A browser that may be given a stranger's page: Chromium in a room of its own. The room is a
 * process tree with namespaces of its own: no network but a loopback that is down and no sockets
 * but unix ones, a file system of the system's programs, libraries and fonts to be read and an
 * empty tmpfs, its own process ids and users, an empty environment; limits of memory, processes,
 * CPU and time; and Chromium's own sandbox within. What the browser wants to load it asks by the
 * descriptor that it is steered by (devtools.h), so there is no way out but that question.
 *
 * A room can't be made by a process that confine() has confined. So browser_prepare() starts a
 * launcher before that, which gives up root, holds nothing and knows two orders: open and end. It
 * ends when the last process that could give it orders has. */
#ifndef VITRINE_BROWSER_H
#define VITRINE_BROWSER_H
#include "base/ctx.h"

/* The program that the setting `chromium` names, or NULL where there is none. */
const char *browser_program(const struct conf *);
/* Call before confine() and with one thread; once more when the setting has changed, or a program
 * has come. Without a program nothing is started. */
void browser_prepare(const struct conf *);
/* Whether there is a launcher. */
bool browser_prepared(void);

struct browser;
/* Starts a browser with an empty profile. It is killed, with all that it has started, when c->mem
 * is freed, when this process ends, or after BROWSER_S. E_UNAVAILABLE with the step that failed in
 * c->internal: where a room can't be made, no browser is started. One at a time. */
enum err browser_open(struct ctx *c, struct browser **out);
enum { BROWSER_S = 20 };
/* A stream socket to its devtools; messages end with a NUL. */
int browser_socket(const struct browser *);
#endif
