/* SPDX-License-Identifier: Apache-2.0
 * A browser that a page has taken over, as the runner meets it: it lies, says nonsense, too much or
 * nothing, and asks for what it may not have. */
#include "tap.h"

#include "base/buf.h"
#include "base/clock.h"
#include "ext/devtools.h"
#include "ext/pagelog.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ORIGIN "https://site.example.net:8443"

enum mode {
	HONEST, CLOSES, NONSENSE, FLOODS, SILENT, WRONG_KINDS, NO_BASE64, LEFT, MISSING, DEAF, ASKS, REFUSES, TALKS, LONG, TELLS, LOADS_ON, CRASHES, ENDS, MUTE, MODES
};

/* ---- the browser, in a process of its own ---- */

static void
say(int fd, const char *text)
{
	size_t n = strlen(text) + 1;

	while (n) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent <= 0)
			_exit(3);
		text += sent;
		n -= (size_t)sent;
	}
}

/* The next command, whole. */
static const char *
hear(int fd)
{
	static char text[16 << 20];
	size_t n = 0;

	while (read(fd, text + n, 1) == 1)
		if (!text[n++])
			return text;
	_exit(0);
}

static long
id_in(const char *command)
{
	return strtol(strstr(command, "\"id\":") + 5, NULL, 10);
}

static void
paused(int fd, const char *frame, const char *kind, const char *method, const char *url)
{
	char text[1000];

	snprintf(text, sizeof text,
	    "{\"method\":\"Fetch.requestPaused\",\"params\":{\"requestId\":\"R\",\"frameId\":\"%s\",\"resourceType\":\"%s\",\"request\":{\"method\":\"%s\",\"url\":\"%s\"}}}",
	    frame, kind, method, url);
	say(fd, text);
}

/* Whether it is given what it asks for. */
static bool
given(int fd, const char *kind, const char *method, const char *url)
{
	const char *command;

	paused(fd, "other", kind, method, url);
	command = hear(fd);
	return strstr(command, "Fetch.fulfillRequest") && strstr(command, "\"body\":\"YWxs\"") &&
	    strstr(command, "{\"name\":\"content-type\",\"value\":\"text/plain\"}") &&
	    !strstr(command, "set-cookie");
}

static bool
refused(int fd, const char *kind, const char *method, const char *url)
{
	paused(fd, "other", kind, method, url);
	return strstr(hear(fd), "Fetch.failRequest") != NULL;
}

static void
ask(int fd)
{
	static const char *const foreign[] = { "https://site.example.net/", "http://site.example.net:8443/",
		"https://site.example.net:84430/", "https://site.example.net:8443.evil.example/",
		"https://site.example.net:8443@evil.example/", "https://evil.example/" ORIGIN "/",
		"file:///etc/passwd", "", "https://other.example.net:8443/" };
	bool good = given(fd, "Image", "GET", ORIGIN "/x.png") &&
	    given(fd, "Document", "GET", ORIGIN "/frame") &&
	    refused(fd, "Fetch", "POST", ORIGIN "/v1/data/self/document") &&
	    refused(fd, "Fetch", "get", ORIGIN "/") && refused(fd, "Fetch", "GET", ORIGIN);

	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
		good = good && refused(fd, "Image", "GET", foreign[i]);
	for (int i = 0; i < 298 && good; i++)
		good = given(fd, "Image", "GET", ORIGIN "/again");
	if (!good || !refused(fd, "Image", "GET", ORIGIN "/once-more"))
		_exit(4);
}

/* A message that nobody keeps, and one behind it. */
static void
tell_long(int fd)
{
	static char much[1 << 20];

	memset(much, 'x', sizeof much - 1);
	for (int i = 0; i < 20; i++)
		if (send(fd, much, sizeof much - 1, MSG_NOSIGNAL) < 0)
			_exit(0);
	say(fd, "");
	say(fd, "{\"method\":\"Runtime.consoleAPICalled\",\"params\":{\"type\":\"error\",\"args\":[{\"value\":\"after\"}]}}");
}

