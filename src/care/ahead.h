/* SPDX-License-Identifier: Apache-2.0
 * Times that a clock which was ahead has left behind it, for which the runner would wait. */
#ifndef VITRINE_AHEAD_H
#define VITRINE_AHEAD_H
#include "base/ctx.h"

/* In words, "page_check.due_at: 3, …", what lies further in the future than anything sets it; NULL:
 * nothing. A round of the runner's (bottom of the file) makes such rows due now. */
enum err ahead_say(struct ctx *c, const char **out);
#endif
