/* SPDX-License-Identifier: Apache-2.0
 * Tickets by mail, from the bytes that a mail server gives: what isn't for people is ignored, the
 * rest is a message of the ticket that it was sent to, or opens one. */
#ifndef VITRINE_RECEIVE_H
#define VITRINE_RECEIVE_H
#include "db/db.h"

enum ticket_got {
	TICKET_GOT_NEW,    /* opened a ticket */
	TICKET_GOT_MORE,   /* joined one */
	TICKET_GOT_AGAIN,  /* was here already */
	TICKET_GOT_IGNORED /* for good: it would be so again */
};
struct ticket_received {
	enum ticket_got got;
	const char *id;  /* of the ticket, if it is new, or of the message; or NULL */
	const char *why; /* it was ignored; or NULL */
};

/* Runs its own transactions, with mailread_work as the work apart. Any failure may be over later:
 * E_RATE_LIMITED for a sender or a ticket with too many, E_UNAVAILABLE without a database, or when
 * reading it takes too long: once, then its ticket has no text. */
enum err ticket_receive(
    struct ctx *c, const char *bytes, size_t n, struct ticket_received *out);
#endif
