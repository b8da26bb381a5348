/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ctx.h"

#include "base/str.h"

#include <errno.h>

const struct err_row err_table[ERR_COUNT] = {
	[E_OK] = { 200, "OK", "OK", "OK" },
#define ERR(name, status, code, text) [E_##name] = { status, #name, code, text },
#include "base/errors.def"
#undef ERR
};

enum err
fail(struct ctx *c, enum err e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	c->message = mem_vprintf(c->mem, fmt, ap);
	va_end(ap);
	return c->err = e;
}

enum err
fail_lacks(struct ctx *c, const char *message)
{
	c->message = c->lacks = message;
	return c->err = E_UNAVAILABLE;
}

const char *
ctx_told(const struct ctx *c, enum err e)
{
	const struct err_row *row = &err_table[e];

	return c->message && (row->status < 500 || c->message == c->lacks) ? c->message : row->text;
}

enum err
fail_cursor(struct ctx *c)
{
	return fail(c, E_INVALID, "cursor: is not valid; use the next_cursor of an earlier reply");
}

void
warn(struct ctx *c, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = str_cut(c->mem, mem_vprintf(c->mem, fmt, ap), WARNING_CHARS);
	va_end(ap);
	for (size_t i = 0; i < c->warning_n; i++)
		if (str_eq(c->warnings[i], text))
			return;
	if (c->warning_n < WARNINGS)
		c->warnings[c->warning_n++] = text;
}

enum err
fail_internal(struct ctx *c, const char *file, int line, const char *fmt, ...)
{
	int err = errno;
	va_list ap;
	char *why;

	va_start(ap, fmt);
	why = mem_vprintf(c->mem, fmt, ap);
	va_end(ap);
	c->internal = mem_printf(
	    c->mem, "%s:%d: %s%s%s", file, line, why, err ? ": " : "", err ? strerror(err) : "");
	c->message = NULL;
	errno = 0;
	return c->err = err == ENOSPC || err == EDQUOT ? E_DISK_FULL : E_INTERNAL;
}

const char *
ctx_why(const struct ctx *c)
{
	return c->internal ? c->internal : c->message ? c->message : err_table[c->err].code;
}

enum err
ctx_forgive(struct ctx *c)
{
	c->message = c->details = c->internal = NULL;
	c->retry_after_s = 0;
	return c->err = E_OK;
}

void
ctx_again(struct ctx *c)
{
	ctx_forgive(c);
	c->effects = NULL;
	c->effect_n = 0;
	c->closings = NULL;
	c->tells = NULL;
	c->busy = c->replay = c->stale = false;
}

const char *
effect_row(const struct ctx *c, const char *artifact_id)
{
	for (size_t i = 0; i < c->effect_n; i++)
		if (!c->effects[i].links &&
		    strcmp(c->effects[i].artifact_id, artifact_id) == 0)
			return c->effects[i].outbox_id;
	return NULL;
}

bool
effect_add(struct ctx *c, const struct effect *e)
{
	if (!e->links && effect_row(c, e->artifact_id))
		return false;
	c->effects = mem_grow(c->mem, c->effects, (c->effect_n + 1) * sizeof *c->effects);
	c->effects[c->effect_n++] = *e;
	return true;
}

void
ctx_round_trip(struct ctx *c)
{
	void (*asks)(void) = c->asks;

	c->asks = NULL;
	if (asks)
		asks();
	c->round_trips++;
}

struct ctx *
ctx_begin(const struct conf *conf, struct db *db)
{
	void *mem = mem_root("ctx");
	struct ctx *c = mem_new(mem, struct ctx);

	c->mem = mem;
	c->conf = conf;
	c->db = db;
	c->now = time(NULL);
	errno = 0;
	return c;
}

void
ctx_end(struct ctx *c)
{
	mem_free(c->mem);
}

enum err
ctx_join(struct ctx *c, struct ctx *part, enum err e)
{
	if (e) {
		c->err = e;
		c->message = mem_strdup(c->mem, part->message);
		c->internal = mem_strdup(c->mem, part->internal);
	}
	ctx_end(part);
	return e;
}
