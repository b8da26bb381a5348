/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/egress.h"

#include "base/address.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/lease.h"
#include "base/str.h"
#include "ext/egress_hop.h"

#include <curl/curl.h>
#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

bool
egress_address_allowed(const struct sockaddr *sa, const char *listed)
{
	return address_allowed(sa, ADDRESS_WEB, listed);
}

bool
egress_database_allowed(const struct sockaddr *sa, const char *listed)
{
	return address_allowed(sa, ADDRESS_DATABASE, listed);
}

enum { WAIT_MS = 250 };

static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct egress_sink *s = arg;

	(void)purpose;
	s->refused = !egress_address_allowed(&address->addr, s->conf->egress_allow);
	if (s->refused)
		return CURL_SOCKET_BAD;
	s->asked = true;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t
egress_receive(char *bytes, size_t one, size_t n, void *arg)
{
	struct egress_sink *s = arg;

	s->body_n += one * n;
	if (s->body_n > s->max)
		return 0;
	buf_add(&s->body, bytes, one * n);
	return one * n;
}

/* Called for each line of each head: there are several if the first are informational (1xx). */
static size_t
egress_head(char *line, size_t one, size_t n, void *arg)
{
	static const char encoding[] = "content-encoding:";
	struct egress_sink *s = arg;

	n *= one;
	s->head_n += n;
	if (s->head_n > EGRESS_HEAD_BYTES)
		return 0;
	if (n > 5 && strncasecmp(line, "HTTP/", 5) == 0)
		s->encoded = s->head_done = false, s->head.n = 0;
	if (s->keep_head)
		buf_add(&s->head, line, n);
	s->encoded |= n > strlen(encoding) && strncasecmp(line, encoding, strlen(encoding)) == 0;
	s->head_done |= n <= 2;
	return n;
}

MEM_DEFERRED(slist_free, curl_slist_free_all);

void
egress_prepare(struct ctx *c, CURL *curl, const struct egress_req *req, struct egress_sink *sink)
{
	struct curl_slist *lines = NULL;

	for (const char *const *line = req->headers; line && *line; line++)
		lines = curl_slist_append(lines, *line);
	if (req->json)
		lines = curl_slist_append(lines, "Content-Type: application/json");
	/* Otherwise libcurl delays a larger body by a second, for a "100 Continue" that few servers
	 * send. */
	if (req->json || req->form)
		lines = curl_slist_append(lines, "Expect:");
	mem_defer(c->mem, slist_free, lines);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines);
	if (req->form || req->json)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, req->form ? req->form : req->json);
	curl_easy_setopt(curl, CURLOPT_CERTINFO, (long)req->trusted);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, req->trusted ? "https" : "http,https");
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (conf_has(c->conf->egress_ca_file))
		curl_easy_setopt(curl, CURLOPT_CAINFO, c->conf->egress_ca_file);
	if (!req->trusted) {
		curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
		curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, sink);
	}
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)EGRESS_CONNECT_S);
	if (!req->patient) {
		curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 64L);
		curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 5L);
	}
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, egress_receive);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, egress_head);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, sink);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "Vitrine/1");
}

static int64_t
certificate_end(CURL *curl)
{
	static const char name[] = "Expire date:";
	struct curl_certinfo *chain = NULL;

	if (curl_easy_getinfo(curl, CURLINFO_CERTINFO, &chain) || !chain || !chain->num_of_certs)
		return 0;
	for (const struct curl_slist *line = chain->certinfo[0]; line; line = line->next)
		if (str_starts(line->data, name))
			return curl_getdate(line->data + strlen(name), NULL);
	return 0;
}

MEM_DEFERRED(curl_free_handle, curl_easy_cleanup);
MEM_DEFERRED(url_free, curl_url_cleanup);
MEM_DEFERRED(part_free, curl_free);

const char *
egress_host(void *owner, const char *url)
{
	CURLU *parts = curl_url();
	char *host = NULL, *user = NULL;

	if (!parts)
		return NULL;
	mem_defer(owner, url_free, parts);
	if (!str_http_url(url) || curl_url_set(parts, CURLUPART_URL, url, 0) ||
	    curl_url_get(parts, CURLUPART_HOST, &host, 0))
		return NULL;
	mem_defer(owner, part_free, host);
	if (!curl_url_get(parts, CURLUPART_USER, &user, 0)) {
		curl_free(user);
		return NULL;
	}
	return str_lower(mem_strdup(owner, host));
}

