/* SPDX-License-Identifier: Apache-2.0
 * Parses JSON from outside, strictly (RFC 8259: no duplicate members, NaN, comments, trailing
 * commas, NUL, bad UTF-8 or lone surrogates; at most 32 deep; at most JSON_NODES values, because
 * json-c needs 800 bytes for two bytes of input). Skips a byte order mark. Decodes names before
 * comparing them. Numbers keep their text. Trees live in c->mem. Only json.c includes json-c. */
#ifndef VITRINE_JSON_H
#define VITRINE_JSON_H
#include "base/ctx.h"

struct buf;
struct json;

enum { JSON_NODES = 400000, JSON_DEPTH = 32 };
/* J_INT has neither fraction nor exponent and fits int64_t. J_NUM is any other number. */
enum json_kind { J_NULL, J_BOOL, J_INT, J_NUM, J_STR, J_ARR, J_OBJ };

/* E_INVALID says what is wrong and at which byte. text needn't end with a NUL. */
enum err json_parse(struct ctx *c, const char *text, size_t n, struct json **out);
/* Like json_parse(), but returns the mistake in words, with its byte in *at; NULL if there is none.
 */
const char *json_wrong(struct ctx *c, const char *text, size_t n, struct json **out, size_t *at);

enum json_kind json_kind(const struct json *); /* J_NULL of NULL */
/* Returns a member. NULL if it is absent, or j is NULL or no object. A null value isn't NULL; its
 * kind is J_NULL. */
const struct json *json_get(const struct json *j, const char *key);
/* Like json_get(), but returns NULL if the member is of another kind. */
const struct json *json_get_as(const struct json *j, const char *key, enum json_kind kind);
/* items of an array, members of an object, bytes of a string; else 0, also of NULL */
size_t json_len(const struct json *);
const struct json *json_at(const struct json *, size_t i);
const char *json_str(const struct json *); /* only of a J_STR */
/* Returns the text of a member; NULL if the member is absent or isn't a text. */
const char *json_word(const struct json *, const char *key);
int64_t json_int(const struct json *);     /* only of a J_INT */
/* Returns the nearest double of a J_INT or J_NUM; infinity if it is too large. */
double json_num(const struct json *);
/* True if a J_NUM is an integer, which then doesn't fit int64_t. */
bool json_whole(const struct json *);
bool json_true(const struct json *);
/* Returns the compact text of any value: numbers as they were sent, members in their order, only
 * the escapes that are required. */
const char *json_text(void *owner, const struct json *);
void json_into(struct buf *, const struct json *); /* appends json_text() */
void json_lean(struct buf *, const struct json *); /* without members that are null */
/* Like json_lean() of the tree that the text parses to. Adds text that isn't JSON as it is. */
void json_lean_text(struct buf *, const char *text);
/* Returns a new object of pairs of name and text up to NULL, without the pairs whose text is NULL.
 */
struct json *json_new(struct ctx *c, const char *name, ...) __attribute__((sentinel));
/* Sets a member of such an object. json_set() shares the value, and does nothing if it is NULL. */
void json_set(struct json *object, const char *name, const struct json *value);
void json_set_int(struct json *object, const char *name, int64_t value);
void json_set_bool(struct json *object, const char *name, bool value);
/* Returns a new array, for json_push(), which shares the value. */
struct json *json_new_list(struct ctx *c);
void json_push(struct json *array, const struct json *value);
/* Applies a merge patch (RFC 7396) to target. Both must be objects. A member that is null in patch
 * is removed, objects are merged, all else is replaced. Members keep their order, new ones come
 * last. target may then share values with patch, which doesn't change. */
void json_merge(struct json *target, const struct json *patch);
/* Returns the number of values, as JSON_NODES counts them. */
size_t json_count(const struct json *);
/* Calls fn for each member of an object, in order, until it returns non-zero. Returns that, or 0.
 */
int json_each(const struct json *, int (*fn)(void *arg, const char *key, const struct json *value),
    void *arg);
#endif
