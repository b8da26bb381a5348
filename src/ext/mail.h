/* SPDX-License-Identifier: Apache-2.0
 * One e-mail as bytes: RFC 5322 header, RFC 2047 encoded words, MIME multipart/alternative in
 * quoted-printable. Pure: the same message gives the same bytes, so that one sent twice is
 * recognised by its Message-ID. */
#ifndef VITRINE_EXT_MAIL_H
#define VITRINE_EXT_MAIL_H
#include "base/ctx.h"

struct mail_message {
	const char *id;         /* left side of the Message-ID: letters, digits, "_", "-", "." */
	const char *id_host;    /* its right side */
	const char *from;       /* "Name <address>" or an address */
	const char *to;         /* one address */
	const char *subject;    /* UTF-8, any length, one line */
	const char *text, *html; /* UTF-8, lines end in LF */
	int64_t date;           /* Unix seconds */
};

/* Lines end in CRLF and have at most 76 bytes (only an address can make one longer). E_INVALID for
 * control characters in a header and for an address that is not plain addr-spec. */
enum err mail_compose(struct ctx *c, const struct mail_message *, const char **out, size_t *n);
/* The address as mail carries it, an international host as xn--…; E_INVALID if it is none. */
enum err mail_address(struct ctx *c, const char *what, const char *address, const char **out);
#endif
