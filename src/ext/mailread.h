/* SPDX-License-Identifier: Apache-2.0
 * Reads an e-mail (RFC 5322, MIME) as text: sender, addresses, subject, text. Nothing in it is
 * proven. mailread() parses in a separate process (ext/apart.h). Only
 * mailread.c includes GMime. */
#ifndef VITRINE_MAILREAD_H
#define VITRINE_MAILREAD_H
#include "base/buf.h"
#include "base/ctx.h"
#include "base/shape.h"

enum {
	MAIL_READ_BYTES = 10 << 20, /* of a mail; the rest of a longer one isn't read */
	MAIL_READ_CHARS = 100000,   /* of its text, with quotes */
	MAIL_READ_LINE = 500,       /* of a subject, a name, a file's name */
	MAIL_READ_ADDRESSES = 100,
	MAIL_READ_DROPPED = 50,
	MAIL_READ_HOPS = 25         /* servers on the way of a mail; more mean a loop */
};

/* Texts are UTF-8 that str_plain(), or for several lines str_plain_lines(), accepts; "" if missing.
 */
struct mail_content {
	const char *from, *name; /* of the first sender, as written; name may be "" */
	const char *subject;
	const char *id; /* the Message-ID without <>; "" if missing or invalid */
	const char *text;
	const char *machine; /* the sign that a program wrote it, such as "list"; else "" */
	struct strs to;      /* all addresses that it is sent or was delivered to */
	struct strs dropped; /* names of attachments, or their types */
};

/* Parses in this process. E_INVALID, with a message for people, if it isn't a mail. */
enum err mailread_parse(struct ctx *c, const char *bytes, size_t n, struct mail_content *out);
/* Parses in a separate process. E_LIMIT_REACHED beyond its limits, E_UNAVAILABLE if there is no
 * helper. */
enum err mailread(struct ctx *c, const char *bytes, size_t n, struct mail_content *out);
/* Call in place of apart_prepare(), under the same rules. Initialises GMime first, because the
 * separate process can't read the files for that. */
void mailread_prepare(void);
#endif
