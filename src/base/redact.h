/* SPDX-License-Identifier: Apache-2.0
 * Strikes secrets out of what others send back, as they are and in the forms in which programs
 * repeat what they were sent: in JSON, in HTML, in addresses, and in base64. */
#ifndef VITRINE_REDACT_H
#define VITRINE_REDACT_H
#include "base/buf.h"

#include <stdbool.h>

enum { REDACT_LEAST = 6 /* bytes; what is shorter is in any text by chance */ };

struct redact {
	void *owner;
	const char **forms;
	size_t form_n;
	struct buf held; /* may be the beginning of a secret */
	bool found;      /* some was struck out */
};
#define REDACT(owner_) ((struct redact){ .owner = (owner_), .held = BUF(owner_) })

/* NULL is none. */
void redact_add(struct redact *, const char *secret);
/* Adds bytes to out as they come, however they are cut; `last` ends them. */
void redact(struct redact *, const char *bytes, size_t n, bool last, struct buf *out);
/* All at once; NULL stays NULL. */
const char *redact_text(const struct redact *, const char *text);
#endif
