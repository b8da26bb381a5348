/* SPDX-License-Identifier: Apache-2.0
 * Counters that all processes of this machine have in common. */
#ifndef VITRINE_COUNTERS_H
#define VITRINE_COUNTERS_H
#include "base/conf.h"
#include <stdatomic.h>

/* Maps n counters, which are the named file in data_dir and remain while the process runs. Returns
 * own, n counters of this process, if they can't be mapped. */
atomic_uint *counters_map(const struct conf *, const char *file, atomic_uint *own, size_t n);
#endif
