/* SPDX-License-Identifier: Apache-2.0
 * MariaDB's binary log: a word of four bytes, a description of the format, then events, each with a
 * head of 19 bytes that has its time, type, length and end. We read heads and the ids of
 * transactions; mariadb-binlog reads the rest. Source: MariaDB, "Binlog Event Header",
 * "GTID_EVENT". */
#ifndef VITRINE_BINLOG_EVENT_H
#define VITRINE_BINLOG_EVENT_H
#include "base/ctx.h"

#include <stddef.h>

enum event_type { EVENT_FORMAT = 15, EVENT_XID = 16, EVENT_GTID = 162 };
enum { EVENT_HEAD = 19, EVENT_LOOK = EVENT_HEAD + 13, BINLOG_WORD = 4 };

struct event {
	int64_t second; /* when its statement, or the COMMIT, began, by the database's clock */
	int type;
	int64_t size, end; /* end: the position after it in the server's file; 0: not in the file */
	/* Of EVENT_GTID, which begins a transaction. */
	int64_t domain, server, sequence;
};
/* Returns the id of the transaction that an EVENT_GTID begins, such as 0-1-20. */
const char *event_gtid(void *owner, const struct event *);
/* Reads the first n bytes of an event. Returns false if they can't be one. */
bool event_read(const uint8_t *bytes, size_t n, struct event *out);

/* Goes through a file of the binary log from its first event. */
struct events {
	int fd;
	int64_t at, bytes; /* position and size of the file */
	int64_t format_end; /* the file's beginning up to here must precede its events */
	struct event now;
	int64_t now_at;
};
/* E_CONFLICT, naming the file, if it doesn't begin as a binary log does. */
enum err events_begin(struct ctx *c, int fd, const char *name, struct events *out);
/* Sets *any to false at the end. A last event that isn't complete doesn't count; damaged bytes are
 * E_CONFLICT. */
enum err events_next(struct ctx *c, struct events *, const char *name, bool *any);
#endif
