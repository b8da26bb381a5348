/* SPDX-License-Identifier: Apache-2.0
 * Events of artifacts. An event is a row of the outbox, written in the transaction of the change.
 * The runner handles it once: it finds the jobs that wait for it and the people to mail. Source:
 * interface, "Events". */
#ifndef VITRINE_EVENT_H
#define VITRINE_EVENT_H
#include "base/shape.h"

enum event { EVENT_COMMENT_ADDED, EVENT_ARTIFACT_UPDATED, EVENT_ARTIFACT_VIEWED, EVENTS };

/* Maximum of runs that an artifact’s events start in an hour. Beyond it, one skipped run an hour is
 * recorded for each job. */
enum { EVENT_RUNS_HOURLY = 600 };

extern const char *const event_names[EVENTS]; /* in the order of the interface */
/* Queues an event inside the caller's transaction. about is the id of the new thing, such as a
 * comment. */
enum err event_add(struct ctx *c, enum event, const char *artifact_id, const char *about);
/* event_add() for several things, in one round trip. */
enum err event_add_many(struct ctx *c, enum event, const char *artifact_id,
    const char *const *about, size_t n);
/* Inserts an outbox row for a changed artifact if a job waits for it. Part of a compound statement;
 * its arguments are the artifact, what changed (EVENT_PAYLOAD_UPDATED), and now. */
#define EVENT_UPDATED(art, payload, now) \
	" IF (SELECT 1 FROM job j WHERE j.artifact_id = " art \
	" AND j.event_type = 'artifact.updated' LIMIT 1) IS NOT NULL THEN" \
	" INSERT INTO outbox (id, kind, subject, payload, due_at)" \
	" VALUES (CONCAT('out_', REPLACE(UUID(), '-', '')), 'event', " art ", " payload ", " now \
	"); END IF;"
#define EVENT_PAYLOAD_UPDATED(what) "{\"type\":\"artifact.updated\",\"about\":\"" what "\"}"
/* Changes within one minute share one outbox row per artifact. These are its id, its payload, and
 * the expression that adds a later change to it. */
#define EVENT_VIEWED_ID(art) "CONCAT('out_viewed_', SUBSTRING(" art ", 5))"
#define EVENT_VIEWED_PAYLOAD(views) \
	"JSON_OBJECT('type', 'artifact.viewed', 'about', CAST(" views " AS CHAR))"
#define EVENT_VIEWED_ADD \
	" ON DUPLICATE KEY UPDATE payload = JSON_SET(outbox.payload, '$.about'," \
	" CAST(CAST(JSON_VALUE(outbox.payload, '$.about') AS UNSIGNED)" \
	" + CAST(JSON_VALUE(VALUES(payload), '$.about') AS UNSIGNED) AS CHAR))"

/* The payload of an outbox row of an event. */
#define EVENT_PAYLOAD(F, T) \
	F(T, STR, type,  .flags = F_REQ) \
	F(T, STR, about, .flags = F_REQ)
SHAPE_DECLARE(event_payload, EVENT_PAYLOAD);
#endif
