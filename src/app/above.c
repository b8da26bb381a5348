/* SPDX-License-Identifier: Apache-2.0 */
#include "http/above.h"

#include "assets/linkshow.h"
#include "base/json.h"
#include "core/artifact.h"
#include "core/session.h"
#include "core/token.h"
#include "oauth/grant.h"
#include "site/project.h"

const char *
req_art_id(const struct req *r)
{
	return r->art->id;
}

void
caller_touch(struct ctx *c, const struct principal *who)
{
	if (who->session_id)
		(void)session_touch(c, who);
	else
		(void)token_touch(c, who);
}

/* A new artifact is known from the reply only. */
enum err
agent_changed(const struct req *r)
{
	struct buf reply = r->out;
	struct json *json;
	const struct json *made = NULL;
	const char *id;

	if (!r->art && json_parse(r->c, buf_done(&reply), reply.n, &json) == E_OK &&
	    json_kind(json) == J_OBJ)
		made = json_get(json, "artifact");
	id = r->art ? r->art->id : json_word(made, "id");
	return grant_note(r->c, r->who,
	    &(struct act){ .was = r->route->undo ? r->art : NULL,
		.what = r->route->did && id ? r->route->did
		    : id                             ? mem_printf(r->c->mem, "%s:", r->route->doc)
						     : r->route->doc,
		.artifact_id = id });
}

enum err
effect_show(struct ctx *c, const struct effect *effect)
{
	return effect->links ? links_show(c, effect->links) : project_effect(c, effect);
}

enum err
effect_pack(struct ctx *c, const char *artifact_id, int64_t budget_ms, bool *finished)
{
	return project_pack(c, artifact_id, budget_ms, finished);
}

enum err
effects_done(struct ctx *c, const struct strs *outbox_ids)
{
	return project_done_all(c, outbox_ids);
}