#define THROWN(details) "{\"method\":\"Runtime.exceptionThrown\",\"params\":{\"exceptionDetails\":" details "}}"
#define LOGGED(params) "{\"method\":\"Runtime.consoleAPICalled\",\"params\":" params "}"
#define ENTRY(entry) "{\"method\":\"Log.entryAdded\",\"params\":{\"entry\":" entry "}}"

/* What is no problem, what is of another kind than it should be, and more of it than is kept. */
static void
tell_all(int fd)
{
	static const char *const told[] = { THROWN("5"), THROWN("{\"text\":[],\"exception\":7,\"stackTrace\":{\"callFrames\":[]}}"),
		THROWN("{\"text\":\"Uncaught\",\"url\":\"" ORIGIN "/a.js\",\"lineNumber\":99999999999999999999,\"exception\":{\"description\":\"E\\u202e\\u0007x\\n    at y\"}}"),
		THROWN("{\"text\":\"Uncaught\",\"url\":\"" ORIGIN "/a.js\",\"lineNumber\":-5,\"exception\":{\"value\":{\"a\":[1]}}}"),
		THROWN("{\"text\":\"Uncaught\",\"url\":\"data:x\",\"lineNumber\":4}"),
		LOGGED("[]"), LOGGED("{\"type\":\"error\",\"args\":{\"a\":1}}"), LOGGED("{\"type\":\"log\",\"args\":[{\"value\":\"no\"}]}"),
		LOGGED("{\"type\":\"error\",\"args\":[null,5,{\"value\":true}],\"stackTrace\":{\"callFrames\":[7]}}"),
		ENTRY("null"), ENTRY("{\"level\":\"error\",\"source\":\"network\",\"text\":\"no\"}"), ENTRY("{\"level\":\"warning\",\"source\":\"security\",\"text\":\"no\"}"),
		ENTRY("{\"level\":\"error\",\"source\":\"security\",\"text\":\"csp\",\"url\":\"https://evil.example/\",\"lineNumber\":0}") };

	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		say(fd, told[i]);
	for (int i = 0; i < 1000; i++)
		say(fd, told[sizeof told / sizeof *told - 1]);
	for (int i = 0; i < 100; i++) {
		char text[200];

		snprintf(text, sizeof text, LOGGED("{\"type\":\"error\",\"args\":[{\"value\":%d}]}"), i);
		say(fd, text);
	}
}

static void
before_navigation(int fd, enum mode mode)
{
	if (mode == LEFT)
		paused(fd, "T", "Document", "GET", "https://evil.example/");
	if (mode == MISSING)
		paused(fd, "T", "Document", "GET", ORIGIN "/missing");
	if (mode == DEAF) {
		for (int i = 0; i < 4; i++)
			paused(fd, "other", "Image", "GET", ORIGIN "/large");
		pause();
	}
	if (mode == ASKS)
		ask(fd);
	if (mode == LONG)
		tell_long(fd);
	if (mode == TELLS)
		tell_all(fd);
	if (mode == CRASHES)
		say(fd, "{\"method\":\"Inspector.targetCrashed\",\"params\":{}}");
	if (mode == ENDS)
		_exit(0);
	if (mode == NONSENSE) {
		say(fd, "{]");
		say(fd, "\xff");
		say(fd, "");
		say(fd, "[]");
		say(fd, "{\"method\":5,\"params\":[]}");
		say(fd, "{\"method\":\"Fetch.requestPaused\",\"params\":{\"request\":[],\"requestId\":{}}}");
		hear(fd);
		say(fd, "{\"method\":\"Page.javascriptDialogOpening\",\"params\":{\"message\":\"\\ud800\"}}");
		say(fd, "{\"id\":\"1\",\"result\":{}}");
		say(fd, "{\"id\":99999999999999999999,\"result\":5}");
	}
}

