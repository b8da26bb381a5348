/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/job_form.h"

#include "base/email.h"
#include "base/jobtitle.h"
#include "base/json.h"
#include "base/sample.h"
#include "base/str.h"

SHAPE_DEFINE(job_form, JOB_FORM);

enum { ABOUT_CHARS = 80, ATTEMPTS = 3, FIRST_DELAY_S = 60 };

/* FORMAT: a word; "auto" for none. PLACE: save_to and save_name as "table:figures"; TARGET: the
 * same as {"table":"figures"}. SOURCE: an id after its kind and a colon. */
enum input_kind {
	IN_TEXT,
	IN_LIST,
	IN_BOOL,
	IN_JSON,
	IN_HEADERS,
	IN_FORMAT,
	IN_PLACE,
	IN_TARGET,
	IN_SOURCE
};

/* Where each field of an action's form goes in the config. Members of the same object follow
 * each other. */
static const struct input {
	const char *actions, *name;
	size_t off;
	enum input_kind kind;
	const char *path;
} inputs[] = {
#define INPUT(actions, field, kind, path) \
	{ actions, #field, offsetof(struct job_form, field), kind, path }
	INPUT("email", recipients, IN_LIST, "recipients"),
	INPUT("email", subject, IN_TEXT, "subject"),
	INPUT("email", body, IN_TEXT, "body"),
	INPUT("email", include_link, IN_BOOL, "includeArtifactLink"),
	INPUT("http_get", source, IN_SOURCE, "connection_id"),
	INPUT("http_get", path, IN_TEXT, "path"),
	INPUT("webhook|http_get", url, IN_TEXT, "url"),
	INPUT("webhook|http_get", headers, IN_HEADERS, "headers"),
	INPUT("webhook", payload, IN_JSON, "payload"),
	INPUT("chat_a|chat_b", source, IN_SOURCE, "connection_id"),
	INPUT("chat_a|chat_b", channel, IN_TEXT, "channel"),
	INPUT("chat_a|chat_b", webhook_url, IN_TEXT, "webhook_url"),
	INPUT("chat_a|chat_b", text, IN_TEXT, "text"),
	INPUT("http_get", save_to, IN_PLACE, "save_to"),
	INPUT("materialize", source, IN_SOURCE, "source.connection_id"),
	INPUT("materialize", path, IN_TEXT, "source.path"),
	INPUT("materialize", query, IN_TEXT, "source.query"),
	INPUT("materialize", url, IN_TEXT, "source.url"),
	INPUT("materialize", headers, IN_HEADERS, "source.headers"),
	INPUT("materialize", format, IN_FORMAT, "source.format"),
	INPUT("materialize", save_to, IN_TARGET, "target"),
	INPUT("materialize", mode, IN_TEXT, "mode"),
#undef INPUT
};
enum { INPUTS = sizeof inputs / sizeof *inputs };

static const char **
input_text(const struct input *in, const struct job_form *form)
{
	return (const char **)((uintptr_t)form + in->off);
}

static bool *
input_bool(const struct input *in, const struct job_form *form)
{
	return (bool *)((uintptr_t)form + in->off);
}

static bool
is_given(const char *s)
{
	return s && *s;
}

const char *
job_form_connection(const struct job_form *form)
{
	const char *colon = strchr(form->source ? form->source : "", ':');

	return colon ? colon + 1 : form->source ? form->source : "";
}

/* True if the chosen connection has one of these kinds; the form's value begins with the kind. */
static bool
source_is(const struct job_form *form, void *owner, const char *kinds)
{
	const char *from = form->source ? form->source : "";

	return str_in(mem_strndup(owner, from, strcspn(from, ".:")), kinds);
}

/* ---- from the form into a config ---- */

static void
list_write(struct buf *b, const char *typed)
{
	const char *items = typed ? emails_typed(b->owner, typed) : NULL;
	char *rest = items ? mem_strdup(b->owner, items) : NULL, *one;

	buf_chr(b, '[');
	while (rest && (one = str_split(&rest, ','))) {
		buf_str(b, b->s[b->n - 1] == '[' ? "" : ",");
		buf_json(b, one);
	}
	buf_chr(b, ']');
}

static char *
trimmed(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	n = strlen(s);
	while (n && strchr(" \t\r", s[n - 1]))
		s[--n] = '\0';
	return s;
}

/* A header per line: "Authorization: Bearer …". */
static enum err
headers_write(struct ctx *c, struct buf *b, const char *typed)
{
	char *rest = mem_strdup(b->owner, typed), *line;
	bool first = true;

	buf_chr(b, '{');
	for (int no = 1; (line = str_split(&rest, '\n')); no++) {
		char *value = trimmed(line), *name;

		if (!*value)
			continue;
		name = str_split(&value, ':');
		if (!value || !*name)
			return fail(c, E_INVALID,
			    "headers: line %d has no colon; write it as Name: value", no);
		buf_str(b, first ? "" : ",");
		buf_json(b, trimmed(name));
		buf_chr(b, ':');
		buf_json(b, trimmed(value));
		first = false;
	}
	buf_chr(b, '}');
	return E_OK;
}

static enum err
json_write(struct ctx *c, struct buf *b, const char *name, const char *typed)
{
	struct json *tree;
	size_t at;
	const char *why = json_wrong(c, typed, strlen(typed), &tree, &at);

	if (why)
		return fail(c, E_INVALID, "%s: at character %zu: %s", name, at + 1, why);
	buf_str(b, json_text(c->mem, tree));
	return E_OK;
}

static enum err
place_write(struct ctx *c, struct buf *b, const struct job_form *form, enum input_kind kind)
{
	const char *to = form->save_to ? form->save_to : "none",
		   *name = form->save_name ? form->save_name : "";

	if (str_in(to, "table|blob") && !*name)
		return fail(c, E_INVALID,
		    "save_name: is required; enter the name of the table or file");
	if (str_eq(to, "none"))
		buf_str(b, "null");
	else if (str_eq(to, "json"))
		buf_json(b, to);
	else if (kind == IN_PLACE)
		buf_json(b, mem_printf(c->mem, "%s:%s", to, name));
	else {
		buf_str(b, "{\"table\":");
		buf_json(b, name);
		buf_chr(b, '}');
	}
	return E_OK;
}

/* False if the field doesn't apply to the chosen source; a browser without :has() shows all
 * fields. */
static bool
input_is_meant(const struct input *in, const struct job_form *form, void *owner)
{
	bool connected = *job_form_connection(form) != '\0';

	if (str_in(in->name, "url|headers|webhook_url"))
		return !connected;
	if (str_eq(in->name, "channel"))
		return connected;
	if (str_eq(in->name, "path"))
		return connected && !source_is(form, owner, "postgres");
	if (str_eq(in->name, "query"))
		return connected && !source_is(form, owner, "http|oauth2");
	return !str_eq(in->name, "format") || !source_is(form, owner, "postgres");
}

/* False if the field is left out of the config: an irrelevant or an empty one. */
static bool
input_is_given(const struct input *in, const struct job_form *form, void *owner)
{
	if (!input_is_meant(in, form, owner))
		return false;
	switch (in->kind) {
	case IN_BOOL: case IN_PLACE: case IN_TARGET: return true;
	case IN_HEADERS: return form->headers_gone || is_given(form->headers);
	case IN_FORMAT: return form->format && !str_eq(form->format, "auto");
	default: return is_given(*input_text(in, form));
	}
}

static enum err
input_write(struct ctx *c, struct buf *b, const struct input *in, const struct job_form *form)
{
	const char *typed = in->kind == IN_BOOL ? NULL : *input_text(in, form);

	switch (in->kind) {
	case IN_LIST: list_write(b, typed); return E_OK;
	case IN_BOOL: buf_str(b, *input_bool(in, form) ? "true" : "false"); return E_OK;
	case IN_JSON: return json_write(c, b, in->name, typed);
	case IN_HEADERS: return headers_write(c, b, typed ? typed : "");
	case IN_PLACE: case IN_TARGET: return place_write(c, b, form, in->kind);
	case IN_SOURCE: buf_json(b, job_form_connection(form)); return E_OK;
	default: buf_json(b, str_lines(b->owner, typed)); return E_OK;
	}
}

/* Begins a member; for a path with a dot, also the object around it. */
static void
member_begin(struct buf *b, const char *path, const char **object)
{
	const char *dot = strchr(path, '.'),
		   *within = dot ? mem_strndup(b->owner, path, (size_t)(dot - path)) : NULL;

	if (*object && !str_eq(*object, within)) {
		buf_chr(b, '}');
		*object = NULL;
	}
	buf_str(b, b->s[b->n - 1] == '{' ? "" : ",");
	if (within && !*object) {
		buf_json(b, within);
		buf_str(b, ":{");
		*object = within;
	}
	buf_json(b, dot ? dot + 1 : path);
	buf_chr(b, ':');
}

static enum err
config_write(struct ctx *c, const struct job_form *form, const char **out)
{
	struct buf b = BUF(c->mem);
	const char *object = NULL;

	if (str_starts(form->action, "chat_") && *job_form_connection(form) &&
	    !is_given(form->channel))
		return fail(c, E_INVALID, "channel: choose the channel to post to");
	buf_chr(&b, '{');
	for (const struct input *in = inputs; in < inputs + INPUTS; in++)
		if (str_in(form->action, in->actions) && input_is_given(in, form, c->mem)) {
			member_begin(&b, in->path, &object);
			TRY(input_write(c, &b, in, form));
		}
	buf_str(&b, object ? "}}" : "}");
	*out = buf_done(&b);
	return E_OK;
}

/* ---- when ---- */

static bool
time_read(const char *s, int64_t *hour, int64_t *minute)
{
	if (strlen(s) != 5 || s[2] != ':' || strspn(s, "0123456789") != 2 ||
	    strspn(s + 3, "0123456789") != 2)
		return false;
	*hour = (s[0] - '0') * 10 + s[1] - '0';
	*minute = (s[3] - '0') * 10 + s[4] - '0';
	return *hour < 24 && *minute < 60;
}

static enum err
schedule_typed(struct ctx *c, const struct job_form *form, const char **out)
{
	struct schedule_choice choice = { .kind = form->when, .minute = form->minute,
		.weekday = form->weekday, .day = form->day ? form->day : 1 };

	if (str_eq(form->when, "cron")) {
		*out = form->schedule ? form->schedule : "";
		return E_OK;
	}
	if (!str_eq(form->when, "hour") &&
	    !time_read(form->at ? form->at : "", &choice.hour, &choice.minute))
		return fail(c, E_INVALID, "at: must be a time of day, such as 07:00");
	*out = schedule_write(c->mem, &choice);
	return E_OK;
}

static const char *
zone_typed(const struct job_form *form)
{
	return is_given(form->timezone) ? form->timezone : "UTC";
}

static struct job_retry *
retry_typed(struct ctx *c, const struct job_form *form)
{
	struct job_retry *out = mem_new(c->mem, struct job_retry);

	out->maxAttempts = form->max_attempts ? form->max_attempts : ATTEMPTS;
	out->backoffType = form->backoff ? form->backoff : "exponential";
	out->initialDelay = form->initial_delay ? form->initial_delay : FIRST_DELAY_S;
	out->has.maxAttempts = out->has.backoffType = out->has.initialDelay = GIVEN;
	return out;
}

enum err
job_form_new(
    struct ctx *c, const struct artifact *a, const struct job_form *form, struct job_new *out)
{
	bool event = str_in(form->when ? form->when : "", JOB_EVENTS);

	if (!form->when)
		return fail(c, E_INVALID, "when: choose when it runs");
	*out = (struct job_new){ .artifact_id = a->id, .action = form->action,
		.trigger_type = event ? "event" : "cron", .retry_config = retry_typed(c, form),
		.has = { .artifact_id = GIVEN, .action = GIVEN, .trigger_type = GIVEN,
		    .config = GIVEN, .retry_config = GIVEN } };
	if (is_given(form->name)) {
		out->name = form->name;
		out->has.name = GIVEN;
	}
	TRY(config_write(c, form, &out->config));
	if (event) {
		out->event_type = form->when;
		out->has.event_type = GIVEN;
		return E_OK;
	}
	out->timezone = zone_typed(form);
	out->has.schedule = out->has.timezone = GIVEN;
	return schedule_typed(c, form, &out->schedule);
}

enum err
job_form_edit(
    struct ctx *c, const struct job *j, const struct job_form *form, struct job_edit *out)
{
	struct job_form typed = *form;

	/* The form may be for another action than this job's, which must not change. */
	typed.action = j->action;
	*out = (struct job_edit){ .name = is_given(form->name) ? form->name : NULL,
		.retry_config = retry_typed(c, form),
		.has = { .name = is_given(form->name) ? GIVEN : NULLED, .config = GIVEN,
		    .retry_config = GIVEN } };
	TRY(config_write(c, &typed, &out->config));
	if (!form->when || !str_eq(j->trigger_type, "cron"))
		return E_OK;
	if (str_in(form->when, JOB_EVENTS))
		return fail(c, E_INVALID,
		    "when: a scheduled job can't be changed to wait for an event; "
		    "create another job for that");
	out->timezone = zone_typed(form);
	out->has.schedule = out->has.timezone = GIVEN;
	return schedule_typed(c, form, &out->schedule);
}

enum err
job_form_refused(struct ctx *c, enum err e, const char *action)
{
	static const struct {
		const char *path, *name;
	} retries[] = { { "retry_config.maxAttempts:", "max_attempts" },
		{ "retry_config.initialDelay:", "initial_delay" },
		{ "retry_config.backoffType:", "backoff" }, { "event_type:", "when" } };
	const char *message = c->message ? c->message : "", *rest;

	for (size_t i = 0; i < sizeof retries / sizeof *retries; i++)
		if (str_starts(message, retries[i].path))
			c->message = mem_printf(c->mem, "%s:%s", retries[i].name,
			    message + strlen(retries[i].path));
	if (!str_starts(message, "config."))
		return e;
	message += strlen("config.");
	c->message = message;
	for (const struct input *in = inputs; in < inputs + INPUTS; in++) {
		rest = message + strlen(in->path);
		if (!str_in(action, in->actions) || !str_starts(message, in->path) ||
		    !strchr(":[.", *rest))
			continue;
		c->message = mem_printf(c->mem, "%s%s%s",
		    in->kind == IN_PLACE || in->kind == IN_TARGET ? "save_name" : in->name,
		    *rest == '.' ? ": " : "", *rest == '.' ? rest + 1 : rest);
		break;
	}
	return e;
}

/* ---- from a job into the form ---- */

static const struct json *
json_find(void *owner, const struct json *from, const char *path)
{
	const char *dot = strchr(path, '.');

	if (dot)
		from = json_get(from, mem_strndup(owner, path, (size_t)(dot - path)));
	return from && json_kind(from) == J_OBJ ? json_get(from, dot ? dot + 1 : path) : NULL;
}

static const char *
text_of(const struct json *v)
{
	return v && json_kind(v) == J_STR ? json_str(v) : "";
}

static const char *
list_text(struct ctx *c, const struct json *v)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; v && json_kind(v) == J_ARR && i < json_len(v); i++)
		buf_fmt(&b, "%s%s", i ? ", " : "", text_of(json_at(v, i)));
	return buf_done(&b);
}

