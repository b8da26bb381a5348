/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/action_config.h"

#include "base/principal.h"
#include "base/str.h"
#include "jobs/action_kind.h"

SHAPE_DEFINE(action_secrets, ACTION_SECRETS);

static const struct action_kind *const kinds[] = { &action_email, &action_webhook, &action_chat_a,
	&action_chat_b, &action_http_get, &action_materialize };

enum err
action_kind_find(struct ctx *c, const char *name, const struct action_kind **out)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (str_eq(kinds[i]->name, name)) {
			*out = kinds[i];
			return E_OK;
		}
	return fail_here(c, "there is no action %s", name);
}

SEALS(job, "job", "secrets", "id", SEALED_TEXT, "''", "deleted_at IS NOT NULL",
    .purpose = { "job/", "" }, .noun = "job", .what = "the secrets in its config",
    .who = "an editor", .mend = "has to enter them again");

enum err
action_json_of(struct ctx *c, const char *text, const struct json **out)
{
	struct json *tree = NULL;

	if (text)
		TRY(json_parse(c, text, strlen(text), &tree));
	*out = tree;
	return E_OK;
}

enum err
action_secrets_read(struct ctx *c, const char *text, const struct action_secrets **out)
{
	const struct json *tree;
	void *read = mem_new(c->mem, struct action_secrets);

	TRY(action_json_of(c, text, &tree));
	if (tree)
		TRY(shape_read(c, &action_secrets_shape, tree, &read));
	*out = read;
	return E_OK;
}

const char *
action_secrets_text(struct ctx *c, struct action_secrets *s)
{
	struct buf b = BUF(c->mem);

	s->has.secret_until = s->secret_old ? GIVEN : ABSENT;
	shape_write(&b, &action_secrets_shape, s);
	return b.n > 2 ? b.s : NULL;
}

/* Refuses an inside address when the job is saved, since a failure at night would reach nobody. */
static enum err
inside_check(struct ctx *c, const struct action_input *in)
{
	const struct json *source = json_get(in->sent, "source");
	const struct {
		const char *at, *url;
	} all[] = { { "url", json_word(in->sent, "url") },
		{ "webhook_url", json_word(in->sent, "webhook_url") },
		{ "source.url",
		    source && json_kind(source) == J_OBJ ? json_word(source, "url") : NULL } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].url && egress_is_inside(c, all[i].url))
			return fail(c, E_INVALID,
			    "%s: %s isn't a public address, or its port isn't 80 or 443, so it "
			    "can't be asked; use one that the internet can reach",
			    all[i].at, egress_host(c->mem, all[i].url));
	return E_OK;
}

enum err
action_config(struct ctx *c, const char *action, const char *config,
    const struct action_config *old, struct action_config *out)
{
	const struct action_kind *kind;
	struct action_input in = { 0 };
	enum err e;

	*out = (struct action_config){ 0 };
	TRY(action_kind_find(c, action, &kind));
	TRY(action_json_of(c, config, &in.sent));
	TRY(action_json_of(c, old ? old->shown : NULL, &in.before));
	TRY(action_secrets_read(c, old ? old->secrets : NULL, &in.old));
	in.by = c->actor ? c->actor->user_id : NULL;
	e = kind->config(c, &in, out);
	if (!e)
		e = inside_check(c, &in);
	/* The job's action has the name of the chat's provider. */
	if (str_eq(out->kinds, "chat"))
		out->provider = kind->name;
	if (e == E_INVALID && c->message)
		c->message = mem_printf(c->mem, "config.%s", c->message);
	return e;
}
