/* SPDX-License-Identifier: Apache-2.0
 * Source: the Chrome DevTools Protocol, domains Browser, SystemInfo, Target, Page, Emulation,
 * Fetch, Runtime and Log. */
#include "ext/devtools.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/str.h"
#include "ext/pagelog.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

enum {
	MESSAGE_BYTES = 8 << 20, /* of one message; a longer one is dropped */
	DROPPED_BYTES = 128 << 20,
	LOADS = 300,           /* requests that a page may make */
	LOADED_BYTES = 32 << 20,
	QUIET_MS = 500,        /* without requests for this long, the page counts as drawn */
	DRAWN_MS = 700,        /* minimum after the load event */
	TEXT_MS = 2000,
	PHONE_MS = 3000,
	TURNED_MS = 300,       /* minimum after the window has become a phone's */
	BUSY_S = 1 /* seconds of processor time: more than a page needs that ends */
};

struct devtools {
	struct ctx *c;
	const struct devtools_shot *shot;
	const char *origin;  /* with the slash after it */
	const char *target;  /* its id; also that of its main frame */
	const char *session; /* NULL until attached */
	int fd;
	int64_t until, asked_ms, loaded_ms; /* clock_ms(); loaded_ms is 0 while it loads */
	int64_t last_id, loaded_bytes, dropped_bytes, load_ms;
	int loads;
	bool heard;         /* the browser has sent a message */
	bool dropping;      /* the rest of a message that is too long is being skipped */
	const char *failed; /* why there will be no picture */
	struct buf in;
};

/* ---- messages ---- */

static enum err
wait_for(struct devtools *d, short events, int64_t most_ms, bool *ready)
{
	struct pollfd p = { .fd = d->fd, .events = events };
	int64_t left = d->until - clock_ms(), most = most_ms > 0 ? most_ms : 0;

	errno = 0;
	if (left <= 0)
		return fail_here(d->c, "no picture in %lld ms", (long long)d->shot->most_ms);
	/* A negative timeout would wait for ever. */
	*ready = poll(&p, 1, (int)(left < most ? left : most)) == 1;
	errno = 0;
	return E_OK;
}

/* The browser may have stopped reading, so sending must not block. */
static enum err
bytes_send(struct devtools *d, const char *bytes, size_t n)
{
	while (n) {
		ssize_t sent = send(d->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		bool ready;

		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return fail_here(d->c, "the browser has ended");
		if (sent < 0)
			TRY(wait_for(d, POLLOUT, d->shot->most_ms, &ready));
		bytes += sent > 0 ? sent : 0;
		n -= (size_t)(sent > 0 ? sent : 0);
	}
	return E_OK;
}

/* params must be JSON. */
static enum err
command_send(struct devtools *d, struct ctx *one, const char *method, const char *params)
{
	struct buf b = BUF(one->mem);

	buf_fmt(&b, "{\"id\":%lld,\"method\":\"%s\",\"params\":", (long long)++d->last_id, method);
	buf_str(&b, params);
	json_texts(&b, "sessionId", d->session, NULL);
	buf_chr(&b, '}');
	return bytes_send(d, b.s, b.n + 1);
}

static void
message_drop(struct devtools *d, size_t n)
{
	memmove(d->in.s, d->in.s + n + 1, d->in.n - n - 1);
	d->in.n -= n + 1;
}

static enum err
bytes_receive(struct devtools *d)
{
	char bytes[65536];
	ssize_t got = recv(d->fd, bytes, sizeof bytes, MSG_DONTWAIT);

	if (got > 0) {
		size_t n = (size_t)got;

		/* A page may log without limit. */
		if (d->in.n + n > MESSAGE_BYTES) {
			d->dropped_bytes += (int64_t)d->in.n;
			d->dropping = true;
			d->in.n = 0;
		}
		if (d->dropped_bytes > DROPPED_BYTES)
			return fail_here(d->c, "the browser sent too much data");
		buf_add(&d->in, bytes, n);
		return E_OK;
	}
	if (d->shot->log->opened)
		pagelog_add(d->shot->log, "exception",
		    "The browser ended: the page may need more than 1 GiB of memory", NULL, 0);
	return fail_here(d->c, "the browser has ended");
}

/* Waits for the next message. *n: its bytes without the NUL; *there: one came within wait_ms. A
 * browser that sends without pause doesn't get more time. */
static enum err
message_wait(struct devtools *d, int64_t wait_ms, bool *there, size_t *n)
{
	int64_t until = clock_ms() + wait_ms;
	size_t seen = 0;
	bool late;

	TRY(wait_for(d, 0, 0, &late));
	for (*there = false; clock_ms() <= until;) {
		const char *end = d->in.n > seen ? memchr(d->in.s + seen, 0, d->in.n - seen) : NULL;
		bool ready;

		if (end && d->dropping) {
			message_drop(d, (size_t)(end - d->in.s));
			d->dropping = false;
			seen = 0;
			continue;
		}
		if (end) {
			*there = true;
			*n = (size_t)(end - d->in.s);
			return E_OK;
		}
		seen = d->in.n;
		TRY(wait_for(d, POLLIN, until - clock_ms(), &ready));
		if (ready)
			TRY(bytes_receive(d));
		seen = d->in.n < seen ? 0 : seen;
	}
	return E_OK;
}

/* ---- requests of the page ---- */

static void
head_write(struct ctx *one, struct buf *b, const char *head)
{
	char *rest = mem_strdup(one->mem, head), *line;
	bool first = true;

	buf_chr(b, '[');
	while ((line = str_split(&rest, '\n'))) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		*value++ = '\0';
		value += strspn(value, " \t");
		value[strcspn(value, "\r")] = '\0';
		for (char *p = line; *p; p++)
			*p = (char)(*p >= 'A' && *p <= 'Z' ? *p | 32 : *p);
		/* These concern the connection, or a browser with lasting state. */
		if (str_in(line,
			"content-length|transfer-encoding|connection|content-encoding|set-cookie|"
			"strict-transport-security|alt-svc|date|server") ||
		    !str_utf8_valid(value, strlen(value)))
			continue;
		buf_str(b, first ? "{" : ",{");
		json_texts(b, "name", line, "value", value, NULL);
		buf_chr(b, '}');
		first = false;
	}
	buf_chr(b, ']');
}

