/* SPDX-License-Identifier: Apache-2.0
 * Writes one e-mail: RFC 5322 header, RFC 2047 encoded words, MIME multipart/alternative in
 * quoted-printable. The same message always gives the same bytes, so a message that is sent twice
 * can be recognised by its Message-ID. */
#ifndef VITRINE_MAILTEXT_H
#define VITRINE_MAILTEXT_H
#include "base/ctx.h"

struct mail_message {
	const char *id;         /* left side of the Message-ID: letters, digits, "_", "-", "." */
	const char *id_host;    /* right side of the Message-ID: a host name */
	const char *from;       /* "Name <address>" or an address */
	const char *to;         /* one address */
	const char *subject;    /* UTF-8, any length, one line */
	const char *text, *html; /* UTF-8, lines end in LF */
	int64_t date;           /* Unix seconds */
	const char *event;      /* a word that programs tell it by, or NULL */
	const char *reply_to;   /* one address, or NULL */
	const char *thread;     /* as id: of what such mails have in common, or NULL */
	const char *answers;    /* with thread: the Message-ID, without <>, of another's; or NULL */
	const char *stop;       /* URL that ends such mail when POSTed to (RFC 8058), or NULL */
};

/* *out has lines of at most 76 bytes (only an address or an id can make one longer) that end in
 * CRLF. E_INVALID for control characters in a header, for an address that is not a plain addr-spec,
 * and for an id that is none. */
enum err mail_compose(struct ctx *c, const struct mail_message *, const char **out, size_t *n);
/* Whether it can stand between < and > as somebody's Message-ID. */
bool mail_id_valid(const char *id);
enum { MAIL_ID_BYTES = 250 };
/* *out is the address as mail carries it, with an international host name as xn--…. E_INVALID,
 * naming what, when it is not an address. */
enum err mail_address(struct ctx *c, const char *what, const char *address, const char **out);
#endif