bool
egress_port_may(struct ctx *c, const char *url, const char **port)
{
	const char *host = url + strcspn(url, "/") + strlen("//"), *listed = c->conf->egress_allow;
	const char *authority = mem_strndup(c->mem, host, strcspn(host, "/?#"));
	const char *colon = strrchr(authority, ':');
	size_t n;

	*port = colon && !strchr(colon, ']') ? colon + 1 : "";
	if (str_in(*port, "80|443") || !**port)
		return true;
	n = strlen(*port);
	while ((listed = strchr(listed, ':'))) {
		listed++;
		if (!strncmp(listed, *port, n) && (!listed[n] || listed[n] == ' '))
			return true;
	}
	return false;
}

static bool
number_allowed(struct ctx *c, const char *number, const char *port, bool *is_number)
{
	const struct addrinfo how = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	bool allowed;

	*is_number = !getaddrinfo(number, port, &how, &found);
	errno = 0;
	if (!*is_number)
		return false;
	allowed = egress_address_allowed(found->ai_addr, c->conf->egress_allow);
	freeaddrinfo(found);
	return allowed;
}

bool
egress_is_inside(struct ctx *c, const char *url)
{
	const char *host = egress_host(c->mem, url), *port;
	size_t n = host ? strlen(host) : 0;
	bool is_number;

	if (!n)
		return false;
	egress_port_may(c, url, &port);
	if (!*port)
		port = strncasecmp(url, "https:", 6) ? "80" : "443";
	n -= host[n - 1] == '.';
	host = *host == '[' ? mem_strndup(c->mem, host + 1, n - 2) : mem_strndup(c->mem, host, n);
	if (str_eq(host, "localhost") || str_ends(host, ".localhost"))
		return !number_allowed(c, "127.0.0.1", port, &is_number) &&
		    !number_allowed(c, "::1", port, &is_number);
	return !number_allowed(c, host, port, &is_number) && is_number;
}

const char *
egress_hop_wrong(struct ctx *c, const struct egress_req *req, const char *from, const char *url)
{
	const char *host;

	if (!lease_active())
		return "another machine is active";
	if (req->trusted)
		return NULL;
	host = egress_host(c->mem, url);
	if (!host)
		return "the address can't be requested";
	if (from && strncasecmp(from, "https:", 6) == 0 && strncasecmp(url, "https:", 6) != 0)
		return "a redirect from https to http";
	if (req->host_may && !req->host_may(req->arg, host))
		return mem_printf(c->mem, "the host %s isn't allowed", host);
	return NULL;
}

static enum err
hop_check(struct ctx *c, const struct egress_req *req, const char *from, const char *url)
{
	const char *wrong = egress_hop_wrong(c, req, from, url);

	return wrong ? fail_here(c, "%s", wrong) : E_OK;
}

void
egress_hop_answer(struct ctx *c, const struct egress_req *req, CURL *curl, struct egress_sink *sink,
    struct egress_res *res, char **next)
{
	const char *type = NULL;
	curl_off_t wait = 0;

	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &res->status);
	curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, next);
	curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
	if (res->status == 429 || res->status == 503)
		curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &wait);
	res->retry_after_s = wait;
	res->certificate_ends_at = certificate_end(curl);
	res->type = mem_strdup(c->mem, type);
	res->encoded = sink->encoded;
	res->body = buf_done(&sink->body);
	res->body_n = sink->body.n;
	res->head = sink->keep_head ? buf_done(&sink->head) : NULL;
	if (res->status < 300 || res->status > 399 || !req->max_redirects)
		*next = NULL;
}

void
egress_hop_begin(struct egress_sink *sink)
{
	sink->body.n = sink->body_n = sink->head_n = 0;
	sink->refused = sink->asked = false;
}

bool
egress_not_redirected(const struct egress_req *req)
{
	return req->max_redirects && (req->trusted || req->form || req->json || req->headers);
}

