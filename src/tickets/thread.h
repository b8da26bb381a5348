/* SPDX-License-Identifier: Apache-2.0
 * Shared by tickets that are opened here and by mail. All functions run in a transaction that holds
 * the ticket’s row. */
#ifndef VITRINE_THREAD_H
#define VITRINE_THREAD_H
#include "tickets/ticket.h"

/* A message to append to the thread. */
struct ticket_put {
	const char *id; /* NULL: a new one */
	const char *author_id, *author_email; /* either may be NULL */
	bool staff, note, answer, delivered;  /* delivered: of an answer */
	const char *body, *channel;
	const char *dropped;  /* names of attachments, as JSON; or NULL */
	struct bytes digest;  /* digest of its e-mail, or NULL */
};

/* Normalizes a text, without \r. E_INVALID, of that field, if it is blank. */
enum err ticket_text(struct ctx *c, const char *field, const char *text, const char **out);
const char *ticket_key_new(struct ctx *c); /* SUPPORT_KEY_CHARS random ones */
/* Inserts a ticket, without messages yet. The runner sorts it later. */
enum err ticket_insert(struct ctx *c, const struct ticket_seen *, const char *requester_name);
/* E_LIMIT_REACHED if the thread is full; E_CONFLICT for a digest that exists. */
enum err ticket_put(struct ctx *c, const struct ticket_seen *, const struct ticket_put *);
enum err ticket_move(struct ctx *c, const struct ticket_seen *, const char *status);
/* Mails the assignee, or else super staff. who: the sender's name in that e-mail. */
enum err ticket_tell_new(
    struct ctx *c, const struct ticket_seen *, const char *who, const char *body);
enum err ticket_tell_more(
    struct ctx *c, const struct ticket_seen *, const char *who, const char *body);
#endif
