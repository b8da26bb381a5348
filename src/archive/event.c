/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/event.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* n little-endian bytes. */
static int64_t
number(const uint8_t *at, int n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | at[n];
	return (int64_t)v;
}

bool
event_read(const uint8_t *bytes, size_t n, struct event *out)
{
	if (n < EVENT_HEAD)
		return false;
	*out = (struct event){ .second = number(bytes, 4), .type = bytes[4],
		.server = number(bytes + 5, 4), .size = number(bytes + 9, 4),
		.end = number(bytes + 13, 4) };
	if (out->size < EVENT_HEAD)
		return false;
	if (out->type != EVENT_GTID)
		return true;
	if (n < EVENT_LOOK || out->size < EVENT_LOOK)
		return false;
	out->sequence = number(bytes + EVENT_HEAD, 8);
	out->domain = number(bytes + EVENT_HEAD + 8, 4);
	return out->sequence >= 0;
}

const char *
event_gtid(void *owner, const struct event *e)
{
	return mem_printf(owner, "%lld-%lld-%lld", (long long)e->domain, (long long)e->server,
	    (long long)e->sequence);
}

static enum err
no_log(struct ctx *c, const char *name)
{
	return fail(c, E_CONFLICT, "%s isn't a binary log, or is damaged", name);
}

enum err
events_begin(struct ctx *c, int fd, const char *name, struct events *out)
{
	uint8_t begins[BINLOG_WORD];
	struct stat st;
	bool any;

	*out = (struct events){ .fd = fd, .at = BINLOG_WORD };
	if (fstat(fd, &st))
		return fail_here(c, "%s", name);
	out->bytes = st.st_size;
	if (pread(fd, begins, sizeof begins, 0) != sizeof begins ||
	    memcmp(begins, "\xfe"
			   "bin", sizeof begins))
		return no_log(c, name);
	TRY(events_next(c, out, name, &any));
	if (!any || out->now.type != EVENT_FORMAT)
		return no_log(c, name);
	out->format_end = out->at;
	return E_OK;
}

enum err
events_next(struct ctx *c, struct events *e, const char *name, bool *any)
{
	uint8_t bytes[EVENT_LOOK];
	ssize_t got = pread(e->fd, bytes, sizeof bytes, e->at);

	*any = false;
	if (got < 0)
		return fail_here(c, "%s can't be read", name);
	if (got < EVENT_HEAD)
		return E_OK;
	if (!event_read(bytes, (size_t)got, &e->now))
		return got < EVENT_LOOK ? E_OK : no_log(c, name);
	if (e->at + e->now.size > e->bytes)
		return E_OK;
	e->now_at = e->at;
	e->at += e->now.size;
	*any = true;
	return E_OK;
}
