/* SPDX-License-Identifier: Apache-2.0
 * A ticket's conversation, for the pages that show one. */
#ifndef VITRINE_TICKET_TALK_PAGE_H
#define VITRINE_TICKET_TALK_PAGE_H
#include "http/req.h"
#include "tickets/ticket.h"

#define TICKET_SAID(F, T) \
	F(T, ID,   said_id,     .arg = "msg_") \
	F(T, STR,  author) \
	F(T, STR,  letters) \
	F(T, BOOL, by_staff) \
	F(T, BOOL, note) \
	F(T, BOOL, mailed) \
	F(T, BOOL, undelivered, .doc = "For staff alone") \
	F(T, STR,  text) \
	F(T, STR,  dropped,     .doc = "Names of attachments that weren't kept") \
	F(T, TIME, said_at)
SHAPE_DECLARE(ticket_said, TICKET_SAID);

/* The messages, as the viewer may see them. */
struct list ticket_talk(struct req *, const struct ticket_whole *);
/* How somebody is called: by their name, else their address. */
const char *ticket_person_told(const struct ticket_person *);
#endif