static enum err
load_answer(struct devtools *d, struct ctx *one, const char *id, const struct devtools_answer *a)
{
	struct buf b = BUF(one->mem);

	buf_chr(&b, '{');
	json_add(&b, "requestId", id);
	buf_fmt(&b, ",\"responseCode\":%d,\"responseHeaders\":", a->status);
	head_write(one, &b, a->head);
	buf_str(&b, ",\"body\":\"");
	buf_str(&b, crypto_base64(one->mem, a->body, a->body_n));
	buf_str(&b, "\"}");
	return command_send(d, one, "Fetch.fulfillRequest", buf_done(&b));
}

static enum err
load_refuse(struct devtools *d, struct ctx *one, const char *id, const char *reason)
{
	return command_send(d, one, "Fetch.failRequest",
	    json_object_of(one->mem, "errorReason", reason, "requestId", id, NULL).s);
}

static bool
load_find(struct devtools *d, struct ctx *one, const struct json *wanted, bool page,
    struct devtools_answer *a)
{
	const char *url = pagelog_text(wanted, "url");

	if (!str_starts(url, d->origin) || !str_eq(pagelog_text(wanted, "method"), "GET") ||
	    ++d->loads > LOADS || d->loaded_bytes > LOADED_BYTES || clock_ms() > d->until ||
	    !d->shot->fetch(d->shot->arg, one, url, page, a))
		return false;
	d->loaded_bytes += (int64_t)a->body_n;
	return true;
}

static enum err
load(struct devtools *d, struct ctx *one, const struct json *params)
{
	const char *id = pagelog_text(params, "requestId"),
		   *type = pagelog_text(params, "resourceType"),
		   *url = pagelog_text(json_get(params, "request"), "url");
	bool page = str_eq(type, "Document"),
	     main = page && str_eq(pagelog_text(params, "frameId"), d->target);
	struct devtools_answer a = { .head = "", .body = "" };
	bool found, stays = main && pagelog_is_signin(d->shot->log, url);

	found = !stays && load_find(d, one, json_get(params, "request"), page, &a);
	d->asked_ms = clock_ms();
	pagelog_load(d->shot->log, url, type, found ? a.status : 0);
	if (stays) {
		/* The browser reports no load event for a page that was about to leave. */
		d->loaded_ms = clock_ms();
		return load_refuse(d, one, id, "Aborted");
	}
	/* The main document must be fetched with status 200, also after a redirect or where a
	 * script leads. */
	if (main && !found) {
		d->failed = "the page can't be fetched, or redirects elsewhere";
		d->shot->log->ends_so = !str_starts(url, d->origin);
	} else if (main && a.status != 200 && a.status / 100 != 3) {
		d->failed = mem_printf(d->c->mem, "the page returned status %d", a.status);
	}
	return found ? load_answer(d, one, id, &a) : load_refuse(d, one, id, "BlockedByClient");
}

