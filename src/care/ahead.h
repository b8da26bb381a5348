/* SPDX-License-Identifier: Apache-2.0
 * Finds times that a clock left too far in the future. The runner would wait for them. */
#ifndef VITRINE_AHEAD_H
#define VITRINE_AHEAD_H
#include "base/ctx.h"

/* Sets *out to such times in words, "page_seen.due_at: 3, …"; NULL: there are none. A round of the
 * runner (at the bottom of ahead.c) makes such rows due now. */
enum err ahead_say(struct ctx *c, const char **out);
#endif
