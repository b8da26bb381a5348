/* SPDX-License-Identifier: Apache-2.0
 * Runs other programs on strangers' bytes, each in a room: Chromium on a page, pdftoppm and pdfinfo
 * on a PDF, ffmpeg on a film, esbuild on an app's sources. A room is a process tree with its own
 * namespaces: no network but a loopback that is down, unix sockets only, a file system with the
 * system's programs, libraries and fonts read-only and an empty tmpfs, its own process ids and
 * users, an empty environment; limits of memory, processes, CPU and time; and Chromium's own
 * sandbox inside. A browser asks for what it wants to load through the descriptor that controls it
 * (devtools.h), which is its only way out; other programs have a copy of the file, and their
 * output.
 *
 * A process confined by confine() can't make a room. So rooms_prepare() starts a launcher before
 * that (ext/helper.h), which knows two orders: open and end. */
#ifndef VITRINE_ROOM_H
#define VITRINE_ROOM_H
#include "base/ctx.h"

enum room_kind {
	ROOM_BROWSER, /* Chromium with an empty page */
	ROOM_PDF,     /* a page as PNG */
	ROOM_PAGES,   /* pdfinfo's facts about a PDF, and what it complains of */
	ROOM_FILM,    /* a frame as PNG */
	/* The bundle of an app. The input is a parcel (ext/parcel.h): sources below src/, and args,
	 * those of esbuild, one a line, which runs in src/. The output is a parcel of log,
	 * out/main.js, out/main.css, and meta.json, as far as there are any. */
	ROOM_BUILD
};
/* Bytes of a file that the room gets; the rest is cut. */
enum { ROOM_INPUT = 128 << 20 };

/* Returns the program that its setting (chromium, previews, builder) names; NULL if there is none.
 */
const char *room_program(void *owner, const struct conf *, enum room_kind);
/* Starts the launcher, unless no program is installed. Must be called before confine() and with one
 * thread, and again if settings or installed programs change. */
void rooms_prepare(const struct conf *);
/* True if there is a launcher. */
bool rooms_prepared(void);
/* Starts as many launchers of ROOM_BUILD as there can be such rooms at once, which all later
 * children of this process share. */
void builders_prepare(const struct conf *);

struct room;
/* Starts a program, with the file open as input (-1: none). page: of a PDF, from 1. Program and
 * children are killed when *out or c->mem is freed, when this process ends, or after ROOM_S.
 * E_UNAVAILABLE, with the failed step in c->internal, if the room can't be made; then nothing is
 * started. One room at a time; ROOM_BUILD waits for its turn, and fails with E_RATE_LIMITED if none
 * comes. */
enum err room_open(struct ctx *c, enum room_kind, int input, int page, struct room **out);
enum { ROOM_S = 20, BUILD_S = 10 }; /* BUILD_S: of ROOM_BUILD */
/* Of a browser: a stream socket to its devtools; messages end with a NUL. */
int room_socket(const struct room *);
/* Returns all that the program writes until it ends, followed by a NUL. E_INVALID for more than
 * most bytes, and for none. */
enum err room_output(
    struct ctx *c, struct room *, size_t most, const char **bytes, size_t *n);
#endif
