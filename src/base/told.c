/* SPDX-License-Identifier: Apache-2.0 */
#include "base/told.h"

#include "base/counters.h"

static atomic_uint *
places(const struct conf *conf)
{
	static atomic_uint *mapped, own[TOLD_PLACES];

	if (!mapped)
		mapped = counters_map(conf, "told", own, TOLD_PLACES);
	return mapped;
}

unsigned
told_place(const char *subject)
{
	uint32_t h = 2166136261U;

	for (; *subject; subject++)
		h = (h ^ (unsigned char)*subject) * 16777619U;
	return h % TOLD_PLACES;
}

unsigned
told_count(const struct conf *conf, unsigned place)
{
	return atomic_load(&places(conf)[place % TOLD_PLACES]);
}

void
told_tell(const struct conf *conf, const char *subject)
{
	atomic_fetch_add(&places(conf)[told_place(subject)], 1);
}

static atomic_uint *
expected(const struct conf *conf)
{
	static atomic_uint *mapped, own;

	if (!mapped)
		mapped = counters_map(conf, "awaited", &own, 1);
	return mapped;
}

void
told_expect(const struct conf *conf, int64_t until)
{
	unsigned old = atomic_load(expected(conf));

	while (old < (unsigned)until &&
	    !atomic_compare_exchange_weak(expected(conf), &old, (unsigned)until))
		continue;
}

bool
told_expected(const struct ctx *c)
{
	return atomic_load(expected(c->conf)) >= (unsigned)c->now;
}

/* A bit for each place. */
struct tells {
	uint64_t places[TOLD_PLACES / 64];
};

void
told_later(struct ctx *c, const char *subject)
{
	unsigned place = told_place(subject);

	if (!c->tells)
		c->tells = mem_new(c->mem, struct tells);
	c->tells->places[place / 64] |= (uint64_t)1 << place % 64;
}

void
told_send(struct ctx *c)
{
	for (unsigned i = 0; c->tells && i < TOLD_PLACES; i++)
		if (c->tells->places[i / 64] >> i % 64 & 1)
			atomic_fetch_add(&places(c->conf)[i], 1);
	c->tells = NULL;
}
