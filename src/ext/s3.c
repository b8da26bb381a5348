/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/s3.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"

#include <curl/curl.h>
#include <errno.h>
#include <unistd.h>

enum { AT_ONCE = 8, CONNECT_S = 5, WAIT_MS = 250, PAGE_BYTES = 4 << 20 };

/* All calls of one s3_calls(). */
struct talk {
	struct ctx *c;
	struct s3 at;
	CURLM *multi;
	const char *id, *secret, *signing;
	struct s3_call *calls;
	size_t n, begun, open;
	const char *down; /* why the store is left alone */
};

/* A call under way. */
struct trip {
	struct talk *talk;
	struct s3_call *call;
	CURL *curl;
	struct curl_slist *lines;
	int fd; /* PUT */
	bool refused; /* take() returned false */
	curl_off_t moved; /* bytes, both ways, until moved_ms */
	int64_t moved_ms;
	bool late;
};

static const char digest_of_nothing[] =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static void
trip_end(void *arg)
{
	struct trip *t = arg;

	if (!t->curl)
		return;
	curl_multi_remove_handle(t->talk->multi, t->curl);
	curl_easy_cleanup(t->curl);
	curl_slist_free_all(t->lines);
	if (t->fd >= 0)
		close(t->fd);
	t->curl = NULL;
	t->talk->open--;
}

static size_t
give(char *to, size_t one, size_t n, void *arg)
{
	const struct trip *t = arg;
	ssize_t got = read(t->fd, to, one * n);

	return got < 0 ? CURL_READFUNC_ABORT : (size_t)got;
}

/* CURLOPT_LOW_SPEED_TIME looks at the mean of several seconds, so what was sent before counts. */
static int
progress(void *arg, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
	struct trip *t = arg;

	(void)down_all, (void)up_all;
	if (t->moved != down + up) {
		t->moved = down + up;
		t->moved_ms = clock_ms();
	}
	t->late = clock_ms() - t->moved_ms > t->talk->c->conf->store_wait_s * 1000;
	return t->late;
}

/* libcurl sends a body again from its start if the connection that it kept was closed. */
static int
rewind_to(void *arg, curl_off_t at, int from)
{
	const struct trip *t = arg;

	return lseek(t->fd, at, from) < 0 ? CURL_SEEKFUNC_FAIL : CURL_SEEKFUNC_OK;
}

static size_t
receive(char *bytes, size_t one, size_t n, void *arg)
{
	struct trip *t = arg;
	long status = 0;

	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200 && t->call->take && !t->call->take(t->call, bytes, one * n))
		t->refused = true;
	return t->refused ? 0 : one * n;
}

struct s3
s3_store(const struct conf *conf)
{
	return (struct s3){ conf->store_url, conf->store_region, conf->store_key_file };
}

/* The bucket is the first segment of the url's path; what follows it is a prefix of keys. */
static const char *
bucket_prefix(const char *url)
{
	const char *path = strchr(strstr(url, "//") + 2, '/') + 1;

	return path + strcspn(path, "/");
}

static void
set_method(CURL *curl, struct trip *t)
{
	switch (t->call->method) {
	case S3_HEAD:
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
		break;
	case S3_PUT:
		curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)t->call->size);
		curl_easy_setopt(curl, CURLOPT_READFUNCTION, give);
		curl_easy_setopt(curl, CURLOPT_READDATA, t);
		curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, rewind_to);
		curl_easy_setopt(curl, CURLOPT_SEEKDATA, t);
		break;
	case S3_DELETE:
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, "DELETE");
		break;
	case S3_GET:
		break;
	}
}

static void
set_transport(CURL *curl, const struct conf *conf)
{
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (conf_has(conf->egress_ca_file))
		curl_easy_setopt(curl, CURLOPT_CAINFO, conf->egress_ca_file);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	/* libcurl waits for a "100 Continue" before a large body, for a second by default. If the
	 * header is taken away, it signs one that it doesn't send. */
	curl_easy_setopt(curl, CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "Vitrine/1");
}

static void
trip_begin(struct talk *talk, struct s3_call *call)
{
	struct ctx *c = talk->c;
	const char *url = talk->at.url;
	struct trip *t = mem_new(c->mem, struct trip);

	*t = (struct trip){ .talk = talk, .call = call, .fd = -1, .moved_ms = clock_ms() };
	if (call->method == S3_PUT && (t->fd = call->open(call)) < 0) {
		call->absent = errno == ENOENT;
		call->why = mem_printf(c->mem, "the file can't be opened: %s", strerror(errno));
		return;
	}
	t->curl = curl_easy_init();
	/* libcurl signs x-amz-content-sha256 as it is given, but sets it only in later versions. */
	t->lines = curl_slist_append(NULL,
	    mem_printf(c->mem, "x-amz-content-sha256: %s",
		call->method == S3_PUT ? crypto_hex(c->mem, call->sha256, SHA256_BYTES)
				       : digest_of_nothing));
	talk->open++;
	mem_defer(c->mem, trip_end, t);
	set_transport(t->curl, c->conf);
	set_method(t->curl, t);
	curl_easy_setopt(t->curl, CURLOPT_URL,
	    call->query ? mem_printf(c->mem, "%.*s?%s", (int)(bucket_prefix(url) - url), url,
			      call->query)
			: mem_printf(c->mem, "%s/%s", url, call->key));
	curl_easy_setopt(t->curl, CURLOPT_AWS_SIGV4, talk->signing);
	curl_easy_setopt(t->curl, CURLOPT_USERNAME, talk->id);
	curl_easy_setopt(t->curl, CURLOPT_PASSWORD, talk->secret);
	curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->lines);
	curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, receive);
	curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(t->curl, CURLOPT_XFERINFODATA, t);
	curl_easy_setopt(t->curl, CURLOPT_PRIVATE, t);
	curl_multi_add_handle(talk->multi, t->curl);
}

