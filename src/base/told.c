/* SPDX-License-Identifier: Apache-2.0 */
#include "base/told.h"

#include "base/counters.h"
#include <stdint.h>

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
