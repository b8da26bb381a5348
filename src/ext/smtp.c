/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/smtp.h"

#include "base/conf.h"
#include "base/lease.h"
#include "base/redact.h"
#include "base/str.h"

#include <curl/curl.h>
#include <errno.h>

enum { TEXT_MAX = 300, GOODBYE = 221 };

struct talk {
	const struct smtp_mail *mail;
	size_t sent;
	unsigned replies;    /* complete replies of the server so far */
	int code;            /* of the last reply if it is a refusal (400 or above), else 0 */
	bool greeted_badly;
	char text[TEXT_MAX]; /* of the last reply */
};

static size_t
give(char *to, size_t one, size_t n, void *arg)
{
	struct talk *t = arg;
	size_t left = t->mail->n - t->sent, take = one * n < left ? one * n : left;

	memcpy(to, t->mail->bytes + t->sent, take);
	t->sent += take;
	return take;
}

/* libcurl calls this with each line from the server. After a refusal libcurl sends QUIT; we ignore
 * the 221 that answers it, to keep the refusal. */
static size_t
listen_to(char *line, size_t one, size_t n, void *arg)
{
	struct talk *t = arg;
	size_t bytes = one * n, len = 0;
	int code = 0;

	for (size_t i = 0; i < 3 && i < bytes && isdigit((unsigned char)line[i]); i++)
		code = code * 10 + line[i] - '0';
	if (code < 200 || code == GOODBYE)
		return bytes;
	for (size_t i = 0; i < bytes && len + 1 < sizeof t->text; i++)
		if (line[i] != '\r' && line[i] != '\n')
			t->text[len++] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
	t->text[len] = '\0';
	t->replies += bytes > 3 && line[3] != '-';
	t->code = code >= 400 ? code : 0;
	t->greeted_badly |= t->code && t->replies == 1;
	return bytes;
}

static enum smtp_verdict
verdict_of(CURLcode code, const struct talk *t)
{
	if (code == CURLE_OK)
		return SMTP_SENT;
	/* A wrong password is the installation's fault, so the message stays queued and isn't lost.
	 */
	if (code == CURLE_LOGIN_DENIED || code == CURLE_USE_SSL_FAILED ||
	    code == CURLE_REMOTE_ACCESS_DENIED)
		return SMTP_DOWN;
	if (t->greeted_badly || t->code == 421 || !t->code)
		return SMTP_DOWN;
	return t->code >= 500 ? SMTP_REFUSED : SMTP_LATER;
}

static void
set_transport(CURL *curl, const struct ctx *c, const char *url)
{
	const struct conf *conf = c->conf;

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)CURLUSESSL_ALL);
	curl_easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (conf_has(conf->smtp_ca_file)) {
		curl_easy_setopt(curl, CURLOPT_CAINFO, conf->smtp_ca_file);
		curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
	}
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 10L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)conf->smtp_timeout_s);
}

MEM_DEFERRED(free_handle, curl_easy_cleanup);
MEM_DEFERRED(free_list, curl_slist_free_all);

static bool
is_envelope(const char *address)
{
	return str_email(address) && !strpbrk(address, "<> \r\n");
}

static enum err
reply_fill(struct smtp_reply *out, enum smtp_verdict verdict, const char *text)
{
	*out = (struct smtp_reply){ verdict, text };
	errno = 0;
	return E_OK;
}

enum err
smtp_send(struct ctx *c, const struct smtp_mail *mail, struct smtp_reply *out)
{
	struct talk talk = { .mail = mail };
	struct redact secret = REDACT(c->mem);
	const char *password = NULL, *host = c->conf->base_url + strlen("https://");
	struct curl_slist *rcpt;
	enum smtp_verdict verdict;
	CURLcode code;
	CURL *curl;

	if (!is_envelope(mail->from) || !is_envelope(mail->to))
		return fail(c, E_INVALID, "to: must be a single plain e-mail address");
	if (!conf_has(c->conf->smtp_url))
		return reply_fill(out, SMTP_DOWN, "smtp_url is not set");
	if (!lease_active())
		return reply_fill(out, SMTP_DOWN, "another machine is active");
	if (conf_has(c->conf->smtp_user) &&
	    !(password = conf_secret(c->mem, c->conf->smtp_password_file)))
		return reply_fill(out, SMTP_DOWN, "smtp_password_file can't be read");
	curl = curl_easy_init();
	mem_defer(c->mem, free_handle, curl);
	rcpt = curl_slist_append(NULL, mail->to);
	mem_defer(c->mem, free_list, rcpt);
	/* libcurl sends the URL's path as the name after EHLO. We use base_url's host, so that no
	 * internal host name leaves. */
	set_transport(curl, c,
	    mem_printf(c->mem, "%s/%.*s", c->conf->smtp_url, (int)strcspn(host, ":/"), host));
	if (password) {
		curl_easy_setopt(curl, CURLOPT_USERNAME, c->conf->smtp_user);
		curl_easy_setopt(curl, CURLOPT_PASSWORD, password);
		redact_add(&secret, password);
	}
	curl_easy_setopt(curl, CURLOPT_MAIL_FROM, mail->from);
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, rcpt);
	curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)mail->n);
	curl_easy_setopt(curl, CURLOPT_READFUNCTION, give);
	curl_easy_setopt(curl, CURLOPT_READDATA, &talk);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, listen_to);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, &talk);
	code = curl_easy_perform(curl);
	verdict = verdict_of(code, &talk);
	/* libcurl sends QUIT when the handle is closed, after talk has gone out of scope. */
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, NULL);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, NULL);
	return reply_fill(out, verdict,
	    code && !talk.code ? mem_strdup(c->mem, curl_easy_strerror(code))
			       : redact_text(&secret, talk.text));
}