static void
answer(int fd, enum mode mode, const char *command)
{
	bool navigates = strstr(command, "Page.navigate") != NULL, reads = strstr(command, "Runtime.evaluate") != NULL;
	long id = id_in(command);
	char text[300];

	if (navigates)
		before_navigation(fd, mode);
	if (reads && mode == MUTE)
		return;
	if (reads)
		snprintf(text, sizeof text, mode == LONG ? "{\"id\":%ld,\"result\":5}" : mode == TELLS ? "{\"id\":%ld,\"result\":{\"result\":{\"value\":[]}}}"
			: "{\"id\":%ld,\"result\":{\"result\":{\"value\":\"Title\\n\\n its\\u202e\\ttext\\n\"}}}", id);
	else if (mode == WRONG_KINDS)
		snprintf(text, sizeof text, "{\"id\":%ld,\"result\":{\"targetId\":5,\"sessionId\":[],\"data\":{}}}", id);
	else if (mode == REFUSES)
		snprintf(text, sizeof text, "{\"id\":%ld,\"error\":{\"message\":\"no\"}}", id);
	else
		snprintf(text, sizeof text, "{\"id\":%ld,\"result\":{\"targetId\":\"T\",\"sessionId\":\"S\",\"data\":\"%s\"}}",
		    id, mode == NO_BASE64 ? "!" : "aGVsbG8=");
	say(fd, text);
	if (navigates && mode != LOADS_ON)
		say(fd, "{\"method\":\"Page.loadEventFired\",\"params\":{}}");
}

static _Noreturn void
browse(int fd, enum mode mode)
{
	static char much[1 << 16];

	if (mode == CLOSES)
		_exit(0);
	if (mode == SILENT)
		pause();
	memset(much, 'x', sizeof much - 1);
	while (mode == TALKS)
		say(fd, "{\"method\":\"Page.loadEventFired\",\"params\":{}}");
	while (mode == FLOODS)
		if (send(fd, much, sizeof much - 1, MSG_NOSIGNAL) < 0)
			_exit(0);
	for (;;)
		answer(fd, mode, hear(fd));
}

/* ---- the runner's side ---- */

static bool
fetch(void *arg, struct ctx *one, const char *url, bool page, struct devtools_answer *a)
{
	char *large = NULL;

	(void)arg;
	(void)page;
	if (strstr(url, "/large")) {
		large = mem_zalloc(one->mem, 6 << 20);
		memset(large, 'x', (6 << 20) - 1);
	}
	*a = (struct devtools_answer){ .status = strstr(url, "/missing") ? 404 : 200,
		.head = "HTTP/2 200\r\nContent-Type: text/plain\r\nSet-Cookie: a=b\r\nodd\r\n\r\n",
		.body = large ? large : "all",
		.body_n = large ? (6 << 20) - 1 : 3 };
	return true;
}

