/* SPDX-License-Identifier: Apache-2.0
 * E-mail: whatever it is, what comes of it is plain text within its bounds, and so are the sender's own words in it. */
#include "base/ctx.h"
#include "base/str.h"
#include "ext/mailread.h"
#include "tickets/ownwords.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { BYTES = 20000 };

static void
line_check(const char *s)
{
	if (!str_plain(s) || str_chars(s) > MAIL_READ_LINE + 4)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct mail_content said;
	const char *own;

	if (n > BYTES || mailread_parse(c, (const char *)data, n, &said)) {
		ctx_end(c);
		return 0;
	}
	line_check(said.name);
	line_check(said.subject);
	if (!str_plain(said.from) || !str_plain(said.id) || !str_plain_lines(said.text) || str_chars(said.text) > MAIL_READ_CHARS)
		abort();
	if (said.to.n > MAIL_READ_ADDRESSES || said.dropped.n > MAIL_READ_DROPPED)
		abort();
	for (size_t i = 0; i < said.dropped.n; i++)
		line_check(said.dropped.v[i]);
	own = own_words(c->mem, said.text);
	if (!str_plain_lines(own) || strlen(own) > strlen(said.text) || !str_starts(said.text, own))
		abort();
	ctx_end(c);
	return 0;
}
