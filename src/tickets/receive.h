/* SPDX-License-Identifier: Apache-2.0
 * Tickets by e-mail, from the bytes that a mail server passes. Ignores e-mails that aren't from
 * people. Others become a message of their ticket, or open one. */
#ifndef VITRINE_RECEIVE_H
#define VITRINE_RECEIVE_H
#include "db/db.h"

enum ticket_got {
	TICKET_GOT_NEW,    /* opened a ticket */
	TICKET_GOT_MORE,   /* joined one */
	TICKET_GOT_AGAIN,  /* we have it already */
	TICKET_GOT_IGNORED /* a retry would fail again */
};
struct ticket_received {
	enum ticket_got got;
	const char *id;  /* id of the ticket, if it is new, or of the message; or NULL */
	const char *why; /* it was ignored; or NULL */
};

/* Runs its own transactions, with mailread() in a separate process. A retry may succeed after
 * any error: E_RATE_LIMITED for a sender or a ticket with too many, E_UNAVAILABLE without a
 * database, or the first time that reading takes too long; the second time the ticket has no
 * text. */
enum err ticket_receive(
    struct ctx *c, const char *bytes, size_t n, struct ticket_received *out);
#endif
