/* SPDX-License-Identifier: Apache-2.0
 * A growing byte string in its owner's memory. Always NUL-terminated after the first add; s is NULL
 * before it. */
#ifndef VITRINE_BUF_H
#define VITRINE_BUF_H
#include <stddef.h>
#include <stdint.h>

struct buf {
	void *owner;
	char *s;
	size_t n, room;
};

#define BUF(owner_) ((struct buf){ .owner = (owner_) })

void buf_add(struct buf *, const void *bytes, size_t n);
void buf_str(struct buf *, const char *s);
void buf_chr(struct buf *, char ch);
void buf_fmt(struct buf *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_utf8(struct buf *, uint32_t code_point);
void buf_num(struct buf *, double v); /* a JSON number; null when it is not finite */
void buf_json(struct buf *, const char *s); /* a JSON string with its quotes; NULL gives null */
void buf_html(struct buf *, const char *s); /* text or attribute value, escaped for HTML */
void
buf_url(struct buf *, const char *s); /* percent-encoded path: unreserved characters and '/' stay */
void buf_form(struct buf *,
    const char *s); /* percent-encoded value of a form or query: only unreserved characters stay */
/* Adds the character of the HTML entity at `at`, which is '&': of the commonest names and of all
 * numbers; else the '&' itself. Returns how many bytes it read. */
size_t buf_entity(struct buf *, const char *at);
const char *buf_done(struct buf *);         /* s, or "" when nothing was added */
#endif
