/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/payment.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/redact.h"
#include "base/str.h"
#include "ext/egress.h"

enum { BYTES = 256 << 10, TEXT_CHARS = 100, RETRY_MOST_S = 86400 };

bool
payment_enabled(const struct ctx *c)
{
	return conf_has(c->conf->payment_url);
}

enum err
payment_need(struct ctx *c)
{
	enum err e;

	if (payment_enabled(c))
		return E_OK;
	e = fail_lacks(c, "Payments haven't been set up on this service; contact its operator");
	c->details = "{\"payment\":\"not_set_up\"}";
	return e;
}

/* ---- asking ---- */

/* A request and its answer. */
struct talk {
	struct ctx *c;
	struct redact key; /* the service may repeat the key in its answer */
	long status;
	const struct json *tree; /* an object; NULL if the body isn't one */
};

/* The provider's message about a refusal may contain part of the key, so `why` must be our own
 * text. */
static enum err
talk_failed(struct ctx *c, const char *why)
{
	if (why)
		fail_here(c, "payment_url: %s", why);
	return fail(c, E_UPSTREAM, "The payment provider can't be reached, or gave no answer");
}

/* Fails if the status means that the request itself wasn't answered. */
static enum err
talk_check(struct talk *t, const struct egress_res *res)
{
	struct ctx *c = t->c;

	if (res->status == 401 || res->status == 403) {
		fail_here(c, "payment_url: it refuses payment_key_file (status %ld)", res->status);
		return fail(c, E_UNAVAILABLE, "%s", err_table[E_UNAVAILABLE].text);
	}
	if (res->status == 409 || res->status == 429 || res->status >= 500 ||
	    res->status < 200 || (res->status >= 300 && res->status < 400)) {
		c->retry_after_s = res->retry_after_s > RETRY_MOST_S ? RETRY_MOST_S
		    : res->retry_after_s > 0			     ? res->retry_after_s
								     : 0;
		return talk_failed(
		    c, mem_printf(c->mem, "it returned status %ld", res->status));
	}
	if (res->status < 300 && !t->tree)
		return talk_failed(c, "its response isn't a JSON object");
	return E_OK;
}

/* json NULL sends a GET. key makes a charge happen only once; it may be NULL. */
static enum err
talk(struct ctx *c, struct talk *t, const char *path, const char *json, const char *key)
{
	const char *headers[] = { "Accept: application/json", NULL,
		key ? mem_printf(c->mem, "Idempotency-Key: %s", key) : NULL, NULL };
	const struct egress_req req = { .url = mem_printf(
					    c->mem, "%s%s", c->conf->payment_url, path),
		.max_bytes = BYTES,
		.timeout_s = PAYMENT_S,
		.json = json,
		.headers = headers,
		.trusted = true,
		.patient = true };
	const char *secret_file = c->conf->payment_key_file, *secret;
	struct egress_res *res;
	struct json *tree;

	*t = (struct talk){ .c = c, .key = REDACT(c->mem) };
	c->retry_after_s = 0;
	TRY(payment_need(c));
	secret = conf_secret(c->mem, secret_file);
	if (!secret || !*secret || !str_plain(secret)) {
		fail_here(c, "payment_key_file: %s can't be read, or has no key in it",
		    secret_file);
		return fail(c, E_UNAVAILABLE, "%s", err_table[E_UNAVAILABLE].text);
	}
	redact_add(&t->key, secret);
	headers[1] = mem_printf(c->mem, "x-api-key: %s", secret);
	if (egress_send(c, &req, &res))
		return talk_failed(c, NULL);
	t->status = res->status;
	if (!json_parse(c, res->body, res->body_n, &tree) && json_kind(tree) == J_OBJ)
		t->tree = tree;
	return talk_check(t, res);
}

/* ---- reading ---- */

static bool
id_fit(const char *id)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-.:";

	return id && *id && strlen(id) <= PAYMENT_ID_BYTES && !id[strspn(id, letters)] &&
	    id[strspn(id, ".")];
}

/* Returns an id; NULL if it isn't valid. */
static const char *
id_of(const struct json *object, const char *name)
{
	const char *id = json_word(object, name);

	return id_fit(id) ? id : NULL;
}