/* ---- events ---- */

static enum err
event_handle(struct devtools *d, struct ctx *one, const struct json *message)
{
	const char *method = pagelog_text(message, "method");
	const struct json *params = json_get(message, "params");

	if (str_eq(method, "Fetch.requestPaused") && params)
		return load(d, one, params);
	if (str_eq(method, "Page.javascriptDialogOpening"))
		return command_send(
		    d, one, "Page.handleJavaScriptDialog", "{\"accept\":false}");
	if (str_eq(method, "Page.loadEventFired"))
		d->loaded_ms = clock_ms();
	if (str_eq(method, "Inspector.targetCrashed")) {
		d->failed = "the page has crashed";
		d->shot->log->ends_so = true;
		pagelog_add(d->shot->log, "exception",
		    "The page crashed: it may need more memory than a tab has", NULL, 0);
	}
	pagelog_event(d->shot->log, method, params);
	return E_OK;
}

/* Reads the answer to a command: *out becomes the member `field`, a list as its JSON, "" if it has
 * none. An evaluated value is one level deeper. */
static enum err
answer_read(struct devtools *d, const struct json *message, const char *field, const char **out)
{
	const struct json *error = json_get(message, "error"),
			  *result = json_get(message, "result"),
			  *value = json_get(result, "result"),
			  *list = json_get_as(result, field, J_ARR);

	if (error)
		return fail_here(
		    d->c, "the browser refuses: %.200s", pagelog_text(error, "message"));
	*out = list ? json_text(d->c->mem, list)
		    : mem_strdup(d->c->mem, pagelog_text(value ? value : result, field));
	return E_OK;
}

/* Handles one message, if one comes within wait_ms. Sets *out if it answers command id. Ignores
 * messages that can't be parsed. */
static enum err
message_handle(
    struct devtools *d, int64_t wait_ms, int64_t id, const char *field, const char **out)
{
	struct ctx *one = ctx_begin(d->c->conf, NULL);
	const struct json *answered;
	struct json *message = NULL;
	bool there = false;
	enum err e;
	size_t n;

	e = message_wait(d, wait_ms, &there, &n);
	if (there && json_parse(one, d->in.s, n, &message))
		message = NULL;
	if (there) {
		message_drop(d, n);
		d->heard = true;
	}
	d->shot->log->scratch = one->mem;
	answered = json_get(message, "id");
	if (json_kind(answered) == J_INT && json_int(answered) == id)
		e = answer_read(d, message, field, out);
	else if (json_kind(message) == J_OBJ && !answered)
		e = event_handle(d, one, message);
	d->shot->log->scratch = d->c->mem;
	ctx_end(one);
	if (!e && d->failed)
		e = fail_here(d->c, "%s", d->failed);
	return e;
}

static enum err
command(struct devtools *d, const char *method, const char *params, const char *field,
    const char **out)
{
	struct ctx *one = ctx_begin(d->c->conf, NULL);
	enum err e = command_send(d, one, method, params);
	int64_t id = d->last_id;

	ctx_end(one);
	*out = NULL;
	while (!e && !*out)
		e = message_handle(d, QUIET_MS, id, field, out);
	return e;
}

static enum err
command_plain(struct devtools *d, const char *method, const char *params)
{
	const char *nothing;

	return command(d, method, params, "", &nothing);
}

/* ---- picture and text ---- */

static const char *
member(struct devtools *d, const char *name, const char *text)
{
	struct buf b = BUF(d->c->mem);

	buf_fmt(&b, "\"%s\":", name);
	buf_json(&b, text);
	return buf_done(&b);
}

static enum err
window_set(struct devtools *d, unsigned width, unsigned height, bool phone)
{
	return command_plain(d, "Emulation.setDeviceMetricsOverride",
	    mem_printf(d->c->mem,
		"{\"width\":%u,\"height\":%u,\"deviceScaleFactor\":1,\"mobile\":%s}", width,
		height, phone ? "true" : "false"));
}

static enum err
page_attach(struct devtools *d)
{
	const char *session;

	TRY(command_plain(d, "Browser.setDownloadBehavior", "{\"behavior\":\"deny\"}"));
	TRY(command(d, "Target.createTarget", "{\"url\":\"about:blank\"}", "targetId",
	    &d->target));
	TRY(command(d, "Target.attachToTarget",
	    mem_printf(d->c->mem, "{%s,\"flatten\":true}", member(d, "targetId", d->target)),
	    "sessionId", &session));
	d->session = session;
	TRY(command_plain(d, "Page.enable", "{}"));
	TRY(command_plain(d, "Runtime.enable", "{}"));
	TRY(command_plain(d, "Log.enable", "{}"));
	TRY(command_plain(d, "Fetch.enable", "{\"patterns\":[{\"urlPattern\":\"*\"}]}"));
	TRY(window_set(d, d->shot->width, d->shot->height, false));
	/* Shows animations in their final state. */
	return command_plain(d, "Emulation.setEmulatedMedia",
	    "{\"features\":[{\"name\":\"prefers-reduced-motion\",\"value\":\"reduce\"},"
	    "{\"name\":\"prefers-color-scheme\",\"value\":\"light\"}]}");
}

