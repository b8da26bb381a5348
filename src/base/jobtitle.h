/* SPDX-License-Identifier: Apache-2.0
 * How pages and the client call a job that has no name: by what it does. */
#ifndef VITRINE_JOBTITLE_H
#define VITRINE_JOBTITLE_H

const char *job_action_title(const char *action); /* "Webhook" of "webhook"; NULL: unknown */
#endif
