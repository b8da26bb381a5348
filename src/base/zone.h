/* SPDX-License-Identifier: Apache-2.0
 * Time zones from IANA's database, which the system keeps current in /usr/share/zoneinfo (tzdata).
 * We read the files because the C library supports one zone at a time, set by the environment of
 * the process. Source: RFC 9636 (TZif). */
#ifndef VITRINE_ZONE_H
#define VITRINE_ZONE_H
#include <stdbool.h>
#include <stdint.h>

enum { ZONE_NAME = 64 };

/* A span without clock changes: from begin until before end, clocks are `offset` seconds ahead of
 * UTC; directly before begin they were `before` seconds ahead. */
struct zone_span {
	int64_t begin, end;
	int64_t offset, before;
};

struct zone;
/* Finds a zone by its name, such as "Europe/Dublin"; NULL if there is none. Each zone is read once
 * per process and never freed. */
const struct zone *zone_find(const char *name);
/* Returns the span that contains the instant (Unix seconds). Rules without an end are applied up to
 * the year 2200. */
struct zone_span zone_at(const struct zone *, int64_t at);
#endif
