/* SPDX-License-Identifier: Apache-2.0 */
#include "core/event.h"

#include "base/id.h"
#include "db/db.h"

const char *const event_names[EVENTS] = {
	[EVENT_COMMENT_ADDED] = "comment.added",
	[EVENT_ARTIFACT_UPDATED] = "artifact.updated",
	[EVENT_ARTIFACT_VIEWED] = "artifact.viewed",
};

SHAPE_DEFINE(event_payload, EVENT_PAYLOAD);

enum err
event_add(struct ctx *c, enum event event, const char *artifact_id, const char *about)
{
	struct event_payload payload = { .type = event_names[event], .about = about };

	return db_exec(c,
	    EXEC(
		"INSERT INTO outbox (id, kind, subject, payload, due_at)"
		" VALUES (?, 'event', ?, ?, ?)"),
	    ARGS(id_new(c->mem, "out_"), artifact_id,
		shape_text(c->mem, &event_payload_shape, &payload), c->now),
	    NULL);
}
