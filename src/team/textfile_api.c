/* SPDX-License-Identifier: Apache-2.0 */
#include "team/textfile_api.h"

#include "base/etag.h"
#include "base/json.h"

enum err
text_file_reply(struct req *r, const char *sha256, const char *content, const void *row)
{
	const char *accept = req_header(r, "HTTP_ACCEPT");

	reply_header(r, "Vary", "Accept");
	if (reply_etag(r, etag_of_sha256(r->c->mem, sha256)))
		return E_OK;
	if (!accept || !strstr(accept, "text/markdown"))
		return reply_flat(r, row);
	r->status = 200;
	buf_str(&r->out, content);
	reply_header(r, "Content-Type", "text/markdown; charset=utf-8");
	reply_header(r, "Content-Security-Policy", "default-src 'none'; sandbox");
	return E_OK;
}

#define TEXT_SENT(F, T) F(T, STR, content, .flags = F_REQ)
SHAPE(text_sent, TEXT_SENT);

enum err
text_file_sent(struct req *r, struct bytes *out)
{
	const char *type = req_env(r, "CONTENT_TYPE");
	size_t n = (size_t)r->form.n;
	char *sent = mem_zalloc(r->c->mem, n + 1);
	const struct json *json = r->sent;
	struct text_sent *in;
	struct json *read;

	TRY(span_read(r->c, &r->form, sent, n));
	*out = (struct bytes){ sent, n };
	if (!type || strncasecmp(type, "application/json", strlen("application/json")) != 0)
		return E_OK;
	if (!json) {
		TRY(json_parse(r->c, sent, n, &read));
		json = read;
	}
	TRY(shape_read(r->c, &text_sent_shape, json, (void **)&in));
	*out = (struct bytes){ in->content, strlen(in->content) };
	return E_OK;
}
