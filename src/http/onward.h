/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VITRINE_ONWARD_H
#define VITRINE_ONWARD_H
#include "http/req.h"

/* Answers a form of signing in: leads to an address, which may be on a domain of somebody's own. */
enum err reply_onward(struct req *r, const char *to);
#endif
