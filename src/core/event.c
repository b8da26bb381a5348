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
	return event_add_many(c, event, artifact_id, &about, 1);
}

enum err
event_add_many(struct ctx *c, enum event event, const char *artifact_id, const char *const *about,
    size_t n)
{
	enum { EACH = 4 };
	struct event_payload payload = { .type = event_names[event] };
	struct arg *rows = mem_array(c->mem, struct arg, n * EACH), *v = rows;

	for (size_t i = 0; i < n; i++) {
		payload.about = about[i];
		*v++ = arg_str(id_new(c->mem, "out_"));
		*v++ = arg_str(artifact_id);
		*v++ = arg_str(shape_text(c->mem, &event_payload_shape, &payload));
		*v++ = arg_int(c->now);
	}
	return db_exec_many(c,
	    EXEC("INSERT INTO outbox (id, kind, subject, payload, due_at)"
		 " VALUES (?, 'event', ?, ?, ?)"),
	    rows, EACH, n);
}
