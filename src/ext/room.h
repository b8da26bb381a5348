/* SPDX-License-Identifier: Apache-2.0
 * Programs of others that may be given a stranger's bytes, each in a room of its own: Chromium a
 * page, pdftoppm a PDF, ffmpeg a film. The room is a process tree with namespaces of its own: no
 * network but a loopback that is down and no sockets but unix ones, a file system of the system's
 * programs, libraries and fonts to be read and an empty tmpfs, its own process ids and users, an
 * empty environment; limits of memory, processes, CPU and time; and Chromium's own sandbox within.
 * What a browser wants to load it asks by the descriptor that it is steered by (devtools.h), so
 * there is no way out but that question; the others have a copy of the file, and their output.
 *
 * A room can't be made by a process that confine() has confined. So rooms_prepare() starts a
 * launcher before that (ext/helper.h), which knows two orders: open and end. */
#ifndef VITRINE_ROOM_H
#define VITRINE_ROOM_H
#include "base/ctx.h"

enum room_kind {
	ROOM_BROWSER, /* Chromium, empty */
	ROOM_PDF,     /* the first page, as PNG */
	ROOM_PAGES,   /* what there is to say of a PDF */
	ROOM_FILM     /* a frame, as PNG */
};
/* Of a file the room has as many bytes. */
enum { ROOM_INPUT = 128 << 20 };

/* The program that the setting for it (chromium, previews) names, or NULL where there is none. */
const char *room_program(void *owner, const struct conf *, enum room_kind);
/* Call before confine() and with one thread; once more when the settings have changed, or a program
 * has come. Without any program nothing is started. */
void rooms_prepare(const struct conf *);
/* Whether there is a launcher. */
bool rooms_prepared(void);

struct room;
/* Starts a program, with the file that input is open for (-1: none). It is killed, with all that it
 * has started, when *out or c->mem is freed, when this process ends, or after ROOM_S. E_UNAVAILABLE
 * with the step that failed in c->internal: where a room can't be made, nothing is started. One at
 * a time. */
enum err room_open(struct ctx *c, enum room_kind, int input, struct room **out);
enum { ROOM_S = 20 };
/* A browser's: a stream socket to its devtools; messages end with a NUL. */
int room_socket(const struct room *);
/* All that the program writes, until it ends, followed by a NUL. E_INVALID for more than most, and
 * for nothing. */
enum err room_output(
    struct ctx *c, struct room *, size_t most, const char **bytes, size_t *n);
#endif