/* Reads "json", "table:figures" or {"table":"figures"}; other values mean nowhere. */
static void
place_show(struct ctx *c, const struct json *v, struct job_form *out)
{
	char *name = mem_strdup(c->mem, text_of(v));
	const struct json *table = v && json_kind(v) == J_OBJ ? json_get(v, "table") : NULL;

	out->save_to = table ? "table" : *name ? str_split(&name, ':') : "none";
	out->save_name = table ? text_of(table) : name;
}

static void
input_show(struct ctx *c, const struct input *in, const struct json *v, struct job_form *out)
{
	switch (in->kind) {
	case IN_LIST: *input_text(in, out) = list_text(c, v); break;
	case IN_BOOL: *input_bool(in, out) = v && json_true(v); break;
	case IN_JSON:
		*input_text(in, out) =
		    v && json_kind(v) != J_NULL ? json_indented(c->mem, json_text(c->mem, v)) : "";
		break;
	case IN_HEADERS: break;
	case IN_PLACE: case IN_TARGET: place_show(c, v, out); break;
	default: *input_text(in, out) = text_of(v);
	}
}

enum err
job_form_show(struct ctx *c, const struct job *j, struct job_form *out)
{
	struct schedule_choice choice = { .kind = "cron", .hour = 7, .day = 1, .weekday = 1 };
	const struct job_retry *retry = j->retry_config;
	struct json *config;

	*out = (struct job_form){ .action = j->action, .name = j->name,
		.max_attempts = retry->maxAttempts, .backoff = retry->backoffType,
		.initial_delay = retry->initialDelay, .when = j->event_type,
		.timezone = j->timezone, .schedule = j->schedule };
	TRY(json_parse(c, j->config, strlen(j->config), &config));
	for (const struct input *in = inputs; in < inputs + INPUTS; in++)
		if (str_in(j->action, in->actions))
			input_show(c, in, json_find(c->mem, config, in->path), out);
	if (j->schedule) {
		schedule_read(c->mem, j->schedule, &choice);
		out->when = choice.kind;
	}
	out->minute = choice.minute;
	out->weekday = choice.weekday;
	out->day = choice.day ? choice.day : 1;
	out->at = mem_printf(
	    c->mem, "%02lld:%02lld", (long long)choice.hour, (long long)choice.minute);
	return E_OK;
}

