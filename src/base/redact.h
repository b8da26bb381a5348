/* SPDX-License-Identifier: Apache-2.0
 * Removes secrets from what other servers send back: in plain form and in the forms in which
 * programs repeat them (JSON, HTML, addresses, base64). */
#ifndef VITRINE_REDACT_H
#define VITRINE_REDACT_H
#include "base/buf.h"

#include <stdbool.h>

enum { REDACT_LEAST = 6 /* bytes; shorter secrets occur in texts by chance and are ignored */ };

struct redact {
	void *owner;
	const char **forms;
	size_t form_n;
	struct buf held; /* may be the beginning of a secret */
	bool found;      /* a secret was removed */
};
#define REDACT(owner_) ((struct redact){ .owner = (owner_), .held = BUF(owner_) })

/* Adds a secret to remove. NULL is ignored. */
void redact_add(struct redact *, const char *secret);
/* Appends the bytes to out without secrets. Chunks may end anywhere; `last` flushes the rest. */
void redact(struct redact *, const char *bytes, size_t n, bool last, struct buf *out);
/* Returns the whole text without secrets, in the redact's owner; NULL for NULL. */
const char *redact_text(const struct redact *, const char *text);
#endif
