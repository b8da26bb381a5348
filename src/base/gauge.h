/* SPDX-License-Identifier: Apache-2.0
 * Numbers that the runner leaves for the pool's parent, which has no database, in the file "gauges"
 * of data_dir. */
#ifndef VITRINE_GAUGE_H
#define VITRINE_GAUGE_H
#include "base/conf.h"

#include <stdint.h>

enum gauge {
#define GAUGE(name, meaning) G_##name,
#include "base/gauge.def"
#undef GAUGE
	GAUGES
};

struct gauge_row {
	const char *name, *meaning;
};
extern const struct gauge_row gauge_rows[GAUGES];

/* False with errno. */
bool gauges_write(const struct conf *, const int64_t values[GAUGES]);
/* False, and zeroes, when there is no whole file of this release. */
bool gauges_read(const struct conf *, int64_t values[GAUGES]);
#endif
