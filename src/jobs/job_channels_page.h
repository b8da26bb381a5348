/* SPDX-License-Identifier: Apache-2.0
 * Channels that a job can post to, for the forms of jobs of an artifact and of a workspace. */
#ifndef VITRINE_JOB_CHANNELS_PAGE_H
#define VITRINE_JOB_CHANNELS_PAGE_H
#include "http/req.h"
#include "jobs/job_look.h"

/* A row's prepare. If the form asks for channels, or names a chat's connection and no channel,
 * r->prepared becomes the list of the connection's channels; else NULL. E_INVALID names the field
 * of the form. */
enum err job_channels_prepare(
    struct req *, const char *action, const char *workspace_id, const char *workspace_role);
/* Shows the form's page again, with these channels. */
enum err job_channels_reply(struct req *, const void *page);
#endif
