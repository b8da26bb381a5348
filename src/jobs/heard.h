/* SPDX-License-Identifier: Apache-2.0
 * Events (core/event.h), heard by the runner: the jobs that wait for one get a run, and who is told
 * of it by mail is told. */
#ifndef VITRINE_HEARD_H
#define VITRINE_HEARD_H
#include "base/ctx.h"

/* What follows from an event, by the row that says so, of which id, artifact and payload are given.
 * Inside the caller's transaction, which takes the row away. */
enum err event_receive(
    struct ctx *c, const char *id, const char *artifact_id, const char *payload);
#endif
