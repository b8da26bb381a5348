/* SPDX-License-Identifier: Apache-2.0
 * The audit as a file: a JSON object a line, written while they are read. */
#ifndef VITRINE_API_AUDIT_H
#define VITRINE_API_AUDIT_H
#include "core/audit.h"
#include "http/req.h"

/* Writes all entries of r->ws that match the query, the newest first, from its cursor on, ignoring
 * its limit. E_INVALID for a bad cursor, before anything is sent. */
enum err audit_lines_reply(struct req *, const struct audit_query *);
#endif
