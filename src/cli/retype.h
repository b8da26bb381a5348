/* SPDX-License-Identifier: Apache-2.0
 * Commands that change the columns and the key of tables. */
#ifndef VITRINE_CLI_RETYPE_H
#define VITRINE_CLI_RETYPE_H
#include "cli/cli.h"

#define RETYPE_OPTIONS \
	{ "--dry-run", "for retype: only say what would happen" }, \
	{ "--null", "for retype: values that don't fit become null" }, \
	{ "--decimal MARK", "for retype: point or comma" }, \
	{ "--date-order ORDER", "for retype: ymd, dmy, or mdy" }, \
	{ "--zone ZONE", "for retype: of times without an offset, such as Europe/Berlin" }, \
	{ "--rewrite", "for rename: change rules of the access policy, too" },

/* Adds the members of a type such as "integer", "choice(open|done)", or "link(people)". */
void retype_type_add(struct buf *b, const char *type);
/* The body of retype, and what it prints. */
bool retype_body(struct cli *, struct buf *body);
int retype_told(struct cli *, const struct json *reply);
/* Returns an error of the service with --null in place of the API's member; NULL: it has none. */
const char *retype_reword(struct cli *, const char *error, const void *);
int retype_rename(struct cli *);
int retype_key(struct cli *);
#endif
