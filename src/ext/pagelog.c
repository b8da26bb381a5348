/* SPDX-License-Identifier: Apache-2.0
 * Source: the Chrome DevTools Protocol, domains Runtime and Log. */
#include "ext/pagelog.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

#define SIGNIN "_vitrine/signin"
enum { ARGS_MOST = 10, TEXT_BYTES = 8 << 10 };

SHAPE_DEFINE(page_problem, PAGE_PROBLEM);
SHAPE_DEFINE(page_failed, PAGE_FAILED);

/* ---- texts ---- */

const char *
pagelog_text(const struct json *object, const char *name)
{
	const char *text = json_word(object, name);

	return text ? text : "";
}

/* Converts the protocol's line number, which starts at 0. Returns 0 if there is none. */
static int64_t
line_of(const struct json *object)
{
	const struct json *value = json_get_as(object, "lineNumber", J_INT);
	int64_t line = value ? json_int(value) : -1;

	return line >= 0 && line < INT32_MAX ? line + 1 : 0;
}

/* Returns text of the page, which may be of any length, cut and on one line. */
static const char *
plain(void *owner, const char *text)
{
	const char *some = mem_strndup(owner, text, strnlen(text, TEXT_BYTES));

	return str_cut(owner, str_one_line(owner, some), PAGELOG_CHARS);
}

/* Returns an address on the page's own host as a path. */
static const char *
place(const struct pagelog *p, const char *url)
{
	size_t n = strlen(p->origin);

	if (!url || !*url)
		return NULL;
	if (str_starts(url, "data:"))
		return "data:";
	return plain(p->scratch, str_starts(url, p->origin) ? url + n - 1 : url);
}

void
pagelog_add(
    struct pagelog *p, const char *kind, const char *text, const char *url, int64_t line)
{
	struct page_problem *at;
	const char *said = plain(p->scratch, *text ? text : "An error without a text"),
		   *where = place(p, url);

	for (size_t i = 0; i < p->n; i++) {
		at = &p->problems[i];
		if (str_eq(at->kind, kind) && str_eq(at->text, said) && str_eq(at->url, where) &&
		    at->line == line) {
			at->count++;
			return;
		}
	}
	if (p->n == PAGELOG_PROBLEMS)
		return;
	at = &p->problems[p->n++];
	*at = (struct page_problem){ .kind = kind,
		.text = mem_strdup(p->owner, said),
		.url = where ? mem_strdup(p->owner, where) : NULL,
		.line = line,
		.count = 1 };
	at->has.line = line ? GIVEN : NULLED;
}

/* ---- events ---- */

/* Returns the text of a thrown or logged value. */
static const char *
value_text(const struct pagelog *p, const struct json *object)
{
	const struct json *value = json_get(object, "value");
	const char *description, *calls;

	if (value)
		return json_kind(value) == J_STR ? json_str(value) : json_text(p->scratch, value);
	/* The stack trace is left out. */
	description = pagelog_text(object, "description");
	calls = strstr(description, "\n    at ");
	return calls ? mem_strndup(p->scratch, description, (size_t)(calls - description))
		     : description;
}

static const struct json *
first_call(const struct json *stack)
{
	const struct json *frames = json_get_as(stack, "callFrames", J_ARR);

	return json_len(frames) ? json_at(frames, 0) : NULL;
}

/* True if the error may be caused by what we didn't load: names from scripts of other hosts, or
 * data. */
static bool
is_excused(const struct pagelog *p, const char *text)
{
	if (strstr(text, "ReferenceError:"))
		return p->scripts_left_out;
	return p->data_left_out && !str_starts(text, "SyntaxError:");
}

static void
exception_add(struct pagelog *p, const struct json *details)
{
	const struct json *call = first_call(json_get(details, "stackTrace")),
			  *at = *pagelog_text(details, "url") ? details : call;
	const char *how = pagelog_text(details, "text"), *url = pagelog_text(at, "url"),
		   *text = value_text(p, json_get(details, "exception"));

	if (!is_excused(p, text))
		pagelog_add(p, "exception", *text ? text : how, url, *url ? line_of(at) : 0);
}

