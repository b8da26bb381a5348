/* SPDX-License-Identifier: Apache-2.0
 * The process in which requests wait whose caller has as many workers as one caller may have. A
 * worker returns such a request to nginx, which keeps its body and asks the line; the line answers
 * when the caller's share is free, and nginx asks a worker again. The line knows only whose request
 * it is. Balancers' questions whether this machine is active (/readyz) wait here for a beat, and
 * requests for something that happens (await.h). Source: docs/architecture.md, "Processes". */
#ifndef VITRINE_LINE_H
#define VITRINE_LINE_H
#include "base/conf.h"

void line_run(const struct conf *, int fd); /* returns after SIGTERM or SIGINT */
#endif
