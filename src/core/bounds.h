/* SPDX-License-Identifier: Apache-2.0
 * Bounds of what a workspace or a person keeps that no setting changes: GET /v1/limits has them. */
#ifndef VITRINE_BOUNDS_H
#define VITRINE_BOUNDS_H

enum {
	CATALOG_ENTRIES = 5000, /* of a data catalog */
	CATALOG_FILE_BYTES = 256 << 10,
	TICKET_MESSAGES = 500,    /* of a ticket, notes of staff included */
	TICKET_BYTES = 2 << 20,   /* of all of these */
	TICKETS_GOING_ON = 50     /* of a person: those that are not closed */
};
#endif
