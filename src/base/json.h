/* SPDX-License-Identifier: Apache-2.0
 * The gate for JSON from outside, and the only view of a parsed tree. json.c alone sees json-c.
 * json_parse() reads strictly (RFC 8259: no duplicate members, NaN, comments, trailing commas, NUL,
 * bad UTF-8 or lone surrogates; depth at most 32; a budget of values, since json-c spends 800 bytes
 * on two bytes of input). A byte order mark before the text is skipped. Names are decoded before
 * they are compared. Numbers keep their own text.
 * Trees die with c->mem. */
#ifndef VITRINE_JSON_H
#define VITRINE_JSON_H
#include "base/ctx.h"

struct buf;
struct json;

enum { JSON_NODES = 400000, JSON_DEPTH = 32 };
/* J_INT: neither fraction nor exponent, and it fits int64_t; J_NUM: every other number. */
enum json_kind { J_NULL, J_BOOL, J_INT, J_NUM, J_STR, J_ARR, J_OBJ };

/* E_INVALID says where and what. text need not be NUL-terminated. */
enum err json_parse(struct ctx *c, const char *text, size_t n, struct json **out);
/* The same for what a person has written: what is wrong, and at which byte; NULL when nothing
 * is. */
const char *json_wrong(struct ctx *c, const char *text, size_t n, struct json **out, size_t *at);

enum json_kind json_kind(const struct json *);
const struct json *
json_get(const struct json *, const char *key); /* NULL if absent; a null value has kind J_NULL */
size_t json_len(const struct json *); /* items of an array, keys of an object, bytes of a string */
const struct json *json_at(const struct json *, size_t i);
const char *json_str(const struct json *); /* of a J_STR */
/* The text of a member; NULL when there is none that is a text. The object may be NULL. */
const char *json_word(const struct json *object, const char *key);
int64_t json_int(const struct json *);     /* of a J_INT */
/* The nearest double of a J_INT or J_NUM; infinite when it is too large for one. */
double json_num(const struct json *);
/* Whether a J_NUM has neither fraction nor exponent: it does not fit int64_t, then. */
bool json_whole(const struct json *);
bool json_true(const struct json *);
/* Compact text of any value: numbers as they were sent, members in their order, escapes only where
 * they must be. */
const char *json_text(void *owner, const struct json *);
void json_into(struct buf *, const struct json *); /* the same, behind what is there */
/* Applies a merge patch (RFC 7396) to target: members that are null in patch are taken away,
 * objects are merged, all else is replaced. Both are objects. Members keep their places, new ones
 * come last; target may share values with patch, which stays as it is. */
void json_merge(struct json *target, const struct json *patch);
/* How many values there are, as JSON_NODES counts them. */
size_t json_count(const struct json *);
/* Calls fn for each key of an object, in order, until it returns non-zero, which is returned. */
int json_each(const struct json *, int (*fn)(void *arg, const char *key, const struct json *value),
    void *arg);
#endif
