/* SPDX-License-Identifier: Apache-2.0
 * A byte string that grows in its owner's memory. s is NULL before the first add, and ends with a
 * NUL after it. */
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
void buf_json(struct buf *, const char *s); /* a JSON string with its quotes; null if s is NULL */
void buf_jsons(struct buf *, const char *const *v, size_t n); /* a JSON array of strings */
void buf_html(struct buf *, const char *s); /* escaped for an HTML text or attribute value */
/* Percent-encodes a path: keeps unreserved characters and '/'. */
void buf_url(struct buf *, const char *s);
/* Percent-encodes a value of a form or query: keeps unreserved characters only. */
void buf_form(struct buf *, const char *s);
/* Appends name=value to a form or query, with an & before it if one is due; nothing if the value is
 * NULL. */
void form_pair(struct buf *, const char *name, const char *value);
/* Return s as buf_url() and buf_form() encode it. */
const char *url_encoded(void *owner, const char *s);
const char *form_encoded(void *owner, const char *s);
/* Write a member of a JSON object, with a comma before it if one is due: its name alone; its name
 * and a text (NULL: null) or a number; pairs of name and text up to NULL, without the pairs whose
 * text is NULL. */
void json_key(struct buf *, const char *name);
void json_add(struct buf *, const char *name, const char *value);
void json_add_int(struct buf *, const char *name, int64_t value);
void json_texts(struct buf *, const char *name, ...) __attribute__((sentinel));
/* Returns an object of such pairs. */
struct buf json_object_of(void *owner, const char *name, ...) __attribute__((sentinel));
/* Decodes the HTML entity at `at`, which must point to '&', and adds its character. Knows a few
 * common names and all numbers; adds '&' itself for any other. Returns the number of bytes read. */
size_t buf_entity(struct buf *, const char *at);
const char *buf_done(struct buf *);         /* s, or "" when nothing was added */
#endif