void
job_form_begin(struct job_form *out, const char *action, const char *my_email)
{
	*out = (struct job_form){ .action = action, .when = "day", .at = "07:00", .weekday = 1,
		.day = 1, .timezone = "UTC", .recipients = my_email, .include_link = true,
		.save_to = str_eq(action, "materialize") ? "table" : "json", .mode = "replace",
		.max_attempts = ATTEMPTS, .initial_delay = FIRST_DELAY_S,
		.backoff = "exponential" };
}

/* ---- descriptions ---- */

/* An address without scheme and query, shortened. */
static const char *
address_words(struct ctx *c, const char *url)
{
	const char *from = strstr(url, "://");
	char *out;

	from = from ? from + 3 : url;
	out = mem_strndup(c->mem, from, strcspn(from, "?#"));
	if (str_ends(out, "/"))
		out[strlen(out) - 1] = '\0';
	return str_chars(out) > ABOUT_CHARS
	    ? mem_printf(c->mem, "%s…", str_cut(c->mem, out, ABOUT_CHARS))
	    : out;
}

/* The source. The job has only the id of its connection, not its name. */
static const char *
source_words(struct ctx *c, const struct job_form *form)
{
	if (!*job_form_connection(form))
		return address_words(c, form->url);
	return is_given(form->query)
	    ? "the result of a query"
	    : mem_printf(c->mem, "%s through a connection", address_words(c, form->path));
}

