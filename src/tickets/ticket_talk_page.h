/* SPDX-License-Identifier: Apache-2.0
 * A ticket's conversation, for the pages that show one (ticket-talk.html). */
#ifndef VITRINE_TICKET_TALK_PAGE_H
#define VITRINE_TICKET_TALK_PAGE_H
#include "http/req.h"
#include "tickets/ticket.h"

/* Reads the ticket of the path, for a page of it. */
enum err ticket_talk(struct req *, struct ticket_whole **out);
#endif
