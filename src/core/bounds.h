/* SPDX-License-Identifier: Apache-2.0
 * Limits on what a workspace or a person can store, which no setting changes. GET /v1/limits lists
 * them. */
#ifndef VITRINE_BOUNDS_H
#define VITRINE_BOUNDS_H

enum {
	CATALOG_ENTRIES = 5000, /* of a data catalog */
	CATALOG_FILE_BYTES = 256 << 10,
	TICKET_MESSAGES = 500,    /* of a ticket, including staff's notes */
	TICKET_BYTES = 2 << 20,   /* of all messages of a ticket */
	TICKETS_GOING_ON = 50     /* open tickets of a person */
};
#endif