static const char *
text_of(struct talk *t, const struct json *object, const char *name)
{
	const char *text = json_word(object, name);

	return text && *text && str_plain(text)
	    ? str_cut(t->c->mem, redact_text(&t->key, text), TEXT_CHARS)
	    : NULL;
}

/* Returns a number, also from a text, because some providers return metadata as texts. -1 if there
 * is none. */
static int64_t
int_of(const struct json *object, const char *name)
{
	const struct json *v = json_get_as(object, name, J_INT);
	const char *text = json_word(object, name);
	int64_t n;

	if (v)
		n = json_int(v);
	else if (!text || !str_int(text, &n))
		return -1;
	return n < 0 ? -1 : n;
}

/* Returns the provider's reason: error as a text, error.message, or message. */
static const char *
why_of(struct talk *t, const struct json *tree)
{
	const char *words = json_word(tree, "error");
	const char *plain;

	if (!words)
		words = json_word(json_get_as(tree, "error", J_OBJ), "message");
	if (!words)
		words = json_word(tree, "message");
	plain = words ? str_one_line(t->c->mem, redact_text(&t->key, words)) : NULL;
	return plain && *plain ? str_cut(t->c->mem, plain, PAYMENT_WHY_CHARS)
			       : "The payment was declined";
}

static enum payment_outcome
outcome_of(const char *status)
{
	static const struct {
		const char *word;
		enum payment_outcome outcome;
	} all[] = { { "approved", PAYMENT_APPROVED }, { "pending", PAYMENT_PENDING },
		{ "rejected", PAYMENT_DECLINED }, { "refunded", PAYMENT_REFUNDED },
		{ "charged_back", PAYMENT_REFUNDED } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (str_eq(status, all[i].word))
			return all[i].outcome;
	return 0;
}

static void
card_read(struct talk *t, const struct json *card, struct payment_card *out)
{
	*out = (struct payment_card){ .id = id_of(card, "id") };
	if (!out->id)
		return;
	out->brand = text_of(t, card, "brand");
	out->last4 = text_of(t, card, "last4");
	out->exp_month = int_of(card, "exp_month");
	out->exp_year = int_of(card, "exp_year");
	out->fingerprint = id_of(card, "fingerprint");
	if (out->last4 && (strlen(out->last4) != 4 || out->last4[strspn(out->last4, "0123456789")]))
		out->last4 = NULL;
	if (out->exp_month < 1 || out->exp_month > 12 || out->exp_year < 2000 ||
	    out->exp_year > 9999)
		out->exp_month = out->exp_year = 0;
}

/* Reads one payment. Its id, status, amount and currency are required. */
static enum err
payment_read(struct talk *t, const struct json *tree, struct payment *out)
{
	const struct json *meta = json_get_as(tree, "metadata", J_OBJ);
	const char *currency;

	*out = (struct payment){ .outcome = outcome_of(json_word(tree, "status")),
		.id = id_of(tree, "id"),
		.currency = text_of(t, tree, "currency"),
		.amount_cents = int_of(tree, "amount_cents"),
		.customer = id_of(json_get_as(tree, "customer", J_OBJ), "id"),
		.workspace = text_of(t, meta, "workspace"),
		.invoice = text_of(t, meta, "invoice"),
		.plan = text_of(t, meta, "plan"),
		.purpose = text_of(t, meta, "purpose"),
		.nonce = text_of(t, meta, "nonce"),
		.seats = int_of(meta, "seats") };
	currency = out->currency;
	if (!out->outcome || !out->id || out->amount_cents < 0 || !currency ||
	    strlen(currency) != 3 || currency[strspn(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		return talk_failed(t->c, "its payment lacks id, status, amount_cents or currency");
	card_read(t, json_get_as(tree, "card", J_OBJ), &out->card);
	if (out->outcome == PAYMENT_DECLINED)
		out->why = why_of(t, tree);
	return E_OK;
}

/* ---- links ---- */

enum err
payment_link(struct ctx *c, const struct payment_link *link, const char **id, const char **url)
{
	struct buf b = BUF(c->mem);
	struct talk t;

	buf_chr(&b, '{');
	json_texts(&b, "title", link->title, "currency", link->currency, "redirect_url",
	    link->redirect_url, NULL);
	json_add_int(&b, "amount_cents", link->amount_cents);
	buf_str(&b, ",\"single_use\":true,\"metadata\":{");
	json_texts(&b, "workspace", link->workspace, "plan", link->plan, "purpose", link->purpose,
	    "nonce", link->nonce, NULL);
	json_add_int(&b, "seats", link->seats);
	buf_str(&b, "}}");
	TRY(talk(c, &t, "/v3/payment-links", buf_done(&b), NULL));
	if (t.status >= 300)
		return talk_failed(c, mem_printf(c->mem, "it refuses a link (status %ld): %s",
					  t.status, why_of(&t, t.tree)));
	*id = id_of(t.tree, "id");
	*url = json_word(t.tree, "url");
	if (!*id || !*url || !str_http_url(*url) || !str_starts(*url, "https://"))
		return talk_failed(c, "its link has no id, or no https:// address");
	return E_OK;
}

/* ---- payments ---- */

enum err
payment_find(struct ctx *c, const char *id, struct payment *out)
{
	struct talk t;

	*out = (struct payment){ .outcome = PAYMENT_ABSENT };
	TRY(payment_need(c));
	if (!id_fit(id))
		return E_OK;
	TRY(talk(c, &t, mem_printf(c->mem, "/v3/payments/%s", id), NULL, NULL));
	if (t.status == 404)
		return E_OK;
	if (t.status >= 300)
		return talk_failed(c, mem_printf(c->mem, "it returned status %ld", t.status));
	TRY(payment_read(&t, t.tree, out));
	return str_eq(out->id, id) ? E_OK : talk_failed(c, "it told of another payment than asked");
}

/* Ranks outcomes, in case several payments match where one is expected. */
static int
outcome_rank(enum payment_outcome outcome)
{
	return outcome == PAYMENT_APPROVED ? 4
	    : outcome == PAYMENT_PENDING   ? 3
	    : outcome == PAYMENT_REFUNDED  ? 2
	    : outcome == PAYMENT_DECLINED  ? 1
					   : 0;
}

/* Finds the payment with the highest rank in a list. */
static enum err
payment_listed(struct ctx *c, const char *name, const char *value, struct payment *out)
{
	const struct json *all;
	struct talk t;

	*out = (struct payment){ .outcome = PAYMENT_ABSENT };
	TRY(talk(c, &t, mem_printf(c->mem, "/v3/payments?%s=%s", name, form_encoded(c->mem, value)),
	    NULL, NULL));
	all = t.status < 300 ? json_get_as(t.tree, "payments", J_ARR) : NULL;
	if (!all)
		return talk_failed(c,
		    mem_printf(c->mem, "it told no payments of a %s (status %ld)", name, t.status));
	for (size_t i = 0; i < json_len(all); i++) {
		struct payment one;

		if (json_kind(json_at(all, i)) != J_OBJ)
			return talk_failed(c, "its payments aren't objects");
		TRY(payment_read(&t, json_at(all, i), &one));
		if (outcome_rank(one.outcome) > outcome_rank(out->outcome))
			*out = one;
	}
	return E_OK;
}

enum err
payment_by_key(struct ctx *c, const char *key, struct payment *out)
{
	return payment_listed(c, "key", key, out);
}

enum err
payment_by_link(struct ctx *c, const char *link_id, struct payment *out)
{
	return payment_listed(c, "link", link_id, out);
}

enum err
payment_charge(struct ctx *c, const struct payment_charge *ask, struct payment *out)
{
	struct buf b = BUF(c->mem);
	struct talk t;

	*out = (struct payment){ 0 };
	buf_chr(&b, '{');
	json_texts(&b, "customer_id", ask->customer, "card_id", ask->card, "currency",
	    ask->currency, "description", ask->description, NULL);
	json_add_int(&b, "amount_cents", ask->amount_cents);
	buf_str(&b, ",\"metadata\":{");
	json_texts(&b, "invoice", ask->invoice, "workspace", ask->workspace, NULL);
	buf_str(&b, "}}");
	TRY(talk(c, &t, "/v3/payments", buf_done(&b), ask->key));
	/* With a 4xx, the provider hasn't tried. A 402 may contain the payment. */
	if (t.status < 300 || (t.tree && json_word(t.tree, "status")))
		TRY(payment_read(&t, t.tree, out));
	else
		*out = (struct payment){ .outcome = PAYMENT_DECLINED, .why = why_of(&t, t.tree) };
	if (t.status >= 300 && out->outcome != PAYMENT_DECLINED)
		return talk_failed(c, "it refused a charge, and says that it was made");
	if (out->id && (out->amount_cents != ask->amount_cents ||
			   !str_eq(out->currency, ask->currency)))
		return talk_failed(c, "it charged another amount or currency than asked");
	return E_OK;
}

enum err
payment_refund(struct ctx *c, const char *id, struct payment *out)
{
	struct talk t;

	*out = (struct payment){ .outcome = PAYMENT_ABSENT };
	TRY(payment_need(c));
	if (!id_fit(id))
		return E_OK;
	TRY(talk(c, &t, mem_printf(c->mem, "/v3/payments/%s/refund", id), "{}",
	    mem_printf(c->mem, "refund-%s", id)));
	if (t.status == 404)
		return E_OK;
	if (t.status >= 300) {
		*out = (struct payment){ .outcome = PAYMENT_DECLINED, .why = why_of(&t, t.tree) };
		return E_OK;
	}
	TRY(payment_read(&t, t.tree, out));
	return str_eq(out->id, id) && out->outcome == PAYMENT_REFUNDED
	    ? E_OK
	    : talk_failed(c, "it says that a refund wasn't made, and not why");
}

enum err
payment_subscription(struct ctx *c, const char *id, struct payment_subscription *out)
{
	static const char *const words[] = { "active", "defaulted", "paused", "finished" };
	struct talk t;

	*out = (struct payment_subscription){ .standing = PAYMENT_SUB_ABSENT };
	TRY(payment_need(c));
	if (!id_fit(id))
		return E_OK;
	TRY(talk(c, &t, mem_printf(c->mem, "/v3/subscriptions/%s", id), NULL, NULL));
	if (t.status == 404)
		return E_OK;
	if (t.status >= 300)
		return talk_failed(c, mem_printf(c->mem, "it returned status %ld", t.status));
	out->id = id_of(t.tree, "id");
	out->last_payment = id_of(t.tree, "last_payment_id");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq(json_word(t.tree, "status"), words[i])) {
			out->standing = PAYMENT_SUB_ACTIVE + (int)i;
			return str_eq(out->id, id)
			    ? E_OK
			    : talk_failed(c, "it told of another subscription than asked");
		}
	return talk_failed(c, "its subscription has no status that is known");
}

/* ---- webhooks ---- */

enum err
payment_event_read(struct ctx *c, const char *body, size_t n, struct payment_event *out)
{
	const struct json *data;
	struct json *tree;

	TRY(json_parse(c, body, n, &tree));
	if (json_kind(tree) != J_OBJ)
		return fail(c, E_INVALID, "the body: must be an object");
	data = json_get_as(tree, "data", J_OBJ);
	*out = (struct payment_event){ .id = id_of(tree, "id"),
		.kind = id_of(tree, "type"),
		.payment = id_of(data, "payment_id"),
		.subscription = id_of(data, "subscription_id") };
	if (!out->id || !out->kind)
		return fail(c, E_INVALID, "%s: must be an id of at most %d characters",
		    out->id ? "type" : "id", PAYMENT_ID_BYTES);
	if (!out->payment && !out->subscription)
		return fail(c, E_INVALID,
		    "data: must name a payment_id or a subscription_id");
	return E_OK;
}

enum err
payment_event_signed(struct ctx *c, const char *signature, const char *body, size_t n, bool *out)
{
	const char *path = c->conf->payment_sign_key_file, *key;
	uint8_t theirs[SHA256_BYTES], ours[SHA256_BYTES];

	*out = !conf_has(path);
	if (*out)
		return E_OK;
	key = conf_secret(c->mem, path);
	if (!key || !*key) {
		fail_here(c, "payment_sign_key_file: %s can't be read, or has no key in it", path);
		return fail(c, E_UNAVAILABLE, "%s", err_table[E_UNAVAILABLE].text);
	}
	crypto_hmac_sha256(key, strlen(key), body, n, ours);
	*out = signature && strlen(signature) == SHA256_HEX &&
	    crypto_unhex(signature, theirs, sizeof theirs) &&
	    crypto_equal(ours, theirs, sizeof ours);
	return E_OK;
}
