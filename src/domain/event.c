/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/event.h"

#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "domain/comment.h"

static const struct {
	const char *name; /* as the interface has it */
	enum err (*receive)(struct ctx *c, const char *artifact_id);
} events[EVENTS] = {
	[EVENT_COMMENT_ADDED] = { "comment.added", comment_heard },
};

#define EVENT_PAYLOAD(F, T) \
	F(T, STR, type,  .flags = F_REQ) \
	F(T, STR, about, .flags = F_REQ)
SHAPE_DECLARE(event_payload, EVENT_PAYLOAD);
SHAPE_DEFINE(event_payload, EVENT_PAYLOAD);

enum err
event_add(struct ctx *c, enum event event, const char *artifact_id, const char *about)
{
	struct event_payload payload = { .type = events[event].name, .about = about };
	struct buf b = BUF(c->mem);

	shape_write(&b, &event_payload_shape, &payload);
	return db_exec(c,
	    EXEC(
		"INSERT INTO outbox (id, kind, subject, payload, due_at) VALUES (?, 'event', ?, ?, ?)"),
	    ARGS(id_new(c->mem, "out_"), artifact_id, buf_done(&b), c->now), NULL);
}

enum err
event_receive(struct ctx *c, const char *artifact_id, const char *payload)
{
	struct event_payload *p;
	struct json *json;

	TRY(json_parse(c, payload ? payload : "", payload ? strlen(payload) : 0, &json));
	TRY(shape_read(c, &event_payload_shape, json, (void **)&p));
	for (size_t i = 0; i < EVENTS; i++)
		if (str_eq(events[i].name, p->type))
			return events[i].receive(c, artifact_id);
	return fail_here(c, "there is no event %s", p->type);
}
