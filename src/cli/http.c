/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/http.h"

#include "base/crypto.h"
#include "base/id.h"
#include "base/str.h"

#include <curl/curl.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { TRIES = 5, WAIT_MAX_S = 60 };

struct sink {
	struct buf body;
	int fd;
	bool broken;
	long retry_after_s;
	CURL *curl;
};

static size_t
body_receive(char *bytes, size_t one, size_t n, void *arg)
{
	struct sink *s = arg;
	long status = 0;

	curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
	if (s->fd < 0 || status != 200) {
		buf_add(&s->body, bytes, one * n);
		return one * n;
	}
	for (size_t done = 0; done < one * n;) {
		ssize_t wrote = write(s->fd, bytes + done, one * n - done);

		if (wrote < 0) {
			s->broken = true;
			return 0;
		}
		done += (size_t)wrote;
	}
	return one * n;
}

static size_t
header_receive(char *bytes, size_t one, size_t n, void *arg)
{
	struct sink *s = arg;

	if (one * n > 12 && strncasecmp(bytes, "Retry-After:", 12) == 0)
		s->retry_after_s = strtol(bytes + 12, NULL, 10);
	return one * n;
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
	if (str_eq(req->method, "POST"))
		list = curl_slist_append(list, mem_printf(mem, "Idempotency-Key: %s", key));
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

/* The page that asks to approve a login shows it: a person should know their machine. */
static const char *
user_agent(struct cli *cli)
{
	struct utsname me;

	return uname(&me)
	    ? "vitrine/" VITRINE_VERSION
	    : mem_printf(cli->c->mem, "vitrine/" VITRINE_VERSION " on %s", me.nodename);
}

static CURLcode
http_once(
    struct cli *cli, const struct http_req *req, const char *key, struct sink *sink, long *status)
{
	CURL *curl = sink->curl = curl_easy_init();
	struct curl_slist *headers = headers_make(cli, req, key);
	curl_mime *form = req->archive ? form_make(curl, req) : NULL;
	const char *ca = getenv("VITRINE_CA");
	CURLcode code;

	curl_easy_setopt(curl, CURLOPT_URL, mem_printf(cli->c->mem, "%s%s", cli->url, req->path));
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, req->method);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, body_receive);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, header_receive);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, sink);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 15L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, user_agent(cli));
	if (ca)
		curl_easy_setopt(curl, CURLOPT_CAINFO, ca);
	if (form) {
		curl_easy_setopt(curl, CURLOPT_MIMEPOST, form);
	} else if (req->body) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, req->body);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)req->body_n);
	}
	code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
	curl_mime_free(form);
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	return code;
}

static bool
worth_repeating(const struct sink *sink, CURLcode code, long status)
{
	if (sink->broken || (sink->fd >= 0 && lseek(sink->fd, 0, SEEK_CUR) > 0))
		return false;
	if (code)
		return code == CURLE_COULDNT_CONNECT || code == CURLE_RECV_ERROR ||
		    code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
		    code == CURLE_PARTIAL_FILE || code == CURLE_OPERATION_TIMEDOUT;
	return status == 502 || status == 503 || status == 504 ||
	    (status == 429 && sink->retry_after_s <= WAIT_MAX_S);
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

static int
failure_explain(struct cli *cli, const struct json *reply, long status, const char *quiet)
{
	const char *code = reply ? json_member(reply, "code") : "";

	if (quiet && *code && str_in(code, quiet))
		return exit_of(status);
	if (*code)
		fprintf(stderr, "vitrine: %s\n  code %s, status %ld, request %s\n",
		    json_shown(cli, reply, "error"), cli_shown(cli, code), status,
		    json_shown(cli, reply, "request_id"));
	else
		fprintf(stderr, "vitrine: the service answered %ld\n", status);
	return exit_of(status);
}

int
http_send(struct cli *cli, const struct http_req *req, const char *quiet, struct http_res *out)
{
	uint8_t rnd[16];
	struct sink sink;
	struct json *tree;
	const char *key;
	CURLcode code;

	crypto_random(rnd, sizeof rnd);
	key = crypto_hex(cli->c->mem, rnd, sizeof rnd);
	for (int tries = 1;; tries++) {
		sink = (struct sink){ .body = BUF(cli->c->mem), .fd = req->save_fd };
		code = http_once(cli, req, key, &sink, &out->status);
		if (tries == TRIES || !worth_repeating(&sink, code, out->status))
			break;
		sleep(sink.retry_after_s ? (unsigned)sink.retry_after_s : 1u << (tries - 1));
	}
	out->json = NULL;
	if (code) {
		fprintf(stderr, "vitrine: %s: %s\n", cli->url, curl_easy_strerror(code));
		return EXIT_NETWORK;
	}
	if (sink.body.n && json_parse(cli->c, sink.body.s, sink.body.n, &tree) == E_OK)
		out->json = tree;
	return out->status / 100 == 2 ? EXIT_FINE
				      : failure_explain(cli, out->json, out->status, quiet);
}

const char *
http_cursor(struct cli *cli, const char *cursor)
{
	struct buf b = BUF(cli->c->mem);

	if (*cursor) {
		buf_str(&b, "&cursor=");
		buf_form(&b, cursor);
	}
	return buf_done(&b);
}

const char *
cli_artifact(struct cli *cli, const char *id_or_slug, int *exit_status)
{
	struct http_req req = { .method = "GET", .save_fd = -1 };
	const struct json *rows;
	struct http_res res;
	struct buf path = BUF(cli->c->mem);

	if (id_valid(id_or_slug, "art_"))
		return id_or_slug;
	buf_str(&path, "/v1/artifacts?slug=");
	buf_url(&path, id_or_slug);
	req.path = path.s;
	if ((*exit_status = http_send(cli, &req, NULL, &res)))
		return NULL;
	rows = res.json ? json_get(res.json, "artifacts") : NULL;
	if (rows && json_len(rows) && id_valid(json_member(json_at(rows, 0), "id"), "art_"))
		return json_member(json_at(rows, 0), "id");
	*exit_status = cli_fail("%s: none of your artifacts has this slug", id_or_slug);
	return NULL;
}
