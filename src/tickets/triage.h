/* SPDX-License-Identifier: Apache-2.0
 * A draft of how to sort a ticket: its subject, its urgency, a summary, perhaps an answer. A
 * language model makes it, if one is configured, or else rules by words. Only staff see it, and it
 * changes nothing: a hostile text can only make its own draft wrong. */
#ifndef VITRINE_TRIAGE_H
#define VITRINE_TRIAGE_H
#include "tickets/ticket.h"

enum { TRIAGE_S = 20, TRIAGE_SUMMARY_CHARS = 500, TRIAGE_REPLY_CHARS = 4000 };

/* Asks the runner to make it (again). */
enum err triage_want(struct ctx *c, const char *ticket_id);
/* Reads the draft; *out is NULL if there is none, and none is being made. */
enum err triage_get(struct ctx *c, const char *ticket_id, struct ticket_triage **out);

/* Classifies a ticket’s subject and text by word rules. */
void triage_by_rules(
    struct ctx *c, const char *subject, const char *body, struct ticket_triage *out);
/* Checks a language model’s draft: only words of the lists, plain text, no addresses but
 * base_url’s. False if it isn’t such a draft. */
bool triage_said(struct ctx *c, const char *said, struct ticket_triage *out);

/* Makes the one that has been due the longest; *any is false when none was. left() as in
 * egress_req. */
enum err triage_next(
    const struct conf *, struct db *, bool (*left)(void *arg), bool *any);
#endif
