/* SPDX-License-Identifier: Apache-2.0
 * Composes an e-mail: RFC 5322 header, RFC 2047 encoded words, MIME multipart/alternative in
 * quoted-printable. Equal messages give equal bytes, so a repeated message can be recognised by its
 * Message-ID. */
#ifndef VITRINE_MAILTEXT_H
#define VITRINE_MAILTEXT_H
#include "base/ctx.h"

struct mail_message {
	const char *id;         /* left side of the Message-ID: letters, digits, "_", "-", "." */
	const char *id_host;    /* right side of the Message-ID: a host name */
	const char *from;       /* "Name <address>" or an address */
	const char *to;         /* one address */
	const char *subject;    /* UTF-8, one line of any length */
	const char *text, *html; /* UTF-8, lines end in LF */
	int64_t date;           /* Unix seconds */
	const char *event;      /* a word by which programs recognise the kind of mail, or NULL */
	const char *reply_to;   /* one address, or NULL */
	const char *thread;     /* like id: common to the mails of a conversation, or NULL */
	/* With thread: the Message-ID, without <>, of another's mail; or NULL. */
	const char *answers;
	const char *stop;       /* URL that ends such mail by a POST (RFC 8058), or NULL */
};

/* *out has lines of at most 76 bytes (longer only because of an address or id), which end in CRLF.
 * E_INVALID for control characters in a header, a malformed address or a malformed id. */
enum err mail_compose(struct ctx *c, const struct mail_message *, const char **out, size_t *n);
/* True if id can be a Message-ID, without < and >. */
bool mail_id_valid(const char *id);
enum { MAIL_ID_BYTES = 250 };
/* *out is the address in the form for mail, with an international host as xn--…. E_INVALID, naming
 * what, if it isn't an address. */
enum err mail_address(struct ctx *c, const char *what, const char *address, const char **out);
#endif
