/* SPDX-License-Identifier: Apache-2.0
 * What an e-mail says (RFC 5322, MIME), as text: who wrote it, to which addresses, about what.
 * A parser of strangers' bytes: mailread_work() is for a process apart (ext/apart.h), and
 * mailread() is all that others see of it. None of what it says is proved. Only mailread.c sees
 * GMime. */
#ifndef VITRINE_MAILREAD_H
#define VITRINE_MAILREAD_H
#include "base/buf.h"
#include "base/ctx.h"
#include "base/shape.h"

enum {
	MAIL_READ_BYTES = 10 << 20, /* of a mail; of a longer one the rest isn't read */
	MAIL_READ_CHARS = 100000,   /* of its text, with what it quotes */
	MAIL_READ_LINE = 500,       /* of a subject, a name, the name of a file */
	MAIL_READ_ADDRESSES = 100,
	MAIL_READ_DROPPED = 50,
	MAIL_READ_HOPS = 25         /* servers that a mail passes, unless it goes in circles */
};

/* Text is UTF-8 that str_plain() or, of several lines, str_plain_lines() takes; "" for nothing. */
struct mail_said {
	const char *from, *name; /* of the first sender, as it stands there; name can be "" */
	const char *subject;
	const char *id; /* the Message-ID without <>; "" when there is none, or it is no id */
	const char *text;
	const char *machine; /* a word for what says that no person wrote it, or "" */
	struct strs to;      /* all addresses that it says it is to, or was delivered to */
	struct strs dropped; /* names of attachments, or their types */
};

/* In this process. E_INVALID, in words for people, for what isn't a mail. */
enum err mailread_parse(struct ctx *c, const char *bytes, size_t n, struct mail_said *out);
/* In a process apart; E_LIMIT_REACHED beyond its limits, E_UNAVAILABLE when there is none. */
enum err mailread(struct ctx *c, const char *bytes, size_t n, struct mail_said *out);
/* In place of apart_prepare(), whose words hold for it: what GMime looks up when it begins isn't
 * there in a process apart. */
void mailread_prepare(void);
/* The work of that process: an apart_work. */
enum err mailread_work(struct ctx *c, const char *in, size_t n, struct buf *out);
#endif
