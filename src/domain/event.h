/* SPDX-License-Identifier: Apache-2.0
 * What happens to an artifact and others may want to know of: a row of the outbox, written in the
 * transaction of what happened and carried out once by the runner. Jobs that wait for an event, and
 * who is told of it by mail, are found there, not by whoever caused it. Source: interface,
 * "Events". */
#ifndef VITRINE_EVENT_H
#define VITRINE_EVENT_H
#include "base/ctx.h"

enum event { EVENT_COMMENT_ADDED, EVENTS };

/* about is the id of what is new, such as the comment's. Inside the caller's transaction. */
enum err event_add(struct ctx *c, enum event, const char *artifact_id, const char *about);
/* What follows from an event, by the payload that event_add() wrote. Inside the caller's
 * transaction. */
enum err event_receive(struct ctx *c, const char *artifact_id, const char *payload);
#endif
