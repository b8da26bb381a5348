/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of a workspace's runs share. */
#ifndef VITRINE_GOVERNED_PAGE_H
#define VITRINE_GOVERNED_PAGE_H
#include "core/artifact_top_page.h"
#include "http/quota.h"
#include "jobs/governed.h"

extern const struct limit LIM_JOB_RUN[1];

#endif