enum err
egress_send(struct ctx *c, const struct egress_req *req, struct egress_res **out)
{
	CURL *curl = curl_easy_init();
	struct egress_sink sink = { .conf = c->conf,
		.body = BUF(c->mem),
		.head = BUF(c->mem),
		.keep_head = req->keep_head,
		.max = req->max_bytes };
	const char *url = req->url, *from = NULL;
	int64_t until = clock_ms() + req->timeout_s * 1000;

	if (!curl)
		return fail_here(c, "curl_easy_init");
	mem_defer(c->mem, curl_free_handle, curl);
	if (egress_not_redirected(req))
		return fail_here(c, "this request can't be redirected");
	egress_prepare(c, curl, req, &sink);
	errno = 0;
	for (int hops = 0; hops <= req->max_redirects; hops++) {
		int64_t left = until - clock_ms();
		char *next = NULL;
		struct egress_res *res = mem_new(c->mem, struct egress_res);
		CURLcode code;

		TRY(hop_check(c, req, from, url));
		/* 0 would mean no limit. */
		curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(left > 0 ? left : 1));
		curl_easy_setopt(curl, CURLOPT_URL, url);
		egress_hop_begin(&sink);
		code = curl_easy_perform(curl);
		errno = 0;
		if (code)
			return fail_here(c, "fetching: %s", curl_easy_strerror(code));
		egress_hop_answer(c, req, curl, &sink, res, &next);
		if (!next) {
			*out = res;
			return E_OK;
		}
		from = url;
		url = mem_strdup(c->mem, next);
	}
	return fail_here(c, "more than %d redirects", req->max_redirects);
}

/* ---- streams ---- */

struct egress_stream {
	struct ctx *c;
	const struct egress_req *req;
	CURLM *multi;
	CURL *easy;
	struct egress_sink sink;
	bool given; /* the sink's bytes were returned to the caller */
	bool ended;
	CURLcode code; /* libcurl's result */
};

static void
stream_end(void *arg)
{
	struct egress_stream *s = arg;

	curl_multi_remove_handle(s->multi, s->easy);
	curl_easy_cleanup(s->easy);
	curl_multi_cleanup(s->multi);
}

static enum err
stream_step(struct egress_stream *s)
{
	struct CURLMsg *told;
	int running, rest;

	curl_multi_perform(s->multi, &running);
	while ((told = curl_multi_info_read(s->multi, &rest)))
		if (told->msg == CURLMSG_DONE) {
			s->ended = true;
			s->code = told->data.result;
		}
	if (s->ended || s->sink.body.n)
		return E_OK;
	if (s->req->left && s->req->left(s->req->arg))
		return fail(s->c, E_UNAVAILABLE, "the client has gone");
	curl_multi_poll(s->multi, NULL, 0, WAIT_MS, NULL);
	errno = 0;
	return E_OK;
}

/* The caller reads what came before a failure first, since some servers end by a reset. */
static enum err
stream_failure(struct egress_stream *s)
{
	errno = 0;
	return s->code && !s->sink.body.n
	    ? fail_here(s->c, "fetching: %s", curl_easy_strerror(s->code))
	    : E_OK;
}

enum err
egress_open(struct ctx *c, const struct egress_req *req, struct egress_stream **out, long *status)
{
	struct egress_stream *s = *out = mem_new(c->mem, struct egress_stream);

	*s = (struct egress_stream){ .c = c,
		.req = req,
		.multi = curl_multi_init(),
		.easy = curl_easy_init(),
		.sink = { .conf = c->conf, .body = BUF(c->mem), .max = req->max_bytes } };
	mem_defer(c->mem, stream_end, s);
	if (!s->multi || !s->easy)
		return fail_here(c, "curl_multi_init");
	TRY(hop_check(c, req, NULL, req->url));
	egress_prepare(c, s->easy, req, &s->sink);
	curl_easy_setopt(s->easy, CURLOPT_URL, req->url);
	curl_easy_setopt(s->easy, CURLOPT_TIMEOUT_MS, req->timeout_s * 1000);
	curl_multi_add_handle(s->multi, s->easy);
	while (!s->ended && !s->sink.body.n) {
		curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, status);
		if (s->sink.head_done && *status >= 200)
			return E_OK;
		TRY(stream_step(s));
	}
	curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, status);
	return stream_failure(s);
}

enum err
egress_read(struct egress_stream *s, const char **bytes, size_t *n)
{
	if (s->given)
		s->sink.body.n = 0;
	while (!s->ended && !s->sink.body.n)
		TRY(stream_step(s));
	TRY(stream_failure(s));
	s->given = true;
	*bytes = s->sink.body.s;
	*n = s->sink.body.n;
	return E_OK;
}
