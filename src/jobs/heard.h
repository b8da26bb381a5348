/* SPDX-License-Identifier: Apache-2.0
 * Events (core/event.h) in the runner: queues runs of the jobs that wait for an event, and sends
 * the e-mails about it. */
#ifndef VITRINE_HEARD_H
#define VITRINE_HEARD_H
#include "base/ctx.h"

/* Queues the runs that an event's outbox row asks for. id, artifact_id and payload are the
 * row's. Call inside the transaction that deletes the row. */
enum err event_receive(
    struct ctx *c, const char *id, const char *artifact_id, const char *payload);
#endif
