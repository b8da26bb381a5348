/* SPDX-License-Identifier: Apache-2.0
 * Callers of routes with {tkt}, and the ticket of such a request. */
#ifndef VITRINE_TICKET_API_H
#define VITRINE_TICKET_API_H
#include "http/req.h"
#include "tickets/ticket.h"

extern const struct who_row TICKET_READ[1], /* requester, or staff; a change locks its row */
	TICKET_WORK[1]; /* staff; requester and admins of its workspace may know that it exists */

static inline const struct ticket_seen *
ticket_of(const struct req *r)
{
	return r->thing;
}
#endif
