/* SPDX-License-Identifier: Apache-2.0
 * The file to which nginx logs page views (nginx/views.conf.in), setting views_log. nginx only
 * appends whole lines, and nobody renames the file, so offsets stay valid. Counted lines are freed
 * by punching a hole; the file keeps its length. */
#ifndef VITRINE_VIEWLOG_H
#define VITRINE_VIEWLOG_H
#include "base/ctx.h"

enum { VIEWLOG_PIECE = 1 << 20 }; /* bytes read at once */

struct viewlog {
	int fd;
	bool writable;
	char id[80]; /* identifies the file: device, inode and birth time */
};
/* Whole lines, followed by a NUL, and their offset in the file. */
struct viewlog_lines {
	char *text;
	size_t n; /* 0: no whole line yet */
	int64_t at;
};

/* *out is NULL if views aren't counted, or nginx hasn't made the file yet. */
enum err viewlog_open(struct ctx *c, void *owner, struct viewlog **out);
/* Reads from offset `from`, or from the start if the file is shorter, because then somebody has
 * truncated it. The returned lines are durable. */
enum err viewlog_read(
    struct ctx *c, const struct viewlog *log, int64_t from, struct viewlog_lines *out);
/* Frees the disk blocks before `counted`. Idempotent. If the file system can't, logs a warning and
 * keeps them. */
void viewlog_empty(struct ctx *c, const struct viewlog *log, int64_t counted);
#endif
