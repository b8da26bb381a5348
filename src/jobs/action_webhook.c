/* SPDX-License-Identifier: Apache-2.0
 * Calls an address, signed as Standard Webhooks specifies. */
#include "base/crypto.h"
#include "base/str.h"
#include "jobs/action_kind.h"
#include "jobs/run.h"

enum {
	WEBHOOK_SECONDS = 30,
	WEBHOOK_BYTES = 1 << 20,
	PAYLOAD_BYTES = 64 << 10,
	SECRET_BYTES = 32,
	SECRET_LEAST = 24,
	SECRET_MOST = 64,
	ROTATION_S = 86400
};

#define WEBHOOK_CONFIG(F, T) \
	F(T, URL,  url,     .flags = F_REQ) \
	F(T, STR,  secret) \
	F(T, JSON, headers, .arg = "object") \
	F(T, JSON, payload, .flags = F_OPT | F_NUL, .hi = PAYLOAD_BYTES)
SHAPE(webhook_config, WEBHOOK_CONFIG);

static const char secret_prefix[] = "whsec_";

/* Decodes the key of a secret; 0: text is not a secret. */
static size_t
webhook_key(const char *secret, uint8_t key[SECRET_MOST + 3])
{
	const char *text = secret + strlen(secret_prefix);
	size_t n;

	if (!str_starts(secret, secret_prefix) || strlen(text) > (SECRET_MOST + 2) / 3 * 4 ||
	    !crypto_unbase64(text, strlen(text), key, &n))
		return 0;
	return n >= SECRET_LEAST && n <= SECRET_MOST ? n : 0;
}

static const char *
webhook_secret_new(void *owner)
{
	uint8_t key[SECRET_BYTES];

	crypto_random(key, sizeof key);
	return mem_printf(owner, "%s%s", secret_prefix, crypto_base64(owner, key, sizeof key));
}

static enum err
webhook_secret(struct ctx *c, const struct webhook_config *cfg, const struct action_input *in,
    struct action_secrets *s, struct action_config *out)
{
	uint8_t key[SECRET_MOST + 3];

	*s = *in->old;
	if (!cfg->secret && !s->secret)
		out->made = s->secret = webhook_secret_new(c->mem);
	if (!cfg->secret || str_eq(cfg->secret, s->secret))
		return E_OK;
	if (!webhook_key(cfg->secret, key))
		return fail(c, E_INVALID,
		    "secret: must be whsec_ followed by the base64 of %d to %d bytes; "
		    "leave it out to have one generated",
		    SECRET_LEAST, SECRET_MOST);
	s->secret = cfg->secret;
	s->secret_old = NULL;
	return E_OK;
}

static enum err
webhook_config_check(struct ctx *c, const struct action_input *in, struct action_config *out)
{
	struct action_secrets s = { 0 };
	struct webhook_config *cfg;
	struct buf b = BUF(c->mem);
	struct json *payload;

	TRY(shape_read(c, &webhook_config_shape, in->sent, (void **)&cfg));
	TRY(action_url_check(c, "url", cfg->url));
	TRY(webhook_secret(c, cfg, in, &s, out));
	TRY(action_headers(c, "headers", cfg->headers, in,
	    &(struct action_use){ .url = cfg->url, .url_old = json_word(in->before, "url") }, &s));
	buf_str(&b, "{\"url\":");
	buf_json(&b, cfg->url);
	buf_chr(&b, ',');
	action_header_names(c, &b, s.headers);
	if (cfg->payload) {
		TRY(json_parse(c, cfg->payload, strlen(cfg->payload), &payload));
		TRY(action_json_check(c, "payload", payload));
		buf_fmt(&b, ",\"payload\":%s", cfg->payload);
	}
	buf_chr(&b, '}');
	out->shown = buf_done(&b);
	out->secrets = action_secrets_text(c, &s);
	return E_OK;
}

enum err
action_rotate(struct ctx *c, const struct action_config *old, struct action_config *out)
{
	struct action_secrets *s;
	struct json *tree;

	if (!old->secrets)
		return fail(c, E_INVALID, "This job has no signing secret");
	TRY(json_parse(c, old->secrets, strlen(old->secrets), &tree));
	TRY(shape_read(c, &action_secrets_shape, tree, (void **)&s));
	s->secret_old = s->secret;
	s->secret_until = c->now + ROTATION_S;
	s->secret = webhook_secret_new(c->mem);
	*out = (struct action_config){ .shown = old->shown,
		.secrets = action_secrets_text(c, s),
		.made = s->secret };
	return E_OK;
}