static struct s3_counts counts;

struct s3_counts
s3_counts_take(void)
{
	struct s3_counts taken = counts;

	counts = (struct s3_counts){ 0 };
	return taken;
}

static void
answer_read(struct trip *t, CURLcode code)
{
	struct s3_call *call = t->call;
	struct ctx *c = t->talk->c;
	curl_off_t length = -1;

	if (!code) {
		curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &call->status);
		curl_easy_getinfo(t->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	}
	call->length = length;
	call->absent = call->status == 404;
	if (t->refused)
		call->why = "its bytes aren't those that were stored";
	else if (t->late)
		call->why = "no progress in store_wait_s";
	else if (code)
		call->why = curl_easy_strerror(code);
	else if (call->status < 200 || call->status > 299)
		call->why = mem_printf(c->mem, "status %ld", call->status);
	if (!t->refused && (code || call->status >= 500))
		t->talk->down = call->why;
	counts.puts += call->method == S3_PUT;
	counts.gets += call->method == S3_GET;
	counts.others += call->method != S3_PUT && call->method != S3_GET;
	counts.failed += call->why && !call->absent;
}

static void
calls_begin(struct talk *talk)
{
	for (; talk->begun < talk->n && (talk->down || talk->open < AT_ONCE); talk->begun++)
		if (talk->down)
			talk->calls[talk->begun].why = talk->down;
		else
			trip_begin(talk, &talk->calls[talk->begun]);
}

static enum err
key_read(struct talk *talk)
{
	struct ctx *c = talk->c;
	const char *path = talk->at.key_file;
	char *rest = mem_strdup(c->mem, conf_secret(c->mem, path));

	errno = 0;
	talk->id = rest ? str_split(&rest, ' ') : NULL;
	if (!rest)
		return fail_here(c, "%s must have a key id, a space and a key", path);
	talk->secret = rest;
	talk->signing = mem_printf(c->mem, "aws:amz:%s:s3", talk->at.region);
	return E_OK;
}

/* Returns the connections that this process keeps. A child has its own. */
static CURLM *
connections(void)
{
	static CURLM *multi;
	static pid_t owner;

	if (owner != getpid()) {
		owner = getpid();
		multi = curl_multi_init();
		curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)AT_ONCE);
	}
	return multi;
}

enum err
s3_calls(struct ctx *c, struct s3 at, struct s3_call *calls, size_t n)
{
	struct talk *talk = mem_new(c->mem, struct talk);
	int64_t from = clock_us();
	const CURLMsg *m;
	int running, left;

	*talk = (struct talk){ .c = c, .at = at, .multi = connections(), .calls = calls, .n = n };
	TRY(key_read(talk));
	for (size_t i = 0; i < n; i++)
		calls[i].status = 0, calls[i].why = NULL, calls[i].absent = false;
	for (calls_begin(talk); talk->open; calls_begin(talk)) {
		curl_multi_perform(talk->multi, &running);
		while ((m = curl_multi_info_read(talk->multi, &left))) {
			CURLcode code = m->data.result;
			struct trip *t;

			curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
			answer_read(t, code);
			trip_end(t);
		}
		if (running)
			curl_multi_poll(talk->multi, NULL, 0, WAIT_MS, NULL);
	}
	counts.wait_us += (uint64_t)(clock_us() - from);
	errno = 0;
	return E_OK;
}

/* ---- lists ---- */

static bool
page_take(struct s3_call *call, const char *bytes, size_t n)
{
	struct buf *page = call->arg;

	buf_add(page, bytes, n);
	return page->n <= PAGE_BYTES;
}

static enum err
list_failed(struct ctx *c, const char *why)
{
	fail_here(c, "the store's list: %s", why);
	return fail(c, E_STORE, "%s", err_table[E_STORE].text);
}

enum err
s3_list(struct ctx *c, struct s3 at, const char *folder, const char *after, struct strs *out,
    bool *more)
{
	const char *prefix = bucket_prefix(at.url), *key, *end;
	struct buf page = BUF(c->mem);
	struct s3_call call = { .method = S3_GET, .take = page_take, .arg = &page };
	size_t skip;

	prefix = *prefix ? mem_printf(c->mem, "%s/", prefix + 1) : "";
	skip = strlen(prefix);
	call.query = mem_printf(c->mem, "list-type=2&prefix=%s%s%s",
	    form_encoded(c->mem, mem_printf(c->mem, "%s%s", prefix, folder)),
	    after ? "&start-after=" : "",
	    after ? form_encoded(c->mem, mem_printf(c->mem, "%s%s", prefix, after)) : "");
	TRY(s3_calls(c, at, &call, 1));
	if (!call.why && !strstr(buf_done(&page), "<ListBucketResult"))
		call.why = "the answer isn't a list";
	if (call.why)
		return list_failed(c, call.why);
	*out = (struct strs){ 0 };
	*more = strstr(page.s, "<IsTruncated>true<") != NULL;
	for (key = page.s; (key = strstr(key, "<Key>")); key = end) {
		key += strlen("<Key>");
		end = key + strcspn(key, "<");
		if ((size_t)(end - key) > skip)
			strs_add(c->mem, out,
			    mem_strndup(c->mem, key + skip, (size_t)(end - key) - skip));
	}
	/* A list that goes back might never end. */
	if (after && out->n && strcmp(out->v[0], after) <= 0)
		return list_failed(c, "it goes back");
	return E_OK;
}
