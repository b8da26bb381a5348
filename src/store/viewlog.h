/* SPDX-License-Identifier: Apache-2.0
 * The file in which nginx notes views of pages (nginx/views.conf.in), setting views_log. nginx
 * appends whole lines to it and nobody ever renames it, so a place in it stays what it is: what has
 * been counted is taken away by punching a hole, and the file keeps its length. */
#ifndef VITRINE_VIEWLOG_H
#define VITRINE_VIEWLOG_H
#include "base/ctx.h"

enum { VIEWLOG_PIECE = 1 << 20 }; /* bytes read at once */

struct viewlog {
	int fd;
	bool writable;
	char id[80]; /* which file it is: device, inode and time of birth */
};
/* Whole lines, followed by a NUL, and where in the file they begin. */
struct viewlog_lines {
	char *text;
	size_t n; /* 0: there is no whole line yet */
	int64_t at;
};

/* *out is NULL when views are not counted, or nginx has not begun the file. */
enum err viewlog_open(struct ctx *c, void *owner, struct viewlog **out);
/* From byte `from` on; from the start when the file is shorter, since then somebody emptied it.
 * What is returned is durable. */
enum err viewlog_read(
    struct ctx *c, const struct viewlog *log, int64_t from, struct viewlog_lines *out);
/* Gives back the disk's blocks before `counted`. Any number of calls are one. A file system that
 * can't keeps them: that is logged, and nothing else comes of it. */
void viewlog_empty(struct ctx *c, const struct viewlog *log, int64_t counted);
#endif
