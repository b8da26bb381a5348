/* SPDX-License-Identifier: Apache-2.0
 * A draft of how to sort a ticket: what it is about, how urgent it seems, a summary, perhaps an
 * answer. A language model makes it, if one is configured, else rules by words. It is shown to
 * staff and changes nothing: whatever a ticket says, it can at most make its own draft wrong. */
#ifndef VITRINE_TRIAGE_H
#define VITRINE_TRIAGE_H
#include "tickets/ticket.h"

enum { TRIAGE_S = 20, TRIAGE_SUMMARY_CHARS = 500, TRIAGE_REPLY_CHARS = 4000 };

/* Has it made (again) by the runner. */
enum err triage_want(struct ctx *c, const char *ticket_id);
/* *out NULL: there is none, nor is one under way. */
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
