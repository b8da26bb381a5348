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

/* named: lines "name number", of names that only the runner knows. False with errno. */
bool gauges_write(const struct conf *, const int64_t values[GAUGES], const char *named);
/* False, and zeroes, when there is no whole file of this release. each: of those lines, the names
 * have letters, digits, dots, blanks, underscores alone. */
bool gauges_read(const struct conf *, int64_t values[GAUGES],
    void (*each)(void *arg, const char *name, int64_t n), void *arg);
#endif