static bool
is_drawn(const struct devtools *d, int64_t since)
{
	int64_t now = clock_ms();

	return now - since > d->shot->patience_ms ||
	    (d->loaded_ms && now - d->loaded_ms > DRAWN_MS && now - d->asked_ms > QUIET_MS);
}

static enum err
page_load(struct devtools *d)
{
	int64_t since = clock_ms();
	const char *wrong;

	d->loaded_ms = 0;
	d->shot->log->opened = true;
	TRY(command(d, "Page.navigate",
	    mem_printf(d->c->mem, "{%s}", member(d, "url", d->shot->url)), "errorText", &wrong));
	if (*wrong)
		return fail_here(d->c, "the page: %.100s", wrong);
	while (!is_drawn(d, since))
		TRY(message_handle(d, QUIET_MS / 5, -1, "", &wrong));
	d->load_ms = d->loaded_ms ? d->loaded_ms - since : 0;
	return E_OK;
}

/* The protocol can't carry half a surrogate pair or NUL, so these are replaced. The page may have
 * redefined these functions, but then it misreports only itself. */
#define PAGE_TEXT \
	"new TextDecoder().decode(new TextEncoder().encode((document.title + '\\n'" \
	" + (document.body ? document.body.innerText : '')).slice(0, %d))).replace(/\\0/g, ' ')"

/* Facts that people with other senses, search engines, and phones need. */
#define PAGE_FACTS_OF \
	"JSON.stringify((() => { const all = (of, is) => [...document.querySelectorAll(of)]" \
	".filter(is).length, named = e => e.getAttribute('aria-label') || e.title ||" \
	" e.getAttribute('aria-labelledby'), text = s => new TextDecoder().decode(" \
	"new TextEncoder().encode(String(s).slice(0, 300))).replace(/\\0/g, ' '); return {" \
	" title: text(document.title), lang: text(document.documentElement.lang)," \
	" viewport: !!document.querySelector('meta[name=viewport]')," \
	" images_without_alt: all('img', e => !e.hasAttribute('alt') && !named(e))," \
	" links_without_text: all('a[href]', e => !e.textContent.trim() && !named(e) &&" \
	" !e.querySelector('img[alt]:not([alt=\"\"]), [aria-label], svg title'))," \
	" fields_without_label: all('input, select, textarea', e => !named(e) &&" \
	" !/^(hidden|submit|button|reset|image)$/.test(e.type) && !(e.labels || []).length) };" \
	" })())"

/* Evaluates an expression in the page. Returns "" if no text comes in time: the picture counts
 * without it. */
static const char *
page_ask(struct devtools *d, const char *expression)
{
	const char *text;

	d->until = clock_ms() + TEXT_MS;
	if (command(d, "Runtime.evaluate",
		mem_printf(d->c->mem, "{\"returnByValue\":true,\"timeout\":%d,%s}", TEXT_MS / 2,
		    member(d, "expression", expression)),
		"value", &text)) {
		ctx_forgive(d->c);
		return "";
	}
	return text;
}

static enum err
page_capture(struct devtools *d, unsigned width, unsigned height, const char **png, size_t *n)
{
	const char *text;
	uint8_t *bytes;
	size_t text_n;

	TRY(command(d, "Page.captureScreenshot",
	    mem_printf(d->c->mem,
		"{\"format\":\"png\",\"captureBeyondViewport\":%s,"
		"\"clip\":{\"x\":0,\"y\":0,\"width\":%u,\"height\":%u,\"scale\":1}}",
		height > d->shot->height && d->shot->most_height ? "true" : "false", width, height),
	    "data", &text));
	text_n = strlen(text);
	bytes = mem_zalloc(d->c->mem, text_n / 4 * 3 + 1);
	if (!text_n || !crypto_unbase64(text, text_n, bytes, n))
		return fail_here(d->c, "the picture is not base64");
	*png = (const char *)bytes;
	return E_OK;
}