static const char *
place_words(struct ctx *c, const struct job_form *form)
{
	if (str_eq(form->save_to, "json"))
		return "into the document";
	if (str_eq(form->save_to, "none"))
		return "and discards the response";
	return mem_printf(c->mem, "into the %s %s",
	    str_eq(form->save_to, "table") ? "table" : "file", form->save_name);
}

static const char *
mail_words(struct ctx *c, const char *recipients)
{
	size_t first = strcspn(recipients, ","), others = 0;

	for (const char *p = recipients; *p; p++)
		others += *p == ',';
	return mem_printf(c->mem, "E-mails %.*s%s", (int)first, recipients,
	    !others           ? ""
		: others == 1 ? " and 1 other"
			      : mem_printf(c->mem, " and %zu others", others));
}

const char *
job_about(struct ctx *c, const struct job *j)
{
	struct job_form form;
	struct json *config;

	if (job_form_show(c, j, &form) || json_parse(c, j->config, strlen(j->config), &config))
		return "";
	if (str_eq(j->action, "email"))
		return mail_words(c, form.recipients);
	if (str_eq(j->action, "webhook"))
		return mem_printf(c->mem, "Calls %s", address_words(c, form.url));
	if (str_starts(j->action, "chat_") && is_given(form.source))
		return mem_printf(
		    c->mem, "Posts to the channel %s through a connection", form.channel);
	if (str_starts(j->action, "chat_"))
		return mem_printf(c->mem, "Posts to %s", text_of(json_get(config, "webhook_host")));
	return mem_printf(c->mem, "%s %s %s",
	    str_eq(j->action, "materialize") ? "Loads" : "Fetches",
	    source_words(c, &form), place_words(c, &form));
}

const char *
job_header_names(struct ctx *c, const struct job *j)
{
	struct json *config;
	const struct json *names;

	if (json_parse(c, j->config, strlen(j->config), &config))
		return "";
	names = json_find(c->mem, config,
	    str_eq(j->action, "materialize") ? "source.header_names" : "header_names");
	return list_text(c, names);
}
