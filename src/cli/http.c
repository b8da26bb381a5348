/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/http.h"

#include "base/crypto.h"
#include "base/str.h"

#include <curl/curl.h>
#include <errno.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { TRIES = 5, TRIES_ON = 7, WAIT_MAX_S = 60, HEAD_BYTES = 65536, SHOWN_BYTES = 1 << 20 };

struct sink {
	struct buf body;
	int fd;
	int64_t fd_left; /* bytes that may still arrive for fd */
	int64_t passed;  /* bytes that arrived again though they are saved already */
	size_t head_n;
	bool broken, too_long, stalled;
	long retry_after_s;
	const char *mime, *etag;
	int64_t sent; /* bytes of the request's file */
	CURL *curl;
	struct cli *cli;
	const struct http_req *req;
};

static size_t
body_save(struct sink *s, const char *bytes, size_t n, long status)
{
	/* A service that is asked for the rest alone may send all. */
	int64_t left = status == 200 ? s->req->save_from - s->passed : 0;
	size_t over = left < (int64_t)n ? (size_t)left : n;
	int64_t fresh = (int64_t)(n - over);

	s->passed += (int64_t)over;
	s->too_long = fresh > s->fd_left;
	if (!s->too_long && !cli_bytes_write(s->fd, bytes + over, n - over)) {
		cli_fail("the reply can't be saved: %s", strerror(errno));
		s->broken = true;
		return 0;
	}
	if (s->too_long)
		return 0;
	if (s->req->digest)
		crypto_sha256_add(s->req->digest, bytes + over, n - over);
	s->fd_left -= fresh;
	return n;
}

static bool
is_saved(const struct http_req *req, long status)
{
	return status == 200 || (status == 206 && req->save_from);
}

static size_t
body_receive(char *bytes, size_t one, size_t n, void *arg)
{
	struct sink *s = arg;
	long status = 0;

	curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
	if (s->fd >= 0 && is_saved(s->req, status))
		return body_save(s, bytes, one * n, status);
	s->too_long = s->body.n + one * n > HTTP_REPLY_BYTES;
	if (s->too_long)
		return 0;
	buf_add(&s->body, bytes, one * n);
	return one * n;
}

static void
header_read(struct sink *s, const char *line, size_t n, const char *name, const char **to)
{
	size_t name_n = strlen(name);
	char *value;

	if (n <= name_n || strncasecmp(line, name, name_n) != 0)
		return;
	value = mem_strndup(s->body.owner, line + name_n, n - name_n);
	value += strspn(value, " ");
	value[strcspn(value, "\r\n")] = '\0';
	*to = value;
}

static size_t
header_receive(char *bytes, size_t one, size_t n, void *arg)
{
	struct sink *s = arg;

	s->head_n += one * n;
	s->too_long = s->head_n > HEAD_BYTES;
	if (s->too_long)
		return 0;
	if (one * n > 12 && strncasecmp(bytes, "Retry-After:", 12) == 0)
		s->retry_after_s = strtol(
		    mem_strndup(s->body.owner, bytes + 12, one * n - 12), NULL, 10);
	header_read(s, bytes, one * n, "ETag:", &s->etag);
	header_read(s, bytes, one * n, "Content-Type:", &s->mime);
	return one * n;
}

/* Ends the request if the file has become shorter. */
static size_t
file_read(char *to, size_t one, size_t n, void *arg)
{
	struct sink *s = arg;
	const struct http_file *file = s->req->file;
	int64_t left = file->n - s->sent;
	ssize_t got = pread(file->fd, to,
	    (int64_t)(one * n) < left ? one * n : (size_t)left, (off_t)(file->at + s->sent));

	if (got <= 0 && left) {
		cli_fail("the file changed while it was being sent, or can't be read anymore");
		s->broken = true;
		return CURL_READFUNC_ABORT;
	}
	s->sent += got;
	return (size_t)got;
}