static const struct {
	const char *name, *why; /* why: part of the reason, or NULL: there is a picture */
	enum err err;
	const char *told; /* what went wrong, as told_by() has it; NULL: nothing */
	bool ends_so;
} cases[MODES] = {
	[HONEST] = { "a browser as it should be", NULL, E_OK },
	[CLOSES] = { "one that ends at once can't run here", "has ended", E_UNAVAILABLE },
	[NONSENSE] = { "nonsense means nothing", NULL, E_OK },
	[FLOODS] = { "a message without end", "too much", E_UNAVAILABLE },
	[SILENT] = { "silence", "no picture in", E_UNAVAILABLE },
	[WRONG_KINDS] = { "values of other kinds", "base64", E_INTERNAL },
	[NO_BASE64] = { "a picture that is none", "base64", E_INTERNAL },
	[LEFT] = { "a page that leads elsewhere", "elsewhere", E_INTERNAL, .ends_so = true },
	[MISSING] = { "a page that is not there", "returned status 404", E_INTERNAL,
	    "missing The version has no file of this path /missing:0 x1\n" },
	[DEAF] = { "a browser that does not listen", "no picture in", E_INTERNAL },
	[ASKS] = { "what it asks for: its own host, by GET, 300 times", NULL, E_OK },
	[TALKS] = { "one that talks all the time", "no picture in", E_INTERNAL },
	[REFUSES] = { "one that refuses", "refuses", E_INTERNAL },
	[LONG] = { "a message that is too long is passed over", NULL, E_OK, "console after -:0 x1\n" },
	[TELLS] = { "what it tells", NULL, E_OK,
	    "exception An error without a text -:0 x2\nexception E x /a.js:0 x1\nexception {\"a\":[1]} /a.js:0 x1\n"
	    "exception Uncaught data::5 x1\nconsole An error without a text -:0 x1\n"
	    "console true -:0 x1\nrefused csp https://evil.example/:1 x1001\n"
	    "console 0 -:0 x1\nconsole 1 -:0 x1\nconsole 2 -:0 x1\nconsole 3 -:0 x1\n"
	    "console 4 -:0 x1\nconsole 5 -:0 x1\nconsole 6 -:0 x1\nconsole 7 -:0 x1\n"
	    "console 8 -:0 x1\nconsole 9 -:0 x1\nconsole 10 -:0 x1\nconsole 11 -:0 x1\n"
	    "console 12 -:0 x1\n" },
	[LOADS_ON] = { "a page that never is ready", NULL, E_OK,
	    "timeout The page was still loading after 8 seconds -:0 x1\n" },
	[CRASHES] = { "a page that crashes", "crashed", E_INTERNAL,
	    "exception The page crashed: it may need more memory than a tab has -:0 x1\n", true },
	[ENDS] = { "one that ends with the page", "has ended", E_INTERNAL,
	    "exception The browser ended: the page may need more than 1 GiB of memory -:0 x1\n" },
	[MUTE] = { "one that tells no text", NULL, E_OK },
};

static const char *
told_by(struct ctx *c, const struct pagelog *log)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < log->n; i++) {
		const struct page_problem *p = &log->problems[i];

		buf_fmt(&b, "%s %s %s:%lld x%lld\n", p->kind, p->text, p->url ? p->url : "-",
		    (long long)p->line, (long long)p->count);
	}
	return buf_done(&b);
}

static void
try(enum mode mode)
{
	bool waits = mode == SILENT || mode == DEAF || mode == TALKS;
	struct pagelog log = { 0 };
	struct devtools_shot shot = { .url = ORIGIN "/",
		.width = 4,
		.height = 4,
		.patience_ms = 8000,
		.most_ms = waits ? 500 : 60000,
		.fetch = fetch,
		.log = &log };
	struct ctx *c = ctx_begin(NULL, NULL);
	struct devtools_view seen = { .png = "" };
	int fd[2], status;
	enum err e;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) || (pid = fork()) < 0)
		_exit(1);
	if (!pid) {
		close(fd[0]);
		browse(fd[1], mode);
	}
	close(fd[1]);
	e = devtools_shoot(c, fd[0], &shot, &seen);
	close(fd[0]);
	if (waits)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	is_int(e, cases[mode].err, cases[mode].name);
	if (cases[mode].why)
		ok(strstr(ctx_why(c), cases[mode].why) != NULL, "... for that reason");
	else
		is_str(e ? ctx_why(c) : seen.png, "hello", "there is a picture");
	if (!cases[mode].why)
		is_str(seen.text, mode == MUTE || mode == LONG || mode == TELLS ? "" : "Title its text", "... and its text, if there is one");
	if (cases[mode].told)
		is_str(told_by(c, &log), cases[mode].told, "... and that is told");
	is_int(log.ends_so || (waits && log.late), cases[mode].ends_so || (waits && log.opened), "... and is its doing");
	if (!cases[mode].why)
		is_int(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0, "it got what it may have");
	ctx_end(c);
}

int
main(void)
{
	for (int mode = 0; mode < MODES; mode++)
		try(mode);
	return done();
}
