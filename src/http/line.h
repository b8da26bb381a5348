/* SPDX-License-Identifier: Apache-2.0
 * The process in which requests wait whose caller has all the workers that one caller may have. A
 * worker sends such a request back to nginx, which keeps its body and asks the line; the line
 * answers when the caller's share has a place, and nginx asks a worker again. Nothing of the
 * request is here but whose it is. Source: docs/architecture.md, "Processes". */
#ifndef VITRINE_LINE_H
#define VITRINE_LINE_H
#include "base/conf.h"

void line_run(const struct conf *, int fd); /* returns when it is told to stop */
#endif