static int
file_seek(void *arg, curl_off_t at, int from)
{
	((struct sink *)arg)->sent = at;
	return from == SEEK_SET ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

static int
transfer_show(void *arg, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
	const struct sink *s = arg;
	const struct http_req *req = s->req;
	int64_t wanted = req->save_from + req->save_bytes;

	(void)down_all;
	if (req->file && req->file->all)
		cli_progress(s->cli, "sending", req->file->at + up, req->file->all);
	else if (up_all >= SHOWN_BYTES)
		cli_progress(s->cli, "sending", up, up_all);
	else if (req->shown && wanted >= SHOWN_BYTES)
		cli_progress(s->cli, "fetching", req->save_from + down, wanted);
	return 0;
}

static struct curl_slist *
headers_make(struct cli *cli, const struct http_req *req, const char *key)
{
	struct curl_slist *list = NULL;
	void *mem = cli->c->mem;

	if (cli->token)
		list = curl_slist_append(
		    list, mem_printf(mem, "Authorization: Bearer %s", cli->token));
	if (req->body && !req->archive)
		list = curl_slist_append(list, "Content-Type: application/json");
	if (req->file)
		list = curl_slist_append(list, "Content-Type: application/octet-stream");
	if (req->file && req->file->all)
		list = curl_slist_append(list,
		    mem_printf(mem, "Content-Range: bytes %lld-%lld/%lld",
			(long long)req->file->at, (long long)(req->file->at + req->file->n - 1),
			(long long)req->file->all));
	if (req->save_from)
		list = curl_slist_append(
		    list, mem_printf(mem, "Range: bytes=%lld-", (long long)req->save_from));
	if (!req->once && (str_eq(req->method, "POST") || req->file))
		list = curl_slist_append(list, mem_printf(mem, "Idempotency-Key: %s", key));
	for (const char *const *head = req->heads; head && *head; head++)
		list = curl_slist_append(list, *head);
	return curl_slist_append(list, "Expect:");
}

static curl_mime *
form_make(CURL *curl, const struct http_req *req)
{
	curl_mime *form = curl_mime_init(curl);
	curl_mimepart *part = curl_mime_addpart(form);

	curl_mime_name(part, "manifest");
	curl_mime_type(part, "application/json");
	curl_mime_data(part, req->body, req->body_n);
	part = curl_mime_addpart(form);
	curl_mime_name(part, "archive");
	curl_mime_filedata(part, req->archive);
	return form;
}

/* The page that approves a login shows the user agent, so that people recognize their machine. */
static const char *
user_agent(struct cli *cli)
{
	struct utsname me;

	return uname(&me)
	    ? "vitrine/" VITRINE_VERSION
	    : mem_printf(cli->c->mem, "vitrine/" VITRINE_VERSION " on %s", me.nodename);
}

/* All requests share one handle, which keeps the connection: TLS costs more than most requests. */
static CURL *shared;

void
http_forked(void)
{
	shared = NULL;
}

static CURL *
curl_fresh(void)
{
	if (shared)
		curl_easy_reset(shared);
	else
		shared = curl_easy_init();
	return shared;
}

static void
file_set(CURL *curl, struct sink *sink)
{
	curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)sink->req->file->n);
	curl_easy_setopt(curl, CURLOPT_READFUNCTION, file_read);
	curl_easy_setopt(curl, CURLOPT_READDATA, sink);
	curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, file_seek);
	curl_easy_setopt(curl, CURLOPT_SEEKDATA, sink);
}

const char *
http_ca(void)
{
	/* Debian, Alpine and Arch; Fedora; SUSE. */
	static const char *const stores[] = { "/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem" };
	static const char *const variables[] = { "VITRINE_CA", "SSL_CERT_FILE" };

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *set = getenv(variables[i]);

		if (set && *set)
			return set;
	}
	for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
		if (access(stores[i], R_OK) == 0)
			return stores[i];
	return NULL;
}

static CURLcode
http_once(
    struct cli *cli, const struct http_req *req, const char *key, struct sink *sink, long *status)
{
	CURL *curl = sink->curl = curl_fresh();
	struct curl_slist *headers = headers_make(cli, req, key);
	curl_mime *form = req->archive ? form_make(curl, req) : NULL;
	const char *ca = http_ca();
	curl_off_t connected_us = 0;
	CURLcode code;

	curl_easy_setopt(curl, CURLOPT_URL, mem_printf(cli->c->mem, "%s%s", cli->url, req->path));
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, req->method);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body_receive);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, header_receive);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, sink);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, transfer_show);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, sink);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 15L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)HTTP_STALL_S);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	/* A proxy makes a tunnel to the service and sees neither token nor request. */
	curl_easy_setopt(curl, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, user_agent(cli));
	if (ca)
		curl_easy_setopt(curl, CURLOPT_CAINFO, ca);
	if (req->file) {
		file_set(curl, sink);
	} else if (form) {
		curl_easy_setopt(curl, CURLOPT_MIMEPOST, form);
	} else if (req->body) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, req->body);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)req->body_n);
	}
	code = curl_easy_perform(curl);
	if (req->body || (req->file && !req->file->all) || req->shown)
		cli_progress(cli, "", 1, 1);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
	curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
	sink->stalled = code == CURLE_OPERATION_TIMEDOUT && connected_us > 0;
	curl_mime_free(form);
	curl_slist_free_all(headers);
	return code;
}

/* True if the caller can resume the transfer. */
static bool
worth_another(const struct sink *sink, CURLcode code, long status)
{
	if (sink->broken || sink->too_long)
		return false;
	if (code)
		return code != CURLE_PEER_FAILED_VERIFICATION && code != CURLE_SSL_CACERT_BADFILE;
	return (status >= 500 || status == 429) && sink->retry_after_s <= WAIT_MAX_S;
}

