/* SPDX-License-Identifier: Apache-2.0
 * The runner's lane `archive`. */
#ifndef VITRINE_ARCHIVE_LANE_H
#define VITRINE_ARCHIVE_LANE_H
#include "archive/log.h"

/* Copies the log, for some seconds; *more: there is more to copy. When there is none, starts
 * vitrinectl for a base each night and for a proof each week; these outlive the lane. Tells super
 * staff by mail once a day if it fails. Holds no lock afterwards. */
enum err archive_round(struct ctx *c, bool *more);
#endif
