/* SPDX-License-Identifier: Apache-2.0
 * The part of pages with pictures of two versions (site/compare-looks.html), for pages on which
 * people decide about the second. */
#ifndef VITRINE_COMPARE_PAGE_H
#define VITRINE_COMPARE_PAGE_H
#include "http/req.h"
#include "site/comparepic.h"

/* Finds the pictures of version `no` and of the one with which people compare it; nothing if there
 * is none, or the caller doesn't see both. */
enum err pictures_part_find(struct req *, int64_t no, struct shown *out);
#endif