static bool
worth_repeating(const struct sink *sink, CURLcode code, long status)
{
	if (sink->broken || sink->too_long || sink->stalled ||
	    (sink->fd >= 0 && sink->fd_left < sink->req->save_bytes))
		return false;
	if (code)
		return code == CURLE_COULDNT_CONNECT || code == CURLE_RECV_ERROR ||
		    code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
		    code == CURLE_PARTIAL_FILE || code == CURLE_OPERATION_TIMEDOUT;
	return (status == 502 || status == 503 || status == 504 || status == 429) &&
	    sink->retry_after_s <= WAIT_MAX_S;
}

static unsigned
wait_s(long asked, int tries)
{
	return (unsigned)(asked > 0 ? asked : 1L << (tries - 1));
}

static int
exit_of(long status)
{
	return status == 401                 ? EXIT_SIGNED_OUT
	    : status == 409 || status == 412 ? EXIT_CONFLICT
	    : status == 429                  ? EXIT_RATE
	    : status >= 500                  ? EXIT_NETWORK
					     : EXIT_REFUSED;
}

/* Says what to type next. */
static void
way_out(struct cli *cli, const struct sink *sink, long status)
{
	const char *given = getenv("VITRINE_TOKEN");
	long wait = sink->retry_after_s;

	if (status == 401 && given && *given)
		cli_note(
		    "  VITRINE_TOKEN isn't a valid token for %s: "
		    "set it to one that is, or unset it and run vitrine login --url %s",
		    cli->url, cli->url);
	else if (status == 401)
		cli_note("  sign in again: vitrine login --url %s", cli->url);
	if (status == 429 && wait > 0)
		cli_note(wait < 120 ? "  try again in %ld seconds"
				    : "  try again in %ld minutes",
		    wait < 120 ? wait : (wait + 59) / 60);
}

static int
failure_explain(struct cli *cli, const struct json *reply, const struct sink *sink, long status,
    const char *quiet)
{
	const char *code = json_member(reply, "code"), *error = json_member(reply, "error");
	const struct http_req *req = sink->req;
	const char *reworded = req->reword ? req->reword(cli, error, req->reword_arg) : NULL;

	if (!reworded && cli->reword)
		reworded = cli->reword(cli, error);
	if (quiet && *code && str_in(code, quiet))
		return exit_of(status);
	if (*code && cli_fail_is_json()) {
		cli_fail_reply(reply);
		return exit_of(status);
	}
	if (*code) {
		cli_fail("%s", reworded ? reworded : error);
		cli_note("  code %s, status %ld, request %s", code, status,
		    json_member(reply, "request_id"));
	} else if (status / 100 == 3) {
		cli_fail(
		    "%s answered %ld, a redirect, which isn't followed; "
		    "give the right address with --url",
		    cli->url, status);
	} else {
		cli_fail("%s answered %ld without an explanation", cli->url, status);
	}
	way_out(cli, sink, status);
	return exit_of(status);
}

#define TOO_LONG "the reply is larger than it should be, so the rest isn't read"

static const char *
network_why(struct cli *cli, const struct sink *sink, CURLcode code)
{
	return sink->stalled
	    ? mem_printf(cli->c->mem, "%s has sent nothing for %d seconds", cli->url, HTTP_STALL_S)
	    : mem_printf(cli->c->mem, "%s: %s", cli->url, curl_easy_strerror(code));
}

static int
network_explain(struct cli *cli, const struct sink *sink, CURLcode code)
{
	if (sink->broken)
		return EXIT_REFUSED;
	if (sink->too_long)
		cli_fail("%s: " TOO_LONG, cli->url);
	else
		cli_fail("%s", network_why(cli, sink, code));
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		cli_note(
		    "  its certificate isn't trusted here: "
		    "for your own certificate authority, run VITRINE_CA=FILE vitrine …");
	if (code == CURLE_SSL_CACERT_BADFILE)
		cli_note("  VITRINE_CA is %s: it must be a PEM file of certificates",
		    getenv("VITRINE_CA"));
	return EXIT_NETWORK;
}

static const struct json *
reply_read(struct cli *cli, const struct sink *sink)
{
	struct json *tree;

	return sink->body.n &&
		json_parse(cli->c, sink->body.s, sink->body.n, &tree) == E_OK &&
		json_kind(tree) == J_OBJ
	    ? tree
	    : NULL;
}

/* A reply that is neither ours nor says why it failed comes from another program. */
static int
reply_check(struct cli *cli, const struct http_req *req, const struct sink *sink, const char *quiet,
    struct http_res *out)
{
	out->json = reply_read(cli, sink);
	if (out->status / 100 != 2)
		return failure_explain(cli, out->json, sink, out->status, quiet);
	if (out->json || (out->status == 204 && str_eq(req->method, "DELETE")) ||
	    (req->save_fd >= 0 && is_saved(req, out->status)))
		return EXIT_FINE;
	cli_fail("%s answered %ld, but not as Vitrine does: is it the right address?", cli->url,
	    out->status);
	return EXIT_NETWORK;
}

