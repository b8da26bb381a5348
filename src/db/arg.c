/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/str.h"
#include "db/db.h"

struct bytes
bytes_sha256(struct ctx *c, const char *text)
{
	uint8_t *digest = mem_zalloc(c->mem, SHA256_BYTES);

	crypto_sha256(text, strlen(text), digest);
	return (struct bytes){ digest, SHA256_BYTES };
}

struct arg
arg_int(int64_t i)
{
	return (struct arg){ .kind = ARG_INT, .i = i };
}

struct arg
arg_num(double d)
{
	return (struct arg){ .kind = ARG_NUM, .d = d };
}

struct arg
arg_bool(bool b)
{
	return arg_int(b);
}

struct arg
arg_null(void)
{
	return (struct arg){ .kind = ARG_NULL };
}

struct arg
arg_as_is(struct arg a)
{
	return a;
}

struct arg
arg_opt(uint8_t has, int64_t i)
{
	return has == GIVEN ? arg_int(i) : arg_null();
}

struct arg
arg_bytes(struct bytes b)
{
	return (struct arg){ .kind = ARG_BYTES, .p = b.p, .n = b.n };
}

struct arg
arg_sha256(const uint8_t *digest)
{
	return digest ? arg_bytes((struct bytes){ digest, SHA256_BYTES }) : arg_null();
}

struct arg
arg_hex_sha256(struct ctx *c, const char *hex)
{
	uint8_t *digest = mem_zalloc(c->mem, SHA256_BYTES);

	return arg_sha256(hex && crypto_unhex(hex, digest, SHA256_BYTES) ? digest : NULL);
}

struct arg
arg_str(const char *s)
{
	return s ? (struct arg){ .kind = ARG_STR, .p = s, .n = strlen(s) } : arg_null();
}

static struct arg
arg_cursor(const char *cursor, const char *prefix, const char *without)
{
	if (cursor && !id_valid(cursor, prefix))
		return (struct arg){ .kind = ARG_NO_CURSOR };
	return arg_str(cursor ? cursor : without);
}

struct arg
arg_after(const char *cursor, const char *prefix)
{
	return arg_cursor(cursor, prefix, "");
}

struct arg
arg_before(const char *cursor, const char *prefix)
{
	return arg_cursor(cursor, prefix, "~"); /* sorts after all ids */
}

struct args
args_with_limit(struct ctx *c, struct args args, int64_t limit)
{
	struct arg *v = mem_array(c->mem, struct arg, args.n + 1);

	memcpy(v, args.v, args.n * sizeof *v);
	v[args.n] = arg_int(limit);
	return (struct args){ v, args.n + 1, 0 };
}