static enum err
phone_capture(struct devtools *d, struct devtools_view *out)
{
	const struct devtools_shot *s = d->shot;
	int64_t since = clock_ms();
	const char *wide, *nothing;

	d->until = since + PHONE_MS;
	TRY(window_set(d, s->phone_width, s->phone_height, true));
	while (clock_ms() - since < TURNED_MS)
		TRY(message_handle(d, QUIET_MS / 5, -1, "", &nothing));
	TRY(page_capture(d, s->phone_width, s->phone_height, &out->phone_png, &out->phone_n));
	wide = page_ask(d, "'' + document.documentElement.scrollWidth");
	if (!str_int(wide, &out->wide_px) || out->wide_px < 0)
		out->wide_px = 0;
	return E_OK;
}

/* Returns the picture's height: the window's, or the page's, which the page says itself. */
static unsigned
picture_height(struct devtools *d)
{
	const struct devtools_shot *s = d->shot;
	int64_t height = 0, until = d->until;

	if (s->most_height <= s->height ||
	    !str_int(page_ask(d, "'' + document.documentElement.scrollHeight"), &height))
		height = 0;
	d->until = until;
	return height < s->height ? s->height
	    : height > s->most_height ? s->most_height : (unsigned)height;
}

static enum err
shoot(struct devtools *d, struct devtools_view *out)
{
	const char *text, *body;

	TRY(page_attach(d));
	TRY(page_load(d));
	TRY(page_capture(d, d->shot->width, picture_height(d), &out->png, &out->n));
	out->load_ms = d->load_ms;
	if (!d->loaded_ms) {
		d->shot->log->late = true;
		pagelog_add(d->shot->log, "timeout",
		    mem_printf(d->c->mem, "The page was still loading after %lld seconds",
			(long long)d->shot->patience_ms / 1000),
		    NULL, 0);
	}
	if (d->shot->most_height)
		return E_OK;
	text = page_ask(d, mem_printf(d->c->mem, PAGE_TEXT, DEVTOOLS_TEXT_CHARS));
	body = strchr(text, '\n');
	out->has_text = body && body[strspn(body, " \t\r\n")];
	out->text = str_cut(d->c->mem, str_one_line(d->c->mem, text), DEVTOOLS_TEXT_CHARS);
	if (d->shot->phone_width) {
		out->facts = page_ask(d, PAGE_FACTS_OF);
		/* The first picture counts without the second. */
		if (phone_capture(d, out))
			ctx_forgive(d->c);
	}
	out->bytes = d->loaded_bytes;
	return E_OK;
}

/* True if the page used the processor while no answer came. On a loaded machine a page may get no
 * time at all. The browser process answers this, whatever its page does. */
static bool
page_is_busy(struct devtools *d)
{
	struct json *all = NULL;
	const char *text = "";
	double seconds = 0;

	d->until = clock_ms() + TEXT_MS;
	d->session = NULL;
	if (!command(d, "SystemInfo.getProcessInfo", "{}", "processInfo", &text) &&
	    json_parse(d->c, text, strlen(text), &all))
		all = NULL;
	for (size_t i = 0; json_kind(all) == J_ARR && i < json_len(all); i++) {
		const struct json *process = json_at(all, i), *time;

		/* Renderers show pages. */
		if (json_kind(process) != J_OBJ ||
		    !str_eq(pagelog_text(process, "type"), "renderer"))
			continue;
		time = json_get(process, "cpuTime");
		if (time && (json_kind(time) == J_NUM || json_kind(time) == J_INT))
			seconds += json_num(time);
	}
	ctx_forgive(d->c);
	return seconds >= BUSY_S;
}

enum err
devtools_shoot(
    struct ctx *c, int fd, const struct devtools_shot *s, struct devtools_view *out)
{
	const char *host = strstr(s->url, "//");
	struct devtools d = { .c = c,
		.shot = s,
		.fd = fd,
		.until = clock_ms() + s->most_ms,
		.in = BUF(c->mem) };
	struct pagelog *log = s->log;
	enum err e;

	if (!host || !strchr(host + 2, '/'))
		return fail_here(c, "%s has no path", s->url);
	d.origin = mem_strndup(c->mem, s->url, (size_t)(strchr(host + 2, '/') + 1 - s->url));
	log->origin = d.origin;
	log->owner = log->scratch = c->mem;
	e = shoot(&d, out);
	if (e && log->opened && !d.failed && clock_ms() >= d.until) {
		log->late = true;
		log->busy = page_is_busy(&d);
		e = fail_here(c, "no picture in %lld ms, %s", (long long)s->most_ms,
		    log->busy ? "busy" : "idle");
	}
	return e && !d.heard ? c->err = E_UNAVAILABLE : e;
}
