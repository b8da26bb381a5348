/* SPDX-License-Identifier: Apache-2.0
 * Time that only goes forward, for spans; the time of day is ctx's now. */
#ifndef VITRINE_CLOCK_H
#define VITRINE_CLOCK_H
#include <stdint.h>

int64_t clock_us(void);
int64_t clock_ms(void);
#endif