/* ---- sending ---- */

struct webhook_data {
	struct buf *b;
	void *mem;
};

static int
webhook_member(void *arg, const char *name, const struct json *value)
{
	const struct webhook_data *d = arg;

	if (str_in(name, "artifact|job|run"))
		return 0;
	buf_chr(d->b, ',');
	buf_json(d->b, name);
	buf_fmt(d->b, ":%s", json_text(d->mem, value));
	return 0;
}

static void
webhook_member_text(struct buf *b, const char *before, const char *value)
{
	buf_str(b, before);
	buf_json(b, value);
}

/* The timestamp is the time of the event, so each attempt sends the same body. */
static const char *
webhook_body(struct ctx *c, const struct action_run *r)
{
	const struct run_held *h = r->held;
	const char *when = str_rfc3339(c->mem, h->scheduled_for);
	struct buf b = BUF(c->mem);
	struct webhook_data data = { &b, c->mem };

	webhook_member_text(&b, "{\"type\":", action_type(h));
	webhook_member_text(&b, ",\"timestamp\":", when);
	webhook_member_text(&b, ",\"data\":{\"artifact\":{\"id\":", h->artifact_id);
	webhook_member_text(&b, ",\"name\":", h->artifact_name);
	webhook_member_text(&b, ",\"slug\":", h->artifact_slug);
	webhook_member_text(&b, ",\"url\":", r->url);
	webhook_member_text(&b, "},\"job\":{\"id\":", h->job_id);
	webhook_member_text(&b, ",\"name\":", h->job_name);
	webhook_member_text(&b, "},\"run\":{\"id\":", h->id);
	webhook_member_text(&b, ",\"scheduled_for\":", when);
	webhook_member_text(&b, ",\"trigger\":", h->cause);
	buf_chr(&b, '}');
	if (r->data && json_kind(r->data) == J_OBJ)
		json_each(r->data, webhook_member, &data);
	buf_str(&b, "}}");
	return buf_done(&b);
}

static void
webhook_sign(struct buf *b, const char *secret, const char *what)
{
	uint8_t key[SECRET_MOST + 3], mac[SHA256_BYTES];
	size_t n = webhook_key(secret, key);

	crypto_hmac_sha256(key, n, what, strlen(what), mac);
	buf_fmt(b, "%sv1,%s", b->n ? " " : "", crypto_base64(b->owner, mac, sizeof mac));
}

const char *
action_signature(struct ctx *c, const struct action_secrets *s, const char *id, int64_t when,
    const char *body)
{
	struct buf b = BUF(c->mem);
	const char *what = mem_printf(c->mem, "%s.%lld.%s", id, (long long)when, body);

	webhook_sign(&b, s->secret, what);
	if (s->secret_old && s->secret_until > when)
		webhook_sign(&b, s->secret_old, what);
	return buf_done(&b);
}

static enum err
webhook_begin(struct ctx *c, const struct action_run *r, struct egress_req **req)
{
	const struct json *payload = json_get(r->config, "payload");
	const char *lines[4] = { 0 }, *id = r->held->id;
	struct buf filled = BUF(c->mem);

	*req = mem_new(c->mem, struct egress_req);
	(*req)->url = json_str(json_get(r->config, "url"));
	(*req)->max_bytes = WEBHOOK_BYTES;
	(*req)->timeout_s = WEBHOOK_SECONDS;
	(*req)->patient = true;
	if (payload) {
		action_json(c, &filled, r, payload);
		(*req)->json = buf_done(&filled);
	} else {
		(*req)->json = webhook_body(c, r);
	}
	lines[0] = mem_printf(c->mem, "webhook-id: %s", id);
	lines[1] = mem_printf(c->mem, "webhook-timestamp: %lld", (long long)c->now);
	lines[2] = mem_printf(c->mem, "webhook-signature: %s",
	    action_signature(c, r->secrets, id, c->now, (*req)->json));
	return action_header_lines(c, r->secrets->headers, lines, &(*req)->headers);
}

const struct action_kind action_webhook = { .name = "webhook",
	.config = webhook_config_check,
	.begin = webhook_begin };
