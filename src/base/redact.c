/* SPDX-License-Identifier: Apache-2.0 */
#include "base/redact.h"

#include "base/crypto.h"
#include "base/mem.h"
#include "base/str.h"

enum { FORMS = 7, ALIGNMENTS = 3 };

static const char mark[] = "[secret]";

/* ---- the forms of a secret ---- */

static void
form_add(struct redact *r, const char *form)
{
	for (size_t i = 0; i < r->form_n; i++)
		if (str_eq(r->forms[i], form))
			return;
	r->forms[r->form_n++] = form;
}

void
redact_add(struct redact *r, const char *secret)
{
	struct buf json = BUF(r->owner), html = BUF(r->owner);
	const char **v;

	if (!secret || strlen(secret) < REDACT_LEAST)
		return;
	v = mem_array(r->owner, const char *, r->form_n + FORMS);
	for (size_t i = 0; i < r->form_n; i++)
		v[i] = r->forms[i];
	r->forms = v;
	buf_json(&json, secret);
	buf_html(&html, secret);
	form_add(r, mem_strdup(r->owner, secret));
	form_add(r, mem_strndup(r->owner, json.s + 1, json.n - 2));
	form_add(r, html.s);
	form_add(r, form_encoded(r->owner, secret));
	/* Adds the base64 digits that depend on the secret alone if `before` bytes precede it. */
	for (size_t before = 0; before < ALIGNMENTS; before++) {
		struct buf b = BUF(r->owner);
		size_t from = (before * 8 + 5) / 6, to;

		buf_add(&b, "\0\0", before);
		buf_str(&b, secret);
		to = b.n * 8 / 6;
		form_add(r,
		    mem_strndup(
			r->owner, crypto_base64(r->owner, b.s, b.n) + from, to - from));
	}
}

/* ---- removal ---- */

/* Returns the length of the longest secret at s; 0 if there is none. *begun: s may be the start of
 * one that continues after n bytes. */
static size_t
secret_at(const struct redact *r, const char *s, size_t n, bool *begun)
{
	size_t longest = 0;

	*begun = false;
	for (size_t i = 0; i < r->form_n; i++) {
		size_t len = strlen(r->forms[i]), known = len < n ? len : n;

		if (memcmp(s, r->forms[i], known) != 0)
			continue;
		if (known < len)
			*begun = true;
		else if (len > longest)
			longest = len;
	}
	return longest;
}

void
redact(struct redact *r, const char *bytes, size_t n, bool last, struct buf *out)
{
	bool first[256] = { false }; /* bytes that a form begins with */
	size_t at = 0;

	for (size_t i = 0; i < r->form_n; i++)
		first[(uint8_t)r->forms[i][0]] = true;
	buf_add(&r->held, bytes, n);
	while (at < r->held.n) {
		size_t plain = at, len;
		bool begun;

		while (plain < r->held.n && !first[(uint8_t)r->held.s[plain]])
			plain++;
		buf_add(out, r->held.s + at, plain - at);
		at = plain;
		if (at == r->held.n)
			break;
		len = secret_at(r, r->held.s + at, r->held.n - at, &begun);
		if (begun && !last)
			break;
		if (len)
			buf_str(out, mark);
		else
			buf_chr(out, r->held.s[at]);
		r->found |= len > 0;
		at += len ? len : 1;
	}
	r->held.n -= at;
	if (r->held.n)
		memmove(r->held.s, r->held.s + at, r->held.n);
}

const char *
redact_text(const struct redact *r, const char *text)
{
	struct redact one = *r;
	struct buf out = BUF(r->owner);

	if (!text)
		return NULL;
	one.held = BUF(r->owner);
	redact(&one, text, strlen(text), true, &out);
	return buf_done(&out);
}