static void
console_add(struct pagelog *p, const struct json *params)
{
	const struct json *args = json_get_as(params, "args", J_ARR),
			  *at = first_call(json_get(params, "stackTrace"));
	size_t n = json_len(args);
	struct buf b = BUF(p->scratch);
	const char *url = pagelog_text(at, "url");

	if (!str_in(pagelog_text(params, "type"), "error|assert"))
		return;
	for (size_t i = 0; i < n && i < ARGS_MOST && b.n < TEXT_BYTES; i++) {
		const char *text = value_text(p, json_at(args, i));

		buf_fmt(&b, "%s", i ? " " : "");
		buf_add(&b, text, strnlen(text, TEXT_BYTES));
	}
	if (!is_excused(p, buf_done(&b)))
		pagelog_add(p, "console", buf_done(&b), url, *url ? line_of(at) : 0);
}

/* True if a missing script or style causes the message: the error page has another MIME type. */
static bool
missing_explains(const struct pagelog *p, const char *text)
{
	for (size_t i = 0; i < p->n; i++)
		if (str_eq(p->problems[i].kind, "missing"))
			return strstr(text, "MIME type") != NULL;
	return false;
}

/* Reads the browser's own log entries. pagelog_load() already knows failed loads. */
static void
entry_add(struct pagelog *p, const struct json *entry)
{
	const char *source = pagelog_text(entry, "source"), *text = pagelog_text(entry, "text"),
		   *url = pagelog_text(entry, "url");

	if (!str_eq(pagelog_text(entry, "level"), "error") || str_eq(source, "network") ||
	    strstr(text, "net::ERR_") || strstr(text, "CORS policy") || missing_explains(p, text))
		return;
	pagelog_add(p, str_eq(source, "security") ? "refused" : "console", text, url,
	    *url ? line_of(entry) : 0);
}

void
pagelog_event(struct pagelog *p, const char *method, const struct json *params)
{
	if (str_eq(method, "Runtime.exceptionThrown"))
		exception_add(p, json_get(params, "exceptionDetails"));
	else if (str_eq(method, "Runtime.consoleAPICalled"))
		console_add(p, params);
	else if (str_eq(method, "Log.entryAdded"))
		entry_add(p, json_get(params, "entry"));
}

/* ---- loads ---- */

static void
host_add(struct pagelog *p, const char *url)
{
	const char *from = strstr(url, "://"), *host;
	size_t n;

	if (!from || !(str_starts(url, "http") || str_starts(url, "ws")))
		return;
	n = strcspn(from + 3, "/?#");
	host = plain(p->scratch,
	    mem_strndup(p->scratch, from + 3, n < PAGELOG_HOST_CHARS ? n : PAGELOG_HOST_CHARS));
	for (size_t i = 0; i < p->host_n; i++)
		if (str_eq(p->hosts[i], host))
			return;
	if (p->host_n < PAGELOG_HOSTS && *host)
		p->hosts[p->host_n++] = mem_strdup(p->owner, host);
}

static void
failed_add(struct pagelog *p, const char *url, const char *why)
{
	const char *where = place(p, url);

	for (size_t i = 0; i < p->failed_n; i++)
		if (str_eq(p->failed[i].url, where))
			return;
	if (p->failed_n < PAGELOG_FAILED && where)
		p->failed[p->failed_n++] =
		    (struct page_failed){ mem_strdup(p->owner, where), why, { 0 } };
}

bool
pagelog_is_signin(const struct pagelog *p, const char *url)
{
	return str_starts(url, p->origin) && str_starts(url + strlen(p->origin), SIGNIN);
}

void
pagelog_load(struct pagelog *p, const char *url, const char *type, int status)
{
	p->loads++;
	if (str_starts(url, p->origin)) {
		const char *path = url + strlen(p->origin);
		bool asks = str_in(type, "Fetch|XHR|EventSource|WebSocket");
		/* Our browser isn't signed in, so the API refuses it or makes it sign in. */
		bool data = str_starts(path, "v1/") || str_starts(path, SIGNIN);

		if (!status)
			failed_add(p, url, "refused");
		if (data ? !status || status >= 400 : !status && asks)
			p->data_left_out = true;
		else if ((status == 404 || status == 410) && !str_eq(path, "favicon.ico")) {
			failed_add(p, url, "missing");
			pagelog_add(p, "missing", "The version has no file of this path", url, 0);
		}
		return;
	}
	host_add(p, url);
	if (strstr(url, "://"))
		failed_add(p, url, "other_host");
	if (str_eq(type, "Script"))
		p->scripts_left_out = true;
	if (str_in(type, "Fetch|XHR|EventSource|WebSocket"))
		p->data_left_out = true;
}
