/* SPDX-License-Identifier: Apache-2.0
 * Numbers that the runner writes to the file "gauges" in data_dir. The pool's parent, which has no
 * database connection, reads them. */
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

/* named: further lines "name number". Returns false with errno. */
bool gauges_write(const struct conf *, const int64_t values[GAUGES], const char *named);
/* Returns false, and zeroes, unless the file is complete and of this release. Calls each() for the
 * further lines; their names have only lower-case letters, digits, dots, blanks and underscores. */
bool gauges_read(const struct conf *, int64_t values[GAUGES],
    void (*each)(void *arg, const char *name, int64_t n), void *arg);
#endif