bool
http_wait(struct cli *cli, const char *what, const struct http_res *res, int *tries)
{
	cli_progress(cli, "", 1, 1);
	if (++*tries == TRIES_ON)
		return cli_fail("%s: %s; run the same command again to resume", what,
			   res->again) == EXIT_FINE;
	sleep(wait_s(res->again_s, *tries));
	return true;
}

static struct sink
sink_make(struct cli *cli, const struct http_req *req)
{
	return (struct sink){ .body = BUF(cli->c->mem),
		.fd = req->save_fd,
		.fd_left = req->save_bytes,
		.cli = cli,
		.req = req };
}

bool
http_try(struct cli *cli, const struct http_req *req, struct http_res *out)
{
	struct sink sink = sink_make(cli, req);
	CURLcode code;

	*out = (struct http_res){ 0 };
	code = http_once(cli, req, NULL, &sink, &out->status);
	out->again_s = sink.retry_after_s;
	out->json = code ? NULL : reply_read(cli, &sink);
	out->text = buf_done(&sink.body);
	out->text_n = sink.body.n;
	out->mime = sink.mime;
	out->etag = sink.etag;
	out->again = sink.too_long ? mem_printf(cli->c->mem, "%s: " TOO_LONG, cli->url)
	    : code                 ? network_why(cli, &sink, code)
				   : NULL;
	return !code;
}

int
http_send(struct cli *cli, const struct http_req *req, const char *quiet, struct http_res *out)
{
	const char *key = req->key;
	uint8_t rnd[16];
	struct sink sink;
	CURLcode code;

	*out = (struct http_res){ 0 };
	crypto_random(rnd, sizeof rnd);
	if (!key)
		key = crypto_hex(cli->c->mem, rnd, sizeof rnd);
	for (int tries = 1;; tries++) {
		sink = sink_make(cli, req);
		code = http_once(cli, req, key, &sink, &out->status);
		if (req->once || tries == TRIES || !worth_repeating(&sink, code, out->status))
			break;
		sleep(wait_s(sink.retry_after_s, tries));
	}
	out->saved = req->save_from + req->save_bytes - sink.fd_left;
	if (req->once && worth_another(&sink, code, out->status)) {
		out->again_s = sink.retry_after_s;
		out->again = code
		    ? network_why(cli, &sink, code)
		    : mem_printf(cli->c->mem, "%s answered %ld", cli->url, out->status);
		return code ? EXIT_NETWORK : exit_of(out->status);
	}
	return code ? network_explain(cli, &sink, code) : reply_check(cli, req, &sink, quiet, out);
}

int
http_do(struct cli *cli, struct http_res *out, const char *does, ...)
{
	struct http_req req = { .save_fd = -1 };
	char *path;
	va_list ap;

	va_start(ap, does);
	path = mem_vprintf(cli->c->mem, does, ap);
	va_end(ap);
	req.method = str_split(&path, ' ');
	req.path = path;
	return http_send(cli, &req, NULL, out);
}

int
http_json(struct cli *cli, const char *method, const char *path, const struct buf *body,
    const char *const options[][2], struct http_res *out)
{
	struct http_req req = { .method = method,
		.path = path,
		.body = body->s,
		.body_n = body->n,
		.save_fd = -1,
		.reword = options ? cli_member_error : NULL,
		.reword_arg = options };

	return http_send(cli, &req, NULL, out);
}

/* ---- lists ---- */

int
http_pages(struct cli *cli, const char *path, const char *list,
    int (*page)(struct cli *, const struct json *reply, void *arg), void *arg)
{
	char *cursor = mem_strdup(cli->c->mem, ""), *last;
	struct cli one = *cli;
	struct http_res res;
	int status;
	size_t n;

	do {
		last = cursor;
		one.c = ctx_begin(NULL, NULL);
		status = http_do(&one, &res, "GET %s%climit=200%s%s", path,
		    strchr(path, '?') ? '&' : '?', *cursor ? "&cursor=" : "",
		    form_encoded(one.c->mem, cursor));
		if (!status)
			status = page(&one, res.json, arg);
		cursor = mem_strdup(
		    cli->c->mem, status ? "" : json_member(res.json, "next_cursor"));
		/* Otherwise a service could keep us asking for ever. */
		if (*cursor && (json_list(res.json, list, &n), !n))
			status = cli_fail(
			    "%s returned an empty page that isn't the last one", cli->url);
		mem_free(last);
		ctx_end(one.c);
	} while (*cursor && !status);
	return status;
}
