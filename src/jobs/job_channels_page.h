/* SPDX-License-Identifier: Apache-2.0
 * The channels that a job can post to, for the forms of jobs: an artifact's and a workspace's. */
#ifndef VITRINE_JOB_CHANNELS_PAGE_H
#define VITRINE_JOB_CHANNELS_PAGE_H
#include "http/req.h"
#include "jobs/job_look.h"

/* A row's prepare: of a form that asks for channels, or that chooses a chat's connection and none
 * of them, r->prepared becomes the list of what the connection has; else NULL. E_INVALID names the
 * field of the form. */
enum err job_channels_prepare(
    struct req *, const char *action, const char *workspace_id, const char *workspace_role);
/* Then: the form again, on its page (the row's again), which has them. */
enum err job_channels_reply(struct req *, const void *page);
#endif
