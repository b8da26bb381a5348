/* SPDX-License-Identifier: Apache-2.0
 * Time zones of IANA's database, which the system keeps up to date in /usr/share/zoneinfo (tzdata).
 * The files are read here, since the C library knows one zone at a time and only by the environment
 * of the whole process. Source: RFC 9636 (TZif). */
#ifndef VITRINE_ZONE_H
#define VITRINE_ZONE_H
#include <stdbool.h>
#include <stdint.h>

enum { ZONE_NAME = 64 };

/* A time in which the clocks go on evenly: from begin on and before end, they are `offset` seconds
 * ahead of UTC, and were `before` seconds ahead until then. */
struct zone_span {
	int64_t begin, end;
	int64_t offset, before;
};

struct zone;
/* By its name, such as "Europe/Dublin"; NULL: there is none. Read once in a process. */
const struct zone *zone_find(const char *name);
/* The one that the instant is in. Rules that hold for ever are followed until the year 2200. */
struct zone_span zone_at(const struct zone *, int64_t at);
#endif
